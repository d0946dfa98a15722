"""Tables at which comes about what hardly ever does by chance."""

from __future__ import annotations

from engines import base
from engines.chance import KeyedChance
from tables import lifecycle, messages
from tests.engines.reafan.golden import closing
from tests.verify.plays import HOUR, Play

DAY = 24 * HOUR


class Closing(Play):
    """A game of Reafan whose players leave as little room as they can: the board closes."""

    def _move(self) -> None:
        (seat,) = self._awaited()[:1]
        legal = self.game.legal_moves(self.state, seat)
        chance = KeyedChance(self._secret(f"closing {len(self.events)}"))
        move = legal[0] if self.state.mover is None else closing(self.state, seat, legal, chance)
        self._decide(lambda batch: base.play(batch, seat, move))


class Waiting(Play):
    """A table of two that waits long, asks who is there, twice, and is deserted in the end."""

    def _open(self) -> None:
        clock = messages.Clock(kind="per_turn", seconds=43_200)
        self._choose(clock=clock, max_timeouts=2, absentee="open")
        self._join(0)
        self.now += DAY + HOUR
        self._ask(self._join(1))
        self.now += DAY
        self.add(messages.PresenceLapsed(seats=(0,)))
        self.add(messages.SeatLeft(seat=0, reason="absent"))
        self._end()
        self.now += HOUR
        self._ask(self._join(0))
        for seat in (0, 1):
            self.now += HOUR
            self.add(messages.SeatLeft(seat=seat, reason="left"), actor=f"seat:{seat}")
        self.add(messages.Closed(reason="deserted"))
        self._end()

    def _join(self, seat: int) -> int:
        self.add(lifecycle.join(self.table, seat, self._pseudonym()), actor=f"seat:{seat}")
        self._end()
        return seat

    def _ask(self, there: int) -> None:
        self.add(messages.PresenceAsked(until=self.now + lifecycle.PRESENCE_MS))
        self.add(messages.PresenceConfirmed(seat=there), actor=f"seat:{there}")
        self._end()


def with_kings() -> Play:
    """Return a game of Reafan whose starting seat was dealt three kings; the other one leaves soon."""
    table = Play("reafan", 4764, fairness="server").play(most=8)
    table._leave(table._awaited()[0], "resigned")
    return table
