# SPDX-License-Identifier: MIT
"""The API through the generated client: one call for every operation, refusals as exceptions.

The generated client (``make client-python``) brings an operation as a module and bodies as classes; this
adds what the document says of all of them: where to wait, whom to tell, when to ask again.
"""

from __future__ import annotations

import time
from http import HTTPStatus
from types import ModuleType
from typing import Any
from uuid import uuid4

import httpx

from clients.generated.posta_client import AuthenticatedClient, Client
from clients.generated.posta_client import models as bodies
from clients.generated.posta_client.api.accounts import sign_in, sign_up, welcome_guest
from clients.generated.posta_client.api.server import get_status

PATIENCE = 90.0
"""Seconds to wait, in all, for a server that asks to be asked later."""


class Refused(Exception):
    """The server refused, by a problem document."""

    def __init__(self, problem: Any) -> None:
        self.code = str(problem.code)
        wrong = [f"{each.pointer}: {each.detail}" for each in problem.errors]
        super().__init__("\n".join([problem.detail, *wrong]))


class Unreachable(Exception):
    """The server does not answer, or not in the way of the API."""


class Door:
    """One caller at one server.  Every method raises Refused, or Unreachable."""

    def __init__(self, url: str, language: str, token: str = "") -> None:
        self.url, self.token, self._language = url.rstrip("/"), token, language
        self._clients: dict[tuple[str, str], Any] = {}
        self.live_url = self.url
        self.live_url = str(self.ask(get_status).live_url)

    def __enter__(self) -> Door:
        return self

    def __exit__(self, *_: object) -> None:
        for client in self._clients.values():
            client.get_httpx_client().close()

    def guest(self) -> None:
        """Become a new guest."""
        body = bodies.NewGuest.from_dict({"locale": self._language})
        self.token = str(self.ask(welcome_guest, body=body, idempotency_key=str(uuid4())).token)

    def enter(self, name: str, password: str, *, is_new: bool) -> None:
        """Sign in, or sign up."""
        if is_new:
            told = {"name": name, "password": password, "locale": self._language}
            answer = self.ask(sign_up, body=bodies.SignUp.from_dict(told))
        else:
            answer = self.ask(sign_in, body=bodies.SignIn(name=name, password=password))
        self.token = str(answer.token)

    def ask(self, operation: ModuleType, *path: Any, **arguments: Any) -> Any:
        """Do one operation of the document; return its answer, None where nothing is new (304)."""
        until = time.monotonic() + PATIENCE
        while True:
            try:
                answer = operation.sync_detailed(*path, client=self._client(operation), **arguments)
            except (httpx.HTTPError, ValueError, KeyError) as error:
                raise Unreachable(f"{self.url}: {error or type(error).__name__}") from error
            wait = answer.headers.get("Retry-After", "") if answer.status_code in (429, 503) else ""
            if not wait.isdigit() or time.monotonic() + int(wait) > until:
                break
            time.sleep(int(wait))
        if answer.status_code == HTTPStatus.NOT_MODIFIED:
            return None
        if isinstance(answer.parsed, bodies.Problem):
            raise Refused(answer.parsed)
        if answer.parsed is None:
            raise Unreachable(f"{self.url}: HTTP {answer.status_code}")
        return answer.parsed

    def _client(self, operation: ModuleType) -> Any:
        """Return the generated client for an operation: of this token, at the address that serves it."""
        key = (self.live_url if ".api.live." in operation.__name__ else self.url, self.token)
        if key not in self._clients:
            headers, timeout = {"Accept-Language": self._language}, httpx.Timeout(60)
            self._clients[key] = (
                AuthenticatedClient(*key, headers=headers, timeout=timeout)
                if self.token
                else Client(key[0], headers=headers, timeout=timeout)
            )
        return self._clients[key]
