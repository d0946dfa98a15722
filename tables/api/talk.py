"""Talk at a table, and what a player keeps for itself: mutes and notes."""

from __future__ import annotations

import uuid
from typing import ClassVar

from django.http import HttpResponse
from rest_framework.request import Request

from tables import moderation, private, talk
from tables.api import rendering, samples, throttling
from tables.api.base import ApiView, caller_of, done, idempotency_of
from tables.api.parameters import AFTER_MESSAGE, BEFORE, LIMIT
from tables.api.parser import read
from tables.api.schema import operation
from tables.api.throttling import Limit
from tables.shapes import (
    MessageAnswer,
    MessagePage,
    MuteAnswer,
    MuteList,
    NewMessage,
    NewReport,
    NoteAnswer,
    NoteChange,
    ReadAnswer,
    ReadMark,
    ReportAnswer,
)


class Messages(ApiView):
    """What is said at a table."""

    limits: ClassVar[dict[str, Limit]] = {"POST": throttling.TALK}

    @operation(
        id="listMessages",
        tag="talk",
        summary="List messages",
        description=(
            "Messages after a position, oldest first, with how far the caller has read. Seats read all,"
            " former players what was said in their time, others what the table's `spectator_talk` allows."
        ),
        answers={200: MessagePage},
        conditional=True,
        parameters=(AFTER_MESSAGE, BEFORE, LIMIT),
        problems=(403, 404),
        examples=lambda: {"200": samples.MESSAGES},
    )
    def get(self, request: Request, table_id: uuid.UUID) -> HttpResponse:
        """Return a page of messages."""
        page = talk.messages(
            caller_of(request).id,
            table_id,
            after=AFTER_MESSAGE.read(request),
            before=BEFORE.read(request),
            limit=LIMIT.read(request),
        )
        return rendering.conditional(request._request, page)

    @operation(
        id="sendMessage",
        tag="talk",
        summary="Say something",
        description=(
            "Say something to everybody at the table. It is kept for ever, unless staff erase it, and moves"
            " neither turn nor version of the game. Refused as `talk_silent` while a game goes on at a table"
            " where `talk` is `silent`."
        ),
        body=NewMessage,
        answers={201: MessageAnswer},
        located=True,
        problems=(403, 404, 409),
        examples=lambda: {"body": {"text": samples.MESSAGE["text"]}, "201": samples.MESSAGE},
    )
    def post(self, request: Request, table_id: uuid.UUID) -> HttpResponse:
        """Say something."""
        body, value = read(request, NewMessage)
        key = idempotency_of(request, value)
        result = talk.say(caller_of(request).id, table_id, body.text, key)
        return done(result, f"/v1/tables/{table_id}/messages")


class Read(ApiView):
    """How far the caller has read."""

    @operation(
        id="markMessagesRead",
        tag="talk",
        summary="Note how far one has read",
        description="Set the caller's mark on a message, or on 0 before the first; it may go back, too.",
        body=ReadMark,
        answers={200: ReadAnswer},
        problems=(403, 404),
        examples=lambda: {"body": {"position": 3}, "200": {"last_read": 3, "unread": 0}},
    )
    def put(self, request: Request, table_id: uuid.UUID) -> HttpResponse:
        """Set the mark."""
        body, _ = read(request, ReadMark)
        return rendering.answer(talk.mark_read(caller_of(request).id, table_id, body.position))


class Report(ApiView):
    """Asking staff to look at a message."""

    limits: ClassVar[dict[str, Limit]] = {"POST": throttling.TALK}

    @operation(
        id="reportMessage",
        tag="talk",
        summary="Report a message",
        description="Ask staff to look at a message. A player's second report of it gets the first again.",
        body=NewReport,
        answers={201: ReportAnswer, 200: ReportAnswer},
        problems=(403, 404),
        examples=lambda: {
            "body": {"reason": samples.REPORT["reason"]},
            "200": samples.REPORT,
            "201": samples.REPORT,
        },
    )
    def post(self, request: Request, table_id: uuid.UUID, position: int) -> HttpResponse:
        """Report the message."""
        body, value = read(request, NewReport)
        key = idempotency_of(request, value)
        return done(moderation.report(caller_of(request).id, table_id, position, body.reason, key))


class Note(ApiView):
    """The caller's own note at a table."""

    @operation(
        id="getNote",
        tag="talk",
        summary="Read the own note",
        description="What the caller has noted down at this table; nobody else ever reads it.",
        answers={200: NoteAnswer},
        conditional=True,
        problems=(403, 404),
        examples=lambda: {"200": samples.NOTE},
    )
    def get(self, request: Request, table_id: uuid.UUID) -> HttpResponse:
        """Return the note."""
        return rendering.conditional(request._request, private.note(caller_of(request).id, table_id))

    @operation(
        id="writeNote",
        tag="talk",
        summary="Write the own note",
        description="Replace what the caller has noted down at this table; for those who have or had a seat.",
        body=NoteChange,
        answers={200: NoteAnswer},
        problems=(403, 404),
        examples=lambda: {"body": {"text": samples.NOTE["text"]}, "200": samples.NOTE},
    )
    def put(self, request: Request, table_id: uuid.UUID) -> HttpResponse:
        """Replace the note."""
        body, _ = read(request, NoteChange)
        return rendering.answer(private.write_note(caller_of(request).id, table_id, body.text))


class Mutes(ApiView):
    """The players whom the caller has muted."""

    @operation(
        id="listMutes",
        tag="talk",
        summary="List muted players",
        description="The players whom the caller has muted, by name.",
        answers={200: MuteList},
        conditional=True,
        examples=lambda: {"200": {"items": [samples.MUTE]}},
    )
    def get(self, request: Request) -> HttpResponse:
        """Return the mutes."""
        return rendering.conditional(request._request, private.mutes(caller_of(request).id))


class OneMute(ApiView):
    """One player, muted or not."""

    @operation(
        id="mutePlayer",
        tag="talk",
        summary="Mute a player",
        description="Get the player's messages without their text from now on. Nobody else is told.",
        answers={200: MuteAnswer},
        problems=(404, 409),
        examples=lambda: {"200": samples.MUTE},
    )
    def put(self, request: Request, player: str) -> HttpResponse:
        """Mute the player."""
        return rendering.answer(private.mute(caller_of(request).id, player))

    @operation(
        id="unmutePlayer",
        tag="talk",
        summary="Read a player again",
        description="Get the player's messages with their text again.",
        answers={204: None},
        problems=(404,),
    )
    def delete(self, request: Request, player: str) -> HttpResponse:
        """End the mute."""
        private.unmute(caller_of(request).id, player)
        return HttpResponse(status=204)
