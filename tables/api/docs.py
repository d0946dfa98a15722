"""The document and a page to read it with; everything comes from this server."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from django.conf import settings
from django.contrib.staticfiles import finders
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from tables.api import guides

ASSETS = {
    "swagger-ui.css": "text/css",
    "swagger-ui-bundle.js": "text/javascript",
    "favicon-32x32.png": "image/png",
}
_PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Posta API</title>
<link rel="icon" href="/docs/assets/favicon-32x32.png">
<link rel="stylesheet" href="/docs/assets/swagger-ui.css">
<p><a href="/docs/guides/start">Guides</a> · <a href="/docs/guides/start?lang=es">Guías</a></p>
<div id="swagger-ui"></div>
<script src="/docs/assets/swagger-ui-bundle.js"></script>
<script src="/docs/assets/start.js"></script>
</html>
"""
_START = """SwaggerUIBundle({
  url: "/openapi.yaml", dom_id: "#swagger-ui", deepLinking: true, validatorUrl: null,
  presets: [SwaggerUIBundle.presets.apis], layout: "BaseLayout",
});
"""
_OWN = {"start.js": ("text/javascript", _START), "guides.css": ("text/css", guides.STYLE)}


@require_safe
def document(request: HttpRequest) -> HttpResponse:  # noqa: ARG001
    """Return the committed document."""
    return HttpResponse(_document(), content_type="application/yaml; charset=utf-8")


@require_safe
def transcript(request: HttpRequest) -> HttpResponse:  # noqa: ARG001
    """Return the format of transcripts, for whoever writes a verifier."""
    text = Path(settings.BASE_DIR, "docs", "transcript.md").read_bytes()
    return HttpResponse(text, content_type="text/markdown; charset=utf-8")


@require_safe
def page(request: HttpRequest) -> HttpResponse:  # noqa: ARG001
    """Return the page that shows the document."""
    return HttpResponse(_PAGE, headers={"Content-Security-Policy": _policy()})


@require_safe
def asset(request: HttpRequest, name: str) -> HttpResponse:  # noqa: ARG001
    """Return a file of that page."""
    if name in _OWN:
        kind, text = _OWN[name]
        return HttpResponse(text, content_type=f"{kind}; charset=utf-8")
    if name not in ASSETS:
        raise Http404
    return HttpResponse(
        _asset(name), content_type=ASSETS[name], headers={"Cache-Control": "public, max-age=86400"}
    )


def _policy() -> str:
    """Return what the pages may load: nothing from elsewhere, and no script within the page."""
    return (
        "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:;"
        f" connect-src 'self' {settings.PUBLIC_URL} {settings.LIVE_URL};"
        " frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
    )


@cache
def _document() -> bytes:
    return Path(settings.BASE_DIR, "openapi", "openapi.yaml").read_bytes()


@cache
def _asset(name: str) -> bytes:
    found = finders.find(f"drf_spectacular_sidecar/swagger-ui-dist/{name}")
    if not isinstance(found, str):
        raise Http404
    return Path(found).read_bytes()
