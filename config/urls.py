"""The routes of the whole server, and who answers what no route does."""

from __future__ import annotations

from django.urls import include, path

from config import web
from tables.api import docs, guides, oauth, unsubscribe

urlpatterns = [
    path("", web.page),
    path("web/<path:name>", web.file),
    path("v1/", include("tables.api.urls")),
    path("openapi.yaml", docs.document),
    path("unsubscribe/<str:token>", unsubscribe.page),
    path(".well-known/oauth-authorization-server", oauth.metadata),
    path("oauth/authorize", oauth.authorize),
    path("oauth/token", oauth.token),
    path("oauth/revoke", oauth.revoke),
    path("docs", docs.page),
    path("docs/errors", guides.errors),
    path("docs/transcript", docs.transcript),
    path("docs/guides/<str:name>", guides.page),
    path("docs/assets/<str:name>", docs.asset),
]

handler400 = "tables.api.problems.bad_request"
handler403 = "tables.api.problems.forbidden"
handler404 = "tables.api.problems.not_found"
handler500 = "tables.api.problems.failed"
