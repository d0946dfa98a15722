"""Who is to be told what after the events of a command: rows of the outbox, written in its transaction.

Only headers of events are read, so that a notice exists, and says what it says, by public facts alone.
A row has a ``key``: the same thing is told to the same player once, whoever writes it how often.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from django.db import connection

from events.codec import Header, read_header
from tables import clock

if TYPE_CHECKING:
    from tables.hosting import Host

_ROW = """
INSERT INTO tables_outbox (id, table_id, position, kind, audience, attempts, next_attempt_at, key, detail)
SELECT gen_random_uuid(), %(table)s, position, 'notice', 'player:' || player, 0, to_timestamp(due / 1000.0),
  player || ' ' || once, detail FROM
"""
_ONCE = """
ON CONFLICT (key) DO UPDATE SET next_attempt_at = excluded.next_attempt_at, detail = excluded.detail
WHERE tables_outbox.done_at IS NULL AND tables_outbox.detail ->> 'what' = 'reminder'
"""
"""A reminder that is still to come follows the deadline."""
_SEATS = f"""{_ROW} (
  SELECT DISTINCT ON (t.player_id, w.once) t.player_id AS player, w.position, w.due, w.once, w.detail
  FROM unnest(%(seats)s::int[], %(who)s::text[], %(positions)s::int[], %(dues)s::bigint[], %(onces)s::text[],
    %(details)s::jsonb[]) AS w(seat, who, position, due, once, detail)
  JOIN tables_tenure AS t ON t.table_id = %(table)s AND t.seat = w.seat AND t.player_id IS NOT NULL
  WHERE CASE w.who
    WHEN 'holder' THEN t.until IS NULL
    WHEN 'former' THEN t.until >= %(first)s
    WHEN 'absent' THEN t.until >= %(first)s OR t.ended = 'absent'
    ELSE t.until IS NULL OR t.ended = 'absent' AND EXISTS (
      SELECT FROM tables_tenure AS n
      WHERE n.table_id = t.table_id AND n.seat = t.seat AND n.until IS NULL AND n.bot <> '')
  END
) AS told {_ONCE}"""  # noqa: S608
"""To who holds a seat, held it until this command, is absent from it, or (``all``) has a part in its game."""
_MESSAGE = f"""{_ROW} (
  SELECT player_id AS player, %(position)s AS position, now_ms() AS due, %(once)s AS once,
    %(detail)s::jsonb AS detail
  FROM tables_tenure AS t
  WHERE table_id = %(table)s AND until IS NULL AND player_id IS NOT NULL AND player_id <> %(sender)s
    AND NOT EXISTS (
      SELECT FROM tables_mute AS m WHERE m.player_id = t.player_id AND m.muted_id = %(sender)s)
) AS told ON CONFLICT (key) DO NOTHING"""  # noqa: S608
_HOLDERS = f"""{_ROW} (
  SELECT t.player_id AS player, r.version AS position, now_ms() AS due,
    %(what)s || ' ' || replace(r.id::text, '-', '') || ' ' || r.version AS once,
    jsonb_build_object('what', %(what)s::text) AS detail
  FROM tables_table AS r JOIN tables_tenure AS t ON t.table_id = r.id
  WHERE r.id = %(table)s AND t.until IS NULL AND t.player_id IS NOT NULL
) AS told ON CONFLICT (key) DO NOTHING"""  # noqa: S608
_PLAYER = f"""{_ROW} (
  SELECT %(player)s::uuid AS player, %(position)s AS position, now_ms() AS due, %(once)s AS once,
    %(detail)s::jsonb AS detail
) AS told ON CONFLICT (key) DO NOTHING"""
_FORGET = """
UPDATE tables_outbox SET done_at = clock_timestamp()
WHERE table_id = %s AND kind = 'notice' AND done_at IS NULL
  AND detail ->> 'what' = %s AND (detail ->> 'seat')::int IS NOT DISTINCT FROM %s
"""
_TOLD_LATER = {"agreement": "resumed", "staff": "staff_resumed", "vacation": "away"}
"""Of a pause that ends early, or never began: what was to be told at its end, or its beginning."""


class _Wish(NamedTuple):
    """Something to be told to whom it concerns at ``seat``; ``once`` tells it from others, ``due`` in ms."""

    what: str
    seat: int
    position: int
    once: int
    due: int
    facts: dict[str, Any]
    who: str = "holder"


def announce(host: Host) -> None:
    """Write down what those who sit at a table are to be told after its new events."""
    headers = [read_header(each.header) for each in host.new]
    skipped = [_forget(host, each) for each in headers if each.type == "clock.resumed"]
    wishes = [each for each in _wishes(host, headers) if each.position not in skipped]
    if not wishes:
        return
    with connection.cursor() as cursor:
        cursor.execute(
            _SEATS,
            {
                "table": host.id,
                "first": host.first,
                "seats": [each.seat for each in wishes],
                "who": [each.who for each in wishes],
                "positions": [each.position for each in wishes],
                "dues": [each.due for each in wishes],
                "onces": [_once(host.id, each) for each in wishes],
                "details": [json.dumps({"what": each.what, **each.facts}) for each in wishes],
            },
        )


def announce_message(table_id: uuid.UUID, said: int, sender: uuid.UUID, *, position: int) -> None:
    """Write down, in the transaction of a message, that the others at the table are to be told of it.

    ``said`` is its place in the talk, ``position`` that of the game at that moment.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            _MESSAGE,
            {
                "table": table_id,
                "position": position,
                "sender": sender,
                "once": f"message {table_id.hex} {said}",
                "detail": json.dumps({"what": "message", "said": said}),
            },
        )


def announce_aside(table_id: uuid.UUID, what: str) -> None:
    """Write down that those who sit at a table are to be told of what its game had no part in.

    ``suspended``: it is suspended; ``peeked``: staff look at what is hidden.
    """
    with connection.cursor() as cursor:
        cursor.execute(_HOLDERS, {"table": table_id, "what": what})


def tell(
    player_id: uuid.UUID,
    table_id: uuid.UUID,
    what: str,
    *,
    position: int,
    once: int | None = None,
    **facts: Any,
) -> None:
    """Write down that one player is to be told something, whom the seats of the table do not tell.

    ``position`` is that of the game; it is told once for each, or for each ``once``.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            _PLAYER,
            {
                "table": table_id,
                "player": player_id,
                "position": position,
                "once": f"{what} {table_id.hex} {position if once is None else once}",
                "detail": json.dumps({"what": what, **facts}),
            },
        )


def _once(table_id: uuid.UUID, wish: _Wish) -> str:
    """Return what a wish is told once by: a game ends once, and a vacation of all tables does."""
    if wish.what in ("finished", "ended_by_ruling", "closed", "unseeded"):
        return f"over {table_id.hex}"
    if wish.what == "vacation_ends":
        return f"{wish.what} {wish.facts['until']}"
    return f"{wish.what} {table_id.hex} {wish.once}"


def _forget(host: Host, header: Header) -> int | None:
    """Withdraw what was to be told later of a pause; return the position of an end that is no news then."""
    with connection.cursor() as cursor:
        reason = header.public["reason"]
        cursor.execute(_FORGET, [host.id, _TOLD_LATER[reason], header.public["seat"]])
        was_untold = cursor.rowcount > 0 and reason == "vacation"
    return header.seq if was_untold else None


def _wishes(host: Host, headers: Sequence[Header]) -> Iterator[_Wish]:
    for header in headers:
        yield from _of_event(host, header)
    clocks = [each for each in headers if each.type == "clock.deadline_set"]
    if clocks and host.table.status == "playing":
        yield from _of_turn(host, clocks[-1])


def _of_turn(host: Host, clocks: Header) -> Iterator[_Wish]:
    """Tell whose turn it is, and remind them when a fifth of their time is left."""
    turn, deadline_at = host.table.turn, clocks.public["deadline_at"]
    seconds = host.table.settings.clock.seconds if host.table.settings else None
    running = {each["seat"]: each for each in clocks.public["clocks"]}
    for seat in host.awaited():
        facts = {"seat": seat, "turn": turn, "until": deadline_at}
        yield _Wish("your_turn", seat, clocks.seq, turn, host.now, facts)
        if (own := running.get(seat)) is None:
            continue
        whole = own["left"] if seconds is None else seconds * 1000  # of the turn, whenever its clocks are set
        remind_at = clock.reminder_at(own["due_at"] - whole, own["due_at"])
        if remind_at is not None:
            yield _Wish("reminder", seat, clocks.seq, turn, remind_at, facts)


def _of_event(host: Host, header: Header) -> Iterable[_Wish]:
    area, _, _ = header.type.partition(".")
    tellers = {"table": _of_table, "clock": _of_clock}
    return tellers[area](host, header) if area in tellers else ()


_END = {"adjudicated": "ended_by_ruling", "annulled": "ended_by_ruling", "entropy_missing": "unseeded"}
"""What the end of a table is told as, by a reason that is told apart."""


def _of_table(host: Host, header: Header) -> Iterable[_Wish]:
    public, persons = header.public, host.table.persons()
    match header.type:
        case "table.presence_asked":
            return _to(host, header, "presence_asked", persons, until=public["until"])
        case "table.entropy_asked":
            wanted = host.table.entropy.uncommitted(persons)
            return _to(host, header, "entropy_asked", wanted, until=public["until"], epoch=public["epoch"])
        case "table.seating_closed":
            facts = {"until": public["until"], "epoch": public["epoch"]}
            return _to(host, header, "entropy_awaited", public["seats"], **facts)
        case "table.started":
            return _to(host, header, "started", persons)
        case "table.finished" | "table.closed":
            return _of_end(host, header)
        case "table.vote_called":
            voters = [each for each in public["seats"] if each != public["by"]]
            return _to(host, header, "vote_called", voters, until=public["until"], vote=public["vote"])
        case "table.seat_abandoned" | "table.seat_replaced" | "table.replacement_sought":
            return _of_seat(host, header)
        case "table.reinstated":
            return _to(host, header, "staff_extended", persons)
        case "table.arbiter_named":
            what = "arbiter_named" if public["arbiter"] else "arbiter_left"
            return _to(host, header, what, persons)
    return ()


def _of_end(host: Host, header: Header) -> Iterable[_Wish]:
    """Tell all seats that the game is over, or who waits that there will be none."""
    what = _END.get(header.public["reason"], header.type.partition(".")[2])
    if header.type == "table.closed":
        return _to(host, header, what, host.table.persons())
    return _to(host, header, what, range(len(host.table.holders)), "all")


def _of_seat(host: Host, header: Header) -> Iterator[_Wish]:
    """Tell who has lost a seat, or may lose it, and tell the others of it."""
    own, reason = header.public["seat"], header.public["reason"]
    _, _, happened = header.type.partition(".")
    for_own = {
        ("seat_abandoned", "timeout"): ("timed_out", "holder"),
        ("seat_abandoned", "removed"): ("staff_removed", "holder"),
        ("seat_replaced", "absent"): ("replaced_absent", "former"),
        ("seat_replaced", "voted"): ("replaced_voted", "former"),
        ("seat_replaced", "taken_over"): ("replaced_you", "absent"),
        ("replacement_sought", "absent"): ("sought_you", "holder"),
    }
    if (found := for_own.get((happened, reason))) is not None:
        yield from _to(host, header, found[0], [own], found[1], sought=own)
    for_others = {"seat_replaced": "replaced", "replacement_sought": "sought"}
    if (what := for_others.get(happened)) is not None:
        yield from _to(host, header, what, _others(host, own), sought=own)


def _of_clock(host: Host, header: Header) -> Iterable[_Wish]:
    public = header.public
    match header.type:
        case "clock.deadline_extended" if public["reason"] == "outage":
            return _to(host, header, "extended", host.table.persons())
        case "clock.time_added":
            return _to(host, header, "time_added", host.table.persons())
        case "clock.paused":
            return _of_vacation(host, header) if public["seat"] is not None else _of_pause(host, header)
        case "clock.resumed":
            what = {"staff": "staff_resumed", "vacation": "back"}.get(public["reason"], "resumed")
            return _to(host, header, what, _others(host, public["seat"]), seat=public["seat"])
    return ()


def _of_pause(host: Host, header: Header) -> Iterator[_Wish]:
    """Tell all that the clocks stand still, and at its end that they run again."""
    prefix, until = "staff_" if header.public["reason"] == "staff" else "", header.public["until"]
    persons = host.table.persons()
    yield from _to(host, header, f"{prefix}paused", persons, until=until)
    yield from _to(host, header, f"{prefix}resumed", persons, at=until, seat=None)


def _of_vacation(host: Host, header: Header) -> Iterator[_Wish]:
    """Tell the others when a vacation begins, and the one who takes it a day before it ends."""
    own, since, until = (header.public[name] for name in ("seat", "since", "until"))
    yield from _to(host, header, "away", _others(host, own), at=since, until=until, seat=own)
    yield from _to(host, header, "vacation_ends", [own], at=until - clock.DAY_MS, until=until)


def _others(host: Host, own: int | None) -> list[int]:
    return [each for each in host.table.persons() if each != own]


def _to(
    host: Host,
    header: Header,
    what: str,
    seats: Iterable[int],
    who: str = "holder",
    at: int = 0,
    **facts: Any,
) -> list[_Wish]:
    """Return the wish to tell something of an event to seats, at once or ``at`` a time to come."""
    due = max(host.now, at)
    return [_Wish(what, seat, header.seq, header.seq, due, facts, who) for seat in seats]
