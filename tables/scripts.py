"""What the bots of a sandbox are told to play, move by move."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from engines.base import Game, Move
from events import store
from events.codec import MOVE_PLAYED, read_header
from tables.errors import BadField, Misshapen
from tables.folding import stream_of
from tables.hosting import Host
from tables.moves import parse_params
from tables.shapes import ScriptedMove


def read(game: Game[Any], script: Sequence[ScriptedMove], bots: int) -> list[dict[str, Any]]:
    """Return a script as it is kept: moves of the game, each of one of the ``bots`` behind seat 0.

    Raises BadField, Misshapen.
    """
    for number, each in enumerate(script):
        if not 1 <= each.seat <= bots:
            raise BadField(
                pointer=f"#/sandbox/script/{number}/seat", code="out_of_range", wanted=f"1..{bots}"
            )
        try:
            parse_params(game, each.kind, each.params)
        except BadField as error:
            facts = {**error.facts, "pointer": f"#/sandbox/script/{number}/kind"}
            raise BadField(**facts) from error
        except msgspec.ValidationError as error:
            pointer = f"#/sandbox/script/{number}/params"
            raise Misshapen(pointer, str(error)) from error
    return [msgspec.to_builtins(each) for each in script]


def next_move(host: Host, script: Sequence[dict[str, Any]], seat: int, legal: Sequence[Move]) -> Move | None:
    """Return what the script has a bot play now: for its nth move the nth entry of its seat.

    None where the script has no more, or has what is not legal, which is then skipped.
    """
    own = [each for each in script if each["seat"] == seat]
    if not own:
        return None
    played = (read_header(each.header) for each in store.all_of_type(stream_of(host.id), MOVE_PLAYED))
    count = sum(each.actor == f"seat:{seat}" and each.public["seat"] == seat for each in played)
    if count >= len(own):
        return None
    try:
        move: Move = parse_params(host.game, own[count]["kind"], own[count]["params"])
    except (BadField, msgspec.ValidationError):  # a rematch may have newer rules
        return None
    return move if move in legal else None
