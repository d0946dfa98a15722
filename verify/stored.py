"""A stored game decided again, by its own rules or by others: where it first goes otherwise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from engines.base import Game
from events.audit import LinkLike, OpeningLike, Ref
from events.codec import read_header
from verify.chosen import CHOICES
from verify.continuing import OriginLike
from verify.verifier import verify


class Difference(NamedTuple):
    """What is recorded at a position and would not be, or why nothing more can be said from there on."""

    position: int
    what: str


def first_difference(
    tid: bytes,
    events: Sequence[LinkLike],
    openings: Mapping[Ref, OpeningLike],
    *,
    games: Mapping[str, Game[Any]],
    seeds: Mapping[int, bytes] | None = None,
    origins: Mapping[str, OriginLike] | None = None,
    by_others: bool = False,
) -> Difference | None:
    """Return where the log of table ``tid`` first differs from what its decisions lead to; None: nowhere.

    ``by_others``: the rules are not those of the table, so they need not have what was chosen for it.
    ``seeds`` are those known by other means than the log, and ``origins`` the tables
    from which it may go on, as for ``verify``.
    """
    replay = verify(tid, events, openings, games=games, seeds=seeds, origins=origins).replay
    chosen = {at for at, each in enumerate(events, 1) if read_header(each.header).type in CHOICES}
    for position, what in replay.findings:
        if not (by_others and position in chosen):
            return Difference(position, what)
    return None if replay.doubt is None else Difference(len(events), f"it is not replayed: {replay.doubt}")


def all_under(game: Game[Any], rules_version: int) -> Game[Any] | None:
    """Return a game whose tables are all decided by one version of its rules; None where there is none."""
    if (rules := game.under(rules_version)) is None:
        return None
    pinned = (each.rules_version for each in (game, *game.earlier))
    newest, *before = (replace(rules, rules_version=each, earlier=()) for each in pinned)
    return replace(newest, earlier=tuple(before))
