"""Whether what was chosen for a table is what its game takes: seats, options with their bounds, and bots.

Of games and rules versions that are not known here, nothing is said.  Source: ``options`` of the annexes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, get_args, get_type_hints

import msgspec

from engines.audience import about_of
from engines.base import Game
from events.codec import Header

OF_THE_GAME = ("game", "rules_version", "options", "seats")
"""What a table that goes on from another one has as that one."""


def why_not(settings: Mapping[str, Any], header: Header, games: Mapping[str, Game[Any]]) -> str | None:
    """Return why the game of these settings has nothing such as an event of its table tells, or None."""
    if header.type not in _CHECKS:
        return None
    newest = games.get(settings["game"])
    game = newest.under(settings["rules_version"]) if newest else None
    return _CHECKS[header.type](game, header.public) if game else None


def why_not_alike(settings: Mapping[str, Any], origins: Mapping[str, Any]) -> str | None:
    """Return what of the game is not as it is at the table from which it goes on, or None."""
    other = next((name for name in OF_THE_GAME if settings[name] != origins[name]), None)
    return None if other is None else f"it goes on with other {other} than its origin"


def stand_in(game: Game[Any]) -> str:
    """Return the bot that plays for absentees: the last that the game lists."""
    return list(game.bots)[-1]


def _settings_chosen(game: Game[Any], public: Mapping[str, Any]) -> str | None:
    if public["seats"] not in game.seats:
        return f"{game.id} is not played by {public['seats']}"
    hints = get_type_hints(game.options, include_extras=True)
    given: dict[str, Any] = public["options"]
    if given.keys() != hints.keys():
        return f"the options are {sorted(given)}, {game.id} has {sorted(hints)}"
    wrong = next((name for name, hint in hints.items() if not _takes(hint, given[name])), None)
    return None if wrong is None else f"the option {wrong} cannot be {given[wrong]}"


def _seat_taken(game: Game[Any], public: Mapping[str, Any]) -> str | None:
    bot = public["bot"]
    return None if bot in (None, *game.bots) else f"{bot} is none of the game's bots"


def _seat_replaced(game: Game[Any], public: Mapping[str, Any]) -> str | None:
    bot = public["bot"]
    return None if bot in (None, stand_in(game)) else f"{bot} is not the game's stand-in"


def _takes(hint: Any, value: Any) -> bool:
    """Tell whether an option takes a value: one of those listed, or a number within its bounds."""
    about = about_of(hint)
    try:
        msgspec.convert(value, get_args(hint)[0] if about else hint)
    except msgspec.ValidationError:
        return False
    least, most = (about.ge, about.le) if about else (None, None)
    return (least is None or value >= least) and (most is None or value <= most)


_CHECKS: dict[str, Callable[[Game[Any], Mapping[str, Any]], str | None]] = {
    "table.settings_chosen": _settings_chosen,
    "table.seat_taken": _seat_taken,
    "table.seat_replaced": _seat_replaced,
}
CHOICES = frozenset(_CHECKS)
"""The events that tell what was chosen."""
