"""The next state after each event.  Total: a recorded fact is never refused, and nothing is drawn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

from engines.base import MovePlayed
from engines.cthulhu import messages as m
from engines.cthulhu.setup import ENOUGH_TOKENS, LETTER_OF
from engines.cthulhu.state import Reveal, Said, State, Statement, cards_each, made, place_in_order, present

T = TypeVar("T")


def evolve(state: State, event: Any, position: int) -> State:
    """Return the state after ``event``, recorded at ``position``."""
    return _AFTER[type(event)](state, event, position)


def _move_played(state: State, event: MovePlayed, position: int) -> State:
    move = event.move
    if not isinstance(move, m.Declare):
        return state
    statement = Statement(position, move.elder_signs, move.cthulhu)
    return replace(state, statements=_with(state.statements, event.seat, statement))


def _roles_dealt(state: State, event: m.RolesDealt, _at: int) -> State:
    """Begin a game; the one before it, if any, goes into the past of the series."""
    return replace(
        state,
        past=(*state.past, present(state)) if state.roles else (),
        roles=tuple(item.value.role for item in event.tokens),
        starters=(),
        deals=(),
        reveals=(),
        said=(),
        reason=None,
        side=None,
        winners=(),
    )


def _first_active(state: State, event: m.FirstActive, _at: int) -> State:
    return replace(state, active=event.seat)


def _cards_laid(state: State, event: m.CardsLaid, position: int) -> State:
    deal = "".join([LETTER_OF[item.value.kind] for item in event.cards])
    return replace(
        state,
        starters=(*state.starters, state.active),
        deals=(*state.deals, deal),
        since=state.turn,
        laid_at=position,
        face_down=(tuple(range(cards_each(event.round))),) * state.seats,
        is_declaring=event.round == 1 and state.declarations != "none",
        spoken=0,
        statements=(None,) * state.seats,
    )


def _declared(state: State, event: m.Declared, _at: int) -> State:
    """Show a declaration; in the first round, the turn passes when its place, or the last one, is filled."""
    seat = event.seat
    sealed = state.statements[seat]
    assert sealed is not None
    said = Said(len(state.deals), seat, sealed.elder_signs, sealed.cthulhu, made(state))
    statements = _with(state.statements, seat, sealed._replace(is_shown=True))
    turn, spoken, is_declaring = state.turn, state.spoken, state.is_declaring
    if is_declaring and state.declarations == "in_order":
        if place_in_order(state, seat) == spoken:
            turn, spoken = turn + 1, spoken + 1
            is_declaring = spoken < state.seats
    elif is_declaring and all(each is not None and each.is_shown for each in statements):
        turn, is_declaring = turn + 1, False
    return replace(
        state,
        turn=turn,
        spoken=spoken,
        is_declaring=is_declaring,
        statements=statements,
        said=(*state.said, said),
    )


def _card_revealed(state: State, event: m.CardRevealed, _at: int) -> State:
    target, place = event.target, event.place
    letter = state.deals[-1][event.card.slot]
    places = tuple([each for each in state.face_down[target] if each != place])
    return replace(
        state,
        turn=state.turn + 1,
        active=target,
        reveals=(*state.reveals, Reveal(event.seat, target, place, letter)),
        face_down=_with(state.face_down, target, places),
    )


def _round_ended(state: State, _event: m.RoundEnded, _at: int) -> State:
    return state


def _game_ended(state: State, event: m.GameEnded, _at: int) -> State:
    return replace(state, reason=event.reason, side=event.side, winners=event.winners, is_declaring=False)


def _tokens_given(state: State, event: m.TokensGiven, _at: int) -> State:
    goes_on = max(event.tokens) < ENOUGH_TOKENS
    return replace(state, tokens=event.tokens, epoch=state.epoch + goes_on)


def _seat_left(state: State, event: m.SeatLeft, _at: int) -> State:
    return replace(state, left=tuple(sorted((*state.left, event.seat))))


def _with(values: tuple[T, ...], seat: int, new: T) -> tuple[T, ...]:
    return (*values[:seat], new, *values[seat + 1 :])


_AFTER: dict[type, Callable[[State, Any, int], State]] = {
    MovePlayed: _move_played,
    m.RolesDealt: _roles_dealt,
    m.FirstActive: _first_active,
    m.CardsLaid: _cards_laid,
    m.Declared: _declared,
    m.CardRevealed: _card_revealed,
    m.RoundEnded: _round_ended,
    m.GameEnded: _game_ended,
    m.TokensGiven: _tokens_given,
    m.SeatLeft: _seat_left,
}
