"""Which applications there are, and where each may be answered.

An answer goes to an address of the application's own (RFC 8252): an https address, a scheme that is a
domain name backwards, or this very machine, by number and at whatever port.
"""

from __future__ import annotations

import re
import uuid
from urllib.parse import urlsplit

from tables.errors import BadField
from tables.models import Application

_LOOPBACK = re.compile(r"http://(127\.0\.0\.1|\[::1\])(?::([0-9]{1,5}))?((?:/.*)?)")
_HTTPS = re.compile(r"https://[A-Za-z0-9.-]+(?::[0-9]{1,5})?(?:/.*)?")
_PRIVATE = re.compile(r"[a-z][a-z0-9+-]*(?:\.[a-z0-9+-]+)+:/.*")
_CLEAN = re.compile(r"[A-Za-z0-9._~:/?\[\]@!$&()*+=%-]{1,500}")
"""No fragment, and nothing that means something within a header."""


def register(name: str, redirect_uris: list[str]) -> Application:
    """Add an application.  Raises BadField."""
    if not 1 <= len(name) <= 80 or not name.isprintable():
        raise BadField(pointer="#/name", code="bad_length", wanted="1..80")
    for number, uri in enumerate(redirect_uris):
        if not _is_fit(uri):
            raise BadField(pointer=f"#/redirect_uris/{number}", code="bad_format")
    return Application.objects.create(name=name, redirect_uris=redirect_uris)


def found(client_id: str | None) -> Application | None:
    """Return the application that is called so."""
    try:
        return Application.objects.filter(id=uuid.UUID(client_id or "")).first()
    except ValueError:
        return None


def allows(application: Application, uri: str) -> bool:
    """Tell whether an application may be answered at an address; on this machine, at any port."""
    return _portless(uri) in {_portless(each) for each in application.redirect_uris}


def place_of(uri: str) -> str:
    """Return where an address leads, for people: its host, or its scheme."""
    parts = urlsplit(uri)
    return parts.netloc if parts.scheme in ("http", "https") else parts.scheme


def source_of(uri: str) -> str:
    """Return where an address leads, for the policy of a page, which knows no IPv6."""
    parts = urlsplit(uri)
    if parts.scheme not in ("http", "https") or "[" in parts.netloc:
        return f"{parts.scheme}:"
    return f"{parts.scheme}://{parts.netloc}"


def _is_fit(uri: str) -> bool:
    return bool(_CLEAN.fullmatch(uri)) and any(form.fullmatch(uri) for form in (_LOOPBACK, _HTTPS, _PRIVATE))


def _portless(uri: str) -> str:
    loopback = _LOOPBACK.fullmatch(uri)
    return f"http://{loopback[1]}{loopback[3]}" if loopback else uri
