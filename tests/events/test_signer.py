"""The signer: well-formed heads and nothing else, one for a place; asked over a real socket."""

from __future__ import annotations

import json
import socket
import stat
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest

from events.receipts import Head, InsecureKey, KeyRing, NoSignature, SigningKey, replace_key, verify
from events.signer import AlreadyRuns, Desk, Refused, RemoteSigner, Server

TABLE = "00112233445566778899aabbccddeeff"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """The file of a key."""
    SigningKey.load_or_create(tmp_path / "signing.key")
    return tmp_path / "signing.key"


@pytest.fixture
def server(path: Path) -> Iterator[Path]:
    """The socket of a signer that runs."""
    where = path.with_name("signer.sock")
    with Server(where, Desk(path, most_heads=2)) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield where
        server.shutdown()
        thread.join()


@pytest.fixture
def remote(server: Path) -> RemoteSigner:
    return RemoteSigner(server, 10.0)


def head(key: str, **told: object) -> Head:
    return {"v": 1, "table": TABLE, "seq": 1, "head": "ab" * 32, "at": 5, "kid": key, **told}  # type: ignore[typeddict-item]


def test_what_it_signs_is_a_receipt(remote: RemoteSigner, path: Path) -> None:
    key = SigningKey.load(path)
    assert remote.held() == [(key.kid, key.public)]
    told = head(key.kid)
    assert verify({**told, "sig": remote.sign(told)}, key.public)
    assert remote.sign(told) == key.sign(told)


@pytest.mark.parametrize(
    "wrong",
    [
        {"v": 2},
        {"v": True},
        {"table": TABLE.upper()},
        {"table": f"{TABLE}0"},
        {"seq": 0},
        {"seq": "1"},
        {"head": "ab"},
        {"at": -1},
        {"at": 2**53},
        {"kid": "k"},
        {"note": "hello"},
    ],
)
def test_what_is_no_head_is_not_signed(remote: RemoteSigner, path: Path, wrong: dict[str, object]) -> None:
    with pytest.raises(Refused, match=r"is no head|is not that of a head"):
        remote.sign(head(SigningKey.load(path).kid, **wrong))


def test_it_signs_one_head_for_a_place(remote: RemoteSigner, path: Path) -> None:
    kid = SigningKey.load(path).kid
    remote.sign(head(kid))
    with pytest.raises(Refused, match="another head was signed"):
        remote.sign(head(kid, head="cd" * 32))
    remote.sign(head(kid))
    remote.sign(head(kid, seq=2, head="cd" * 32))
    remote.sign(head(kid, seq=3))
    remote.sign(head(kid, head="cd" * 32))  # it remembers two


def test_a_key_that_it_has_not_signs_nothing_and_is_not_remembered(remote: RemoteSigner, path: Path) -> None:
    with pytest.raises(Refused, match="the private half of key 0123456789abcdef is not at hand"):
        remote.sign(head("0123456789abcdef"))
    assert remote.sign(head(SigningKey.load(path).kid, head="cd" * 32))


@pytest.mark.parametrize(
    "asked", [b"\n", b"x" * 5000 + b"\n", b"[]\n", b"[" * 1023 + b"\n", b'{"keys": true}\n', b"\xff\n"]
)
def test_nonsense_harms_nobody(server: Path, remote: RemoteSigner, asked: bytes) -> None:
    with socket.socket(socket.AF_UNIX) as rude:
        rude.connect(str(server))
        rude.sendall(asked)
        rude.settimeout(10.0)
        answer = rude.recv(1000)
    assert not answer or set(json.loads(answer)) == {"refused"}
    assert remote.held()


def test_the_socket_is_for_owner_and_group_and_one_signer(server: Path, path: Path) -> None:
    assert stat.S_IMODE(server.stat().st_mode) == 0o660
    with pytest.raises(AlreadyRuns):
        Server(server, Desk(path))
    assert RemoteSigner(server, 10.0).held()


def test_a_socket_that_a_killed_signer_left_is_taken_over(path: Path) -> None:
    where = path.with_name("signer.sock")
    with socket.socket(socket.AF_UNIX) as gone:
        gone.bind(str(where))
    with pytest.raises(NoSignature, match="does not answer: Connection refused"):
        RemoteSigner(where, 0.2).held()
    Server(where, Desk(path)).server_close()
    assert not where.exists()
    with pytest.raises(NoSignature, match="does not answer: No such file"):
        RemoteSigner(where, 0.2).held()


def test_nobody_waits_for_a_signer_that_says_nothing(path: Path) -> None:
    where = path.with_name("signer.sock")
    with socket.socket(socket.AF_UNIX) as mute:
        mute.bind(str(where))
        mute.listen()
        with pytest.raises(NoSignature, match="does not answer: timed out"):
            RemoteSigner(where, 0.05).held()


# --- The keys in a folder -------------------------------------------------------------------------


def test_a_new_key_signs_and_the_old_one_signs_again_what_it_signed(path: Path) -> None:
    ring, old = KeyRing(path), SigningKey.load(path)
    before = ring.sign(head(old.kid))
    new = replace_key(path)

    assert [each.kid for each in ring.held()] == [new.kid, old.kid]
    assert [each.kid for each in KeyRing(path).held()] == [new.kid, old.kid]
    assert KeyRing(path).sign(head(old.kid)) == before
    assert {each.name for each in path.parent.iterdir()} == {"signing.key", f"signing-{old.kid}.key"}
    assert {stat.S_IMODE(each.stat().st_mode) for each in path.parent.iterdir()} == {0o600}


def test_pointing_to_another_file_keeps_the_one_beside_it(path: Path) -> None:
    old, other = SigningKey.load(path), path.with_name("signing-2027.key")
    new = SigningKey.load_or_create(other)
    assert [each.kid for each in KeyRing(other).held()] == [new.kid, old.kid]


def test_other_files_are_none_of_its_keys(path: Path) -> None:
    path.with_name("tls.key").write_text("-----BEGIN PRIVATE KEY-----")
    open_ = path.with_name("open.key")
    SigningKey.load_or_create(open_)
    open_.chmod(0o644)
    assert [each.kid for each in KeyRing(path).held()] == [SigningKey.load(path).kid]


def test_a_key_that_was_read_outlives_its_file(path: Path) -> None:
    ring = KeyRing(path)
    (key,) = ring.held()
    path.unlink()
    assert ring.sign(head(key.kid)) == key.sign(head(key.kid))
    with pytest.raises(NoSignature, match="there is no signing key at"):
        KeyRing(path).held()


@pytest.mark.parametrize("wrong", ["open", "none"])
def test_a_key_that_cannot_be_used_is_named(path: Path, wrong: str) -> None:
    path.chmod(0o644) if wrong == "open" else path.write_text("no key")
    told = "can be read by others" if wrong == "open" else "holds no Ed25519 key"
    with pytest.raises(NoSignature, match=told):
        KeyRing(path).held()
    with pytest.raises((InsecureKey, ValueError)):
        SigningKey.load(path)
