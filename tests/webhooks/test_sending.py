"""One request: to the address that was judged, under the name's own certificate, bounded in time and size."""

from __future__ import annotations

import asyncio
import datetime
import socket
import ssl
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import httpx
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from tables.webhooks import sending
from tables.webhooks.sending import Letter, Outcome
from tables.webhooks.targets import Target, target_of
from tests.webhooks.receiver import Receiver

TAKEN = b"HTTP/1.1 204 No Content\r\n\r\n"


def letter(url: str, *, challenge: str | None = None) -> Letter:
    return Letter(
        target=target_of(url, to_loopback=True), headers={}, body=b'{"type":"x"}', challenge=challenge
    )


def sent(url: str, *addresses: str, trust: ssl.SSLContext | None = None) -> Outcome:
    """Send a letter where a name stands for these addresses."""

    async def resolve(_host: str, _port: int) -> Sequence[str]:
        return addresses

    return asyncio.run(sending.send(letter(url), resolve=resolve if addresses else None, trust=trust))


@contextmanager
def server(*answer: bytes, wrap: ssl.SSLContext | None = None, pause: float = 0.0) -> Iterator[int]:
    """A server of one answer, sent in pieces with a pause between; give its port."""
    listening = socket.create_server(("127.0.0.1", 0))
    done = threading.Event()

    def wrap_of(connection: socket.socket) -> socket.socket:
        return wrap.wrap_socket(connection, server_side=True) if wrap else connection

    def hear(told: socket.socket) -> None:
        """Read a whole letter: hanging up on an unread rest would take the answer along."""
        heard = b"?"
        while heard and not heard.endswith(b"}"):
            heard = told.recv(65_536)

    def serve() -> None:
        while True:
            try:
                connection, _ = listening.accept()
            except OSError:
                return
            with suppress(OSError), connection, wrap_of(connection) as told:
                hear(told)
                for piece in answer:
                    told.sendall(piece)
                    if done.wait(pause):
                        return

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield int(listening.getsockname()[1])
    finally:
        done.set()
        listening.shutdown(socket.SHUT_RDWR)
        listening.close()
        thread.join()


# --- Which address ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "addresses",
    [
        ["127.0.0.1"],
        ["10.0.0.1"],
        ["169.254.169.254"],
        ["::ffff:127.0.0.1"],
        ["64:ff9b::7f00:1"],
        ["fd00::1"],
        ["8.8.8.8", "127.0.0.1"],
        ["2606:4700:4700::1111", "fe80::1%eth0"],
    ],
)
def test_a_name_that_stands_for_anything_local_is_not_called(addresses: list[str]) -> None:
    """faults.md F55: one such address among others is enough."""
    assert sent("https://bot.example.net/", *addresses) == Outcome("bad_address")


def test_a_name_is_looked_up_once_and_its_address_is_the_one_called(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """celery.md L27: what the name stands for a moment later does not matter."""
    lookups = []

    async def rebinding(host: str, port: int) -> Sequence[str]:
        lookups.append(host)
        return ["127.0.0.1"] if len(lookups) == 1 else ["10.0.0.1"]

    monkeypatch.setattr(socket, "getaddrinfo", None)  # nobody else looks
    url = receiver.url().replace("127.0.0.1", "localhost")
    assert asyncio.run(sending.send(letter(url), resolve=rebinding)).status == 204
    assert lookups == ["localhost"]
    assert receiver.got[0].headers["host"] == url.split("/")[2]


def test_the_next_address_is_tried_where_the_first_lets_nobody_in(receiver: Receiver) -> None:
    url = receiver.url().replace("127.0.0.1", "localhost")
    assert sent(url, "127.0.0.9", "127.0.0.1") == Outcome("", 204)
    assert sent(url, "127.0.0.9") == Outcome("unreachable")


def test_a_name_that_is_none() -> None:
    assert sent("https://nobody.invalid/") == Outcome("no_such_host")


def test_no_proxy_of_the_environment_is_asked(receiver: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert sent(receiver.url()) == Outcome("", 204)


# --- TLS -------------------------------------------------------------------------------------------


def certificate_for(name: str, folder: Path) -> tuple[ssl.SSLContext, ssl.SSLContext]:
    """Return how a server of a name speaks TLS, and whom to trust to believe it."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    file = folder / f"{name}.pem"
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    file.write_bytes(made.public_bytes(serialization.Encoding.PEM) + private)
    serving = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    serving.load_cert_chain(file)
    return serving, ssl.create_default_context(cafile=str(file))


def test_tls_is_held_against_the_name_though_the_address_is_called(tmp_path: Path) -> None:
    """Beyond the guard, for the server is a local one."""
    serving, trust = certificate_for("bot.example.net", tmp_path)

    def call(name: str, trusting: ssl.SSLContext) -> Outcome:
        target = Target(httpx.URL(f"https://{name}:{port}/"), name, port, is_local=False)
        return asyncio.run(sending._to(Letter(target=target, headers={}, body=b"{}"), "127.0.0.1", trusting))

    with server(TAKEN, wrap=serving) as port:
        assert call("bot.example.net", trust) == Outcome("", 204)
        with pytest.raises(httpx.ConnectError, match="self-signed certificate"):
            call("bot.example.net", sending._trust())
        for other in ("cat.example.net", "127.0.0.1"):
            with pytest.raises(httpx.ConnectError, match=r"(Hostname|IP address) mismatch") as refused:
                call(other, trust)
            assert sending._is_of_tls(refused.value)


# --- Bounds ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_a_failure_and_not_followed(receiver: Receiver, status: int) -> None:
    receiver.answer = lambda _: status
    assert sent(receiver.url()) == Outcome("redirect", status)
    assert [each.path for each in receiver.got] == ["/hook"]


@pytest.mark.parametrize("status", [400, 404, 410, 500, 503])
def test_any_other_status_is_a_failure(receiver: Receiver, status: int) -> None:
    receiver.answer = lambda _: status
    assert sent(receiver.url()) == Outcome("bad_status", status)


def test_who_answers_by_drops_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """faults.md F54: each piece comes in time, the whole does not."""
    monkeypatch.setattr(sending, "TOTAL_SECONDS", 0.5)
    for head in (b"HTTP/1.1 204 No Content\r\nX: ", TAKEN.replace(b"204 No Content", b"200 OK")):
        with server(head, *[b"x"] * 1000, pause=0.05) as port:
            assert sent(f"http://127.0.0.1:{port}/") == Outcome("timeout")


def test_who_says_nothing_or_hangs_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sending, "TOTAL_SECONDS", 0.5)
    with server(b"", pause=30) as port:
        assert sent(f"http://127.0.0.1:{port}/") == Outcome("timeout")
    with server(b"") as port:
        assert sent(f"http://127.0.0.1:{port}/") == Outcome("unreachable")
    with server(b"nonsense\r\n\r\n") as port:
        assert sent(f"http://127.0.0.1:{port}/") == Outcome("unreachable")


def test_an_answer_of_50_megabytes_is_not_read() -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Length: 50000000\r\n\r\n"
    with server(head + bytes(1_000_000), pause=30) as port:
        assert sent(f"http://127.0.0.1:{port}/") == Outcome("", 200)


# --- Whose it is -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "error"),
    [
        (b'{"challenge": "abc"}', ""),
        (b'{"challenge": "abd"}', "no_challenge"),
        (b'{"type": "endpoint.challenge", "data": {"challenge": "abc"}}', "no_challenge"),
        (b'"abc"', "no_challenge"),
        (b"abc", "no_challenge"),
        (b"", "no_challenge"),
        (b"[" * 60_000, "no_challenge"),
        (b"\xff", "no_challenge"),
    ],
)
def test_a_challenge_comes_back_at_the_top_of_the_answer(body: bytes, error: str) -> None:
    """Whoever merely echoes what comes in has not been asked, but does not answer so."""
    with server(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)) as port:
        asked = letter(f"http://127.0.0.1:{port}/", challenge="abc")
        assert asyncio.run(sending.send(asked)) == Outcome(error, 200)
