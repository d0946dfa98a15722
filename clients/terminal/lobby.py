# SPDX-License-Identifier: MIT
"""The way to a table: who the player is, which tables there are, and how one is opened."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from clients.generated.posta_client import models as bodies
from clients.generated.posta_client.api.accounts import get_me
from clients.generated.posta_client.api.catalogue import get_game, list_games
from clients.generated.posta_client.api.play import list_my_turns
from clients.generated.posta_client.api.tables import join_table, list_tables, open_table
from clients.terminal.choices import Choose
from clients.terminal.door import Door, Refused
from clients.terminal.screen import Lexicon
from clients.terminal.words import Words


class Lobby:
    """A player between tables.  Every method raises Refused, Unreachable; EOFError when input ends."""

    def __init__(self, door: Door, console: Console, choose: Choose, say: Words) -> None:
        self.door, self.console, self.choose, self.say = door, console, choose, say

    def enter(self) -> bool:
        """Find out who the player is; return False when it leaves instead."""
        while not self.door.token:
            number = self.choose(
                self.say("who"), [self.say(each) for each in ("guest", "sign_in", "sign_up")]
            )
            if number is None:
                return False
            try:
                if number == 0:
                    self.door.guest()
                else:
                    name = self._text("name")
                    password = self.console.input(f"{self.say('password')} > ", password=True)
                    self.door.enter(name, password, is_new=number == 2)
            except Refused as refused:
                self.console.print(str(refused), style="yellow", markup=False)
            else:
                name = self.door.ask(get_me).name
                self.console.print(
                    self.say("token", name=name, token=self.door.token), markup=False, soft_wrap=True
                )
        return True

    def table(self) -> Any | None:
        """Return the id of the table that the player goes to, None when it leaves."""
        while True:
            tables = self._tables()
            offers = [f"{each.title or each.game} · {self._status(each.status)}" for each in tables]
            others = [self.say(each) for each in ("new", "invited", "again")]
            number = self.choose(self.say("tables"), [*others, *offers])
            if number is None:
                return None
            if number >= len(others):
                return tables[number - len(others)].id
            found = (self._open, self._invited, lambda: None)[number]()
            if found is not None:
                return found

    def _tables(self) -> list[Any]:
        """Show where the player is awaited, where it sits, and where a seat is free; return these tables."""
        awaited = [each.table_id for each in self.door.ask(list_my_turns).items]
        mine, open_ones = bodies.ListTablesMine("true"), bodies.ListTablesStatus("open")
        found = {each.id: each for each in self.door.ask(list_tables, mine=mine, limit=20).items}
        found |= {each.id: each for each in self.door.ask(list_tables, status=open_ones, limit=20).items}
        tables = sorted(found.values(), key=lambda each: each.id not in awaited)
        shown = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_header=False)
        for each in tables:
            seats = ", ".join(seat.player or seat.bot or self.say("free") for seat in each.seats)
            turn = self.say("your_turn") if each.id in awaited else self._status(each.status)
            shown.add_row(*(Text(told) for told in (each.title or each.game, each.game, seats, turn)))
        self.console.print(shown if tables else self.say("no_tables"))
        return tables

    def _status(self, status: str) -> str:
        return self.say(status) if status in ("open", "playing", "finished", "closed") else status

    def _open(self) -> Any | None:
        """Open a table, as the player wishes; return its id."""
        games = self.door.ask(list_games).items
        number = self.choose(self.say("game"), [each.name for each in games])
        if number is None:
            return None
        game = self.door.ask(get_game, games[number].id)
        seats = self._number("seats", game.seats_min, game.seats_max)
        lexicon = Lexicon(game.names.to_dict(), self.say)
        bots: list[str] = []
        for _ in range(self._number("bots", 0, seats - 1)):
            chosen = self.choose(self.say("which_bot"), [lexicon.value("bot", each) for each in game.bots])
            if chosen is None:
                return None
            bots.append(game.bots[chosen])
        wanted = {"game": game.id, "seats": seats, "bots": bots, "options": self._options(game)}
        return self.door.ask(open_table, body=bodies.NewTable.from_dict(wanted)).id

    def _options(self, game: Any) -> dict[str, Any]:
        """Return the options that the player wants otherwise than usual."""
        if not game.options or not self.choose(self.say("options"), [self.say("usual"), self.say("chosen")]):
            return {}
        chosen: dict[str, Any] = {}
        for each in game.options:
            usual = self.say("usually", value=each.default)
            if each.kind == "integer":
                self.console.print(
                    f"{each.name} ({each.minimum} - {each.maximum}): {each.help_}", markup=False
                )
                chosen[each.id] = self._number_or(each.default, each.minimum, each.maximum)
                continue
            values: list[Any] = [value.value for value in each.values] or [False, True]
            told = [value.name for value in each.values] or [self.say("no"), self.say("yes")]
            number = self.choose(f"{each.name}: {each.help_}", [usual, *told])
            if number:
                chosen[each.id] = values[number - 1]
        return chosen

    def _invited(self) -> Any | None:
        """Go to a table that somebody has told of, through its code where it is private; return its id."""
        try:
            table_id = UUID(self._text("table_id"))
        except ValueError:
            self.console.print(self.say("choose"), style="yellow")
            return None
        if code := self._text("code"):
            self.door.ask(join_table, table_id, body=bodies.Join(invite_code=code))
        return table_id

    def _text(self, key: str) -> str:
        return self.console.input(f"{self.say(key)} > ").strip()

    def _number(self, key: str, least: int, most: int) -> int:
        """Return a number that the player names, the least of them when it names none."""
        if least == most:
            return least
        self.console.print(self.say(key, least=least, most=most))
        return self._number_or(least, least, most)

    def _number_or(self, usual: int, least: int, most: int) -> int:
        while True:
            told = self.console.input(f"({usual}) > ").strip() or str(usual)
            if told.lstrip("-").isdecimal() and least <= int(told) <= most:
                return int(told)
            self.console.print(f"{least} - {most}", style="yellow")
