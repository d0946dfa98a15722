"""How a game has ended, for the notice that tells so."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from engines.base import Game
from tables import catalogue, narration
from tables.models import Table, Tenure


def ending(table: Table, locale: str) -> str | None:
    """Return who has won and by what, worded as in the log.

    None of a table without an outcome, and of a game that this server offers no more.
    """
    game = catalogue.games().get(table.game)
    if table.outcome is None or game is None:
        return None
    held = sorted((each for each in table.tenures.all() if each.until is None), key=lambda each: each.seat)
    return narration.ended(game, table.outcome, locale, _names(game, held, locale))


def _names(game: Game[Any], held: Sequence[Tenure], locale: str) -> dict[int, str | None]:
    """Return the name of who holds each seat: bots alike are numbered; None of a player who is gone."""
    alike, seen = Counter(each.bot for each in held), Counter[str]()
    names: dict[int, str | None] = {}
    for each in held:
        seen[each.bot] += 1
        if not each.bot:
            names[each.seat] = each.player.name if each.player else None
        else:
            number = f" {seen[each.bot]}" if alike[each.bot] > 1 else ""
            names[each.seat] = catalogue.bot_name(game, each.bot, locale) + number
    return names
