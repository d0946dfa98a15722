"""Two worlds: one story told twice, with one hidden thing otherwise, and compared for one viewer.

A world is made by playing a recorded story again, act by act, with the same moves, but for one
difference: two places of one shuffle exchanged, or another value sealed in one move.  What a
viewer may know is what has been opened to it, to the letter of the audiences: while that is the
same in both worlds, everything else that reaches the viewer must be the same.  A world in which
the story can no longer be told (somebody has not the card that the story says was played) ends
there.  Source: the main test of the leak-channel checklist.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random
from typing import Any

import msgspec

from engines.base import Batch, Move
from engines.errors import RuleViolation
from events.codec import Header, Payload, PayloadOf, learned

from .plays import Act, Log, batch_of, do
from .stories import Difference, Refused, Retold, Story, Untold, Viewer, act_in, answer_to, retelling

ATTEMPTS = 6


@dataclass(slots=True)
class Agreement:
    """How far two worlds were the same to a viewer.

    ``acts`` is the number of acts through which it knew nothing of the difference;
    ``differing`` the numbers of those after which the hidden states did differ.
    """

    viewer: Viewer
    acts: int = 0
    differing: tuple[int, ...] = ()


def agreements(story: Story, difference: Difference) -> list[Agreement]:
    """Tell the story in both worlds; return for each viewer how long it could not tell them apart.

    The end of a game opens everything in it, so nothing of it is compared after it.  Raises AssertionError
    where a viewer is shown, offered or refused something else although it may not know of the
    difference.
    """
    here, there = _World(story, None), _World(story, difference)
    pool = [act.move for act in story.acts if act.what == "move"]
    agreed = {viewer: Agreement(viewer) for viewer in story.viewers}
    ignorant = list(story.viewers)
    for number, act in enumerate(story.acts):
        first, epoch = here.batch.position, here.epoch()
        new_here = here.tell(act)
        try:
            new_there = there.tell(act)
        except Refused:
            assert act.seat not in ignorant or there.is_own(act.seat), f"refused for a secret: {act}"
            break
        except Untold:
            break
        ignorant = [
            viewer
            for viewer in ignorant
            if here.taught(new_here, viewer) == there.taught(new_there, viewer) and not there.is_own(viewer)
        ]
        if not ignorant:
            break
        assert here.epoch() == there.epoch(), f"act {number} ({act}), {difference}"
        if here.epoch() > epoch and here.secrets(first) != there.secrets(first):
            break  # the end of a game of a series has opened all of it
        assert here.is_over() == there.is_over(), f"act {number} ({act}), {difference}"
        if here.is_over():
            break
        tried = Random(number).sample(pool, min(ATTEMPTS, len(pool)))
        for viewer in ignorant:
            _assert_same(here, there, (new_here, new_there), viewer, tried)
            agreed[viewer].acts = number + 1
            if here.batch.state != there.batch.state:
                agreed[viewer].differing += (number,)
    return list(agreed.values())


class _World:
    """One telling of a story, as far as it has come."""

    def __init__(self, story: Story, difference: Difference | None) -> None:
        self._difference = difference
        self._number = 0
        self.game = retelling(story, difference)
        setting = replace(story.setting, game=self.game)
        self.batch: Batch[Any] = batch_of(setting, Retold(story, difference))
        self.log = Log(self.game)
        self._own: int | None = None

    def tell(self, act: Act) -> list[Header]:
        """Tell one more act; return what it added to the log.  Raises Untold."""
        before = len(self.batch.events)
        act = act_in(self._difference, self._number, act)
        if self._difference is not None and self._difference.act == self._number:
            self._own = act.seat
        self._number += 1
        try:
            do(self.batch, act)
        except RuleViolation as refusal:
            raise Refused(refusal.code) from refusal
        return [self.log.add(recorded) for recorded in self.batch.events[before:]]

    def is_over(self) -> bool:
        """Tell whether the game has ended, and with it every secret."""
        return self.game.outcome(self.batch.state) is not None

    def epoch(self) -> int:
        """Return how many games of a series are over."""
        return self.game.epoch(self.batch.state)

    def secrets(self, upto: int) -> dict[tuple[int, int], Payload]:
        """Return the hidden items committed by the events up to a position."""
        return {ref: payload for ref, payload in self.log.payloads.items() if ref[0] <= upto}

    def is_own(self, viewer: Viewer) -> bool:
        """Tell whether the difference is in a move of the viewer's own."""
        return viewer is not None and viewer == self._own

    def taught(self, headers: list[Header], viewer: Viewer) -> list[tuple[tuple[int, int], Any]]:
        """Return the items that events opened to a viewer, by name and value."""
        return [(ref, self.log.payloads[ref]) for header in headers for ref in learned(header, viewer)]

    def headers(self, headers: list[Header]) -> list[Any]:
        """Return all that is public of events: that they happened, their types, slots and draws."""
        return [
            msgspec.to_builtins(
                msgspec.structs.replace(
                    each, prev="", slots=tuple(msgspec.structs.replace(slot, c="") for slot in each.slots)
                )
            )
            for each in headers
        ]

    def redacted(self, headers: list[Header], viewer: Viewer) -> list[Any]:
        """Return events as a viewer gets them; asking for what it may not have is a KeyError."""
        told = []
        for header in headers:
            allowed = {ref: self.log.payloads[ref] for ref in learned(header, viewer)}
            told.append(self.log.codec.redact(header, _payload_of(allowed), viewer))
        return told

    def seen_by(self, viewer: Viewer, tried: list[Move]) -> dict[str, Any]:
        """Return what reaches a viewer of the present state, by channel."""
        game, state = self.game, self.batch.state
        windows = game.to_act(state)
        return {
            "view": msgspec.json.encode(game.view(state, viewer)),
            "turn": state.turn,
            "awaited": [(each.seat, each.kinds, each.since) for each in windows if each.awaited],
            "own windows": [each for each in windows if each.seat == viewer],
            "outcome": game.outcome(state),
            "legal moves": [] if viewer is None else list(game.legal_moves(state, viewer)),
            "refusals": [answer_to(game, state, viewer, move) for move in tried],
        }


def _assert_same(
    here: _World,
    there: _World,
    new: tuple[list[Header], list[Header]],
    viewer: Viewer,
    tried: list[Move],
) -> None:
    assert here.headers(new[0]) == there.headers(new[1]), f"events of viewer {viewer}"
    assert here.redacted(new[0], viewer) == there.redacted(new[1], viewer), f"data of viewer {viewer}"
    seen_there = there.seen_by(viewer, tried)
    for name, seen in here.seen_by(viewer, tried).items():
        assert seen == seen_there[name], f"{name} of viewer {viewer}"


def _payload_of(payloads: dict[tuple[int, int], Payload]) -> PayloadOf:
    return lambda seq, slot: payloads[seq, slot]
