"""Another password: by the present one, or by a code that is mailed."""

from __future__ import annotations

from typing import ClassVar

from django.http import HttpResponse
from rest_framework.request import Request

from tables import passwords
from tables.api import throttling
from tables.api.base import ApiView, PublicView, address_of, caller_of, idempotency_of
from tables.api.parser import read
from tables.api.schema import operation
from tables.api.throttling import Limit
from tables.shapes import PasswordChange, PasswordReset, ResetWish


class OwnPassword(ApiView):
    """The caller's password."""

    limits: ClassVar[dict[str, Limit]] = {"PUT": throttling.SIGN_IN_ADDRESS}

    @operation(
        id="changePassword",
        tag="accounts",
        summary="Change the own password",
        description=(
            "Choose another password, on the word of the present one. Everything else by which the account"
            " is signed in ends: sessions, personal tokens and applications; the token of this request stays."
            " A confirmed address is told. A guest has no password yet: `keepGuest`."
        ),
        body=PasswordChange,
        answers={204: None},
        problems=(403,),
        examples=lambda: {"body": {"password": "una frase larga", "new_password": "otra frase larga"}},
    )
    def put(self, request: Request) -> HttpResponse:
        """Change the password."""
        body, _ = read(request, PasswordChange)
        passwords.change(caller_of(request), body.password, body.new_password)
        return HttpResponse(status=204)


class Resets(PublicView):
    """Wishes for another password."""

    limits: ClassVar[dict[str, Limit]] = {"POST": throttling.RESETS}

    @operation(
        id="askPasswordReset",
        tag="accounts",
        summary="Ask for a code by mail, for another password",
        description=(
            "Where the account has a confirmed address, a code is mailed to it, in the player's language; it"
            " is good for an hour and once, for `resetPassword`. With an address, one for each account that"
            " has it. The answer is the same in every case, so that nobody learns who has an account."
        ),
        body=ResetWish,
        answers={202: None},
        examples=lambda: {"body": {"account": "Ana"}},
    )
    def post(self, request: Request) -> HttpResponse:
        """Ask for a code."""
        body, _ = read(request, ResetWish)
        idempotency_of(request)  # a repeat asks for nothing new; a key that is none is refused
        throttling.spend(throttling.RESETS_ACCOUNT, body.account.casefold())
        passwords.ask_reset(body.account)
        return HttpResponse(status=202)


class ResetConfirmations(PublicView):
    """Codes that were mailed for another password."""

    limits: ClassVar[dict[str, Limit]] = {"POST": throttling.SIGN_IN_ADDRESS}

    @operation(
        id="resetPassword",
        tag="accounts",
        summary="Choose another password by a mailed code",
        description=(
            "Set the password, and end everything by which the account is signed in; then `signIn`. Sent"
            " again it changes nothing more. `bad_code` (403) stands for a wrong code, one that is used or"
            " too old, and an account that does not exist."
        ),
        body=PasswordReset,
        answers={204: None},
        problems=(403,),
        examples=lambda: {"body": {"name": "Ana", "code": "7KQ2M-X0V4T", "password": "otra frase larga"}},
    )
    def post(self, request: Request) -> HttpResponse:
        """Set the password."""
        body, _ = read(request, PasswordReset)
        idempotency_of(request)  # a repeat changes nothing; a key that is none is refused
        throttling.spend_attempt(body.name, address_of(request))
        passwords.reset(body.name, body.code, body.password)
        return HttpResponse(status=204)
