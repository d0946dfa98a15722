"""The form of a table's own events, closed: who may be their actor, and what they tell, value by value.

Source: the annex of tables and clocks (``tables/annex-v1.json``); a test holds this against it.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from events.audit import LAST_TIME
from events.codec import MOVE_PLAYED, Header
from verify.continuing import FORKED

_Natural = Annotated[int, Meta(ge=0)]
_Hash = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}\Z")]
_Pseudonym = Annotated[str, Meta(pattern=r"^[0-9a-f]{32}\Z")]
_Kid = Annotated[str, Meta(pattern=r"^[0-9a-f]{16}\Z")]
_Name = Annotated[str, Meta(pattern=r"^[a-z0-9_]{1,40}\Z")]
_Time = Annotated[int, Meta(ge=0, le=LAST_TIME)]
_Seats = Annotated[int, Meta(ge=1, le=20)]
_MONTH = 2_592_000
_MOST_TIMEOUTS = 1_000_000  # the API takes ten; where crashes are tried nobody may leave for time-outs
_Span = Annotated[int, Meta(ge=1, le=_MONTH)]  # the API asks for a minute; tests of crashes do not
_Object = dict[str, Any]


class _PerTurn(msgspec.Struct, forbid_unknown_fields=True, tag_field="kind", tag="per_turn"):
    seconds: _Span
    initial: None
    increment: None
    cap: None


class _Budget(msgspec.Struct, forbid_unknown_fields=True, tag_field="kind", tag="budget"):
    seconds: None
    initial: _Span
    increment: Annotated[int, Meta(ge=0, le=_MONTH)]
    cap: _Span


class _NoClock(msgspec.Struct, forbid_unknown_fields=True, tag_field="kind", tag="none"):
    seconds: None
    initial: None
    increment: None
    cap: None


class _SeatTime(msgspec.Struct, forbid_unknown_fields=True):
    seat: _Natural
    left: _Natural
    due_at: _Time


SEAT = "seat:N"
_TABLE, _STAFF = "table", "staff"
_Reason = Literal["conduct", "dispute", "fault", "law", "mended", "request"]
_Pause = Literal["agreement", "vacation", "staff"]
_Ruling = Literal["pause", "resume", "extend", "remove", "adjudicate", "annul"]

FORMS: dict[str, tuple[tuple[str, ...], dict[str, Any]]] = {
    "table.opened": (
        (_TABLE,),
        {
            "seed_commit": _Hash,
            "seed_policy": Literal["server", "players", "players_strict", "chosen"],
            "kid": _Kid,
        },
    ),
    "table.settings_chosen": (
        (_TABLE,),
        {
            "game": _Name,
            "rules_version": _Natural,
            "options": _Object,
            "seats": _Seats,
            "clock": _PerTurn | _Budget | _NoClock,
            "max_timeouts": Annotated[int, Meta(ge=1, le=_MOST_TIMEOUTS)],
            "absentee": Literal["bot", "open", "forfeit"],
            "vacations": bool,
            "visibility": Literal["public", "private"],
            "starts": Literal["when_full", "by_host"],
        },
    ),
    "table.seat_taken": ((SEAT, _TABLE), {"seat": _Natural, "holder": _Pseudonym, "bot": _Name | None}),
    "table.seat_left": ((SEAT, _TABLE), {"seat": _Natural, "reason": Literal["left", "absent"]}),
    "table.presence_asked": ((_TABLE,), {"until": _Time}),
    "table.presence_confirmed": ((SEAT,), {"seat": _Natural}),
    "table.presence_lapsed": ((_TABLE,), {"seats": list[_Natural]}),
    "table.entropy_asked": ((_TABLE,), {"epoch": _Natural, "until": _Time}),
    "table.entropy_committed": ((SEAT,), {"epoch": _Natural, "seat": _Natural, "commit": _Hash}),
    "table.seating_closed": (
        (_TABLE,),
        {"epoch": _Natural, "seats": list[_Natural], "until": _Time},
    ),
    "table.entropy_revealed": ((SEAT,), {"epoch": _Natural, "seat": _Natural, "entropy": _Hash}),
    "table.entropy_missing": ((_TABLE,), {"epoch": _Natural, "seats": list[_Natural]}),
    "table.closed": ((_TABLE,), {"reason": Literal["deserted", "expired", "entropy_missing"]}),
    "table.started": (
        (_TABLE,),
        {
            "game": _Name,
            "rules_version": _Natural,
            "options": _Object,
            "engine": _Hash,
            "seats": list[_Pseudonym],
        },
    ),
    FORKED: (
        (_TABLE,),
        {
            "origin": _Pseudonym,
            "head": _Hash,
            "position": _Natural,
            "base": _Natural,
            "refs": list[tuple[_Natural, _Natural]],
            "abandoned": list[_Natural],
            "hidden": _Natural,
            "shown": _Natural,
        },
    ),
    MOVE_PLAYED: ((SEAT, _TABLE), {"seat": _Natural, "window": _Natural, "kind": _Name, "params": _Object}),
    "table.seat_abandoned": (
        (SEAT, _TABLE, _STAFF),
        {"seat": _Natural, "reason": Literal["resigned", "removed", "timeout"]},
    ),
    "table.seat_replaced": (
        (SEAT, _TABLE),
        {
            "seat": _Natural,
            "holder": _Pseudonym,
            "bot": _Name | None,
            "reason": Literal["absent", "voted", "taken_over", "returned"],
        },
    ),
    "table.replacement_sought": ((_TABLE,), {"seat": _Natural, "reason": Literal["absent"]}),
    "table.vote_called": (
        (SEAT,),
        {
            "vote": _Natural,
            "motion": Literal["abandon", "replace", "pause"],
            "seat": _Natural | None,
            "seconds": _Natural | None,
            "by": _Natural,
            "seats": list[_Natural],
            "needed": _Natural,
            "until": _Time,
        },
    ),
    "table.vote_cast": ((SEAT,), {"vote": _Natural, "seat": _Natural, "in_favour": bool}),
    "table.vote_decided": ((_TABLE,), {"vote": _Natural, "passed": bool}),
    "table.finished": (
        (_TABLE,),
        {"winners": list[_Natural], "places": list[_Natural], "scores": list[int] | None, "reason": _Name},
    ),
    "table.epoch_opened": ((_TABLE,), {"epoch": _Natural, "seed_commit": _Hash}),
    "table.epoch_begun": ((_TABLE,), {"epoch": _Natural}),
    "table.seed_revealed": ((_TABLE,), {"epoch": _Natural, "seed": _Hash}),
    "clock.deadline_set": (
        (_TABLE,),
        {
            "turn": _Natural,
            "deadline_at": _Time | None,
            "clocks": list[_SeatTime],
            "banks": list[_Natural],
        },
    ),
    "clock.expired": (
        (_TABLE,),
        {"turn": _Natural, "deadline_at": _Time, "decided_at": _Time, "seats": list[_Natural]},
    ),
    "clock.paused": (
        (_TABLE, _STAFF),
        {"reason": _Pause, "seat": _Natural | None, "since": _Time, "until": _Time},
    ),
    "clock.resumed": ((_TABLE, _STAFF), {"reason": _Pause, "seat": _Natural | None, "since": _Time}),
    "clock.deadline_extended": (
        (_TABLE, _STAFF),
        {"turn": _Natural, "reason": Literal["outage", "suspension"], "since": _Time, "until": _Time},
    ),
    "table.suspended": ((_TABLE,), {"reason": Literal["unresolved"]}),
    "table.reinstated": ((_STAFF,), {"reason": _Reason, "since": _Time}),
    "table.staff_peeked": ((_STAFF,), {"seat": _Natural | None, "reason": _Reason}),
    "table.arbiter_named": ((_STAFF,), {"arbiter": _Pseudonym | None}),
    "table.ruling_made": (
        (_STAFF,),
        {"by": Literal["staff", "arbiter"], "ruling": _Ruling, "seat": _Natural | None, "reason": _Reason},
    ),
    "clock.time_added": ((_STAFF,), {"turn": _Natural, "added": _Natural}),
}
"""Of each type: its actors, and the types of its public fields."""


def misfit(header: Header) -> str | None:
    """Return how an event of ``FORMS`` is not of its form, or None."""
    actors, _ = FORMS[header.type]
    if header.schema != 1:
        return f"{header.type}: schema {header.schema} is not known"
    if (SEAT if header.actor.startswith("seat:") else header.actor) not in actors:
        return f"{header.type} by {header.actor}"
    hides = header.type in (MOVE_PLAYED, FORKED)
    if (not hides and (header.slots or header.opens)) or (
        header.type != MOVE_PLAYED and (header.assigns or header.draws)
    ):
        return f"{header.type}: it hides, hands over, opens or draws something"
    try:
        msgspec.convert(header.public, _STRUCTS[header.type])
    except msgspec.ValidationError as error:
        return f"{header.type}: {error}"
    return None


_STRUCTS = {
    name: msgspec.defstruct(name.replace(".", "_"), list(fields.items()), forbid_unknown_fields=True)
    for name, (_, fields) in FORMS.items()
}
