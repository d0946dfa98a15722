"""Notices of the caller: the list, which of them are mailed, and to which address."""

from __future__ import annotations

from functools import partial
from typing import ClassVar

from django.http import HttpResponse
from rest_framework.request import Request

from tables import passwords
from tables.api import headers, rendering, samples, throttling
from tables.api.base import ApiView, address_of, caller_of, idempotency_of
from tables.api.parameters import CURSOR, LIMIT
from tables.api.parser import read
from tables.api.preconditions import unchanged
from tables.api.problems import locale_of
from tables.api.schema import operation
from tables.api.throttling import Limit
from tables.notices import addresses, choices, reading
from tables.shapes import (
    ChoicesChange,
    EmailAnswer,
    EmailChange,
    EmailConfirmation,
    NoticeChoicesAnswer,
    NoticePage,
    NoticesRead,
    NoticesReadAnswer,
)


class Notices(ApiView):
    """What the caller was told."""

    @operation(
        id="listNotices",
        tag="notices",
        summary="List the own notices",
        description=(
            "What the caller was told about tables, newest first, in the language of the answer. No notice"
            " tells what was played, or holds a secret."
        ),
        answers={200: NoticePage},
        conditional=True,
        localised=True,
        parameters=(LIMIT, CURSOR),
        examples=lambda: {"200": samples.notices()},
    )
    def get(self, request: Request) -> HttpResponse:
        """Return a page of notices."""
        locale = locale_of(request._request)
        page = reading.notices(
            caller_of(request).id, locale, limit=LIMIT.read(request), cursor=CURSOR.read(request)
        )
        return rendering.page(request._request, page, language=locale)


class ReadNotices(ApiView):
    """How far the caller has read."""

    @operation(
        id="markNoticesRead",
        tag="notices",
        summary="Note how far one has read",
        description=(
            "Mark every notice up to a `number` as read. What is read is not mailed any more, but for"
            " reminders: only a move ends those."
        ),
        body=NoticesRead,
        answers={200: NoticesReadAnswer},
        examples=lambda: {"body": {"upto": 7}, "200": {"read_upto": 7, "unread": 0}},
    )
    def put(self, request: Request) -> HttpResponse:
        """Set the mark."""
        body, _ = read(request, NoticesRead)
        return rendering.answer(reading.mark_read(caller_of(request).id, body.upto))


class Choices(ApiView):
    """Which notices are mailed, and when."""

    @operation(
        id="getNoticeChoices",
        tag="notices",
        summary="Look at the choices of mails",
        description="Which notices are mailed to the caller, and when.",
        answers={200: NoticeChoicesAnswer},
        conditional=True,
        examples=lambda: {"200": samples.NOTICE_CHOICES},
    )
    def get(self, request: Request) -> HttpResponse:
        """Return the choices."""
        return rendering.conditional(request._request, choices.choices(caller_of(request).id))

    @operation(
        id="chooseNotices",
        tag="notices",
        summary="Choose which notices are mailed",
        description=(
            "Replace all choices of mails: what is left out is as it was at first. All that is due at a time"
            " comes as one mail. But for the daily mail and reminders, nothing is mailed in the player's"
            " quiet hours."
        ),
        body=ChoicesChange,
        answers={200: NoticeChoicesAnswer},
        problems=(412,),
        sent=(headers.IF_MATCH,),
        examples=lambda: {"body": samples.NOTICE_CHOICES, "200": samples.NOTICE_CHOICES},
    )
    def put(self, request: Request) -> HttpResponse:
        """Replace the choices."""
        body, _ = read(request, ChoicesChange)
        with unchanged(request, partial(choices.choices, caller_of(request).id)):
            return rendering.answer(choices.choose(caller_of(request).id, body))


class Email(ApiView):
    """The address that notices are mailed to."""

    limits: ClassVar[dict[str, Limit]] = {"PUT": throttling.ADDRESSES}

    @operation(
        id="getEmail",
        tag="notices",
        summary="Look at the own address",
        description="The caller's e-mail address, and whether it is confirmed. Nobody else ever sees it.",
        answers={200: EmailAnswer},
        conditional=True,
        examples=lambda: {"200": samples.EMAIL},
    )
    def get(self, request: Request) -> HttpResponse:
        """Return the address."""
        return rendering.conditional(request._request, addresses.address(caller_of(request).id))

    @operation(
        id="giveEmail",
        tag="notices",
        summary="Give an e-mail address",
        description=(
            "Take the place of the address before, on the word of the password. A code is mailed to it; until"
            " that comes back by `confirmEmail` nothing else is. The address before, if it was confirmed, is"
            " told by mail."
        ),
        body=EmailChange,
        answers={200: EmailAnswer},
        problems=(403,),
        examples=lambda: {
            "body": {"email": samples.EMAIL["email"], "password": "una frase larga"},
            "200": {**samples.EMAIL, "confirmed": False},
        },
    )
    def put(self, request: Request) -> HttpResponse:
        """Take an address."""
        body, _ = read(request, EmailChange)
        throttling.spend_attempt(caller_of(request).name, address_of(request))
        passwords.require(caller_of(request).id, body.password)
        return rendering.answer(addresses.give(caller_of(request).id, body.email))

    @operation(
        id="forgetEmail",
        tag="notices",
        summary="Delete the e-mail address",
        description="Nothing is mailed any more; the address is told so, if it was confirmed.",
        answers={204: None},
    )
    def delete(self, request: Request) -> HttpResponse:
        """Delete the address."""
        addresses.forget(caller_of(request).id)
        return HttpResponse(status=204)


class EmailConfirmations(ApiView):
    """The code that was mailed to the address."""

    limits: ClassVar[dict[str, Limit]] = {"POST": throttling.CODES}

    @operation(
        id="confirmEmail",
        tag="notices",
        summary="Confirm the e-mail address",
        description="Send back the code that was mailed to the address; it is valid for a day at least.",
        body=EmailConfirmation,
        answers={200: EmailAnswer},
        problems=(403,),
        examples=lambda: {"body": {"code": "7KQ2M-X0V4T"}, "200": samples.EMAIL},
    )
    def post(self, request: Request) -> HttpResponse:
        """Confirm the address."""
        body, _ = read(request, EmailConfirmation)
        idempotency_of(request)  # a repeat confirms nothing new; a key that is none is refused
        return rendering.answer(addresses.confirm(caller_of(request).id, body.code))
