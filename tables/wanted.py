"""What a wrong field should have been, in words: bounds, types and lists as checks name them."""

from __future__ import annotations

import re
from typing import Final

from tables import wording

_TYPES: Final[dict[str, tuple[str, str]]] = {
    "str": ("a text", "un texto"),
    "int": ("a whole number", "un número entero"),
    "float": ("a number", "un número"),
    "bool": ("true or false", "verdadero o falso"),
    "array": ("a list", "una lista"),
    "object": ("an object", "un objeto"),
    "null": ("null", "null"),
}
_PHRASES: Final[dict[str, tuple[str, str]]] = {
    "the name of a player": ("the name of a player", "el nombre de una persona"),
    "the name of a player without a seat here": (
        "the name of a player without a seat here",
        "el nombre de una persona sin asiento aquí",
    ),
    "outside the other vacations": ("outside the other vacations", "fuera de las demás vacaciones"),
}
_BOTH: Final = ("from {least} to {most}", "de {least} a {most}")
_LEAST: Final = ("{least} or more", "{least} o más")
_MOST: Final = ("{most} or less", "{most} o menos")
_BOUND: Final = re.compile(r"(?P<sign>>=|<=) (?P<bound>\S+)")
_RANGE: Final = re.compile(r"(?P<least>\S*?)\.\.(?P<most>\S*)")


def sentence(code: str, locale: str, *, wanted: str = "", given: str = "") -> str | None:
    """Return what is said of a wrong field, None for a code that has no words."""
    blanks = {"wanted": _said(wanted, locale), "given": _type(given, locale)}
    text = wording.worded(wording.FIELDS, code, locale, **blanks)
    if text and code == "unknown_value" and wanted:
        text += {"en": f" Known here: {blanks['wanted']}.", "es": f" Se conoce: {blanks['wanted']}."}[locale]
    return text


def _said(wanted: str, locale: str) -> str:
    number = wording.LOCALES.index(locale)
    if wanted in _PHRASES:
        return _PHRASES[wanted][number]
    if found := _BOUND.fullmatch(wanted):
        is_least = found["sign"] == ">="
        return (_LEAST if is_least else _MOST)[number].format(least=found["bound"], most=found["bound"])
    if found := _RANGE.fullmatch(wanted):
        least, most = found["least"], found["most"]
        form = _BOTH if least and most else _LEAST if least else _MOST
        return form[number].format(least=least, most=most)
    return _type(wanted, locale)


def _type(told: str, locale: str) -> str:
    """Return types by the words for them, as far as they are known."""
    number, or_ = wording.LOCALES.index(locale), {"en": " or ", "es": " o "}[locale]
    return or_.join(_TYPES[each][number] if each in _TYPES else each for each in told.split(" | "))
