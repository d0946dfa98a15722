"""An application on a phone as OAuth 2 sees it: a browser for its player, and requests of its own."""

from __future__ import annotations

import base64
import hashlib
import re
import secrets
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import httpx

from tables.models import Application
from tables.oauth import applications

REDIRECT = "org.example.phone:/done"
PASSWORD = "a long enough password"


class Phone:
    """An application; each has a browser, and a verifier that it shows to nobody before the end."""

    def __init__(self, server: str, *redirects: str, registered: Application | None = None) -> None:
        self.server = server
        addresses = list(redirects or [REDIRECT])
        self.registered = registered or applications.register("An app for phones", addresses)
        self.client_id = self.registered.client_id
        self.redirect = addresses[0]
        self.browser = httpx.Client(base_url=server, trust_env=False, verify=False, timeout=30)  # noqa: S501
        self.verifier = secrets.token_urlsafe(48)
        self.state = secrets.token_urlsafe(8)

    def wish(self, **changed: str | None) -> str:
        """Return the address that is opened in the browser; None leaves a parameter out."""
        hashed = hashlib.sha256(self.verifier.encode()).digest()
        told: dict[str, str | None] = {
            "response_type": "code",
            "client_id": self.client_id,
            "redirect_uri": self.redirect,
            "scope": "profile:read tables:read",
            "state": self.state,
            "code_challenge": base64.urlsafe_b64encode(hashed).decode().rstrip("="),
            "code_challenge_method": "S256",
            **changed,
        }
        return "/oauth/authorize?" + urlencode({k: v for k, v in told.items() if v is not None})

    def look(self, **changed: str | None) -> httpx.Response:
        """Open the page."""
        return self.browser.get(self.wish(**changed))

    def answer(
        self, name: str, password: str = PASSWORD, *, decision: str = "allow", **changed: str | None
    ) -> httpx.Response:
        """Open the page, fill in the form, and send it."""
        page = self.look(**changed)
        assert page.status_code == 200, page.text
        found = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page.text)
        assert found is not None
        form = {"csrfmiddlewaretoken": found[1], "name": name, "password": password, "decision": decision}
        return self.browser.post(self.wish(**changed), data=form)

    def code(self, name: str, **changed: str | None) -> str:
        """Let the player agree, and return the code."""
        code: str = told(self.answer(name, **changed))["code"]
        return code

    def post(self, path: str, **form: str | None) -> httpx.Response:
        """Send a form of the application's own."""
        sent = {"client_id": self.client_id, **form}
        return self.browser.post(f"/oauth/{path}", data={k: v for k, v in sent.items() if v is not None})

    def redeem(self, code: str, /, **changed: str | None) -> httpx.Response:
        """Ask for tokens by a code."""
        form: dict[str, str | None] = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": self.redirect,
            "code_verifier": self.verifier,
            **changed,
        }
        return self.post("token", **form)

    def refresh(self, token: str, **changed: str | None) -> httpx.Response:
        """Ask for tokens by a refresh token."""
        return self.post("token", grant_type="refresh_token", refresh_token=token, **changed)

    def tokens(self, name: str, **changed: str | None) -> dict[str, Any]:
        """Let the player agree, and return the tokens."""
        got = self.redeem(self.code(name, **changed), redirect_uri=changed.get("redirect_uri", self.redirect))
        assert got.status_code == 200, got.text
        found: dict[str, Any] = got.json()
        return found


def told(sent: httpx.Response) -> dict[str, str]:
    """Return the parameters with which the browser is sent back to the application."""
    assert sent.status_code == 303, sent.text
    query = parse_qs(urlsplit(sent.headers["Location"]).query, strict_parsing=True)
    return {name: value for name, (value,) in query.items()}
