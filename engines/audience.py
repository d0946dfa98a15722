"""Who may know a field of a move or of an event; redaction and storage derive from it.

Every field of a move and of an event names its audience in its annotation::

    seat: Annotated[Seat, PUBLIC]                          everybody
    take: Annotated[bool, SEALED]                          (moves) the mover, until an event opens it
    places: Annotated[tuple[Item[Place], ...], COMMITTED]  each item its receiver or, for None, the server
    cards: Annotated[tuple[Ref[Place], ...], ASSIGNED]     from now on the seat in the field ``seat``
    card: Annotated[Ref[Place], OPENED]                    from now on everybody

A committed item is referred to ever after as (seq, slot), never by its value: ``seq`` is the
position of the event that committed it, ``slot`` its place among that event's items.
"""

from __future__ import annotations

import dataclasses
import re
from dataclasses import dataclass
from enum import Enum
from typing import Annotated, Any, Generic, NamedTuple, TypeVar, get_args, get_origin, get_type_hints

T = TypeVar("T")


class Audience(Enum):
    """The closed list of audiences; see the module's docstring."""

    PUBLIC = "public"
    SEALED = "sealed"
    COMMITTED = "committed"
    ASSIGNED = "assigned"
    OPENED = "opened"


PUBLIC = Audience.PUBLIC
SEALED = Audience.SEALED
COMMITTED = Audience.COMMITTED
ASSIGNED = Audience.ASSIGNED
OPENED = Audience.OPENED


class Ref(NamedTuple, Generic[T]):
    """The name of a committed item, whose value is of type ``T``."""

    seq: int
    slot: int


class Item(NamedTuple, Generic[T]):
    """A hidden item at the moment it is committed; ``to`` None leaves it with the server."""

    to: int | None
    value: T


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a message: ``type`` is that of its value, or of one hidden item."""

    name: str
    audience: Audience
    type: Any
    many: bool
    about: About | None


@dataclass(frozen=True, slots=True)
class About:
    """What a client is told of a field, and the bounds that its values keep.

    ``known`` lists values for the reader; it is closed only where the type says so.
    """

    text: str
    ge: int | None = None
    le: int | None = None
    pattern: str | None = None
    known: tuple[str, ...] = ()


class UndeclaredAudience(TypeError):
    """A message has a field that does not say who may know it."""


def fields_of(message: type) -> tuple[Field, ...]:
    """Return the fields of a move or event type, in order.

    Raises UndeclaredAudience when a field names none, or one that does not fit its type.
    """
    if message not in _FIELDS:
        _FIELDS[message] = _read_fields(message)
    return _FIELDS[message]


def name_of(message: type) -> str:
    """Return the wire name of a move or event type: ``CardPlaced`` is ``card_placed``."""
    if message not in _NAMES:
        _NAMES[message] = re.sub(r"(?<!^)(?=[A-Z])", "_", message.__name__).lower()
    return _NAMES[message]


def about_of(annotation: Any) -> About | None:
    """Return what an annotation tells a client about its field, if anything."""
    extras = annotation.__metadata__ if get_origin(annotation) is Annotated else ()
    return next((extra for extra in extras if isinstance(extra, About)), None)


_FIELDS: dict[type, tuple[Field, ...]] = {}
_NAMES: dict[type, str] = {}


def _read_fields(message: type) -> tuple[Field, ...]:
    hints = get_type_hints(message, include_extras=True)
    return tuple(_field(message, each.name, hints[each.name]) for each in dataclasses.fields(message))


def _field(message: type, name: str, hint: Any) -> Field:
    extras = hint.__metadata__ if get_origin(hint) is Annotated else ()
    audience = next((extra for extra in extras if isinstance(extra, Audience)), None)
    where = f"{message.__module__}.{message.__qualname__}.{name}"
    if audience is None:
        raise UndeclaredAudience(f"{where} does not say who may know it")
    bare = get_args(hint)[0]
    if audience in (PUBLIC, SEALED):
        return Field(name, audience, bare, many=False, about=about_of(hint))
    many = get_origin(bare) is tuple
    one = get_args(bare)[0] if many else bare
    wanted = Item if audience is COMMITTED else Ref
    if get_origin(one) is not wanted:
        raise UndeclaredAudience(f"{where} is {audience.value}, so it must hold {wanted.__name__}s")
    return Field(name, audience, get_args(one)[0], many=many, about=about_of(hint))
