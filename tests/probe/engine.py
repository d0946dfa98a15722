"""The decisions of the probe and the states that follow them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeVar, assert_never

from engines.audience import Item, Ref
from engines.base import Batch, Move, MovePlayed, Outcome, Window
from engines.chance import Chance
from engines.errors import RuleViolation
from tests.probe import messages as m
from tests.probe.state import PLACES, SEATS, Opened, Pending, Said, State, is_face_down, slot_of

T = TypeVar("T")

MARK_POINTS = 3


def start(batch: Batch[State]) -> None:
    """Draw the seat that opens first."""
    batch.add(m.FirstDrawn(seat=batch.chance.below(SEATS, "first")))


def check(state: State, seat: int, move: Move) -> None:
    """Raise RuleViolation when ``move`` of ``seat`` is refused.

    Codes: game_over, not_your_turn, no_such_seat, own_seat, no_such_card, already_open,
    no_such_count.
    """
    if state.reason is not None:
        raise RuleViolation("game_over")
    if not any(each.seat == seat and type(move) in _kinds(each) for each in to_act(state)):
        raise RuleViolation("not_your_turn")
    match move:
        case m.Pick(rival=rival):
            _check_other(seat, rival)
        case m.Open(owner=owner, place=place):
            _check_other(seat, owner)
            if not 0 <= place < PLACES:
                raise RuleViolation("no_such_card", places=PLACES)
            if not is_face_down(state, owner, place):
                raise RuleViolation("already_open", place=place)
        case m.Declare(marks=marks):
            if marks not in (0, 1):
                raise RuleViolation("no_such_count", most=1)


def resolve(batch: Batch[State], seat: int, move: Move) -> None:
    """Record what follows from ``move`` of ``seat``."""
    state = batch.state
    match move:
        case m.Pick():
            if all(state.picks):
                _open_picks(batch)
        case m.Open(owner=owner, place=place):
            slot = slot_of(owner, place)
            gained = MARK_POINTS if state.cards[slot] else 0
            scores = _with(state.scores, seat, state.scores[seat] + gained)
            card = Ref[m.Card](state.laid_at, slot)
            batch.add(m.CardOpened(seat=seat, owner=owner, place=place, card=card, scores=scores))
            if gained:
                batch.add(m.GameEnded(reason="mark_found"))
            elif len(batch.state.opened) == SEATS:
                _end_round(batch)


def evolve(state: State, event: Any, position: int) -> State:  # noqa: C901
    """Return the state after ``event``, recorded at ``position``."""
    match event:
        case MovePlayed(seat=seat, move=m.Pick(number=number, rival=rival), by_table=by_table):
            picks = _with(state.picks, seat, Pending(position, number, by_table))
            return replace(state, picks=picks, rivals=_with(state.rivals, seat, rival))
        case MovePlayed(seat=seat, move=m.Declare(marks=marks)):
            return replace(state, declarations=_with(state.declarations, seat, Pending(position, marks)))
        case MovePlayed():
            return state
        case m.FirstDrawn(seat=seat):
            return replace(state, first=seat)
        case m.PicksOpened(scores=scores):
            return replace(state, scores=scores, turn=state.turn + 1, active=state.first)
        case m.CardsLaid(round=round_number, cards=cards):
            laid = tuple(item.value.is_mark for item in cards)
            return replace(
                state,
                round=round_number,
                since=state.turn,
                laid_at=position,
                cards=laid,
                opened=(),
                declarations=(None,) * SEATS,
            )
        case m.CardOpened(owner=owner, place=place, scores=scores):
            opened = (*state.opened, Opened(owner, place, state.cards[slot_of(owner, place)]))
            return replace(state, opened=opened, scores=scores, turn=state.turn + 1, active=owner)
        case m.DeclarationsOpened():
            said = tuple(
                Said(state.round, seat, each.number) for seat, each in enumerate(state.declarations) if each
            )
            return replace(state, said=state.said + said)
        case m.SeatLeft(seat=seat):
            return replace(state, left=(*state.left, seat))
        case m.GameEnded(reason=reason):
            return replace(state, reason=reason, active=None)
        case _:
            assert_never(event)


def to_act(state: State) -> tuple[Window, ...]:
    """Return the open windows: all picks at once, then an opener; declarations at any moment."""
    if state.reason is not None:
        return ()
    if state.active is None:
        return tuple(
            Window(seat=seat, kinds=("pick",), since=state.turn, at_once=seat in state.left)
            for seat in range(SEATS)
            if state.picks[seat] is None
        )
    opener = Window(seat=state.active, kinds=("open",), since=state.turn, at_once=state.active in state.left)
    declaring = tuple(
        Window(
            seat=seat,
            kinds=("declare",),
            since=state.since,
            awaited=False,
            answered=state.declarations[seat] is not None,
        )
        for seat in range(SEATS)
        if seat not in state.left
    )
    return (opener, *declaring)


def legal_moves(state: State, seat: int) -> Sequence[Move]:
    """Return every legal move of a seat, those awaited first."""
    mine = [each for each in to_act(state) if each.seat == seat and not each.answered]
    return [move for window in mine for move in _moves(state, seat, window.kinds[0])]


def default_move(state: State, seat: int, chance: Chance) -> Move | None:
    """Return a legal move drawn from all; None under ``forfeit`` where somebody still owns the seat."""
    if state.on_timeout == "forfeit" and seat not in state.left:
        return None
    legal = _moves(state, seat, "pick" if state.active is None else "open")
    return legal[chance.below(len(legal), "time_out")]


def abandon(batch: Batch[State], seat: int, reason: str) -> None:
    """Record that ``seat`` is left for good; with one owner left the game is over."""
    batch.add(m.SeatLeft(seat=seat, reason=reason))
    if len(batch.state.left) >= SEATS - 1:
        batch.add(m.GameEnded(reason="deserted"))


def outcome(state: State) -> Outcome | None:
    """Return how the game ended: seats with owners by score, those left for good behind them."""
    if state.reason is None:
        return None
    worth = [(seat not in state.left, state.scores[seat]) for seat in range(SEATS)]
    places = tuple(1 + sum(other > mine for other in worth) for mine in worth)
    winners = tuple(seat for seat in range(SEATS) if places[seat] == 1)
    return Outcome(winners=winners, places=places, scores=state.scores, reason=state.reason)


def _kinds(window: Window) -> tuple[type, ...]:
    return tuple({"pick": m.Pick, "open": m.Open, "declare": m.Declare}[kind] for kind in window.kinds)


def _check_other(seat: int, other: int) -> None:
    if not 0 <= other < SEATS:
        raise RuleViolation("no_such_seat", seats=SEATS)
    if other == seat:
        raise RuleViolation("own_seat")


def _moves(state: State, seat: int, kind: str) -> list[Move]:
    others = [other for other in range(SEATS) if other != seat]
    if kind == "pick":
        return [m.Pick(number=number, rival=rival) for number in range(3) for rival in others]
    if kind == "declare":
        return [m.Declare(marks=marks) for marks in (0, 1)]
    return [
        m.Open(owner=owner, place=place)
        for owner in others
        for place in range(PLACES)
        if is_face_down(state, owner, place)
    ]


def _open_picks(batch: Batch[State]) -> None:
    """A number that nobody else picked scores itself; one that the rival picked too scores 1."""
    picks = [each for each in batch.state.picks if each]
    numbers = [each.number for each in picks]
    scores = tuple(
        number if numbers.count(number) == 1 else int(number == numbers[rival or 0])
        for number, rival in zip(numbers, batch.state.rivals, strict=True)
    )
    batch.add(m.PicksOpened(picks=tuple(Ref[m.Pick](each.seq, 0) for each in picks), scores=scores))
    _lay(batch)


def _lay(batch: Batch[State]) -> None:
    order = batch.chance.shuffle(SEATS * PLACES, "cards")
    cards = [
        m.Card(owner=slot // PLACES, place=slot % PLACES, is_mark=each == 0)
        for slot, each in enumerate(order)
    ]
    hints = (
        Item(seat, m.Hint(marks=sum(card.is_mark for card in cards if card.owner == seat)))
        for seat in range(SEATS)
    )
    committed = tuple(Item(None, card) for card in cards)
    batch.add(m.CardsLaid(round=batch.state.round + 1, cards=committed, hints=tuple(hints)))


def _end_round(batch: Batch[State]) -> None:
    state = batch.state
    declared = {seat: each for seat, each in enumerate(state.declarations) if each}
    refs = tuple(Ref[m.Declare](each.seq, 0) for each in declared.values())
    batch.add(m.DeclarationsOpened(seats=tuple(declared), declarations=refs))
    if state.round == state.rounds:
        batch.add(m.GameEnded(reason="rounds_over"))
    else:
        _lay(batch)


def _with(values: tuple[T, ...], seat: int, new: T) -> tuple[T, ...]:
    return (*values[:seat], new, *values[seat + 1 :])
