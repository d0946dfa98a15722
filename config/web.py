"""The client in the browser: the files of ``web/``, under a strict policy.

It has no privilege: it uses the documented API alone, from the same address.  What only readers of the
source need, comments and spaces, does not travel.
"""

from __future__ import annotations

import gzip
import hashlib
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotModified
from django.views.decorators.http import require_safe
from rcssmin import cssmin
from rjsmin import jsmin

TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
LEAN = {".css": cssmin, ".js": jsmin}
"""What takes needless bytes away; the verifier comes as it is, for whoever wants to read what judges."""


class _File(NamedTuple):
    kind: str
    plain: bytes
    small: bytes
    tag: str


@require_safe
def page(request: HttpRequest) -> HttpResponse:
    """Return the one page; what it shows is behind the ``#`` of its address."""
    return file(request, "index.html")


@require_safe
def file(request: HttpRequest, name: str) -> HttpResponse:
    """Return a file of the client; a browser that holds it is told so."""
    if (path := _paths().get(name)) is None:
        raise Http404
    found = _read(path, path.stat().st_mtime_ns)
    headers = {
        "Cache-Control": "no-cache",
        "Content-Security-Policy": _policy(),
        "ETag": found.tag,
        "Vary": "Accept-Encoding",
    }
    if request.headers.get("If-None-Match") == found.tag:
        return HttpResponseNotModified(headers=headers)
    if "gzip" in request.headers.get("Accept-Encoding", ""):
        headers["Content-Encoding"] = "gzip"
        return HttpResponse(found.small, content_type=found.kind, headers=headers)
    return HttpResponse(found.plain, content_type=found.kind, headers=headers)


def _policy() -> str:
    """Return what the page may do: nothing from elsewhere, no script or style within, no text as markup."""
    return (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self';"
        f" connect-src 'self' {settings.LIVE_URL}; require-trusted-types-for 'script'; trusted-types 'none';"
        " frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
    )


@cache
def _paths() -> dict[str, Path]:
    """Return what may be served, by name: the files of ``web/``, and the verifier."""
    root = Path(settings.BASE_DIR, "web")
    found = {each.relative_to(root).as_posix(): each for each in root.rglob("*") if each.suffix in TYPES}
    return {**found, "verify.mjs": Path(settings.BASE_DIR, "verify", "verify.mjs")}


@lru_cache(maxsize=128)
def _read(path: Path, changed: int) -> _File:  # noqa: ARG001
    """Return a file, read once for each time that it is changed."""
    plain = path.read_bytes()
    if path.suffix in LEAN:
        plain = LEAN[path.suffix](plain.decode()).encode()
    tag = f'"{hashlib.sha256(plain).hexdigest()[:24]}"'
    return _File(TYPES[path.suffix], plain, gzip.compress(plain, mtime=0), tag)
