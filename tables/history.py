"""A table's past, told to whoever may know it: turns, holders of seats, and who knew what, when."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from engines.base import Game
from events import canonical, store
from events.codec import FULL, MOVE_PLAYED, Header, read_header, seat_of
from events.errors import CorruptStream
from tables import answers, catalogue
from tables.answers import rfc3339
from tables.folding import stream_of
from tables.models import Table, Tenure
from tables.narration import item_in_words, narrate, who_knew
from tables.shapes import (
    EventAnswer,
    EventPage,
    Knower,
    KnowledgePage,
    KnownEvent,
    KnownItem,
    TurnPage,
    TurnPosition,
)
from verify.holdings import Held, held

Names = Mapping[int, str | None]


def turns(row: Table, *, after: int, limit: int) -> TurnPage:
    """Return where the turns after a position opened, oldest first; clocks set anew open none."""
    found: dict[int, TurnPosition] = {}
    for each in store.all_of_type(stream_of(row.id), "clock.deadline_set"):
        turn = read_header(each.header).public["turn"]
        opened = TurnPosition(turn=turn, position=each.position, occurred_at=rfc3339(each.at))
        found.setdefault(turn, opened)
    later = [each for each in found.values() if each.position > after]
    return TurnPage(
        items=later[:limit],
        last_position=later[:limit][-1].position if later else min(after, row.version),
        has_more=len(later) > limit,
    )


def holders(row: Table) -> list[Tenure]:
    """Return the tenures of persons at a table, by when they began; those of another server have no names."""
    if row.imported_from is not None:
        return []
    return list(Tenure.objects.filter(table=row.id, bot="").select_related("player").order_by("since"))


def names_at(position: int, held: Sequence[Tenure]) -> dict[int, str | None]:
    """Return the names of those who held a seat when the event at ``position`` happened, by seat.

    Of a player who is gone it is None.  Whoever is replaced by it still counts, unless a person follows.
    """
    return {
        each.seat: each.player.name if each.player else None
        for each in held
        if each.since <= position and (each.until is None or position <= each.until)
    }


def sayable(row: Table, page: EventPage) -> list[EventAnswer]:
    """Return a page of events that tell everything, as sentences can say them.

    Those that hide items were worded for the seat that gets some of them: they are told as to a
    spectator, and ``knowledge`` says what they hid.
    """
    if not page.items:
        return []
    stored = store.read(stream_of(row.id), after=page.items[0].position - 1, upto=page.last_position)
    headers = [read_header(each.header) for each in stored]
    game = catalogue.rules_of(row.game, row.settings["rules_version"])
    public = answers.events_answer(game, stream_of(row.id), headers, None)
    return [
        seen if header.slots and header.type != MOVE_PLAYED else each
        for each, seen, header in zip(page.items, public, headers, strict=True)
    ]


def knowledge(row: Table, locale: str, *, after: int, limit: int) -> KnowledgePage:
    """Return the events after a position that hid something, what it was, and who knew it when.

    The game must be over.
    """
    stream = stream_of(row.id)
    headers = [read_header(each.header) for each in store.read(stream)]
    known = held(headers)
    hiding = [each for each in headers if each.slots and each.seq > after]
    shown = hiding[:limit]
    payloads = store.openings(stream, [(each.seq, slot) for each in shown for slot in range(len(each.slots))])
    game, tenures = catalogue.rules_of(row.game, row.settings["rules_version"]), holders(row)
    teller = _Teller(game, locale, tenures)
    return KnowledgePage(
        items=[
            KnownEvent(
                position=header.seq,
                type=header.type,
                items=[
                    teller.item(
                        header,
                        slot,
                        canonical.parse(payloads[header.seq, slot].payload),
                        known[header.seq, slot],
                    )
                    for slot in range(len(header.slots))
                ],
            )
            for header in shown
        ],
        last_position=shown[-1].seq if shown else min(after, row.version),
        has_more=len(hiding) > limit,
    )


class _Teller:
    """Says who knew what, in one language."""

    def __init__(self, game: Game[Any], locale: str, tenures: Sequence[Tenure]) -> None:
        self.game = game
        self.locale = locale
        self.tenures = tenures
        self.codec = catalogue.codec_of(game)

    def item(self, header: Header, slot: int, payload: dict[str, Any], who: Held) -> KnownItem:
        """Return one item with who knew it when."""
        if (everybody := who.public_since) is None:
            raise CorruptStream(
                f"table-{header.table}", header.seq, "the game is over, and an item is not open"
            )
        seats = [Knower(seat=seat, since=since) for seat, since in sorted(who.seats.items(), key=_by_since)]
        last = "all_knew_it" if seats else "nobody_knew_it_before"
        sentences = [
            self._what(header, slot, payload),
            *(self._said("knew_it", {"seat": each.seat, "since": each.since}, each.since) for each in seats),
            self._said(last, {"since": everybody}, everybody),
        ]
        return KnownItem(
            slot=slot, payload=payload, seats=seats, public_since=everybody, sentence=" ".join(sentences)
        )

    def _what(self, header: Header, slot: int, payload: dict[str, Any]) -> str:
        """Return what was hidden, as a sentence: the move that was sealed, or the item of an event."""
        names = names_at(header.seq, self.tenures)
        field = self.codec.field_of(header, slot)
        if field is None:
            told = EventAnswer(
                position=header.seq,
                type=header.type,
                occurred_at=rfc3339(header.at),
                actor_seat=None if header.actor == "table" else header.public["seat"],
                data=self.codec.redact(header, lambda *_: payload, FULL),
            )
            return narrate(self.game, told, self.locale, names)
        about = {**payload, "to": seat_of(header.slots[slot].to)}
        return item_in_words(self.game, header.type, field, about, self.locale, names)

    def _said(self, term: str, data: dict[str, Any], position: int) -> str:
        return who_knew(self.game, term, data, self.locale, names_at(position, self.tenures))


def _by_since(each: tuple[int, int]) -> tuple[int, int]:
    return each[1], each[0]
