# SPDX-License-Identifier: MIT
"""One table: looked at, played at and waited for, whatever its game."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.rule import Rule
from rich.text import Text

from clients.entropy import commitment
from clients.generated.posta_client import models as bodies
from clients.generated.posta_client.api.catalogue import get_game, get_game_schema
from clients.generated.posta_client.api.live import await_view
from clients.generated.posta_client.api.play import get_narration, get_view, play_move
from clients.generated.posta_client.api.tables import (
    commit_entropy,
    confirm_presence,
    get_table,
    join_table,
    reveal_entropy,
    start_table,
)
from clients.terminal.choices import Choose, choose_move
from clients.terminal.door import Door, Refused
from clients.terminal.screen import Json, Lexicon, picture
from clients.terminal.words import Words

TOO_LATE = ("turn_passed", "already_moved", "not_your_turn", "table_not_playing")


class Play:
    """A player, or somebody who watches, at one table."""

    def __init__(self, door: Door, table_id: Any, console: Console, choose: Choose, say: Words) -> None:
        self.door, self.table_id, self.console, self.choose, self.say = door, table_id, console, choose, say
        self.game = door.ask(get_game, door.ask(get_table, table_id).game)
        self.lexicon = Lexicon(self.game.names.to_dict(), say)
        self._schemas: dict[str, Json] = {}
        self._told = 0
        self._entropy: dict[int, bytes] = {}

    def run(self) -> None:
        """Play until the game is over or the player goes back.  Raises Refused, Unreachable."""
        view = self.door.ask(get_view, self.table_id)
        while True:
            self._tell_news(view)
            if view.status not in ("open", "playing"):
                return self._end(view)
            answered = self._play(view) if view.status == "playing" else self._gather(view)
            if answered is None:
                return None
            if not answered:
                self.console.print(self.say("waiting"), style="dim")
            view = self._next(view)

    def _next(self, view: Any) -> Any:
        """Return another view than this one, as soon as there is one."""
        while (found := self.door.ask(await_view, self.table_id, if_none_match=view.etag)) is None:
            pass
        return found

    def _play(self, view: Any) -> bool | None:
        """Make a move if one is awaited; return whether one was made, None to go back."""
        awaited = {kind for each in view.awaited if each.seat == view.viewer for kind in each.kinds}
        moves = [each.to_dict() for each in view.legal_moves if each.kind in awaited]
        self._draw(view)
        if not moves:
            return self._add_entropy(view)
        move = choose_move(moves, lambda kind: self._schema(f"move.{kind}"), self.lexicon, self.choose)
        if move is None:
            return None
        try:
            body = bodies.Move.from_dict({"turn": view.turn, **move})
            self.door.ask(play_move, self.table_id, body=body)
        except Refused as refused:
            self.console.print(str(refused), style="yellow", markup=False)
            if refused.code not in TOO_LATE:
                raise
        return True

    def _gather(self, view: Any) -> bool | None:
        """Do what is to be done before the game; return whether anything was, None to go back."""
        if (
            view.presence is not None
            and view.viewer is not None
            and view.viewer not in view.presence.confirmed
        ):
            self.door.ask(confirm_presence, self.table_id)
            return True
        if self._add_entropy(view):
            return True
        table = self.door.ask(get_table, self.table_id)
        self._seats(table)
        offers: list[tuple[str, Callable[[], object]]] = []
        has_room = any(each.player is None and each.bot is None for each in table.seats)
        if table.my_seat is None and has_room:
            offers.append(("join", lambda: self.door.ask(join_table, self.table_id, body=bodies.Join())))
        elif table.my_seat is not None and table.starts == "by_host" and not has_room:
            offers.append(("start", lambda: self.door.ask(start_table, self.table_id)))
        if not offers:
            return False
        offers.append(("wait", lambda: False))
        number = self.choose(table.title or self.game.name, [self.say(each) for each, _ in offers])
        return None if number is None else offers[number][1]() is not False

    def _add_entropy(self, view: Any) -> bool:
        """Add to the chance of the game what the table asks for; return whether it did."""
        asked, seat = view.entropy, view.viewer
        if asked is None or seat is None:
            return False
        drawn = self._entropy.setdefault(asked.epoch, secrets.token_bytes(32))
        if asked.stage == "commit" and seat not in asked.committed:
            commit = commitment(str(self.table_id), asked.epoch, seat, drawn)
            body = bodies.EntropyCommitment(epoch=asked.epoch, commit=commit)
            self.door.ask(commit_entropy, self.table_id, body=body)
        elif asked.stage == "reveal" and seat in asked.committed and seat not in asked.revealed:
            body = bodies.EntropyReveal(epoch=asked.epoch, entropy=drawn.hex())
            self.door.ask(reveal_entropy, self.table_id, body=body)
        else:
            return False
        return True

    def _tell_news(self, view: Any) -> None:
        """Say what has happened since the last look, a sentence an event."""
        while self._told < view.version:
            page = self.door.ask(get_narration, self.table_id, after=self._told, limit=200)
            for each in page.items:
                self.console.print(Text(f"{each.position:>5}  {each.sentence}", style="cyan"))
            self._told = max(page.last_position, self._told + 1)

    def _draw(self, view: Any) -> None:
        heading = [self.game.name, self.say("turn", turn=view.turn)]
        if view.viewer is not None:
            heading.append(self.say("seat", seat=view.viewer))
        if view.deadline_at is not None:
            heading.append(self.say("until", time=f"{view.deadline_at.astimezone():%d.%m. %H:%M}"))
        self.console.print(Rule(escape(" · ".join(heading))))
        self.console.print(picture(view.data.to_dict(), self._schema("view"), self.lexicon))

    def _seats(self, table: Any) -> None:
        for each in table.seats:
            who = each.player or (each.bot and self.lexicon.value("bot", each.bot)) or self.say("free")
            mine = f" ({self.say('you')})" if each.seat == table.my_seat else ""
            self.console.print(f"  {self.say('seat', seat=each.seat)}: {who}{mine}", markup=False)

    def _end(self, view: Any) -> None:
        self._draw(view)
        if view.outcome is None:
            self.console.print(self.say("over"))
            return
        winners = self._names(view.outcome.winners) or self.say("nobody")
        reason = self.lexicon.reason(view.outcome.reason)
        self.console.print(self.say("won", winners=winners, reason=reason), style="bold", markup=False)

    def _names(self, seats: Sequence[int]) -> str:
        holders = self.door.ask(get_table, self.table_id).seats
        return ", ".join(holders[each].player or self.say("seat", seat=each) for each in seats)

    def _schema(self, name: str) -> Json:
        if name not in self._schemas:
            self._schemas[name] = self.door.ask(get_game_schema, self.game.id, name).to_dict()
        return self._schemas[name]
