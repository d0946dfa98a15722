"""The signer: a process that owns the private keys and signs heads, asked over a Unix socket.

A question is a line: a head in JSON, or ``keys``.  The answer is a line of JSON: ``sig``, ``keys`` (kid and
public half, the one that signs first) or ``refused`` with the reason.  It signs nothing but well-formed
heads, and no two different ones for one table and seq as far back as it remembers.
"""

from __future__ import annotations

import json
import os
import re
import socket
import socketserver
import time
from collections import OrderedDict
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple, cast

from events.canonical import MAX_INT
from events.receipts import Head, KeyRing, NoSignature

MOST_HEADS = 100_000
"""How many heads are remembered."""
LONGEST_QUESTION = 1024
LONGEST_ANSWER = 64 * 1024
IDLE_SECONDS = 5.0
_HEX = {
    "table": re.compile(r"[0-9a-f]{32}"),
    "head": re.compile(r"[0-9a-f]{64}"),
    "kid": re.compile(r"[0-9a-f]{16}"),
}
_LEAST = {"v": 1, "seq": 1, "at": 0}


class Refused(NoSignature):
    """The signer answers, and does not sign this."""


class PublicKey(NamedTuple):
    """The public half of a key (32 raw bytes), and its short name."""

    kid: str
    public: bytes


class LocalSigner:
    """The keys of this very process."""

    def __init__(self, path: Path) -> None:
        self._ring = KeyRing(path)
        self._lock = Lock()

    def held(self) -> list[PublicKey]:
        """Return the keys at hand, the one that signs first.  Raises NoSignature."""
        with self._lock:
            return [PublicKey(each.kid, each.public) for each in self._ring.held()]

    def sign(self, head: Head) -> str:
        """Return the signature under a head.  Raises NoSignature."""
        with self._lock:
            return self._ring.sign(head)


class RemoteSigner:
    """The signer behind a socket, for which nobody waits longer than ``patience`` seconds."""

    def __init__(self, path: Path, patience: float) -> None:
        self._path = path
        self._patience = patience

    def held(self) -> list[PublicKey]:
        """Return the keys that the signer has, the one that signs first.  Raises NoSignature."""
        told: Any = self._ask(b"keys").get("keys")
        try:
            return [PublicKey(each["kid"], bytes.fromhex(each["public"])) for each in told]
        except (TypeError, KeyError, ValueError):
            raise NoSignature(f"the signer at {self._path} answers nonsense") from None

    def sign(self, head: Head) -> str:
        """Return the signature under a head.  Raises NoSignature; Refused where the signer refuses it."""
        sig = self._ask(json.dumps(head).encode()).get("sig")
        if not isinstance(sig, str):
            raise NoSignature(f"the signer at {self._path} answers nonsense")
        return sig

    def _ask(self, question: bytes) -> dict[str, Any]:
        until, data = time.monotonic() + self._patience, b""
        try:
            with socket.socket(socket.AF_UNIX) as asked:
                asked.settimeout(self._patience)
                asked.connect(str(self._path))
                asked.sendall(question + b"\n")
                while not data.endswith(b"\n") and len(data) < LONGEST_ANSWER:
                    asked.settimeout(max(until - time.monotonic(), 0.001))
                    if not (part := asked.recv(LONGEST_ANSWER)):
                        break
                    data += part
            told = json.loads(data)
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or str(error) or "no answer"
            raise NoSignature(f"the signer at {self._path} does not answer: {why}") from None
        if not isinstance(told, dict):
            raise NoSignature(f"the signer at {self._path} answers nonsense")
        if "refused" in told:
            raise Refused(f"the signer refuses: {told['refused']}")
        return told


class Desk:
    """What the signer answers: it keeps the keys, and remembers what it has signed."""

    def __init__(self, path: Path, most_heads: int = MOST_HEADS) -> None:
        self._ring = KeyRing(path)
        self._lock = Lock()
        self._signed: OrderedDict[tuple[str, int], str] = OrderedDict()
        self._most = most_heads

    def answer(self, question: bytes) -> dict[str, Any]:
        """Return the answer to a line."""
        try:
            with self._lock:
                if question == b"keys":
                    keys = self._ring.held()
                    return {"keys": [{"kid": each.kid, "public": each.public.hex()} for each in keys]}
                return {"sig": self._sign(_head_in(question))}
        except NoSignature as error:
            return {"refused": str(error)}

    def _sign(self, head: Head) -> str:
        place = head["table"], head["seq"]
        if self._signed.get(place, head["head"]) != head["head"]:
            raise NoSignature("another head was signed for this table and seq")
        sig = self._ring.sign(head)
        self._signed[place] = head["head"]
        self._signed.move_to_end(place)
        if len(self._signed) > self._most:
            self._signed.popitem(last=False)
        return sig


class Server(socketserver.ThreadingUnixStreamServer):
    """The socket at ``path``, mode 660, behind which a desk answers.  Raises AlreadyRuns."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, path: Path, desk: Desk) -> None:
        self.desk = desk
        self._path = path
        _remove_stale(path)
        before = os.umask(0o117)
        try:
            super().__init__(str(path), _Handler)
        finally:
            os.umask(before)

    def server_close(self) -> None:
        """Close the socket, and take it away."""
        super().server_close()
        self._path.unlink(missing_ok=True)


class AlreadyRuns(Exception):
    """Another signer answers at this socket."""


class _Handler(socketserver.StreamRequestHandler):
    timeout = IDLE_SECONDS

    def handle(self) -> None:
        """Answer line after line, until there is none for a while."""
        server = cast(Server, self.server)
        try:
            while question := self.rfile.readline(LONGEST_QUESTION):
                if not question.endswith(b"\n"):
                    return
                self.wfile.write(json.dumps(server.desk.answer(question.strip())).encode() + b"\n")
        except OSError:  # who asked has gone, or says nothing
            return


def _remove_stale(path: Path) -> None:
    try:
        with socket.socket(socket.AF_UNIX) as probe:
            probe.settimeout(1.0)
            probe.connect(str(path))
    except FileNotFoundError:
        return
    except ConnectionRefusedError:
        path.unlink(missing_ok=True)
        return
    raise AlreadyRuns(f"a signer runs at {path} already")


def _head_in(question: bytes) -> Head:
    """Return the head that a line is.  Raises NoSignature."""
    try:
        told = json.loads(question)
    except (ValueError, RecursionError):
        told = None
    if not isinstance(told, dict) or told.keys() != {*_HEX, *_LEAST}:
        raise NoSignature("this is no head")
    for name, pattern in _HEX.items():
        if not isinstance(told[name], str) or not pattern.fullmatch(told[name]):
            raise NoSignature(f"{name} is not that of a head")
    for name, least in _LEAST.items():
        if type(told[name]) is not int or not least <= told[name] <= MAX_INT:
            raise NoSignature(f"{name} is not that of a head")
    if told["v"] != 1:
        raise NoSignature("v is not that of a head")
    return cast(Head, told)
