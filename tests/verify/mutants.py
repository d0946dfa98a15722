"""Transcripts that lie: a mutation of what a genuine one means, drawn from a seed, and how it is dressed.

A lie is told as it is (``bare``), or every commitment and hash is made to hold again behind it, the
server's receipts kept (``chained``) or the whole signed by a key of the forger's (``resigned``).
"""

from __future__ import annotations

import copy
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

import orjson

from events.canonical import NotCanonical, canonical, commitment, event_hash
from tests.verify.plays import FORGER, File, listed

DRESSES = ("bare", "bare", "chained", "resigned")
"""Half of the lies have a chain that holds."""
ABOUT_THE_TABLE = ("table.", "clock.")
DECIDED = (
    "table.finished",
    "table.seed_revealed",
    "table.epoch_opened",
    "table.move_played",
    "table.seating_closed",
    "table.entropy_revealed",
    "table.entropy_missing",
    "table.epoch_begun",
)
"""Events of a table that follow from the game and its chance, or that the game is about."""

Ref = tuple[int, int]


class Nothing(Exception):
    """This file has nothing that the mutation could change."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """A file that lies, and how.

    ``is_decided``: the rules, the seed or the form alone refute it, without any signature.
    ``is_cut``: it tells no lie, but less than there was.
    """

    kind: str
    dress: str
    file: File
    is_decided: bool
    is_cut: bool


def mutant(genuine: File, other: File, random: Random) -> Mutant:
    """Return one mutant of a file; ``other`` is that of another table, of which it may take parts."""
    meant = means(genuine)
    while True:
        kind = random.choice(list(KINDS))
        dress = random.choice(DRESSES)
        file = _copy(genuine)
        try:
            touched = KINDS[kind](Lie(file, _copy(other), random))
        except Nothing:
            continue
        if means(file) == meant:
            continue
        is_cut = kind.startswith("cut_tail")
        if kind in BARE or is_cut:
            dress = "bare"
        if dress != "bare":
            try:
                chain(file)
            except NotCanonical:
                continue
            if means(file) == meant:
                continue  # it was about a hash
            if dress == "resigned":
                sign(file)
        is_decided = genuine["view"] == "full" and touched is not None and _is_decided(touched)
        return Mutant(kind=kind, dress=dress, file=file, is_decided=is_decided, is_cut=is_cut)


def means(file: File) -> bytes:
    """Return what a file says: the order of openings and receipts is nothing of that."""
    openings = sorted(file["openings"], key=lambda each: (each["seq"], each["slot"], each["salt"]))
    receipts = sorted(file["receipts"], key=lambda each: (each["seq"], each["sig"]))
    return orjson.dumps(file | {"openings": openings, "receipts": receipts}, option=orjson.OPT_SORT_KEYS)


def _copy(file: File) -> File:
    copied: File = orjson.loads(orjson.dumps(file))
    return copied


def _is_decided(type_: str) -> bool:
    return type_ in DECIDED or not type_.startswith(ABOUT_THE_TABLE)


# --- The lies -----------------------------------------------------------------------------------


class Lie:
    """A file to be changed, with what the changes need."""

    def __init__(self, file: File, other: File, random: Random) -> None:
        self.file, self.other, self.random = file, other, random

    @property
    def events(self) -> list[dict[str, Any]]:
        """The events, to be changed."""
        events: list[dict[str, Any]] = self.file["events"]
        return events

    def one_of(self, things: Sequence[Any]) -> Any:
        """Return one of some things.  Raises Nothing where there is none."""
        if not things:
            raise Nothing
        return self.random.choice(things)

    def event(self, where: Callable[[dict[str, Any]], Any]) -> dict[str, Any]:
        """Return one of the events that something is true of."""
        event: dict[str, Any] = self.one_of([each for each in self.events if where(each)])
        return event

    def opening(self) -> dict[str, Any]:
        """Return one of the openings."""
        opening: dict[str, Any] = self.one_of(self.file["openings"])
        return opening

    def type_of(self, opening: dict[str, Any]) -> str:
        """Return the type of the event that committed an opening."""
        type_: str = self.events[opening["seq"] - 1]["type"]
        return type_

    def another(self, value: Any) -> Any:
        """Return another value of the same type."""
        match value:
            case bool():
                return not value
            case int():
                return value + self.random.choice([-3, -2, -1, 1, 2, 3, 1_000])
            case str() if len(value) in (32, 64) and all(each in "0123456789abcdef" for each in value):
                return self.random.randbytes(len(value) // 2).hex()
            case str():
                return self.one_of([each for each in _words(self.events, self.file) if each != value])
            case None:
                return self.random.choice([0, 1, False])
            case list():
                return self._another_list(value)
            case dict():
                return self._another_dict(value)
        raise Nothing

    def _another_list(self, value: list[Any]) -> list[Any]:
        if not value or self.random.random() < 0.3:
            return [*value, self.one_of(value)] if value else [0]
        at = self.random.randrange(len(value))
        if self.random.random() < 0.3:
            return value[:at] + value[at + 1 :]
        return [*value[:at], self.another(value[at]), *value[at + 1 :]]

    def _another_dict(self, value: dict[str, Any]) -> dict[str, Any]:
        name = self.one_of(list(value))
        return value | {name: self.another(value[name])}

    def place(self, least: int, most: int) -> int:
        """Return a place from ``least`` to below ``most``.  Raises Nothing where there is none."""
        place: int = self.one_of(range(least, most))
        return place

    def renumber(self, moved: Callable[[int], int | None]) -> None:
        """Let every position and reference follow events that were moved; what pointed at a lost one goes."""
        for position, event in enumerate(self.events, start=1):
            event["seq"] = position
            for name in ("assigns", "opens"):
                refs = [[moved(seq), *rest] for seq, *rest in event[name]]
                event[name] = [each for each in refs if each[0] is not None]
        openings = [each | {"seq": moved(each["seq"])} for each in self.file["openings"]]
        self.file["openings"] = [each for each in openings if each["seq"] is not None]


def _words(events: list[dict[str, Any]], file: File) -> list[str]:
    """Return the texts that the events and openings of a file tell, for others to be told instead."""
    found = [text for event in events for text in event["public"].values() if isinstance(text, str)]
    found += [text for each in file["openings"] for text in each["payload"].values() if isinstance(text, str)]
    return sorted(set(found))


def _swapped_cards(lie: Lie) -> str:
    one = lie.opening()
    of_event = [each for each in lie.file["openings"] if each["seq"] == one["seq"]]
    other = lie.one_of([each for each in of_event if each["payload"].keys() == one["payload"].keys()])
    for name in ("card", "kind", "role", "params"):
        if name in one["payload"] and one["payload"] != other["payload"]:
            one["payload"][name], other["payload"][name] = other["payload"][name], one["payload"][name]
            return lie.type_of(one)
    raise Nothing


def _altered_item(lie: Lie) -> str | None:
    """Alter what was hidden; what somebody says of its own cards is free, and nothing follows from it."""
    one = lie.opening()
    is_free = one["payload"].get("kind") == "declare"
    one["payload"] = lie.another(one["payload"])
    return None if is_free else lie.type_of(one)


def _altered_counts(lie: Lie) -> str:
    """Tell a seat of another hand than was laid for it: one card of a kind fewer, of another one more."""
    one = lie.one_of([each for each in lie.file["openings"] if "futile" in each["payload"]])
    names = [name for name, count in one["payload"].items() if count > 0]
    less, more = lie.one_of(names), lie.one_of(list(one["payload"]))
    one["payload"][less] -= 1
    one["payload"][more] += 1
    return lie.type_of(one)


def _altered_salt(lie: Lie) -> str | None:
    lie.opening()["salt"] = lie.random.randbytes(32).hex()
    return None


def _moved_assignment(lie: Lie) -> str:
    event = lie.event(lambda each: each["assigns"])
    lie.one_of(event["assigns"])[lie.random.choice([1, 2])] += lie.random.choice([-1, 1])
    return _counted(event)


def _moved_reveal(lie: Lie) -> str:
    event = lie.event(lambda each: each["opens"])
    lie.one_of(event["opens"])[lie.random.choice([0, 1])] += lie.random.choice([-1, 1])
    return _counted(event)


def _lost_reference(lie: Lie) -> str:
    event = lie.event(lambda each: each["opens"] or each["assigns"])
    refs = event["opens"] or event["assigns"]
    refs.pop(lie.random.randrange(len(refs)))
    return _counted(event)


def _counted(event: dict[str, Any]) -> str:
    type_: str = event["type"]
    return type_


def _dropped_event(lie: Lie) -> str | None:
    at = lie.place(0, len(lie.events) - 1)
    gone = lie.events.pop(at)
    lie.renumber(lambda seq: None if seq == at + 1 else seq - (seq > at + 1))
    return _counted(gone)


def _repeated_event(lie: Lie) -> str | None:
    at = lie.place(1, len(lie.events))
    twice = copy.deepcopy(lie.events[at])
    slots = [each for each in lie.file["openings"] if each["seq"] == at + 1]
    lie.events.insert(at, twice)
    lie.renumber(lambda seq: seq + (seq > at))
    lie.file["openings"] += [each | {"seq": at + 1} for each in slots]
    return _counted(twice)


def _exchanged_events(lie: Lie) -> str | None:
    at = lie.place(0, len(lie.events) - 1)
    one, other = lie.events[at], lie.events[at + 1]
    lie.events[at : at + 2] = [other, one]
    lie.renumber(lambda seq: {at + 1: at + 2, at + 2: at + 1}.get(seq, seq))
    times = sorted([one["at"], other["at"]])
    other["at"], one["at"] = times
    kinds = {one["type"], other["type"]}
    return None if any(each.startswith(ABOUT_THE_TABLE) for each in kinds) else one["type"]


def _spliced_event(lie: Lie) -> str | None:
    """Put an event of another table in the place of one."""
    at = lie.place(2, len(lie.events))
    taken = lie.one_of(lie.other["events"])
    if taken["type"] == lie.events[at]["type"] and taken["public"] == lie.events[at]["public"]:
        raise Nothing
    mine = lie.events[at]
    lie.file["openings"] = [each for each in lie.file["openings"] if each["seq"] != at + 1]
    lie.file["openings"] += [
        each | {"seq": at + 1} for each in lie.other["openings"] if each["seq"] == taken["seq"]
    ]
    lie.events[at] = taken | {"seq": at + 1, "at": mine["at"], "table": mine["table"]}
    return _counted(mine)


def _spliced_tail(lie: Lie) -> str | None:
    """Go on as another table did."""
    started = next(each["seq"] for each in lie.other["events"] if each["type"] == "table.started")
    at = lie.place(started, min(len(lie.events), len(lie.other["events"])) - 1)
    table, latest = lie.events[0]["table"], lie.events[at - 1]["at"]
    later = max(0, latest - lie.other["events"][at]["at"])
    tail = [each | {"table": table, "at": each["at"] + later} for each in lie.other["events"][at:]]
    lie.file["events"][at:] = tail
    lie.file["openings"] = [each for each in lie.file["openings"] if each["seq"] <= at]
    lie.file["openings"] += [each for each in lie.other["openings"] if each["seq"] > at]
    return None


def _altered_outcome(lie: Lie) -> str:
    event = lie.event(lambda each: each["type"] == "table.finished" or each["type"].endswith("game_ended"))
    name = lie.one_of(list(event["public"]))
    event["public"][name] = lie.another(event["public"][name])
    return _counted(event)


def _altered_fact(lie: Lie) -> str:
    event = lie.event(lambda each: each["public"])
    name = lie.one_of(list(event["public"]))
    event["public"][name] = lie.another(event["public"][name])
    return _counted(event)


def _altered_seat(lie: Lie) -> str:
    event = lie.event(lambda each: type(each["public"].get("seat")) is int)
    event["public"]["seat"] += lie.random.choice([-1, 1])
    return _counted(event)


def _altered_time(lie: Lie) -> str | None:
    """Let one event happen at another time; those of a game have that of what they follow from."""
    event = lie.one_of(lie.events)
    event["at"] += lie.random.choice([-86_400_000, -1_000, -1, 1, 1_000, 86_400_000])
    return None if event["type"].startswith(ABOUT_THE_TABLE) else _counted(event)


def _altered_actor(lie: Lie) -> str:
    event = lie.one_of(lie.events)
    actors = {"table", "staff", "seat:0", "seat:1", "seat:2"} - {event["actor"]}
    event["actor"] = lie.one_of(sorted(actors))
    return _counted(event)


def _altered_type(lie: Lie) -> str:
    event = lie.one_of(lie.events)
    types = sorted({each["type"] for each in lie.events} - {event["type"]})
    before = _counted(event)
    event["type"] = lie.one_of(types)
    return before


def _altered_schema(lie: Lie) -> str:
    event = lie.one_of(lie.events)
    event["schema"] += 1
    return _counted(event)


def _altered_receiver(lie: Lie) -> str:
    event = lie.event(lambda each: each["slots"])
    slot = lie.one_of(event["slots"])
    slot["to"] = lie.one_of(sorted({"server", "seat:0", "seat:1"} - {slot["to"]}))
    return _counted(event)


def _altered_commitment(lie: Lie) -> None:
    lie.one_of(lie.event(lambda each: each["slots"])["slots"])["c"] = lie.random.randbytes(32).hex()


def _altered_draw(lie: Lie) -> str:
    event = lie.event(lambda each: each["draws"])
    draw = lie.one_of(event["draws"])
    at = lie.random.choice([0, 1])
    draw[at] = lie.another(draw[at]) if at == 0 else draw[at] + "s"
    return _counted(event)


def _lost_draw(lie: Lie) -> str:
    event = lie.event(lambda each: each["draws"])
    event["draws"].pop()
    return _counted(event)


def _invented_draw(lie: Lie) -> str:
    event = lie.one_of(lie.events[2:])
    event["draws"].append([lie.random.randrange(40), "deck"])
    return _counted(event)


def _altered_seed(lie: Lie) -> str:
    event = lie.event(lambda each: "seed_commit" in each["public"] or "seed" in each["public"])
    name = "seed" if "seed" in event["public"] else "seed_commit"
    event["public"][name] = lie.random.randbytes(32).hex()
    return "table.seed_revealed" if lie.file["view"] == "full" else _counted(event)


def _altered_entropy(lie: Lie) -> str:
    """Say that a seat has added something else, or committed to something else than it added."""
    event = lie.event(lambda each: each["type"] == "table.entropy_revealed")
    epoch, seat = event["public"]["epoch"], event["public"]["seat"]
    sealed = lie.event(
        lambda each: (
            each["type"] == "table.entropy_committed"
            and (each["public"]["epoch"], each["public"]["seat"]) == (epoch, seat)
        )
    )
    told, name = lie.random.choice([(event, "entropy"), (sealed, "commit")])
    told["public"][name] = lie.random.randbytes(32).hex()
    return _counted(event)


def _late_commitment(lie: Lie) -> str:
    """Let a seat commit when others may have revealed."""
    closed = [at for at, each in enumerate(lie.events) if each["type"] == "table.seating_closed"]
    closing = lie.one_of(closed)
    at = lie.one_of(
        [
            at
            for at, each in enumerate(lie.events[:closing])
            if each["type"] == "table.entropy_committed"
            and each["public"]["epoch"] == lie.events[closing]["public"]["epoch"]
        ]
    )
    late = lie.events.pop(at)
    lie.events.insert(closing, late | {"at": lie.events[closing - 1]["at"]})
    lie.renumber(lambda seq: closing + 1 if seq == at + 1 else seq - (at + 1 < seq <= closing + 1))
    return "table.seating_closed"


def _denied_entropy(lie: Lie) -> str:
    """Say that a seat has revealed nothing: what a server could wish that had another deck in mind."""
    event = lie.event(lambda each: each["type"] == "table.entropy_revealed")
    seat, at = event["public"]["seat"], event["seq"]
    told = lie.event(
        lambda each: (
            each["type"] == "table.entropy_missing" and each["public"]["epoch"] == event["public"]["epoch"]
        )
    )
    told["public"]["seats"] = sorted({*told["public"]["seats"], seat})
    del lie.events[at - 1]
    lie.renumber(lambda seq: None if seq == at else seq - (seq > at))
    return _counted(event)


def _other_table(lie: Lie) -> None:
    table = uuid.UUID(bytes=lie.random.randbytes(16), version=4).hex
    for event in lie.events:
        event["table"] = table


def _other_kind_of_id(lie: Lie) -> str:
    """Name the table by a UUID that is not a random one: its version, or its variant."""
    table = lie.events[0]["table"]
    at, digits = lie.random.choice([(12, "01235678f"), (16, "0127cdef")])
    table = table[:at] + lie.random.choice(digits) + table[at + 1 :]
    for event in lie.events:
        event["table"] = table
    return "table.seed_revealed" if lie.file["view"] == "full" else "table.opened"


def _forged_receipt(lie: Lie) -> None:
    receipt = lie.one_of(lie.file["receipts"])
    name = lie.one_of(["seq", "head", "at", "kid", "sig", "table", "v"])
    receipt[name] = lie.another(receipt[name]) if name != "sig" else lie.random.randbytes(64).hex()
    if name == "kid":
        receipt[name] = FORGER.kid


def _foreign_receipt(lie: Lie) -> None:
    lie.file["receipts"] = lie.other["receipts"]


def _forgers_receipt(lie: Lie) -> None:
    """Add, beside the server's, a signature of the forger's under the same head."""
    receipt = lie.file["receipts"][0]
    head = bytes.fromhex(receipt["head"])
    signed = FORGER.receipt(bytes.fromhex(receipt["table"]), seq=receipt["seq"], head=head, at=receipt["at"])
    lie.file["receipts"].append(dict(signed))


def _lost_key(lie: Lie) -> str:
    """List the forger's key alone, though the log began under another."""
    lie.file["keys"] = [listed(FORGER)]
    return "table.seed_revealed"


def _salt_twice(lie: Lie) -> str:
    """Seal two items with one salt: who is shown one of them, may guess the other."""
    one, other = lie.opening(), lie.opening()
    other["salt"] = one["salt"]
    return "table.seed_revealed"


def _lost_opening(lie: Lie) -> None:
    if lie.file["view"] != "full":
        raise Nothing
    lie.file["openings"].remove(lie.opening())


def _double_opening(lie: Lie) -> None:
    lie.file["openings"].append(copy.deepcopy(lie.opening()))


def _stray_opening(lie: Lie) -> None:
    opening = copy.deepcopy(lie.opening())
    lie.file["openings"].append(opening | {"slot": 1_000 + lie.random.randrange(1_000)})


def _called_whole(lie: Lie) -> None:
    """Say that nothing is hidden in a file that lacks something."""
    if len(lie.file["openings"]) == sum(len(each["slots"]) for each in lie.events):
        raise Nothing
    lie.file["view"] = "full"


def _other_engine(lie: Lie) -> None:
    if lie.file["engine"] is None:
        raise Nothing
    name = lie.one_of(list(lie.file["engine"]))
    lie.file["engine"][name] = lie.another(lie.file["engine"][name])


def _cut_tail(lie: Lie) -> None:
    """Leave the end away, and what says that there was one."""
    _cut(lie)
    lie.file["receipts"] = []


def _cut_tail_alone(lie: Lie) -> None:
    """Leave the end away; its receipt stays."""
    _cut(lie)


def _cut(lie: Lie) -> None:
    kept = lie.place(2, len(lie.events))
    del lie.events[kept:]
    lie.file["openings"] = [each for each in lie.file["openings"] if each["seq"] <= kept]
    if all(each["type"] != "table.started" for each in lie.events):
        lie.file["engine"] = None


KINDS: dict[str, Callable[[Lie], str | None]] = {
    each.__name__.removeprefix("_"): each
    for each in (
        _swapped_cards,
        _altered_item,
        _altered_counts,
        _altered_salt,
        _moved_assignment,
        _moved_reveal,
        _lost_reference,
        _dropped_event,
        _repeated_event,
        _exchanged_events,
        _spliced_event,
        _spliced_tail,
        _altered_outcome,
        _altered_fact,
        _altered_seat,
        _altered_time,
        _altered_actor,
        _altered_type,
        _altered_schema,
        _altered_receiver,
        _altered_commitment,
        _altered_draw,
        _lost_draw,
        _invented_draw,
        _altered_seed,
        _altered_entropy,
        _late_commitment,
        _denied_entropy,
        _other_table,
        _other_kind_of_id,
        _forged_receipt,
        _foreign_receipt,
        _forgers_receipt,
        _lost_key,
        _salt_twice,
        _lost_opening,
        _double_opening,
        _stray_opening,
        _called_whole,
        _other_engine,
        _cut_tail,
        _cut_tail_alone,
    )
}
"""Each changes a file and returns the type of the event about which it lies, None if about none."""

BARE = (
    "altered_salt",
    "altered_commitment",
    "forged_receipt",
    "foreign_receipt",
    "forgers_receipt",
    "lost_opening",
    "double_opening",
    "stray_opening",
    "called_whole",
    "other_engine",
)
"""Lies that no new chain helps, or that it would make true."""


# --- How they are dressed -----------------------------------------------------------------------


def chain(file: File) -> None:
    """Make every commitment that is open, and every hash, hold again."""
    events = file["events"]
    tid = bytes.fromhex(events[0]["table"])
    for each in file["openings"]:
        slots = events[each["seq"] - 1]["slots"] if 0 < each["seq"] <= len(events) else []
        if 0 <= each["slot"] < len(slots):
            payload = canonical(each["payload"])
            sealed = commitment(bytes.fromhex(each["salt"]), tid, each["seq"], each["slot"], payload)
            slots[each["slot"]]["c"] = sealed.hex()
    prev = bytes(32)
    for event in events:
        event["prev"] = prev.hex()
        prev = event_hash(canonical(event))
    started = next((each["public"] for each in events if each["type"] == "table.started"), None)
    if file["engine"] is not None and started is not None:
        file["engine"] = {
            "game": started.get("game"),
            "rules_version": started.get("rules_version"),
            "digest": started.get("engine"),
        }


def sign(file: File) -> None:
    """Sign the end with the forger's key, and list that beside the server's, under which the log begins."""
    last = file["events"][-1]
    head = event_hash(canonical(last))
    tid = bytes.fromhex(last["table"])
    file["receipts"] = [dict(FORGER.receipt(tid, seq=last["seq"], head=head, at=last["at"]))]
    file["keys"] = [*(each for each in file["keys"] if each["kid"] != FORGER.kid), listed(FORGER)]
