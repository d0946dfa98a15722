"""The client in the browser: the files of ``web/``, under a strict policy.

It has no privilege: it uses the documented API alone, from the same address.  What only readers of the
source need, comments, indentation and spaces about signs, does not travel; every line keeps its number.
"""

from __future__ import annotations

import gzip
import hashlib
import re
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotModified
from django.views.decorators.http import require_safe

TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
_UNREAD = re.compile(r"/\*.*?\*/ ?|^ *//[^\n]*| // [^\n\"'`]*$|^ +", re.DOTALL | re.MULTILINE)
_WIDE_STYLE = re.compile(r"(?<=[{};:,]) | (?=[{}])|;(?= ?})")
_PLAIN = r"`[^`$]*(?:\$\{[^{}`]*\}[^`$]*)*`"
_HOLE = re.compile(rf"\$\{{(?:[^{{}}`]|{_PLAIN})*\}}")  # of a text, which may hold a text again, once
_TEXT = rf'"(?:[^"\\]|\\.)*"|`[^`$]*(?:{_HOLE.pattern}[^`$]*)*`'
_ALONE = r"(?:(?<=\()|(?<=[,=:?&|>] ))\((\w+)\) (?==>)"  # a parameter that needs no parentheses
_WIDE_SCRIPT = re.compile(
    rf'({_TEXT})|(\bconst\b)|{_ALONE}|(?<=[][{{}}(),;:=>?&|<+*!"-]) | (?=[][{{}}(),;:=>?&|<+*!"-])'
)
_INTRICATE = re.compile(
    rf"({_TEXT})|[`']|(?<! )/|/(?! )"
)  # what is left of a line without its texts may hold a pattern


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


def lean_style(text: str) -> str:
    """Return a style sheet without comments, indentation and needless signs, line by line."""
    return _WIDE_STYLE.sub("", _without_comments(text))


def lean_script(text: str) -> str:
    """Return a script without comments, indentation and, in plain lines, needless spaces, line by line.

    No text of ours may hold the beginning of a comment or go on in another line.
    """
    lines = _without_comments(text).split("\n")
    return "\n".join(each if _is_intricate(each) else _lean(each) for each in lines)


def _lean(code: str) -> str:
    """Return code without needless spaces and parentheses; of a text only the code in its holes is judged.

    What never changes need not say so on its way: ``const`` travels as ``let``.
    """
    return _WIDE_SCRIPT.sub(
        lambda found: (
            _HOLE.sub(lambda hole: _lean(hole[0]), found[1])
            if found[1]
            else (found[2] and "let") or found[3] or ""
        ),
        code,
    )


def _is_intricate(line: str) -> bool:
    """Tell whether a line holds more than code and plain texts: then no space of it is judged."""
    return any(found[1] is None for found in _INTRICATE.finditer(line))


LEAN = {".css": lean_style, ".js": lean_script, ".mjs": lean_script}


def _without_comments(text: str) -> str:
    return _UNREAD.sub(lambda found: "\n" * found[0].count("\n"), text)


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
