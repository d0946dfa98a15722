"""Opening a table, seating its holders, starting its game; within a command's transaction."""

from __future__ import annotations

import secrets
import uuid
from typing import Any

import msgspec

from engines import base
from engines.base import Game
from events import canonical
from tables import catalogue, hosting, lifecycle, options
from tables.errors import BadField, TableNotOpen
from tables.hosting import Host
from tables.lifecycle import SettingsChosen
from tables.models import Seed, Table, Tenure
from tables.shapes import ClockChoice, NewTable
from tables.signing import signing_key


def open_table(player_id: uuid.UUID, body: NewTable) -> Host:
    """Open a table as its host asks for it, and seat the host and the bots.

    Raises NotFound for an unknown game; BadField for what does not fit it.
    """
    game = catalogue.game_of(body.game)
    fewest = max(game.seats[0], len(body.bots) + 1)
    seats = fewest if body.seats is None else body.seats
    if seats not in game.seats:
        raise BadField(pointer="#/seats", code="out_of_range", wanted=f"{game.seats[0]}..{game.seats[-1]}")
    if len(body.bots) >= seats:
        raise BadField(pointer="#/bots", code="bad_length", wanted=f"0..{seats - 1}")
    chosen = SettingsChosen(
        game=game.id,
        rules_version=game.rules_version,
        options=msgspec.to_builtins(options.read(game.id, body.options)),
        seats=seats,
        clock_seconds=_clock_seconds(game, body.clock),
        visibility=body.visibility,
        starts=body.starts,
    )
    host = _new(chosen, host=player_id, title=body.title, spectator_talk=body.spectator_talk)
    seat(host, None, player_id=player_id)
    for number, bot in enumerate(body.bots):
        if bot not in game.bots:
            raise BadField(pointer=f"#/bots/{number}", code="unknown_value", wanted=", ".join(game.bots))
        seat(host, None, bot=bot)
    start_if_full(host)
    host.save()
    return host


def open_again(row: Table, chosen: SettingsChosen, holders: list[Tenure]) -> Host:
    """Open a table like the finished one of ``row``, with the same holders in the same seats, and start."""
    host = _new(chosen, host=row.host_id, title=row.title, spectator_talk=row.spectator_talk, origin=row.id)
    for holder in sorted(holders, key=lambda each: each.seat):
        seat(host, holder.seat, player_id=holder.player_id, bot=holder.bot)
    start(host)
    host.save()
    return host


def _new(
    chosen: SettingsChosen,
    *,
    host: uuid.UUID | None,
    title: str,
    spectator_talk: str,
    origin: uuid.UUID | None = None,
) -> Host:
    new = hosting.opened(uuid.uuid4())
    seed = secrets.token_bytes(32)
    Table.objects.create(
        id=new.id,
        game=chosen.game,
        title=title,
        visibility=chosen.visibility,
        invite_code=secrets.token_urlsafe(12),
        host_id=host,
        origin_id=origin,
        spectator_talk=spectator_talk,
        status="open",
        seats=chosen.seats,
    )
    Seed.objects.create(table_id=new.id, epoch=0, seed=seed)
    new.add(_genesis(new.id, seed), chosen)
    return new


def _genesis(table_id: uuid.UUID, seed: bytes) -> lifecycle.Opened:
    commit = canonical.seed_commit(table_id.bytes, 0, seed)
    return lifecycle.Opened(seed_commit=commit.hex(), seed_policy="server", kid=signing_key().kid)


def _clock_seconds(game: Game[Any], clock: ClockChoice | None) -> int | None:
    if clock is None:
        return game.clock_seconds
    if clock.kind == "none":
        if clock.seconds is not None:
            raise BadField(pointer="#/clock/seconds", code="unknown_field")
        return None
    return game.clock_seconds if clock.seconds is None else clock.seconds


def seat(host: Host, number: int | None, *, player_id: uuid.UUID | None = None, bot: str = "") -> None:
    """Seat a player or a bot in ``number``, or in the first free seat.  Raises TableNotOpen, TableFull."""
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


def start_if_full(host: Host) -> None:
    """Start the game with the last free seat, where the table says so."""
    settings = host.table.settings
    if settings and settings.starts == "when_full" and not host.table.free_seats():
        start(host)


def start(host: Host) -> None:
    """Start the game.  Raises TableNotOpen, SeatsMissing."""
    if host.table.settings is None:
        raise TableNotOpen()
    host.add(lifecycle.start(host.table, catalogue.digest_of(host.table.settings.game)))
    batch = host.batch()
    base.begin(batch)
    host.take(batch)


def pass_on_or_close(host: Host, player_id: uuid.UUID) -> None:
    """Make the longest-seated person the host where the host has left; close where nobody is."""
    row = Table.objects.get(id=host.id)
    if row.host_id != player_id:
        return
    heir = (
        Tenure.objects.filter(table=host.id, until__isnull=True, player__isnull=False)
        .order_by("since")
        .first()
    )
    Table.objects.filter(id=host.id).update(host=heir.player_id if heir else None)
    if heir is None:
        host.add(lifecycle.Closed(reason="deserted"))
