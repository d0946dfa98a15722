"""Games that were played, told again act by act, with one hidden thing otherwise or as it was."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from engines.audience import Audience, fields_of, name_of
from engines.base import Game, Move, Recorded, window_of
from engines.chance import Draw, KeyedChance
from engines.errors import RuleViolation

from .plays import Act, Setting, batch_of, do, games, key_of

Outcome = int | tuple[int, ...]
Viewer = int | None


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


def told(chosen: Setting, seed: int, *, absence: float = 0.1, leaving: float = 0.01) -> Story:
    """Play a game by chance, and return its story."""
    tape = Tape(KeyedChance(key_of(seed)))
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
    """Yield ``count`` ways in which hidden things might have been otherwise, drawn from the whole story.

    What is sealed in moves is soon opened, so those ways are spread over the story.
    """
    shuffles = [
        n for n, outcome in enumerate(story.outcomes) if not isinstance(outcome, int) and len(outcome) > 1
    ]
    sealed = _sealed_alternatives(story)
    for number in range(count):
        if sealed and (not shuffles or random.random() < 0.3):
            part = sealed[number * len(sealed) // count : (number + 1) * len(sealed) // count]
            yield random.choice(part or sealed)
            continue
        n = random.choice(shuffles)
        order = list(story.outcomes[n])  # type: ignore[arg-type]
        one, other = random.sample(range(len(order)), 2)
        order[one], order[other] = order[other], order[one]
        yield Difference(draw=n, outcome=tuple(order))


class Tape:
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
        if not draws and (difference is None or difference.default != number):
            return game.default_move(state, seat, chance)
        if difference is not None and difference.default == number:
            move = difference.move
        if move is not None and draws and not _is_accepted(game, state, seat, move):
            raise Untold("the table would play otherwise")
        chance.skip(draws)
        return move

    return replace(game, default_move=default_move)


def act_in(difference: Difference | None, number: int, act: Act) -> Act:
    """Return the act of a story as it is in the world of a difference."""
    if difference is not None and difference.act == number:
        return replace(act, move=difference.move)
    return act


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


def answer_to(game: Game[Any], state: Any, seat: int | None, move: Move) -> Any:
    """Return what a seat, or a spectator, is told when it tries a move."""
    if seat is None or window_of(game, state, seat, name_of(type(move))) is None:
        return "not_your_turn"
    try:
        game.check(state, seat, move)
    except RuleViolation as refusal:
        return refusal.code, refusal.facts
    return "accepted"


def _is_accepted(game: Game[Any], state: Any, seat: int, move: Move) -> bool:
    return bool(answer_to(game, state, seat, move) == "accepted")
