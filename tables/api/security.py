"""What the document says of the two ways to a token."""

from __future__ import annotations

from typing import Any, Final

from django.conf import settings

from tables.scopes import SCOPES

BEARER: Final = {
    "type": "http",
    "scheme": "bearer",
    "description": (
        "A token of `POST /v1/players`, `POST /v1/guests` or `POST /v1/sessions`, which may be used for"
        " everything, or of `POST /v1/me/tokens`; one that was made with `scopes` is good for the operations"
        " that list one of them under `oauth2`, for public ones and for `signOut`, and is refused elsewhere:"
        " 403 `insufficient_scope`."
    ),
}


def oauth2() -> dict[str, Any]:
    """Return what applications do to act for a player."""
    site = settings.SPECTACULAR_SETTINGS["SERVERS"][0]["url"]
    return {
        "type": "oauth2",
        "description": (
            "For applications that act for players (OAuth 2.1): authorization code with PKCE, method `S256`;"
            " clients are public and have no secret. Whoever runs the server registers an application and"
            ' tells its `client_id`: `manage.py oauth_client "My app" http://127.0.0.1/done`. `GET'
            " /.well-known/oauth-authorization-server` (RFC 8414) lists the addresses. Open"
            " `authorizationUrl` in the system's browser with `response_type=code`, `client_id`,"
            " `redirect_uri`, `scope`, `state`, `code_challenge` and `code_challenge_method=S256`. The"
            " redirect brings `code`, `state` and `iss`, the server's address, to be checked (RFC 9207), or"
            " `error` and `state`; a wrong client or redirect address is told on a page, without a redirect."
            " Post `grant_type=authorization_code`, `client_id`, `code`, `redirect_uri` and `code_verifier`,"
            " form-encoded, to `tokenUrl` within a minute. The answer has `access_token`, good for an hour,"
            " and `refresh_token`, good once and for 90 days: post `grant_type=refresh_token`, `client_id`"
            " and `refresh_token` for the next pair. A refresh token that comes a second time ends the"
            " consent with all of its tokens. `POST /oauth/revoke` with `client_id` and `token` ends it too"
            " (RFC 7009). Errors there are those of RFC 6749. A redirect address is https, a private-use"
            " scheme (`org.example.app:/done`), or `http://127.0.0.1` at any port."
        ),
        "flows": {
            "authorizationCode": {
                "authorizationUrl": f"{site}/oauth/authorize",
                "tokenUrl": f"{site}/oauth/token",
                "refreshUrl": f"{site}/oauth/token",
                "scopes": {name: f"{texts[0]}." for name, texts in SCOPES.items()},
            }
        },
    }
