"""The options of a game: what each takes, told in the catalogue and in refusals alike."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, get_args, get_origin, get_type_hints

import msgspec

from engines.audience import about_of
from engines.base import Game
from tables import catalogue
from tables.errors import BadField

LONGEST = 60
"""A wrong value is told back up to this length."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One option: a ``choice`` of ``values``, an ``integer`` from ``least`` to ``most``, or a ``boolean``."""

    name: str
    kind: str
    default: Any
    least: int | None = None
    most: int | None = None
    values: tuple[str, ...] = ()

    @property
    def wanted(self) -> str:
        """What it takes, as refusals tell it."""
        if self.kind == "integer":
            return f"{self.least}..{self.most}"
        return ", ".join(self.values or ("false", "true"))


@cache
def options_of(game: Game[Any]) -> tuple[Option, ...]:
    """Return the options of a game, in order."""
    hints = get_type_hints(game.options, include_extras=True)
    return tuple(_option(each, hints[each.name]) for each in dataclasses.fields(game.options))


def read(game: Game[Any], given: Mapping[str, Any]) -> msgspec.Struct:
    """Return the options that a body gives, defaults filled in.

    Raises BadField for the first that is none of the game's, or does not take its value: its facts
    are the option, what it takes and what was given.
    """
    struct = catalogue.options_struct(game)
    by_name = {each.name: each for each in options_of(game)}
    for name, value in given.items():
        if (option := by_name.get(name)) is None:
            raise _refusal("unknown_field", name, value, ", ".join(by_name))
        try:
            msgspec.convert({name: value}, struct)
        except msgspec.ValidationError as error:
            raise _refusal(_code(option, value), name, value, option.wanted) from error
    return msgspec.convert(given, struct)


def _option(field: dataclasses.Field[Any], hint: Any) -> Option:
    bare, about = get_args(hint)[0], about_of(hint)
    if get_origin(bare) is Literal:
        return Option(name=field.name, kind="choice", default=field.default, values=get_args(bare))
    if bare is bool:
        return Option(name=field.name, kind="boolean", default=field.default)
    return Option(
        name=field.name,
        kind="integer",
        default=field.default,
        least=about.ge if about else None,
        most=about.le if about else None,
    )


def _code(option: Option, value: Any) -> str:
    if option.kind == "choice" and isinstance(value, str):
        return "unknown_value"
    return "out_of_range" if option.kind == "integer" and type(value) is int else "wrong_type"


def _refusal(code: str, name: str, value: Any, wanted: str) -> BadField:
    pointer = "#/options/" + name.replace("~", "~0").replace("/", "~1")
    given = json.dumps(value, ensure_ascii=False)
    return BadField(pointer=pointer, code=code, option=_cut(name), wanted=wanted, given=_cut(given))


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
