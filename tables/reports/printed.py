"""The printable report of a game that is over: who did what by when, what was ruled, what is proved.

Everything of such a game is public, so it says the same to whoever sees the table.
"""

from __future__ import annotations

import uuid
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.template.loader import render_to_string

from engines.base import Game
from events import store
from events.codec import MOVE_PLAYED, Header, read_header
from tables import access, answers, catalogue, transcripts
from tables.clock import moment
from tables.errors import NotFound, TableNotFinished
from tables.folding import stream_of
from tables.history import holders, names_at
from tables.models import Arbiter, Table, Tenure
from tables.narration import narrate
from tables.reports.words import all_in, word
from tables.shapes import EventAnswer

_AREAS = ("table", "clock")
_LEFT_OUT = ("clock.deadline_set", "table.seed_revealed", "table.epoch_opened")
"""Deadlines stand beside the moves; the other two are the verifier's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """Something that happened; ``kind`` is ``move``, ``time``, ``ruling`` or ``table``."""

    position: int
    at: str
    actor: str
    what: str
    deadline: str
    kind: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Holder:
    """Who held a seat, or (``seat`` None) arbitrated, and for which events."""

    seat: int | None
    name: str
    pseudonym: str
    since: int
    until: int
    place: int | None
    score: int | None


def seen_by(player_id: uuid.UUID, table_id: uuid.UUID, locale: str) -> str:
    """Return the report as HTML for a player.  Raises NotFound, TableNotFinished."""
    return _page(access.table_seen_by(player_id, table_id), locale)


def of_table(table_id: uuid.UUID, locale: str) -> str:
    """Return the report as HTML for staff.  Raises NotFound, TableNotFinished."""
    if (row := Table.objects.filter(id=table_id).first()) is None:
        raise NotFound()
    return _page(row, locale)


def _page(row: Table, locale: str) -> str:
    if row.status != "finished":
        raise TableNotFinished(table_status=row.status)
    report = _Report(row, locale)
    receipt = transcripts.receipt(row, report.last)
    content = {
        "locale": locale,
        "word": all_in(locale),
        "row": row,
        "game": catalogue.names_of(report.game)["game"][locale],
        "rules_version": row.settings["rules_version"],
        "clock": word(row.settings["clock"]["kind"], locale).format(**row.settings["clock"]),
        "started": report.started,
        "finished": _time(report.last.at),
        "result": report.result,
        "verdict": word(row.verdict or "unknown", locale).format(position=row.verified_upto),
        "verified_at": row.verified_at and f"{row.verified_at:%Y-%m-%d %H:%M:%S} UTC",
        "is_failed": row.verdict == "failed",
        "length": report.last.position,
        "head": receipt.head,
        "kid": word("pending", locale) if receipt.sig is None else receipt.kid,
        "holders": report.holders(),
        "lines": list(report.lines()),
    }
    return render_to_string("reports/printed.html", content)


class _Report:
    """What the parts of one report are made of."""

    def __init__(self, row: Table, locale: str) -> None:
        stored = store.read(stream_of(row.id))
        self.game: Game[Any] = catalogue.rules_of(row.game, row.settings["rules_version"])
        self.last = stored[-1]
        self._headers = [read_header(each.header) for each in stored]
        self._row, self._locale = row, locale
        self._tenures = list(
            Tenure.objects.filter(table=row).select_related("player").order_by("seat", "since")
        )
        self._persons = holders(row)
        held = Arbiter.objects.filter(table=row, since__isnull=False).select_related("player")
        self._arbiters = list(held.order_by("since"))
        self._told = _told(self.game, stream_of(row.id), self._headers)

    @property
    def started(self) -> str:
        """When play began."""
        return next(_time(each.at) for each in self._headers if each.type == "table.started")

    @property
    def result(self) -> str:
        """How it ended, in a sentence."""
        return self._sentence(next(each for each in reversed(self._headers) if each.type == "table.finished"))

    def holders(self) -> list[Holder]:
        """Return who sat where, and who arbitrated."""
        outcome = self._row.outcome or {}
        return [
            *(self._holder(each, each.seat, outcome) for each in self._tenures),
            *(self._holder(each, None, outcome) for each in self._arbiters),
        ]

    def lines(self) -> Iterator[Line]:
        """Yield what is listed, oldest first, with the deadline that was open when it happened."""
        deadline: int | None = None
        ruler, ruled = "staff", 0
        for header in self._headers:
            if header.type == "clock.deadline_set":
                deadline = header.public["deadline_at"]
            elif header.type == "table.ruling_made":
                ruler, ruled = header.public["by"], header.seq
            if header.seq not in self._told:
                continue
            is_timed = header.type in (MOVE_PLAYED, "clock.expired") and deadline is not None
            yield Line(
                position=header.seq,
                at=_time(header.at),
                actor=self._actor(header, ruler if header.seq <= ruled + 1 else "staff"),
                what=self._sentence(header),
                deadline=_time(deadline) if is_timed and deadline is not None else "",
                kind=_kind(header),
            )

    def _sentence(self, header: Header) -> str:
        return narrate(self.game, self._told[header.seq], self._locale, names_at(header.seq, self._persons))

    def _actor(self, header: Header, ruler: str) -> str:
        """Return by whom an event is: who held the seat then, the table, staff or the arbiter.

        ``ruler`` is who has ruled by it, or by the event before, which it then carries out.
        """
        if header.actor.startswith("seat:"):
            seat = int(header.actor.removeprefix("seat:"))
            at_that_time = [each for each in self._tenures if each.seat == seat and each.since <= header.seq]
            return self._name(at_that_time[-1]) if at_that_time else f"{word('seat', self._locale)} {seat}"
        is_arbiters = header.type == "table.arbiter_named" or ruler == "arbiter"
        if header.actor == "staff":
            return word("arbiter" if is_arbiters else "staff", self._locale)
        return word("by_table", self._locale)

    def _holder(self, held: Tenure | Arbiter, seat: int | None, outcome: dict[str, Any]) -> Holder:
        is_last = seat is not None and held.until is None and bool(outcome)
        return Holder(
            seat=seat,
            name=self._name(held),
            pseudonym=held.pseudonym,
            since=held.since or 0,
            until=self.last.position if held.until is None else held.until,
            place=outcome["places"][seat] if is_last else None,
            score=outcome["scores"][seat] if is_last and outcome["scores"] else None,
        )

    def _name(self, held: Tenure | Arbiter) -> str:
        if held.player is not None:
            return held.player.name
        bot = held.bot if isinstance(held, Tenure) else ""
        if not bot:
            return word("gone" if self._row.imported_from is None else "elsewhere", self._locale)
        return f"{catalogue.bot_name(self.game, bot, self._locale)} ({word('bot', self._locale)})"


def _told(game: Game[Any], stream: str, headers: Sequence[Header]) -> dict[int, EventAnswer]:
    """Return the events that are listed, by position; of a move what its mover knew."""
    viewers: dict[int | None, list[Header]] = defaultdict(list)
    for header in headers:
        if header.type == MOVE_PLAYED:
            viewers[header.public["seat"]].append(header)
        elif header.type.partition(".")[0] in _AREAS and header.type not in _LEFT_OUT:
            viewers[None].append(header)
    return {
        each.position: each
        for viewer, listed in viewers.items()
        for each in answers.events_answer(game, stream, listed, viewer)
    }


def _kind(header: Header) -> str:
    if header.type == MOVE_PLAYED:
        return "move"
    if header.actor == "staff" or header.type == "table.suspended":
        return "ruling"
    return "time" if header.type == "clock.expired" else "table"


def _time(milliseconds: int) -> str:
    return f"{moment(milliseconds):%Y-%m-%d %H:%M:%S}"
