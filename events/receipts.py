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

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from events.canonical import NotCanonical, head_message, key_id


class Receipt(TypedDict):
    """A signed head.  ``at`` is the time of the event ``seq`` in milliseconds; bytes are in hex."""

    v: int
    table: str
    seq: int
    head: str
    at: int
    kid: str
    sig: str


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
        """Return the key in ``path`` (PEM, PKCS #8), made there first if there is none.

        Of several processes that make it at once, one wins, and all return its key.  Raises
        InsecureKey if its mode lets others read it.
        """
        if not path.exists():
            _create(path)
        if path.stat().st_mode & 0o077:
            raise InsecureKey(f"{path} can be read by others; mend it with: chmod 600 {path}")
        private = serialization.load_pem_private_key(path.read_bytes(), password=None)
        if not isinstance(private, Ed25519PrivateKey):
            raise ValueError(f"{path} holds no Ed25519 key")
        return cls(private)

    def receipt(self, tid: bytes, *, seq: int, head: bytes, at: int) -> Receipt:
        """Return the receipt of a committed event."""
        signed = {"v": 1, "table": tid.hex(), "seq": seq, "head": head.hex(), "at": at, "kid": self.kid}
        sig = self._private.sign(head_message(signed)).hex()
        return Receipt(v=1, table=tid.hex(), seq=seq, head=head.hex(), at=at, kid=self.kid, sig=sig)


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
