"""How a game has ended, for the notice that tells so."""

from __future__ import annotations

from tables import catalogue, narration
from tables.models import Table, Tenure


def ending(table: Table, locale: str) -> str | None:
    """Return who has won and by what, worded as in the log; None of a table without an outcome."""
    if table.outcome is None:
        return None
    game = catalogue.game_of(table.game)
    terms = catalogue.names_of(game)["terms"]
    held = [each for each in table.tenures.all() if each.until is None]
    names = {each.seat: _holder(each, terms, locale) for each in held}
    return narration.ended(game, table.outcome, locale, names)


def _holder(tenure: Tenure, terms: dict[str, dict[str, str]], locale: str) -> str | None:
    """Return the name of who holds a seat; None of a player who is gone."""
    if tenure.bot:
        word = terms.get(f"bot_{tenure.bot}")
        return word[locale] if word else tenure.bot
    return tenure.player.name if tenure.player else None
