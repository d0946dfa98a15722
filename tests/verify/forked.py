"""Tables that go on from the past of another one, played from a seed as those of ``plays`` are."""

from __future__ import annotations

import json
from collections.abc import Sequence

from engines.audience import Item, Ref
from engines.registry import GAMES
from tables import entropy, lifecycle, messages
from tests.verify.plays import File, Play
from verify import chosen
from verify.transcript import origins_of, read


class Fork(Play):
    """A table at which the last seat goes on against bots from a position of a finished one.

    ``files`` are those of the tables behind it, the oldest first, the one from which it goes on last.
    """

    def __init__(self, files: Sequence[File], position: int, seed: int) -> None:
        self._files, self._position = files, position
        self._was = files[-1]["events"][1]["public"]
        super().__init__(self._was["game"], seed, fairness=entropy.SERVER, **self._was["options"])

    def _open(self) -> None:
        """Open, fill and start the table, and take over what there was."""
        self.seats = self._was["seats"]
        self._choose(
            clock=messages.Clock(kind="none"),
            max_timeouts=self._was["max_timeouts"],
            absentee=self._was["absentee"],
            vacations=False,
            visibility="private",
        )
        for seat in range(self.seats):
            bot = chosen.stand_in(self.game) if seat < self.seats - 1 else None
            actor = "table" if bot else f"seat:{seat}"
            self.add(lifecycle.join(self.table, seat, self._pseudonym(), bot), actor=actor)
        self.add(lifecycle.start(self.table, self._secret("engine").hex()))
        self._take_over()
        self._set_deadline()
        self._end()

    def _take_over(self) -> None:
        origins = origins_of([read(json.dumps(each).encode()) for each in self._files], GAMES)
        origin, at = self._files[-1]["events"][0]["table"], len(self.events) + 1
        taken = origins[origin].taken_over(self._position)
        items = zip(taken.items, taken.payloads, strict=True)
        self.add(
            messages.Forked(
                origin=origin,
                head=taken.head,
                position=self._position,
                base=taken.base,
                refs=tuple(each.name for each in taken.items),
                abandoned=taken.abandoned,
                hidden=tuple(Item(each.to, payload) for each, payload in items),
                shown=tuple(Ref(at, slot) for slot, each in enumerate(taken.items) if each.is_open),
            )
        )
        self.state = taken.state
        self.continued = taken.continued(at, epochs=0)
