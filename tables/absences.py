"""Who is not there: vacations, strikes, and those who play in a seat instead of its holder.

Absence is not abandonment: a seat whose holder is absent still has one, and can win.
Sources: clocks.md, "What a table's clock offers"; design.md section 3.
"""

from __future__ import annotations

import secrets
import uuid

from tables import messages
from tables.clock import milliseconds
from tables.hosting import Host
from tables.models import Tenure, Vacation


def strike(host: Host, seat: int) -> None:
    """Let the table's rule decide about a seat that has not answered too many turns in a row."""
    table, settings = host.table, host.table.settings
    if settings is None or seat not in table.persons() or table.strikes[seat] < settings.max_timeouts:
        return
    if settings.absentee == "forfeit":
        host.leave(seat, "timeout")
    elif settings.absentee == "bot":
        replace(host, seat, "absent", bot=stand_in(host))
    elif seat not in table.seeking:
        host.add(messages.ReplacementSought(seat=seat, reason="absent"))


def stand_in(host: Host) -> str:
    """Return the bot that plays where a person is missing: the strongest, which games list last."""
    return list(host.game.bots)[-1]


def replace(
    host: Host,
    seat: int,
    reason: str,
    *,
    player_id: uuid.UUID | None = None,
    bot: str = "",
    actor: str = "table",
) -> None:
    """Put another into a seat, from here on; whoever had it has had it up to here."""
    pseudonym, vote = secrets.token_hex(16), host.table.vote
    if vote is not None and (vote.called.motion, vote.called.seat) == ("replace", seat):
        host.add(messages.VoteDecided(vote=vote.called.vote, passed=False))  # it was about who is gone
    host.add(messages.SeatReplaced(seat=seat, holder=pseudonym, bot=bot or None, reason=reason), actor=actor)
    ended = reason if reason in ("absent", "voted") else ""
    Tenure.objects.filter(table=host.id, seat=seat, until__isnull=True).update(
        until=host.version, ended=ended
    )
    Tenure.objects.create(
        table_id=host.id,
        seat=seat,
        player_id=player_id,
        bot=bot,
        pseudonym=pseudonym,
        since=host.version,
    )
    is_news = player_id is not None and take_up_vacations(host)
    has_new_clock = player_id is not None or bool(host.table.banks)
    if has_new_clock and not is_news and seat in host.awaited():
        host.set_deadline()


def take_up_vacations(host: Host) -> bool:
    """Let the log know the vacations of those who sit here, as they stand; return whether it was news.

    The clock of the open turn follows.
    """
    table, settings = host.table, host.table.settings
    if settings is None or not settings.vacations or settings.clock.kind == "none":
        return False
    found = Vacation.objects.filter(
        player__tenures__table=host.id, player__tenures__until__isnull=True
    ).values_list("player__tenures__seat", "since", "until")
    booked: dict[tuple[int | None, int], int] = {
        (seat, milliseconds(since)): milliseconds(until) for seat, since, until in found
    }
    known = {(each.seat, each.since): each.until for each in table.pauses if each.reason == "vacation"}
    news = [
        messages.Resumed(reason="vacation", seat=seat, since=since)
        for (seat, since), until in known.items()
        if until > host.now and booked.get((seat, since), 0) <= host.now
    ]
    started = [
        messages.Paused(reason="vacation", seat=seat, since=since, until=until)
        for (seat, since), until in sorted(booked.items())
        if until > host.now and (seat, since) not in known and seat in table.persons()
    ]
    host.add(*news, *started)
    if not news and not started:
        return False
    if host.awaited():
        host.set_deadline()
    return True
