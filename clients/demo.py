# SPDX-License-Identifier: MIT
"""``python -m clients.demo --url URL``: bots play a whole game over the public API.

They choose as ``clients/bots/bot.py`` does.  Documented routes alone are used.  The views shown during the
game are compared with those of the same positions afterwards; the transcript is kept for the offline
verifier (``posta-verify``).
"""

from __future__ import annotations

import argparse
import os
import secrets
import signal
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from types import FrameType

from rich.console import Console
from rich.markup import escape
from rich.text import Text

from clients.boards import Board, board_of, scores_of, word_for
from clients.bots import bot
from clients.posta import Client, Event, Game, Problem, Receipt, Table, Unreachable, View

NAMES = ("Ada", "Blai", "Carmen", "Dora", "Eloy", "Fina", *(f"Bot {number}" for number in range(6, 20)))
SAMPLES = 12
"""How many earlier positions the replay looks at."""
PATIENCE = 60.0
"""Seconds to wait for a table that waits for nobody of ours."""


class Failed(Exception):
    """One sentence: why the demonstration did not succeed."""


class Match:
    """A table with its bots, played move by move and told as it goes.

    ``seen`` keeps every view that seat 0 was shown while the game ran, by version.
    """

    def __init__(
        self,
        console: Console,
        game: Game,
        players: Sequence[Client],
        seed: int,
        fairness: str = "server",
    ) -> None:
        self.console = console
        self.fairness = fairness
        self.game = game
        self.players = players
        self.board: Board = board_of(game.id)
        self.seen: dict[int, View] = {}
        bot.CHANCE.seed(seed)

    def open(self) -> Table:
        """Open the table and fill its seats; with the last one, and its part of chance, the game starts."""
        host, *others = self.players
        table = host.open_table(
            self.game.id, seats=len(self.players), title="A game of bots", fairness=self.fairness
        )
        for each in others:
            table = each.join(table.id)
        self._add_entropy(table.id)
        return host.table(table.id)

    def play(self, table_id: str, every: int) -> View:
        """Play to the end, the board printed after every so many moves; return the last view."""
        moves, last_progress = 0, time.monotonic()
        while True:
            views = [player.view(table_id) for player in self.players]
            if views[0].status != "playing":
                return views[0]
            self.seen[views[0].version] = views[0]
            waiting = [view for view in views if view.awaited_moves()]
            if not waiting and not self._add_entropy(table_id):
                if time.monotonic() - last_progress > PATIENCE:
                    raise Failed("The table waits for nobody of ours, and the game does not end.")
                time.sleep(0.2)
            for view in waiting:
                if self._move(table_id, view):
                    moves, last_progress = moves + 1, time.monotonic()
                    if moves % every == 0:
                        self.draw(self.players[0].view(table_id))

    def _add_entropy(self, table_id: str) -> bool:
        """Let everybody add to chance as long as the table asks for it; return whether it did."""
        has_added = False
        while self.fairness != "server" and sum(each.add_entropy(table_id) for each in self.players):
            has_added = True
        return has_added

    def draw(self, view: View) -> None:
        """Print the board."""
        self.console.print()
        self.console.print(self.board.draw(view))
        self.console.print()

    def _move(self, table_id: str, view: View) -> bool:
        """Play one of the awaited moves; return False when the table had gone on meanwhile."""
        move = bot.choose(asdict(view), view.awaited_moves())
        player = self.players[view.viewer or 0]
        try:
            receipt = player.move(table_id, turn=view.turn, kind=move["kind"], params=move["params"])
        except Problem as problem:
            if problem.code in ("turn_passed", "already_moved", "table_not_playing"):
                return False
            raise
        self._tell(view, move, receipt)
        return True

    def _tell(self, view: View, move: dict[str, object], receipt: Receipt) -> None:
        line = Text(f"{view.turn:>4}  ", style="dim")
        line.append(f"{NAMES[view.viewer or 0]:<7}", style="cyan")
        self.console.print(line.append_text(self.board.tell(self.game, move, receipt.events)))


def main() -> int:
    """Do what the command line says; return the exit code."""
    options = _options()
    signal.signal(signal.SIGTERM, _interrupted)
    console = Console(highlight=False, soft_wrap=True)
    complaints = Console(stderr=True, highlight=False, soft_wrap=True)
    try:
        demonstrate(console, options)
    except Problem as error:
        complaints.print(f"The server refused: {error}", markup=False)
    except (Failed, Unreachable, OSError) as error:
        complaints.print(str(error), markup=False)
    except KeyboardInterrupt:
        complaints.print("Interrupted.")
    else:
        return 0
    return 1


def demonstrate(console: Console, options: argparse.Namespace) -> None:
    """Play one game, look at it again, keep its record.  Raises Failed when anything is amiss."""
    with ExitStack() as undo:
        stranger = undo.enter_context(Client(options.url))
        game = _chosen(stranger, options.game)
        seats = _seats(game, options.seats)
        players = [undo.enter_context(signed_up(stranger, name)) for name in NAMES[:seats]]
        match = Match(console, game, players, options.seed, options.fairness)
        table = match.open()
        console.print(f"[bold]{escape(game.name)}[/], {escape(game.credits)}")
        console.print(f"{seats} bots that choose at random (seed {options.seed})")
        console.print(f"Table {table.id} at {options.url}\n")
        end = match.play(table.id, options.every)
        _tell_result(match, end)
        _replay(match, table.id)
        _keep(console, players[0].transcript(table.id), options.transcript)


def signed_up(stranger: Client, name: str) -> Client:
    """Create an account whose name begins with ``name``; return a client with its token."""
    return stranger.sign_up(f"{name}-{secrets.token_hex(4)}", secrets.token_urlsafe(16))


def _chosen(stranger: Client, game_id: str | None) -> Game:
    """Return the game that was asked for, else the first of the catalogue."""
    if game_id is None:
        game_id = stranger.games()[0].id
    try:
        return stranger.game(game_id)
    except Problem as problem:
        if problem.status != 404:
            raise
        offered = ", ".join(each.id for each in stranger.games())
        raise Failed(f"There is no game {game_id!r} here; on offer: {offered}.") from None


def _seats(game: Game, wanted: int | None) -> int:
    """Return how many bots play: as many as wanted, else as few as the game allows."""
    least, most = game.seats_min, game.seats_max
    if wanted is None:
        return least
    if not least <= wanted <= most:
        span = str(least) if least == most else f"{least} to {most}"
        raise Failed(f"{game.name} is played by {span}, not by {wanted}.")
    return wanted


def _tell_result(match: Match, end: View) -> None:
    match.draw(end)
    if end.status != "finished" or end.outcome is None:
        raise Failed(f"The game did not finish: the table is {end.status}.")
    outcome, console = end.outcome, match.console
    winners = ", ".join(NAMES[seat] for seat in outcome["winners"]) or "nobody"
    console.print(f"[bold]Result[/]: won by [cyan]{winners}[/]", end="")
    if outcome["scores"] is not None:
        told = (f"{NAMES[seat]} {points}" for seat, points in enumerate(outcome["scores"]))
        console.print(f", {', '.join(told)}", end="")
    console.print(f" ({word_for(match.game, 'reasons', outcome['reason'])})", markup=False)


def _replay(match: Match, table_id: str) -> None:
    """Look at earlier positions again, as they were; compare those that were seen with what was seen."""
    console, host = match.console, match.players[0]
    events = list(host.events(table_id))
    if [each.position for each in events] != list(range(1, len(events) + 1)):
        raise Failed("The list of events has gaps.")
    console.print(f"\n[bold]Replay[/]: {len(events)} events; the game as seat 0 saw it after")
    for position in _some(sorted(match.seen), SAMPLES):
        view = host.view(table_id, at=position)
        if view.data != match.seen[position].data:
            raise Failed(f"The view at position {position} is not what was shown while the game ran.")
        console.print(f"  event {position:>4}, turn {view.turn:>3}: {_score_line(view)}")
    console.print(f"  the last event: {_told(events[-1])}")
    console.print("  each of them equal to what was shown during the game")


def _score_line(view: View) -> str:
    scores = scores_of(view)
    if scores is None:
        return f"{sum(len(str(each)) for each in view.data.values())} characters of view, the same"
    return "  ".join(f"{NAMES[seat]} {points:>3}" for seat, points in enumerate(scores))


def _told(event: Event) -> str:
    return f"{event.type} at {event.occurred_at}"


def _some(numbers: Sequence[int], count: int) -> list[int]:
    """Return at most ``count`` of ``numbers``, evenly spread, the first and the last among them."""
    if len(numbers) <= count:
        return list(numbers)
    return [numbers[index * (len(numbers) - 1) // (count - 1)] for index in range(count)]


def _keep(console: Console, transcript: bytes, path: Path | None) -> None:
    if path is not None:
        path.write_bytes(transcript)
        console.print(f"\n[bold]Transcript[/]: {len(transcript):,} bytes in {escape(str(path))}")


def _interrupted(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _options() -> argparse.Namespace:
    env = os.environ
    parser = argparse.ArgumentParser(
        prog="python -m clients.demo", description="Bots play a whole game through the public API."
    )
    parser.add_argument("--url", required=True, help="a server, such as http://127.0.0.1:8000")
    parser.add_argument(
        "--game", default=env.get("GAME") or None, help="an id of the catalogue; else its first"
    )
    parser.add_argument("--seats", default=env.get("SEATS") or None, type=_count, help="how many bots play")
    parser.add_argument(
        "--fairness",
        default=env.get("FAIRNESS") or "server",
        choices=("server", "players", "players_strict"),
        help="who adds to chance",
    )
    parser.add_argument("--seed", type=int, default=secrets.randbelow(10**6), help="of the bots' choices")
    parser.add_argument("--every", type=_count, default=8, metavar="N", help="print the board every N moves")
    parser.add_argument("--transcript", type=Path, metavar="FILE", help="write the transcript to a file")
    return parser.parse_args()


def _count(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 0 < int(text) <= 99:
        raise argparse.ArgumentTypeError(f"{text!r} is no number from 1 to 99")
    return int(text)


if __name__ == "__main__":
    sys.exit(main())
