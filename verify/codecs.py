"""What turns the events of a game into headers and back, made of what the game declares."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from engines.audience import Item, Ref, fields_of, name_of
from engines.base import Game, MovePlayed
from events.codec import Codec, MessageType

_NOTHING: Mapping[str, type] = MappingProxyType({})


def codec_of(game: Game[Any], beside: Mapping[str, type] = _NOTHING) -> Codec:
    """Return the codec of a game's events and moves, and of the event types ``beside`` them."""
    events = {**beside, **{f"{game.id}.{name_of(cls)}": cls for cls in game.events}}
    return Codec(
        [MessageType(name, cls, fields_of(cls)) for name, cls in events.items()],
        [MessageType(name_of(cls), cls, fields_of(cls)) for cls in game.moves],
        move_played=MovePlayed,
        ref=Ref,
        item=Item,
    )
