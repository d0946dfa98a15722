"""The page behind the link in every mail: stops mails of a kind without signing in (RFC 8058).

It stands beside the API, for people and for mail programs.  Looking at it changes nothing, for links
in mails are followed by machines; a POST does it, a second one again.
"""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.views.decorators.http import require_http_methods

from tables import wording
from tables.notices import choices, words, writing

_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'"
    ),
    "Cache-Control": "no-store",
}


@require_http_methods(["GET", "HEAD", "POST"])
def page(request: HttpRequest, token: str) -> HttpResponse:
    """Ask whether mails shall stop, or stop them."""
    found = choices.subscription(token)
    own = found[0].locale if found else None
    locale = wording.language(request.META.get("HTTP_ACCEPT_LANGUAGE") if own is None else None, own)
    if found is None:
        return _page(locale, "page_bad", status=404)
    player, kinds = found
    named = ", ".join(words.KIND_NAMES[each][wording.LOCALES.index(locale)] for each in kinds)
    if request.method == "POST":
        choices.unsubscribe(player.id, kinds)
        return _page(locale, "page_done", kinds=named)
    return _page(locale, "page_ask", button=words.framed("page_button", locale), kinds=named)


def _page(locale: str, name: str, *, status: int = 200, button: str = "", **blanks: str) -> HttpResponse:
    content = {
        "locale": locale,
        "title": words.framed("page_title", locale, site=writing.site()),
        "text": words.framed(name, locale, **blanks),
        "button": button,
    }
    return HttpResponse(
        render_to_string("notices/unsubscribe.html", content), status=status, headers=_HEADERS
    )
