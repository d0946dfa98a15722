"""The next state after each event.  Total: a recorded fact is never refused, and nothing is drawn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

from engines.arrecife import messages as m
from engines.arrecife.state import Laid, PastRound, Sealed, State
from engines.base import MovePlayed

T = TypeVar("T")


def evolve(state: State, event: Any, position: int) -> State:
    """Return the state after ``event``, recorded at ``position``."""
    return _AFTER[type(event)](state, event, position)


def _move_played(state: State, event: MovePlayed, position: int) -> State:
    move = event.move
    if isinstance(move, m.Pick):
        pick = Sealed(position, move.card, event.by_table)
        return replace(state, picks=_with(state.picks, event.seat, pick))
    laid = Laid(position, move.ability, move.target, event.by_table)
    return replace(state, laid=laid, turn=state.turn + 1)


def _amulet_placed(state: State, event: m.AmuletPlaced, _at: int) -> State:
    return replace(state, amulet=event.seat)


def _duel_began(state: State, _event: m.DuelBegan, _at: int) -> State:
    return replace(state, is_duel=True)


def _round_began(state: State, event: m.RoundBegan, _at: int) -> State:
    return replace(
        state,
        round=event.round,
        reveals=0,
        players=event.players,
        amulet=event.amulet,
        laid=None,
        shown=("",) * len(state.shown),
    )


def _cards_revealed(state: State, _event: m.CardsRevealed, _at: int) -> State:
    shown = tuple(
        cards + pick.card if pick else cards for cards, pick in zip(state.shown, state.picks, strict=True)
    )
    return replace(
        state,
        turn=state.turn + 1,
        reveals=state.reveals + 1,
        picks=(None,) * len(state.picks),
        shown=shown,
    )


def _ability_turned(state: State, event: m.AbilityTurned, _at: int) -> State:
    assert state.laid is not None
    hp = _with(state.hp, event.target, state.hp[event.target] - event.hp_lost)
    return replace(state, hp=hp, laid=state.laid._replace(is_turned=True))


def _round_resolved(state: State, event: m.RoundResolved, _at: int) -> State:
    over = PastRound(
        amulet=state.amulet,
        cards=state.shown,
        ability=state.laid.ability if state.laid else None,
        target=state.laid.target if state.laid else None,
        majority=event.majority,
        minority=event.minority,
        majority_sum=event.majority_sum,
        minority_sum=event.minority_sum,
        verdict=event.verdict,
        struck=event.struck,
        healed=event.healed,
        hp=event.hp,
    )
    return replace(state, hp=event.hp, history=(*state.history, over))


def _seat_fell(state: State, event: m.SeatFell, _at: int) -> State:
    alive = tuple(seat for seat in state.alive if seat != event.seat)
    return replace(state, alive=alive, out_at=_out(state, event.seat))


def _worm_rose(state: State, event: m.WormRose, _at: int) -> State:
    return replace(state, worm=event.seat)


def _seat_left(state: State, event: m.SeatLeft, _at: int) -> State:
    return replace(state, left=tuple(sorted((*state.left, event.seat))), out_at=_out(state, event.seat))


def _game_ended(state: State, event: m.GameEnded, _at: int) -> State:
    return replace(state, winners=event.winners, places=event.places, reason=event.reason)


def _out(state: State, seat: int) -> tuple[int, ...]:
    """Return ``out_at`` with ``seat`` out in this round, if it was not out before.

    Source: rulebook, R14 (who leaves alive ranks as if it fell then).
    """
    return state.out_at if state.out_at[seat] else _with(state.out_at, seat, state.round)


def _with(values: tuple[T, ...], seat: int, new: T) -> tuple[T, ...]:
    return (*values[:seat], new, *values[seat + 1 :])


_AFTER: dict[type, Callable[[State, Any, int], State]] = {
    MovePlayed: _move_played,
    m.AmuletPlaced: _amulet_placed,
    m.DuelBegan: _duel_began,
    m.RoundBegan: _round_began,
    m.CardsRevealed: _cards_revealed,
    m.AbilityTurned: _ability_turned,
    m.RoundResolved: _round_resolved,
    m.SeatFell: _seat_fell,
    m.WormRose: _worm_rose,
    m.SeatLeft: _seat_left,
    m.GameEnded: _game_ended,
}
