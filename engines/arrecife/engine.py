"""What may happen and what follows: the decisions of Arrecife.  ``evolve`` applies them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from engines.arrecife import messages as m
from engines.arrecife.kit import KIND_OF, KIT, REVEALS, VALUES, Card, highest_value, playable
from engines.arrecife.reckoning import HEALING, Reckoning, hand_of, rammed, reckon
from engines.arrecife.state import (
    State,
    is_picking,
    is_worm_awaited,
    nearest,
    next_amulet,
    owners,
)
from engines.audience import Ref
from engines.base import Batch, Move, Outcome, Window
from engines.chance import Chance
from engines.errors import RuleViolation

ABILITIES: tuple[m.AbilityName, ...] = ("ram", "bite")
PICKS = {card: m.Pick(card=card) for card in KIT}


def start(batch: Batch[State]) -> None:
    """Place the amulet by chance, and begin the first round."""
    batch.add(m.AmuletPlaced(seat=batch.chance.below(len(batch.state.hp), "amulet")))
    _begin_round(batch)


def check(state: State, seat: int, move: Move) -> None:
    """Raise RuleViolation when ``move`` of ``seat`` is refused.

    Codes: game_over, not_your_turn, and those of the two functions below.
    """
    if state.reason is not None:
        raise RuleViolation("game_over")
    if not any(each.seat == seat for each in to_act(state)) or (
        isinstance(move, m.Ability) != is_worm_awaited(state)
    ):
        raise RuleViolation("not_your_turn")
    if isinstance(move, m.Ability):
        _check_ability(state, move)
    elif move.card not in _playable(state, seat):
        _refuse_card(state, seat, move.card)


def resolve(batch: Batch[State], _seat: int, move: Move) -> None:
    """Record what follows from a move: with the last card, the reveal; with the third reveal, the rest."""
    state = batch.state
    if isinstance(move, m.Ability) or any(state.picks[seat] is None for seat in state.players):
        return
    _reveal(batch)
    if batch.state.reveals < REVEALS:
        return
    _turn_ability(batch)
    _reckon(batch)
    _end_round(batch)


def to_act(state: State) -> tuple[Window, ...]:
    """Return the open windows: the worm's, then at each reveal those of all who have not picked.

    What a seat owes that was left is played at once (rulebook, R14).
    """
    if is_picking(state):
        picks = state.picks
        waiting = tuple(seat for seat in state.players if picks[seat] is None)
        return _windows(waiting, "pick", state.turn, state.left)
    if state.reason is None and state.worm is not None and is_worm_awaited(state):
        return _windows((state.worm,), "ability", state.turn, state.left)
    return ()


def legal_moves(state: State, seat: int) -> Sequence[Move]:
    """Return every legal move in canonical order: cards as in the kit; abilities by target, ram first."""
    if not any(each.seat == seat for each in to_act(state)):
        return ()
    if is_worm_awaited(state):
        return _abilities(state.alive)
    return _picks(_playable(state, seat))


def default_move(state: State, seat: int, chance: Chance) -> Move:
    """Return what the table plays for ``seat``: any of its legal moves, each equally likely."""
    legal = legal_moves(state, seat)
    return legal[chance.below(len(legal), "leaver" if seat in state.left else "time_out")]


def abandon(batch: Batch[State], seat: int, reason: str) -> None:
    """Record that ``seat`` is left for good; it plays on by chance unless that decides the game.

    Source: rulebook, R14.
    """
    batch.add(m.SeatLeft(seat=seat, reason=reason))
    if len(owners(batch.state)) <= 1:
        _end(batch, "others_left", tuple(owners(batch.state)))


def outcome(state: State) -> Outcome | None:
    """Return how the game ended, with the hp as scores; None while it runs."""
    if state.reason is None:
        return None
    return Outcome(winners=state.winners, places=state.places, scores=state.hp, reason=state.reason)


@lru_cache(maxsize=1 << 14)
def _windows(seats: tuple[int, ...], kind: str, turn: int, left: tuple[int, ...]) -> tuple[Window, ...]:
    return tuple(Window(seat=seat, kinds=(kind,), since=turn, at_once=seat in left) for seat in seats)


@lru_cache(maxsize=1 << 8)
def _abilities(alive: tuple[int, ...]) -> tuple[m.Ability, ...]:
    return tuple(m.Ability(ability=ability, target=target) for target in alive for ability in ABILITIES)


@lru_cache(maxsize=1 << 8)
def _picks(cards: tuple[Card, ...]) -> tuple[m.Pick, ...]:
    return tuple(PICKS[card] for card in cards)


def _playable(state: State, seat: int) -> tuple[Card, ...]:
    is_fixed = state.options.card_order == "fixed"
    return playable(state.shown[seat], highest_value(len(state.alive)), is_fixed=is_fixed)


def _check_ability(state: State, move: m.Ability) -> None:
    """Codes: no_such_ability, no_such_seat, target_not_alive."""
    if move.ability not in ABILITIES:
        raise RuleViolation("no_such_ability")
    if not 0 <= move.target < len(state.hp):
        raise RuleViolation("no_such_seat", seats=len(state.hp))
    if move.target not in state.alive:
        raise RuleViolation("target_not_alive", target=move.target)


def _refuse_card(state: State, seat: int, card: Card) -> None:
    """Codes: no_such_card, value_too_high, wrong_kind, kind_already_shown."""
    if card not in KIT:
        raise RuleViolation("no_such_card")
    highest = highest_value(len(state.alive))
    if card in VALUES and int(card) > highest:
        raise RuleViolation("value_too_high", card=card, highest=highest)
    if state.options.card_order == "fixed":
        raise RuleViolation("wrong_kind", card=card, reveal=state.reveals + 1)
    shown = next(each for each in state.shown[seat] if KIND_OF[each] == KIND_OF[card])
    raise RuleViolation("kind_already_shown", card=card, shown=shown)


def _begin_round(batch: Batch[State]) -> None:
    """Move the amulet; with two alive begin the final duel, in which the worm plays too."""
    state = batch.state
    players = state.alive
    if len(state.alive) == 2 and state.worm is not None:
        players = tuple(sorted((*state.alive, state.worm)))
        if not state.is_duel:
            batch.add(m.DuelBegan(worm=state.worm, duellists=state.alive))
    batch.add(
        m.RoundBegan(
            round=state.round + 1,
            amulet=next_amulet(state),
            players=players,
            highest_value=highest_value(len(state.alive)),
        )
    )


def _reveal(batch: Batch[State]) -> None:
    state = batch.state
    refs = tuple(Ref[m.Pick](pick.seq, 0) for pick in state.picks if pick)
    batch.add(m.CardsRevealed(reveal=state.reveals + 1, seats=state.players, cards=refs))


def _turn_ability(batch: Batch[State]) -> None:
    """Turn the worm's card, if there is one; a bite is taken before anything else (rulebook, R5)."""
    state, laid = batch.state, batch.state.laid
    if laid is None or state.worm is None:
        return
    bite = min(state.options.bite_damage, state.hp[laid.target]) if laid.ability == "bite" else 0
    ref = Ref[m.Ability](laid.seq, 0)
    batch.add(m.AbilityTurned(worm=state.worm, target=laid.target, ability=ref, hp_lost=bite))


def _reckon(batch: Batch[State]) -> None:
    """Source: rulebook, R5 (a ram comes before everything that is read from the teams)."""
    state = batch.state
    hands = {seat: hand_of(state.shown[seat]) for seat in state.players}
    if state.laid is not None and state.laid.ability == "ram":
        hands[state.laid.target] = rammed(hands[state.laid.target], state.options.ram_effect)
    reckoned = reckon(hands, amulet=state.amulet, worm=state.worm)
    batch.add(
        m.RoundResolved(
            round=state.round,
            worth=tuple(hands[seat].worth if seat in hands else 0 for seat in range(len(state.hp))),
            hands=len(hands),
            hp=_hp_after(state, reckoned),
            **reckoned._asdict(),
        )
    )


def _hp_after(state: State, reckoned: Reckoning) -> tuple[int, ...]:
    hp = list(state.hp)
    for seat in reckoned.struck:
        hp[seat] = max(0, hp[seat] - reckoned.damage)
    for seat in reckoned.healed:
        hp[seat] = min(state.options.starting_hp, hp[seat] + HEALING)
    return tuple(hp)


def _end_round(batch: Batch[State]) -> None:
    """Let all fall who have no hp left; end the game, or raise the worm and begin the next round.

    Source: rulebook, R6 (the nearest to the amulet), R8 (a worm acts from the next round on), R10, R11.
    """
    state = batch.state
    fallen = [seat for seat in state.alive if state.hp[seat] == 0]
    for seat in fallen:
        batch.add(m.SeatFell(seat=seat))
    alive, owned = batch.state.alive, owners(batch.state)
    if not alive:
        _end(batch, "sea", ())
    elif not owned:
        _end(batch, "only_leavers", ())
    elif len(owned) == 1:
        _end(batch, "last_alive" if len(alive) == 1 else "others_left", tuple(owned))
    elif state.round == state.options.max_rounds:
        most = max(state.hp[seat] for seat in owned)
        _end(batch, "max_rounds", tuple(seat for seat in owned if state.hp[seat] == most))
    else:
        if fallen:
            batch.add(m.WormRose(seat=nearest(state, fallen, state.amulet)))
        _begin_round(batch)


def _end(batch: Batch[State], reason: str, winners: tuple[int, ...]) -> None:
    batch.add(m.GameEnded(winners=winners, reason=reason, places=_places(batch.state, winners)))


def _places(state: State, winners: tuple[int, ...]) -> tuple[int, ...]:
    """Return the standing: winners, then who is alive, by hp, then by the round of fall or leaving."""
    owned = owners(state)
    ranks = [
        (seat in winners, seat in owned, state.hp[seat] if seat in owned else 0, state.out_at[seat])
        for seat in range(len(state.hp))
    ]
    return tuple(1 + sum(other > mine for other in ranks) for mine in ranks)
