"""Opening a table, seating its holders, starting its game; within a command's transaction."""

from __future__ import annotations

import secrets
import unicodedata
import uuid
from dataclasses import replace
from typing import Any

import msgspec

from engines.base import Game
from events import canonical
from tables import (
    arbiters,
    catalogue,
    entropy,
    gathering,
    hosting,
    lifecycle,
    messages,
    options,
    sandboxes,
    scripts,
    signing,
)
from tables.errors import BadField, NoBots, PresenceNotAsked, SeatingClosed
from tables.hosting import Host
from tables.messages import Clock, SettingsChosen
from tables.models import Seed, Table, Tenure
from tables.notices import announcing
from tables.sandboxes import Plan
from tables.shapes import ClockChoice, NewTable

LEAST_SECONDS = 60
"""The shortest clock of a table that is no sandbox, for all who ask by the API."""


def open_table(player_id: uuid.UUID, body: NewTable, *, least_seconds: int = LEAST_SECONDS) -> Host:
    """Open a table as its host asks for it, and seat the host and the bots.

    ``least_seconds`` is the shortest clock of one that is no sandbox; who tries crashes asks for a shorter.
    Raises NotFound for an unknown game; BadField for what does not fit it; OwnAccount for an arbiter who
    is the host.
    """
    game = catalogue.game_of(body.game)
    if any(unicodedata.category(letter) == "Cc" for letter in body.title):
        raise BadField(pointer="#/title", code="control_character")
    seats = _seats(game, body)
    plan = None
    if body.sandbox is not None:
        if body.fairness != entropy.SERVER:
            raise BadField(pointer="#/fairness", code="unknown_value", wanted=entropy.SERVER)
        plan = sandboxes.plan(body.sandbox.seed, scripts.read(game, body.sandbox.script, len(body.bots)))
    chosen = SettingsChosen(
        game=game.id,
        rules_version=game.rules_version,
        options=msgspec.to_builtins(options.read(game, body.options)),
        seats=seats,
        clock=_clock(game, body.clock, least=sandboxes.LEAST_SECONDS if plan else least_seconds),
        max_timeouts=body.max_timeouts,
        absentee=body.absentee or ("bot" if seats > 2 else "forfeit"),
        vacations=body.vacations,
        visibility=body.visibility,
        starts=body.starts,
    )
    host = new_table(
        chosen,
        fairness=entropy.CHOSEN if plan else body.fairness,
        plan=plan,
        host=player_id,
        title=body.title,
        author=player_id if body.title else None,
        spectator_talk=body.spectator_talk,
        least_reliability=body.least_reliability,
    )
    seat(host, None, player_id=player_id)
    if body.arbiter is not None:
        arbiters.ask(host, player_id, body.arbiter, "#/arbiter")
    for number, bot in enumerate(body.bots):
        if bot not in game.bots:
            raise BadField(pointer=f"#/bots/{number}", code="unknown_value", wanted=", ".join(game.bots))
        seat(host, None, bot=bot)
    start_if_full(host)
    host.save()
    return host


def _seats(game: Game[Any], body: NewTable) -> int:
    """Return how many seats a table is to have, those of its host and bots among them.  Raises BadField."""
    fewest = max(game.seats[0], len(body.bots) + 1)
    seats = fewest if body.seats is None else body.seats
    if body.seats is None and seats not in game.seats:
        raise BadField(pointer="#/bots", code="bad_length", wanted=f"0..{game.seats[-1] - 1}")
    if seats not in game.seats:
        raise BadField(pointer="#/seats", code="out_of_range", wanted=f"{game.seats[0]}..{game.seats[-1]}")
    if len(body.bots) >= seats:
        raise BadField(pointer="#/bots", code="bad_length", wanted=f"0..{seats - 1}")
    if body.bots and body.fairness == entropy.STRICT:
        raise BadField(pointer="#/bots", code="no_bots")
    return seats


def open_again(row: Table, chosen: SettingsChosen, holders: list[Tenure]) -> Host:
    """Open a table like the finished one of ``row``, with the same holders in the same seats, and start.

    Raises NoBots where one of them is a bot that stands in, and players alone may sit down.
    """
    bots = {each.bot for each in holders if each.bot}
    if bots and row.fairness == entropy.STRICT:
        raise NoBots()
    host = new_table(
        _renewed(chosen, bots),
        fairness=row.fairness,
        plan=sandboxes.plan_of(row.id) if row.fairness == entropy.CHOSEN else None,
        host=row.host_id,
        title=row.title,
        author=row.author_id,
        spectator_talk=row.spectator_talk,
        least_reliability=row.least_reliability,
        origin=row.id,
    )
    for holder in sorted(holders, key=lambda each: each.seat):
        seat(host, holder.seat, player_id=holder.player_id, bot=holder.bot)
    start(host)
    host.save()
    return host


def _renewed(chosen: SettingsChosen, bots: set[str]) -> SettingsChosen:
    """Return the settings under the newest rules, unless these do not take them, or lack one of the bots."""
    game = catalogue.game_of(chosen.game)
    try:
        taken = options.read(game, chosen.options)
    except BadField:
        return chosen
    if chosen.seats not in game.seats or not bots <= game.bots.keys():
        return chosen
    return replace(chosen, rules_version=game.rules_version, options=msgspec.to_builtins(taken))


def new_table(
    chosen: SettingsChosen,
    *,
    fairness: str,
    host: uuid.UUID | None,
    title: str,
    author: uuid.UUID | None,
    spectator_talk: str,
    least_reliability: int,
    origin: uuid.UUID | None = None,
    fork: tuple[uuid.UUID, int] | None = None,
    plan: Plan | None = None,
) -> Host:
    """Return a new table, opened and with its settings.

    ``fork``: the table and position it goes on from; ``plan``: that of a sandbox.
    """
    new = hosting.opened(uuid.uuid4())
    seed = plan.seed(0) if plan else secrets.token_bytes(32)
    Table.objects.create(
        id=new.id,
        game=chosen.game,
        title=title,
        visibility=chosen.visibility,
        invite_code=secrets.token_urlsafe(12),
        host_id=host,
        author_id=author,
        origin_id=origin,
        forked_from_id=fork and fork[0],
        forked_at=fork and fork[1],
        spectator_talk=spectator_talk,
        least_reliability=least_reliability,
        fairness=fairness,
        status="open",
        seats=chosen.seats,
    )
    Seed.objects.create(table_id=new.id, epoch=0, seed=seed)
    if plan:
        sandboxes.keep(new.id, plan)
    new.add(_genesis(new.id, seed, fairness), chosen)
    return new


def _genesis(table_id: uuid.UUID, seed: bytes, fairness: str) -> messages.Opened:
    commit = canonical.seed_commit(table_id.bytes, 0, seed)
    return messages.Opened(seed_commit=commit.hex(), seed_policy=fairness, kid=signing.current_kid())


def _clock(game: Game[Any], body: ClockChoice | None, *, least: int) -> Clock:
    """Return the clock chosen, what is left out suiting the game.

    Raises BadField for another's field, and for fewer than ``least`` seconds.
    """
    chosen = body or ClockChoice()
    fields = {"per_turn": ("seconds",), "budget": ("initial", "increment", "cap"), "none": ()}[chosen.kind]
    for name in ("seconds", "initial", "increment", "cap"):
        if name not in fields and getattr(chosen, name) is not None:
            raise BadField(pointer=f"#/clock/{name}", code="unknown_field")
    for name in ("seconds", "initial", "cap"):
        if (getattr(chosen, name) or least) < least:
            raise BadField(pointer=f"#/clock/{name}", code="out_of_range", wanted=f"{least}..")
    if chosen.kind == "none":
        return Clock(kind="none")
    if chosen.kind == "per_turn":
        return Clock(kind="per_turn", seconds=chosen.seconds or game.clock_seconds)
    initial = chosen.initial or 3 * game.clock_seconds
    cap = initial if chosen.cap is None else chosen.cap
    if cap < initial:
        raise BadField(pointer="#/clock/cap", code="out_of_range", wanted=f"{initial}..")
    increment = game.clock_seconds // 2 if chosen.increment is None else chosen.increment
    return Clock(kind="budget", initial=initial, increment=increment, cap=cap)


def seat(host: Host, number: int | None, *, player_id: uuid.UUID | None = None, bot: str = "") -> int:
    """Seat a player or a bot in ``number``, or in the first free seat; return which.

    Raises TableNotOpen, TableFull.
    """
    taken = lifecycle.join(host.table, number, secrets.token_hex(16), bot or None)
    host.add(taken, actor="table" if bot else f"seat:{taken.seat}")
    Tenure.objects.create(
        table_id=host.id,
        seat=taken.seat,
        player_id=player_id,
        bot=bot,
        pseudonym=taken.holder,
        since=host.version,
    )
    return taken.seat


def start_if_full(host: Host, present: int | None = None) -> None:
    """Start the game with the last free seat, where the table says so and everybody is there."""
    settings, presence = host.table.settings, host.table.presence
    if settings and (settings.starts == "when_full" or presence) and not host.table.free_seats():
        start(host, present)


def start(host: Host, present: int | None = None) -> None:
    """Start the game; where the table has waited long, ask first whether everybody is still there.

    ``present`` is the seat of whoever has it started.  Raises TableNotOpen, SeatsMissing.
    """
    table = host.table
    lifecycle.require_full(table)
    if table.is_gathering:
        return
    if table.presence is None and host.now - table.opened_at > lifecycle.STALE_MS:
        host.add(messages.PresenceAsked(until=host.now + lifecycle.PRESENCE_MS))
        if present is not None:
            confirm_presence(host, present)
    elif table.presence is None or not _missing(host):
        gathering.start(host)


def confirm_presence(host: Host, number: int) -> None:
    """Note that the holder of a seat is there; the last one starts the game.  Raises PresenceNotAsked."""
    if host.table.presence is None:
        raise PresenceNotAsked()
    if number not in host.table.presence.seats:
        host.add(messages.PresenceConfirmed(seat=number), actor=f"seat:{number}")
    start_if_full(host)


def stop_waiting(host: Host) -> None:
    """Free the seats of those who have not said to be there, or close a table that has waited too long."""
    if host.table.presence is None:
        host.add(messages.Closed(reason="expired"))
        return
    missing = _missing(host)
    host.add(messages.PresenceLapsed(seats=tuple(missing)))
    for number in missing:
        free(host, number, "absent")


def free(host: Host, number: int, reason: str) -> None:
    """Free a seat before the start: it was ``left``, or its holder is ``absent``.

    The host's role is passed on to whoever sits for longest; a table that nobody is left at is closed.
    Raises SeatingClosed: whoever has seen what others added to the game's chance does not go before it.
    """
    if host.table.entropy.is_closed:
        raise SeatingClosed()
    actor = f"seat:{number}" if reason == "left" else "table"
    host.add(messages.SeatLeft(seat=number, reason=reason), actor=actor)
    held = Tenure.objects.filter(table=host.id, until__isnull=True)
    gone = held.get(seat=number).player_id
    held.filter(seat=number).delete()
    if reason == "absent" and gone is not None:
        announcing.tell(gone, host.id, "seat_lost", position=host.version)
    heir = held.filter(player__isnull=False).order_by("since").values_list("player", flat=True).first()
    Table.objects.filter(id=host.id, host=gone).update(host=heir)
    if heir is None:
        host.add(messages.Closed(reason="deserted"))


def _missing(host: Host) -> list[int]:
    there = host.table.presence.seats if host.table.presence else ()
    return [seat for seat, holder in enumerate(host.table.holders) if holder and seat not in there]
