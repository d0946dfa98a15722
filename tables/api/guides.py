"""The guides, as pages: Markdown of ``docs/``, in the reader's language, and the list of problem codes.

Everything comes from this server, and nothing in a page runs.
"""

from __future__ import annotations

import re
from functools import cache
from html import escape
from pathlib import Path
from typing import NamedTuple

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe
from markdown_it import MarkdownIt

from tables import wording

GUIDES = {
    "start": "guides/start",
    "accounts": "guides/accounts",
    "playing": "guides/playing",
    "clocks": "guides/clocks",
    "secrecy": "guides/secrecy",
    "verification": "verify",
    "live": "guides/live",
    "webhooks": "guides/webhooks",
    "errors": "guides/errors",
}
"""The file of each guide under ``docs``, without its language; in the order in which they are listed."""

_WORDS = (wording.DETAILS, wording.FIELDS)
_CODES = ("Problem codes", "Códigos de problema")
_REFERENCE = ("Reference", "Referencia")
_OF_GAMES = (
    "The codes of a game's rules are worded in its catalogue, <code>/v1/games/{game}</code>.",
    "Los códigos de las reglas de un juego están en su catálogo, <code>/v1/games/{game}</code>.",
)
_PAGE = """<!doctype html>
<html lang="{locale}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title} · Posta</title>
<link rel="icon" href="/docs/assets/favicon-32x32.png">
<link rel="stylesheet" href="/docs/assets/guides.css">
<nav>{links}</nav>
<main>
{body}</main>
</html>
"""
STYLE = """:root { color-scheme: light dark; }
body { margin: 0 auto; max-width: 46rem; padding: 1rem; font: 1rem/1.55 system-ui, sans-serif; }
nav { display: flex; flex-wrap: wrap; gap: .3rem 1rem; padding-bottom: .6rem; border-bottom: 1px solid; }
pre { overflow-x: auto; padding: .8rem; border: 1px solid; border-radius: .4rem; }
code { font: .9em ui-monospace, monospace; overflow-wrap: anywhere; }
pre code, td code { overflow-wrap: normal; }
table { display: block; overflow-x: auto; border-collapse: collapse; }
th, td { padding: .3rem .6rem; border: 1px solid; text-align: left; vertical-align: top; }
dt { margin-top: .8rem; }
a { color: LinkText; }
"""
_POLICY = (
    "default-src 'none'; style-src 'self'; img-src 'self'; frame-ancestors 'none'; base-uri 'none';"
    " form-action 'none'"
)


class Guide(NamedTuple):
    """A guide in one language; ``body`` is HTML."""

    title: str
    body: str


@require_safe
def page(request: HttpRequest, name: str) -> HttpResponse:
    """Return a guide in the language of ``lang``, else of ``Accept-Language``."""
    if name not in GUIDES:
        raise Http404
    locale = _locale(request)
    return _answer(guide(name, locale), locale, f"/docs/guides/{name}")


@require_safe
def errors(request: HttpRequest) -> HttpResponse:
    """Return the list of codes, where the ``type`` of every problem leads."""
    locale = _locale(request)
    number = wording.LOCALES.index(locale)
    rows = "".join(
        f'<dt id="{code}"><code>{code}</code></dt>\n'
        + "".join(f"<dd>{escape(each[code][number])}</dd>\n" for each in _WORDS if code in each)
        for code in sorted({code for each in _WORDS for code in each})
    )
    title = _CODES[number]
    body = f"<h1>{title}</h1>\n<p>{_OF_GAMES[number]}</p>\n<dl>\n{rows}</dl>\n"
    return _answer(Guide(title, body), locale, "/docs/errors")


@cache
def guide(name: str, locale: str) -> Guide:
    """Return a guide, rendered; ``name`` is one of ``GUIDES``."""
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = markdown.parse(_file(name, locale).read_text())
    title = ""
    for number, token in enumerate(tokens):
        if token.type == "heading_open":
            text = tokens[number + 1].content
            title = title or text
            token.attrSet("id", anchor(text))
        for child in token.children or ():
            if child.type == "link_open":
                child.attrSet("href", _target(str(child.attrGet("href"))))
    return Guide(title, markdown.renderer.render(tokens, markdown.options, {}))


def anchor(heading: str) -> str:
    """Return the id of a heading, as repositories on the web make it."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def _target(href: str) -> str:
    """Return where a link of a guide leads here: other guides are pages, all else stays."""
    path, mark, part = href.partition("#")
    for name, file in GUIDES.items():
        if path.endswith(".md") and Path(path).name.split(".")[0] == Path(file).name:
            return f"/docs/guides/{name}{mark}{part}"
    return href


def _file(name: str, locale: str) -> Path:
    ending = ".md" if locale == "en" else f".{locale}.md"
    return Path(settings.BASE_DIR, "docs", GUIDES[name] + ending)


def _locale(request: HttpRequest) -> str:
    wished = request.GET.get("lang")
    return (
        wished
        if wished in wording.LOCALES
        else wording.language(request.headers.get("Accept-Language"), None)
    )


def _answer(found: Guide, locale: str, path: str) -> HttpResponse:
    number = wording.LOCALES.index(locale)
    links = [(f"/docs/guides/{name}", guide(name, locale).title) for name in GUIDES]
    links += [("/docs/errors", _CODES[number]), ("/docs", _REFERENCE[number])]
    shown = [f'<a href="{where}">{escape(title)}</a>' for where, title in links]
    shown += [
        f'<a href="{path}?lang={each}" hreflang="{each}">{each}</a>'
        for each in wording.LOCALES
        if each != locale
    ]
    body = _PAGE.format(locale=locale, title=escape(found.title), links=" ".join(shown), body=found.body)
    return HttpResponse(
        body,
        headers={
            "Content-Security-Policy": _POLICY,
            "Content-Language": locale,
            "Vary": "Accept-Language",
            "Cache-Control": "no-cache",
        },
    )
