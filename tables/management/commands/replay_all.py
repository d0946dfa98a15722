"""Replay every stored game and decide it again, by its own rules or by those of another version."""

from __future__ import annotations

import json
import sys
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connection, transaction
from django.db.models import QuerySet
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from engines.base import Game
from events import store
from tables import catalogue
from tables.folding import stream_of
from tables.management.embedded import ensure_database
from tables.models import Seed, Table
from tables.origins import origins_of
from verify.stored import Difference, all_under, first_difference

_READ_ONLY = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY"


class Command(BaseCommand):
    """``manage.py replay_all``: exit code 0 unless a game differs by its own rules, then 1."""

    help = "Replays every stored game and decides it again; tells where each first differs. It only reads."

    def add_arguments(self, parser: CommandParser) -> None:
        """Offer other rules, one game, and output for programs."""
        parser.add_argument(
            "--against",
            type=int,
            metavar="VERSION",
            help="by the rules of this version (default: by its own)",
        )
        parser.add_argument("--game", metavar="ID", help="replay the games of this title alone")
        parser.add_argument(
            "--json", action="store_true", help="print an object a line: games that differ, then the summary"
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        """Replay, and exit."""
        ensure_database()
        games = _games(options["game"], options["against"])
        rows = Table.objects.filter(status__in=("playing", "finished"), game__in=games).order_by("created_at")
        replayed = differing = broken = 0
        with self._output(rows, shown=not options["json"]) as (say, advance):
            for table_id, game, chosen in rows.values_list("id", "game", "settings").iterator():
                own = chosen["rules_version"]
                found = _replayed(table_id, games, by_others=options["against"] not in (None, own))
                replayed += 1
                if found is not None:
                    differing += 1
                    broken += options["against"] in (None, own)
                    say(_told(table_id, game, own, found, as_json=options["json"]))
                advance()
        summary = {"games": replayed, "differing": differing, "differing_under_own_rules": broken}
        self.stdout.write(json.dumps(summary) if options["json"] else _summary(options["against"], **summary))
        if broken:
            sys.exit(1)

    @contextmanager
    def _output(
        self, rows: QuerySet[Table], *, shown: bool
    ) -> Iterator[tuple[Callable[[str], None], Callable[[], None]]]:
        """Give what prints a line and what counts a game: under a bar where somebody watches."""
        if not (shown and self.stdout.isatty()):
            yield lambda line: self.stdout.write(line), lambda: None
            return
        columns = (TextColumn("Replaying"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        with Progress(*columns, console=Console(), transient=True) as progress:
            task = progress.add_task("", total=rows.count())
            yield (
                lambda line: progress.console.print(line, markup=False, highlight=False, soft_wrap=True),
                lambda: progress.advance(task),
            )


def _games(only: str | None, against: int | None) -> dict[str, Game[Any]]:
    """Return the games to look at, each by the rules asked for.  Raises CommandError where there is none."""
    offered = catalogue.games()
    if only is not None and only not in offered:
        raise CommandError(f"There is no game {only}; there are {', '.join(offered)}.", returncode=2)
    chosen = {name: game for name, game in offered.items() if only in (None, name)}
    if against is None:
        return chosen
    found = {name: rules for name, game in chosen.items() if (rules := all_under(game, against))}
    if not found:
        raise CommandError(
            f"This server does not have version {against} of {only or 'any game'}.", returncode=2
        )
    return found


def _replayed(table_id: uuid.UUID, games: Mapping[str, Game[Any]], *, by_others: bool) -> Difference | None:
    """Return where a stored game first differs, as it is at one moment of the database."""
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute(_READ_ONLY)
        stream = stream_of(table_id)
        events, openings = store.read(stream), store.openings(stream)
        origins = origins_of(events)
        seeds = dict(Seed.objects.filter(table=table_id).values_list("epoch", "seed"))
    known = {epoch: bytes(seed) for epoch, seed in seeds.items()}
    return first_difference(
        table_id.bytes, events, openings, games=games, seeds=known, origins=origins, by_others=by_others
    )


def _told(table_id: uuid.UUID, game: str, own: int, found: Difference, *, as_json: bool) -> str:
    if as_json:
        return json.dumps({"table": str(table_id), "game": game, "rules_version": own, **found._asdict()})
    return f"table {table_id}, {game} by version {own}, position {found.position}: {found.what}"


def _summary(against: int | None, *, games: int, differing: int, differing_under_own_rules: int) -> str:
    rules = "its own rules" if against is None else f"version {against}"
    told = "none differs" if not differing else f"{differing} differ"
    if against is not None and differing_under_own_rules:
        told += f", {differing_under_own_rules} of which are by that version"
    return f"{games} {'game' if games == 1 else 'games'} decided again, each by {rules}: {told}."
