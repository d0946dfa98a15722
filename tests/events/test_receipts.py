"""Receipts: what a player keeps must convince others, and nothing else may."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from events.canonical import head_message, key_id
from events.receipts import InsecureKey, Receipt, SigningKey, verify

TID = bytes.fromhex("00112233445566778899aabbccddeeff")


@pytest.fixture
def key(tmp_path: Path) -> SigningKey:
    return SigningKey.load_or_create(tmp_path / "keys" / "signing.key")


def signed(key: SigningKey) -> Receipt:
    return key.receipt(TID, seq=7, head=b"\xab" * 32, at=1_700_000_000_000)


def test_a_receipt_verifies_and_says_what_was_signed(key: SigningKey) -> None:
    receipt = signed(key)

    assert verify(receipt, key.public)
    assert receipt["kid"] == key_id(key.public) == key.kid
    assert (receipt["table"], receipt["head"]) == (TID.hex(), "ab" * 32)


def test_the_signature_is_ed25519_over_the_tagged_canonical_receipt(key: SigningKey) -> None:
    receipt = dict(signed(key))
    sig = bytes.fromhex(str(receipt.pop("sig")))

    assert head_message(receipt).startswith(b'ttx/head/v1\x00{"at":1700000000000,"head":"abab')
    Ed25519PublicKey.from_public_bytes(key.public).verify(sig, head_message(receipt))


def test_signing_again_gives_the_same_bytes(key: SigningKey) -> None:
    assert signed(key) == signed(key)


@pytest.mark.parametrize(
    "changed",
    [
        {"seq": 8},
        {"head": "ac" * 32},
        {"table": "00" * 16},
        {"at": 1},
        {"v": 2},
        {"kid": "0" * 16},
        {"sig": "00" * 64},
        {"sig": "no hex"},
        {"sig": None},
        {"sig": ""},
        {"at": 1.5},
        {"more": 1},
    ],
)
def test_a_changed_receipt_does_not_verify(key: SigningKey, changed: dict[str, object]) -> None:
    assert not verify({**signed(key), **changed}, key.public)


def test_upper_case_is_another_spelling_and_refused(key: SigningKey) -> None:
    receipt = signed(key)
    assert not verify({**receipt, "sig": receipt["sig"].upper()}, key.public)


def test_the_receipt_of_another_key_does_not_verify(key: SigningKey, tmp_path: Path) -> None:
    other = SigningKey.load_or_create(tmp_path / "other.key")
    assert not verify(signed(key), other.public)
    assert not verify({**signed(key), "kid": other.kid}, other.public)
    assert not verify(signed(key), b"short")


def test_a_receipt_that_names_a_key_which_did_not_sign_it_does_not_verify(key: SigningKey) -> None:
    signer = key.public
    key.kid = "0" * 16

    assert not verify(signed(key), signer)


def test_the_key_is_kept_where_only_its_user_reads_it(tmp_path: Path) -> None:
    path = tmp_path / "signing.key"
    made = SigningKey.load_or_create(path)

    assert path.stat().st_mode & 0o777 == 0o600
    assert [each.name for each in tmp_path.iterdir()] == ["signing.key"]
    assert SigningKey.load_or_create(path).public == made.public


def test_a_key_that_others_can_read_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "signing.key"
    SigningKey.load_or_create(path)
    path.chmod(0o640)

    with pytest.raises(InsecureKey, match="chmod 600"):
        SigningKey.load_or_create(path)


def test_processes_that_make_the_key_at_once_share_one(tmp_path: Path) -> None:
    path, gate = tmp_path / "signing.key", Barrier(8)

    def make(_: int) -> bytes:
        gate.wait(timeout=5)
        return SigningKey.load_or_create(path).public

    with ThreadPoolExecutor(max_workers=8) as pool:
        assert len(set(pool.map(make, range(8)))) == 1
    assert [each.name for each in tmp_path.iterdir()] == ["signing.key"]
