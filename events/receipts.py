"""Signed heads: what a player keeps, so that the log cannot change behind its back.

A receipt says: at ``seq`` the table's chain ended in ``head``.  Two receipts of one table and seq
with different heads prove that the server told two stories.  Sign after the commit: a signature
over an event that was rolled back would be such a proof.  Sources: transcript format ``ttx v1``;
RFC 8032 (Ed25519, which is deterministic: signing again gives the same bytes).
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import TypedDict

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from events.canonical import NotCanonical, head_message, key_id

NO_KID = "0" * 16
"""What a log names as its first key where its server has never had one."""


class Head(TypedDict):
    """The end of a chain, as it is signed.  ``at`` is the time of the event ``seq`` in milliseconds."""

    v: int
    table: str
    seq: int
    head: str
    at: int
    kid: str


class Receipt(Head):
    """A signed head.  Bytes are in hex."""

    sig: str


class NoSignature(Exception):
    """There is no signature for now; the message says why, as the end of a sentence."""


class InsecureKey(Exception):
    """The file of the signing key can be read by others."""


class SigningKey:
    """The server's Ed25519 key.  ``public`` is its public half (32 raw bytes), ``kid`` its short name."""

    def __init__(self, private: Ed25519PrivateKey) -> None:
        self._private = private
        self.public = private.public_key().public_bytes_raw()
        self.kid = key_id(self.public)

    @classmethod
    def load_or_create(cls, path: Path) -> SigningKey:
        """Return the key in ``path``, made there first if there is none.

        Of several processes that make it at once, one wins, and all return its key.  Raises as ``load``.
        """
        if not path.exists():
            _create(path)
        return cls.load(path)

    @classmethod
    def load(cls, path: Path) -> SigningKey:
        """Return the key in ``path`` (PEM, PKCS #8).

        Raises OSError, ValueError for a file that holds none, InsecureKey if its mode lets others read it.
        """
        if path.stat().st_mode & 0o077:
            raise InsecureKey(f"{path} can be read by others; mend it with: chmod 600 {path}")
        try:
            private = serialization.load_pem_private_key(path.read_bytes(), password=None)
        except (TypeError, UnsupportedAlgorithm) as error:  # under a password, or of a kind unknown here
            raise ValueError(f"{path} cannot be read: {error}") from None
        if not isinstance(private, Ed25519PrivateKey):
            raise ValueError(f"{path} holds no Ed25519 key")
        return cls(private)

    def receipt(self, tid: bytes, *, seq: int, head: bytes, at: int) -> Receipt:
        """Return the receipt of a committed event."""
        signed = Head(v=1, table=tid.hex(), seq=seq, head=head.hex(), at=at, kid=self.kid)
        return Receipt(**signed, sig=self.sign(signed))

    def sign(self, head: Head) -> str:
        """Return the signature under a head that names this key, in hex."""
        return self._private.sign(head_message(head)).hex()


def replace_key(path: Path) -> SigningKey:
    """Put a fresh key into ``path``, the old one beside it; return the fresh one.

    At every moment there is a key in ``path``, if there was one.
    """
    fresh = path.with_name(f".{path.name}.{os.urandom(8).hex()}")
    _create(fresh)
    try:
        if path.exists():
            kept = path.with_name(f"{path.stem}-{SigningKey.load(path).kid}{path.suffix}")
            kept.unlink(missing_ok=True)
            os.link(path, kept)
        os.replace(fresh, path)
    finally:
        fresh.unlink(missing_ok=True)
    return SigningKey.load(path)


class KeyRing:
    """The private keys in a folder: the one in ``path`` signs, others beside it sign again what they signed.

    Others are the files of the same suffix that hold an Ed25519 key.  What was once read stays known, even
    if its file goes.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._seen: object = None
        self._keys: dict[str, SigningKey] = {}
        self._current: SigningKey | None = None

    def held(self) -> list[SigningKey]:
        """Return the keys, the one that signs first.  Raises NoSignature when that cannot be read."""
        if (seen := self._files()) != self._seen:
            self._read()
            self._seen = seen
        if self._current is None:
            raise NoSignature(f"there is no signing key at {self._path}")
        return [self._current, *(each for each in self._keys.values() if each.kid != self._current.kid)]

    def sign(self, head: Head) -> str:
        """Return the signature of the key that a head names.  Raises NoSignature."""
        key = self._keys.get(head["kid"]) or {each.kid: each for each in self.held()}.get(head["kid"])
        if key is None:
            raise NoSignature(f"the private half of key {head['kid']} is not at hand")
        return key.sign(head)

    def _beside(self) -> list[Path]:
        path = self._path
        return sorted(path.parent.glob(f"*{path.suffix}" if path.suffix else f"{path.name}*"))

    def _files(self) -> list[tuple[str, int, int]]:
        """Return what tells whether a file has changed."""
        found = []
        for each in self._beside():
            with contextlib.suppress(OSError):
                stat = each.stat()
                found.append((each.name, stat.st_mtime_ns, stat.st_mode))
        return sorted(found)

    def _read(self) -> None:
        for each in self._beside():
            with contextlib.suppress(OSError, ValueError, InsecureKey):
                key = SigningKey.load(each)
                self._keys[key.kid] = key
        try:
            self._current = SigningKey.load(self._path)
        except FileNotFoundError:
            return
        except InsecureKey as error:
            raise NoSignature(f"the signing key {error}") from None
        except (OSError, ValueError):
            raise NoSignature(f"{self._path} holds no Ed25519 key that can be read") from None


def verify(receipt: Mapping[str, object], public_key: bytes) -> bool:
    """Whether ``public_key`` (32 raw bytes) signed ``receipt``.  Anything malformed is not signed."""
    signed = {name: value for name, value in receipt.items() if name != "sig"}
    sig = receipt.get("sig")
    if signed.keys() != {"v", "table", "seq", "head", "at", "kid"} or not isinstance(sig, str):
        return False
    try:
        if signed["kid"] != key_id(public_key) or bytes.fromhex(sig).hex() != sig:
            return False
        Ed25519PublicKey.from_public_bytes(public_key).verify(bytes.fromhex(sig), head_message(signed))
    except (InvalidSignature, NotCanonical, ValueError):
        return False
    return True


def _create(path: Path) -> None:
    """Write a fresh key beside ``path``, then link it there: others see none or a whole one."""
    pem = Ed25519PrivateKey.generate().private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, draft = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")  # mode 0600
    try:
        with open(descriptor, "wb") as file:
            file.write(pem)
            file.flush()
            os.fsync(file.fileno())
        with contextlib.suppress(FileExistsError):  # another process was faster: its key counts
            os.link(draft, path)
    finally:
        os.unlink(draft)
