"""Two worlds: one story told twice, with one hidden thing otherwise, and compared for one viewer.

A world is made by playing a recorded story again, act by act, with the same moves, but for one
difference: two places of one shuffle exchanged, or another value sealed in one move.  What a
viewer may know is what has been opened to it, to the letter of the audiences: while that is the
same in both worlds, everything else that reaches the viewer must be the same.  A world in which
the story can no longer be told (somebody has not the card that the story says was played) ends
there.  Source: the main test of the leak-channel checklist.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from random import Random
from typing import Any

import msgspec

from engines.audience import Audience, fields_of, name_of
from engines.base import Batch, Game, Move, Recorded, window_of
from engines.chance import Draw, KeyedChance
from engines.errors import RuleViolation
from events.codec import Header, learned

from .plays import Act, Log, Setting, batch_of, do, games, key_of

Outcome = int | tuple[int, ...]
Viewer = int | None

ATTEMPTS = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """A game that was played: what was done, what chance answered, what the table chose by itself."""

    setting: Setting
    acts: tuple[Act, ...]
    outcomes: tuple[Outcome, ...]
    labels: tuple[str, ...]  # of the draws
    defaults: tuple[tuple[Move, int], ...]  # with the number of draws that the choice took

    @property
    def viewers(self) -> tuple[Viewer, ...]:
        """Everybody who may look."""
        return (*range(self.setting.seats), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """What is otherwise: the answer to draw ``draw``, the move of act ``act``, or default ``default``."""

    draw: int | None = None
    outcome: Outcome = ()
    act: int | None = None
    default: int | None = None
    move: Move | None = None


class Untold(Exception):
    """In this world the story cannot go on as it did."""


class Refused(Untold):
    """In this world the rules refuse a move of the story."""


@dataclass(slots=True)
class Agreement:
    """How far two worlds were the same to a viewer.

    ``acts`` is the number of acts through which it knew nothing of the difference;
    ``differing`` the numbers of those after which the hidden states did differ.
    """

    viewer: Viewer
    acts: int = 0
    differing: tuple[int, ...] = ()


def told(chosen: Setting, seed: int, *, absence: float = 0.1, leaving: float = 0.01) -> Story:
    """Play a game by chance, and return its story."""
    tape = _Tape(KeyedChance(key_of(seed)))
    defaults: list[tuple[Move, int]] = []

    def default_move(state: Any, seat: int, chance: Any) -> Move | None:
        before = tape.drawn
        move = chosen.game.default_move(state, seat, chance)
        defaults.append((move, tape.drawn - before))
        return move

    taped = replace(chosen, game=replace(chosen.game, default_move=default_move))
    acts = tuple(act for _, act, _ in games(taped, seed, absence=absence, leaving=leaving, chance=tape))
    return Story(
        setting=chosen,
        acts=acts,
        outcomes=tuple(tape.outcomes),
        labels=tuple(tape.labels),
        defaults=tuple(defaults),
    )


def differences(story: Story, random: Random, count: int) -> Iterator[Difference]:
    """Yield ``count`` ways in which hidden things might have been otherwise, drawn from the whole story."""
    shuffles = [
        n for n, outcome in enumerate(story.outcomes) if not isinstance(outcome, int) and len(outcome) > 1
    ]
    sealed = _sealed_alternatives(story)
    for _ in range(count):
        if sealed and (not shuffles or random.random() < 0.3):
            yield random.choice(sealed)
            continue
        n = random.choice(shuffles)
        order = list(story.outcomes[n])  # type: ignore[arg-type]
        one, other = random.sample(range(len(order)), 2)
        order[one], order[other] = order[other], order[one]
        yield Difference(draw=n, outcome=tuple(order))


def agreements(story: Story, difference: Difference) -> list[Agreement]:
    """Tell the story in both worlds; return for each viewer how long it could not tell them apart.

    The end of the game opens everything, so nothing is compared after it.  Raises AssertionError
    where a viewer is shown, offered or refused something else although it may not know of the
    difference.
    """
    here, there = _World(story, None), _World(story, difference)
    pool = [act.move for act in story.acts if act.what == "move"]
    agreed = {viewer: Agreement(viewer) for viewer in story.viewers}
    ignorant = list(story.viewers)
    for number, act in enumerate(story.acts):
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


class _Tape:
    """Chance that remembers its answers."""

    def __init__(self, chance: KeyedChance) -> None:
        self._chance = chance
        self.outcomes: list[Outcome] = []
        self.labels: list[str] = []

    @property
    def drawn(self) -> int:
        return self._chance.drawn

    def below(self, bound: int, label: str) -> int:
        outcome = self._chance.below(bound, label)
        self.outcomes.append(outcome)
        self.labels.append(label)
        return outcome

    def shuffle(self, count: int, label: str) -> tuple[int, ...]:
        outcome = self._chance.shuffle(count, label)
        self.outcomes.append(outcome)
        self.labels.append(label)
        return outcome

    def taken(self) -> tuple[Draw, ...]:
        return self._chance.taken()


class Retold:
    """Chance that answers as a story says; ``difference`` may change one answer."""

    def __init__(self, story: Story, difference: Difference | None, drawn: int = 0) -> None:
        self._story = story
        self._difference = difference
        self.drawn = drawn
        self._taken: list[Draw] = []

    def below(self, bound: int, label: str) -> int:
        outcome = self._next(label)
        if not isinstance(outcome, int) or outcome >= bound:
            raise Untold(label)
        return outcome

    def shuffle(self, count: int, label: str) -> tuple[int, ...]:
        outcome = self._next(label)
        if isinstance(outcome, int) or len(outcome) != count:
            raise Untold(label)
        return outcome

    def skip(self, count: int) -> None:
        """Pass over draws whose result is known otherwise."""
        for label in self._story.labels[self.drawn : self.drawn + count]:
            self._next(label)

    def taken(self) -> tuple[Draw, ...]:
        taken, self._taken = tuple(self._taken), []
        return taken

    def _next(self, label: str) -> Outcome:
        n = self.drawn
        if n >= len(self._story.outcomes):
            raise Untold(label)
        self.drawn += 1
        self._taken.append(Draw(n, label))
        if self._difference is not None and self._difference.draw == n:
            return self._difference.outcome
        return self._story.outcomes[n]


def retelling(story: Story, difference: Difference | None) -> Game[Any]:
    """Return the game with the story's own choices where the table plays."""
    game = story.setting.game
    chosen = iter(range(len(story.defaults)))

    def default_move(state: Any, seat: int, chance: Any) -> Move | None:
        number = next(chosen, None)
        if number is None:
            raise Untold("the table would play once more")
        move, draws = story.defaults[number]
        if difference is not None and difference.default == number:
            move = difference.move
        if move is not None and not _is_accepted(game, state, seat, move):
            raise Untold("the table would play otherwise")
        chance.skip(draws)
        return move

    return replace(game, default_move=default_move)


def act_in(difference: Difference | None, number: int, act: Act) -> Act:
    """Return the act of a story as it is in the world of a difference."""
    if difference is not None and difference.act == number:
        return replace(act, move=difference.move)
    return act


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
            told.append(self.log.codec.redact(header, lambda seq, slot, a=allowed: a[seq, slot], viewer))
        return told

    def seen_by(self, viewer: Viewer, tried: list[Move]) -> dict[str, Any]:
        """Return what reaches a viewer of the present state, by channel."""
        game, state = self.game, self.batch.state
        windows = game.to_act(state)
        mine = viewer is not None
        return {
            "view": msgspec.json.encode(game.view(state, viewer)),
            "turn": state.turn,
            "awaited": [(each.seat, each.kinds, each.since) for each in windows if each.awaited],
            "own windows": [each for each in windows if each.seat == viewer],
            "outcome": game.outcome(state),
            "legal moves": list(game.legal_moves(state, viewer)) if mine else [],
            "refusals": [_answer(game, state, viewer, move) for move in tried] if mine else [],
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


def _sealed_alternatives(story: Story) -> list[Difference]:
    """Return every other value that a seat, or the table for it, might have sealed in a move."""
    found: list[Difference] = []
    batch = batch_of(replace(story.setting, game=retelling(story, None)), Retold(story, None))
    chosen = 0
    for number, act in enumerate(story.acts):
        before, first = batch.state, len(batch.events)
        do(batch, act)
        if act.what == "move" and _sealed(act.move):
            found += [
                Difference(act=number, move=other)
                for other in story.setting.game.legal_moves(before, act.seat)
                if _differs_in_secret(act.move, other)
            ]
        moves = [each for each in batch.events[first:] if _is_default(each)]
        for recorded in moves:
            while story.defaults[chosen][0] != recorded.event.move:
                chosen += 1  # a choice that was to leave
            move = recorded.event.move
            if story.defaults[chosen][1] and _sealed(move):  # one that nothing was drawn for is known
                found += [
                    Difference(default=chosen, move=other)
                    for other in story.setting.game.legal_moves(before, recorded.event.seat)
                    if _differs_in_secret(move, other)
                ]
            chosen += 1
    return found


def _is_default(recorded: Recorded) -> bool:
    return bool(getattr(recorded.event, "by_table", False))


def _sealed(move: Move) -> bool:
    return any(each.audience is Audience.SEALED for each in fields_of(type(move)))


def _differs_in_secret(move: Move, other: Move) -> bool:
    if type(move) is not type(other) or move == other:
        return False
    open_fields = [each.name for each in fields_of(type(move)) if each.audience is Audience.PUBLIC]
    return all(getattr(move, name) == getattr(other, name) for name in open_fields)


def _answer(game: Game[Any], state: Any, seat: int | None, move: Move) -> Any:
    """Return what a seat is told when it tries a move."""
    if seat is None or window_of(game, state, seat, name_of(type(move))) is None:
        return "not_your_turn"
    try:
        game.check(state, seat, move)
    except RuleViolation as refusal:
        return refusal.code, refusal.facts
    return "accepted"


def _is_accepted(game: Game[Any], state: Any, seat: int, move: Move) -> bool:
    return _answer(game, state, seat, move) == "accepted"
