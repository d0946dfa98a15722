"""The games on offer, with their texts, and the strict types derived from their declarations.

New tables, and what is documented, have the newest rules of a game; a table keeps those that it has.
"""

from __future__ import annotations

import dataclasses
import hashlib
import importlib
import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import msgspec
from django.conf import settings

from engines.audience import About, Audience, Field, Item, Ref, about_of, fields_of, name_of
from engines.base import Game, MovePlayed
from engines.registry import GAMES, newest
from events.codec import MOVE_PLAYED, Codec, MessageType
from tables import messages
from tables.errors import NotFound, RulesMissing
from verify import codecs


class ClientMovePlayed(msgspec.Struct, kw_only=True):
    """A move as it was sent; the `actor_seat` of the event is null where the table chose it."""

    seat: Annotated[int, msgspec.Meta(description="Whose move it is.")]
    kind: Annotated[str, msgspec.Meta(description="One of the game's `moves`.")]
    params: Annotated[
        dict[str, Any],
        msgspec.Meta(description="By the schema `move.<kind>`; null is what the caller may not know."),
    ]
    window: Annotated[
        int, msgspec.Meta(description="The turn at which what it answers was opened: mostly the present one.")
    ]


_OPTION = re.compile(r"`(\w+)(?:: (\w+))?`")
"""How rulebooks name an option, or one of its values, in Markdown: ``name``, ``name: value`` or ``value``."""


@cache
def games() -> dict[str, Game[Any]]:
    """Return every game on offer by id, with all its rules: the registry's, then the installation's."""
    extra = (importlib.import_module(module).GAME for module in settings.EXTRA_GAMES)
    return newest((*GAMES.values(), *extra))


def game_of(game_id: str) -> Game[Any]:
    """Return a game under its newest rules, for new tables.  Raises NotFound."""
    if (game := games().get(game_id)) is None:
        raise NotFound(game=game_id)
    return game


def rules_of(game_id: str, rules_version: int) -> Game[Any]:
    """Return a game under the rules that a table has.  Raises RulesMissing."""
    game = games().get(game_id)
    if game is None or (found := game.under(rules_version)) is None:
        raise RulesMissing(game=game_id, rules_version=rules_version)
    return found


@cache
def names_of(game: Game[Any]) -> dict[str, Any]:
    """Return the names of a game, each in English and Spanish, as ``names.json`` has them.

    To the game's own ``reasons`` of an end come those of tables.
    """
    names: dict[str, Any] = json.loads((files(game.package) / "names.json").read_text("utf-8"))
    return names | {"reasons": names["reasons"] | table_names()["reasons"]}


@cache
def table_names() -> dict[str, Any]:
    """Return the names of a table's own events and of what they tell, as ``tables/names.json`` has them."""
    names: dict[str, Any] = json.loads((files("tables") / "names.json").read_text("utf-8"))
    return names


def bot_name(game: Game[Any], bot: str, locale: str) -> str:
    """Return what a bot is called; one that the game has no more, by its code."""
    named = names_of(game)["terms"].get(f"bot_{bot}")
    return str(named[locale]) if named else bot


@cache
def rulebook_of(game: Game[Any], locale: str) -> str:
    """Return the rulebook in Markdown, options called as players read them; ``locale`` is en or es."""
    text = (files(game.package) / f"rulebook.{locale}.md").read_text("utf-8")
    options = names_of(game)["options"]
    values = {key: word for each in options.values() for key, word in each.get("values", {}).items()}

    def called(found: re.Match[str]) -> str:
        words = [options.get(found[1], {}).get("name"), values.get(found[2] or found[1])]
        return f"*{': '.join(each[locale] for each in words if each)}*" if any(words) else found[0]

    return _OPTION.sub(called, text)


def talk_of(chosen: Mapping[str, Any]) -> str:
    """Return when seats may speak by a table's settings, ``open`` or ``silent``: by an option, or the game.

    Where its rules are missing nobody plays, and seats are ``silent``.
    """
    try:
        talk = rules_of(chosen["game"], chosen["rules_version"]).talk
    except RulesMissing:
        talk = "silent"
    told: str = chosen["options"].get("talk", talk)
    return told


@cache
def table_codec() -> Codec:
    """Return the codec of a table whose game is not chosen yet."""
    events = [MessageType(name, cls, fields_of(cls)) for name, cls in messages.EVENTS.items()]
    return Codec(events, [], move_played=MovePlayed, ref=Ref, item=Item)


@cache
def codec_of(game: Game[Any]) -> Codec:
    """Return what turns a game's events, and its table's, into headers and back."""
    return codecs.codec_of(game, messages.EVENTS)


@cache
def digest_of(game: Game[Any]) -> str:
    """Return SHA-256 over the sorted paths and bytes of a game's folder, in hex (informational)."""
    digest = hashlib.sha256()
    for path, data in sorted(_files_below(files(game.package), "")):
        digest.update(path.encode() + b"\x00" + data)
    return digest.hexdigest()


@cache
def code() -> str:
    """Return the version of the code that folds streams: a snapshot of any other is not trusted."""
    digest = hashlib.sha256()
    packages = (each.package for game in games().values() for each in (game, *game.earlier))
    for folder in map(files, ("engines", "events", "tables", *packages)):
        for path, data in sorted(_files_below(folder, "")):
            if path.endswith(".py"):
                digest.update(path.encode() + b"\x00" + data)
    return digest.hexdigest()[:32]


@cache
def options_struct(game: Game[Any]) -> type[msgspec.Struct]:
    """Return the strict record of a game's options, defaults included."""
    return _strict(f"{_title(game)}Options", game.options)


@cache
def move_struct(game: Game[Any], kind: str) -> type[msgspec.Struct]:
    """Return the strict record of the parameters of a kind of move.  Raises NotFound."""
    if (cls := game.move_type(kind)) is None:
        raise NotFound(kind=kind)
    return _strict(f"{_title(game)}{cls.__name__}Move", cls)


def event_types(game: Game[Any]) -> dict[str, type]:
    """Return the event classes of a game and its table by stored type, but for moves."""
    return {**messages.EVENTS, **{f"{game.id}.{name_of(cls)}": cls for cls in game.events}}


@cache
def client_event_type(game: Game[Any], event: type) -> type[msgspec.Struct]:
    """Return the record of an event's data as clients get it: hidden items may be null."""
    fields = [_client_field(each, game) for each in fields_of(event)]
    return _struct(f"{_title(game)}{event.__name__}Event", event, fields, strict=False)


@cache
def client_view_type(game: Game[Any]) -> type:
    """Return the type of a game's view, with what clients are told of its fields."""
    return _described(game.view_type, f"{_title(game)}View")


def schema_names(game: Game[Any]) -> tuple[str, ...]:
    """Return the names that ``json_schema`` knows for a game."""
    return (
        "options",
        "view",
        *(f"move.{name_of(cls)}" for cls in game.moves),
        *(f"event.{name}" for name in (MOVE_PLAYED, *event_types(game))),
    )


@cache
def json_schema(game: Game[Any], name: str) -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of options, view, ``move.<kind>`` or ``event.<type>``.

    Raises NotFound for any other name.
    """
    area, _, rest = name.partition(".")
    if name == "options":
        found: type = options_struct(game)
    elif name == "view":
        found = client_view_type(game)
    elif area == "move":
        found = move_struct(game, rest)
    elif name == f"event.{MOVE_PLAYED}":
        found = ClientMovePlayed
    elif area == "event" and rest in (events := event_types(game)):
        found = client_event_type(game, events[rest])
    else:
        raise NotFound(schema=name)
    schema = msgspec.json.schema(found)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}


def build(cls: type, record: msgspec.Struct) -> Any:
    """Return the engine's own dataclass that a strict record was derived from, filled from it."""
    return cls(**{name: getattr(record, name) for name in record.__struct_fields__})


def _title(game: Game[Any]) -> str:
    return "".join(word.capitalize() for word in game.id.split("_"))


def _strict(name: str, cls: type) -> type[msgspec.Struct]:
    """Return a record like the dataclass ``cls`` that refuses unknown fields and any coercion."""
    hints = get_type_hints(cls, include_extras=True)
    fields = [(each, _with_bounds(hints[each.name])) for each in dataclasses.fields(cls)]
    return _struct(
        name,
        cls,
        [
            (each.name, kind) if each.default is dataclasses.MISSING else (each.name, kind, each.default)
            for each, kind in fields
        ],
        strict=True,
    )


def _struct(name: str, cls: type, fields: list[Any], *, strict: bool) -> type[msgspec.Struct]:
    return msgspec.defstruct(
        name,
        fields,
        kw_only=True,
        frozen=True,
        forbid_unknown_fields=strict,
        namespace={"__doc__": cls.__doc__},
    )


@cache
def _described(cls: type, name: str) -> type[msgspec.Struct]:
    """Return a record like the dataclass ``cls``, its nested ones included, for the document."""
    hints = get_type_hints(cls, include_extras=True)
    return _struct(
        name,
        cls,
        [(each.name, _with_bounds(hints[each.name], name)) for each in dataclasses.fields(cls)],
        strict=False,
    )


def _client_field(field: Field, game: Game[Any]) -> tuple[str, Any]:
    kind = (
        _opened_move(field.type, game) if field.type in game.moves else _with_bounds(field.type, _title(game))
    )
    if field.audience in (Audience.PUBLIC, Audience.SEALED):
        return field.name, _annotated(kind, field.about)
    one = kind if field.audience is Audience.OPENED else kind | None
    return field.name, _annotated(list[one] if field.many else one, field.about)  # type: ignore[valid-type]


@cache
def _opened_move(move: type, game: Game[Any]) -> type[msgspec.Struct]:
    """Return the record of what a sealed move hid, as its opening tells it (``ttx v1``)."""
    sealed = [each for each in fields_of(move) if each.audience is Audience.SEALED]
    name = f"{_title(game)}{move.__name__}"
    params = _struct(f"{name}Sealed", move, [_client_field(each, game) for each in sealed], strict=False)
    return _struct(f"{name}Opened", move, [("kind", str), ("params", params)], strict=False)


def _with_bounds(hint: Any, prefix: str = "") -> Any:
    """Return a type annotation with ``About`` turned into msgspec's constraints, at any depth."""
    about = about_of(hint)
    if get_origin(hint) is Annotated:
        return _annotated(_with_bounds(get_args(hint)[0], prefix), about)
    if prefix and dataclasses.is_dataclass(hint) and isinstance(hint, type):
        return _described(hint, prefix.removesuffix("View") + hint.__name__)
    origin, args = get_origin(hint), get_args(hint)
    if args and origin in (tuple, list, dict):
        return origin[tuple(_with_bounds(arg, prefix) if arg is not ... else ... for arg in args)]
    if type(None) in args:
        rest = [_with_bounds(arg, prefix) for arg in args if arg is not type(None)]
        union: Any = rest[0]
        for each in rest[1:]:
            union = union | each
        return union | None
    return hint


def _annotated(kind: Any, about: About | None) -> Any:
    if about is None:
        return kind
    extra = {"x-known-values": list(about.known)} if about.known else None
    if about.pattern is not None:
        return Annotated[
            kind, msgspec.Meta(description=about.text, pattern=about.pattern, extra_json_schema=extra)
        ]
    return Annotated[
        kind, msgspec.Meta(description=about.text, ge=about.ge, le=about.le, extra_json_schema=extra)
    ]


def _files_below(folder: Traversable, path: str) -> Iterator[tuple[str, bytes]]:
    for each in folder.iterdir():
        where = f"{path}/{each.name}" if path else each.name
        if each.is_dir():
            if each.name != "__pycache__":
                yield from _files_below(each, where)
        else:
            yield where, each.read_bytes()
