"""What may happen and what follows: the decisions of the game.  ``evolve`` applies them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from engines.audience import Item, Ref
from engines.base import Batch, Move, Outcome, Window
from engines.chance import Chance
from engines.cthulhu import messages as m
from engines.cthulhu.setup import (
    CTHULHU,
    ENOUGH_TOKENS,
    FIRST_DEAL,
    FUTILE,
    KIND_OF,
    ROUNDS,
    SETUPS,
    SIGN,
    Role,
)
from engines.cthulhu.state import State, cards_each, counts_in, may_declare, place_in_order
from engines.errors import RuleViolation

INVESTIGATE = ("investigate",)
DECLARE = ("declare",)
SILENCE = m.Declare(elder_signs=None, cthulhu=None)

INVESTIGATIONS = tuple(
    tuple(m.Investigate(target=target, place=place) for place in range(FIRST_DEAL)) for target in range(6)
)


def start(batch: Batch[State]) -> None:
    """Deal the roles, name the first active seat and lay the cards of round 1."""
    seats = batch.state.seats
    pool = SETUPS[seats].pool
    order = batch.chance.shuffle(len(pool), "roles")
    tokens = (_token(slot if slot < seats else None, pool[each]) for slot, each in enumerate(order))
    batch.add(m.RolesDealt(tokens=tuple(tokens)))
    batch.add(m.FirstActive(seat=batch.chance.below(seats, "first")))
    _lay(batch, SETUPS[seats].deck)


def check(state: State, seat: int, move: Move) -> None:
    """Raise RuleViolation when ``move`` of ``seat`` is refused.

    Codes: game_over, not_your_turn, no_such_seat, own_card, no_such_place, already_revealed,
    nothing_declared, no_such_declaration.
    """
    if state.reason is not None:
        raise RuleViolation("game_over")
    if isinstance(move, m.Declare):
        _check_declaration(state, seat, move)
    else:
        _check_investigation(state, seat, move)


def resolve(batch: Batch[State], seat: int, move: Move) -> None:
    """Record what follows from ``move`` of ``seat``: what is shown, the end, the next round."""
    state = batch.state
    if isinstance(move, m.Declare):
        has_place = not state.is_declaring or state.declarations == "any_order"
        if has_place or place_in_order(state, seat) <= state.spoken:
            _show(batch, seat)
            _show_next(batch)
        return
    slot = move.target * cards_each(len(state.deals)) + move.place
    card = Ref[m.Card](state.laid_at, slot)
    batch.add(m.CardRevealed(seat=seat, target=move.target, place=move.place, card=card))
    if (reason := _ending(batch.state)) is not None:
        _end(batch, reason)
    elif len(batch.state.reveals) == state.seats * len(state.deals):
        batch.add(m.RoundEnded(round=len(state.deals)))
        if len(state.deals) == ROUNDS:
            _end(batch, "rounds_over")
        else:
            _lay(batch, _face_down(batch.state))


def to_act(state: State) -> tuple[Window, ...]:
    """Return the open windows: who declares in round 1, or investigates; declarations at any moment.

    All declarations of a round have one window a seat, open since the round began, so that one
    may be sent ahead of its place.  A seat left for good is played at once.
    """
    if state.reason is not None:
        return ()
    windows = []
    if not state.is_declaring:
        at_once = state.active in state.left
        windows.append(Window(seat=state.active, kinds=INVESTIGATE, since=state.turn, at_once=at_once))
    if state.declarations != "none":
        speaker = (state.active + state.spoken) % state.seats
        for seat, said in enumerate(state.statements):
            if state.is_declaring and said is None and (speaker == seat or state.declarations == "any_order"):
                windows.append(_declaring(seat, state.since, True, seat in state.left, False))
            elif seat not in state.left:
                is_answered = said is not None and not (said.is_shown and said.is_silence)
                windows.append(_declaring(seat, state.since, False, False, is_answered))
    return tuple(windows)


def legal_moves(state: State, seat: int) -> Sequence[Move]:
    """Return every legal move in canonical order: investigations, then declarations."""
    if state.reason is not None or seat in state.left:
        return ()
    moves: list[Move] = []
    if not state.is_declaring and state.active == seat:
        moves = _investigations(state)
    if may_declare(state, seat):
        moves += _declarations(cards_each(len(state.deals)))
    return moves


def default_move(state: State, seat: int, chance: Chance) -> Move | None:
    """Return what the table plays for an awaited seat: silence, or an investigation drawn from all."""
    assert seat == state.active or state.is_declaring
    if state.is_declaring:
        return SILENCE
    legal = _investigations(state)
    return legal[chance.below(len(legal), "time_out")]


def abandon(batch: Batch[State], seat: int, reason: str) -> None:
    """Record that ``seat`` is left for good; the table plays it from now on.

    A declaration that it sent ahead stands.  Its role stays secret to the end.
    """
    batch.add(m.SeatLeft(seat=seat, reason=reason))


def epoch(state: State) -> int:
    """Return how many games of the series are over that another one follows."""
    return state.epoch


def outcome(state: State) -> Outcome | None:
    """Return how the game, or the series, ended; None while it runs."""
    if state.reason is None:
        return None
    if not state.is_series:
        first = 1 + len(state.winners) if state.winners else 1
        places = tuple(1 if seat in state.winners else first for seat in range(state.seats))
        return Outcome(winners=state.winners, places=places, scores=None, reason=state.reason)
    if max(state.tokens) < ENOUGH_TOKENS:
        return None
    worth = [(seat in state.left, state.tokens[seat]) for seat in range(state.seats)]
    places = tuple(1 + sum(other < mine for other in worth) for mine in worth)
    winners = tuple(seat for seat in range(state.seats) if places[seat] == 1 and seat not in state.left)
    return Outcome(winners=winners, places=places, scores=None, reason=m.SERIES_OVER)


def _check_declaration(state: State, seat: int, move: m.Declare) -> None:
    if not may_declare(state, seat):
        raise RuleViolation("not_your_turn")
    most = cards_each(len(state.deals))
    if move.elder_signs is None or move.cthulhu is None:
        raise RuleViolation("nothing_declared", most=most)
    if move.elder_signs < 0 or move.cthulhu not in (0, 1) or move.elder_signs + move.cthulhu > most:
        raise RuleViolation("no_such_declaration", most=most)


def _check_investigation(state: State, seat: int, move: m.Investigate) -> None:
    if state.is_declaring or seat != state.active:
        raise RuleViolation("not_your_turn")
    if not 0 <= move.target < state.seats:
        raise RuleViolation("no_such_seat", seats=state.seats)
    if move.target == seat:
        raise RuleViolation("own_card")
    dealt = cards_each(len(state.deals))
    if not 0 <= move.place < dealt:
        raise RuleViolation("no_such_place", cards=dealt)
    if move.place not in state.face_down[move.target]:
        raise RuleViolation("already_revealed", place=move.place)


def _investigations(state: State) -> list[Move]:
    """Return what the active seat may investigate, by seat, then by place."""
    return [
        INVESTIGATIONS[target][place]
        for target, places in enumerate(state.face_down)
        if target != state.active
        for place in places
    ]


@cache
def _declarations(most: int) -> tuple[m.Declare, ...]:
    """Return every declaration of at most ``most`` cards, those without Cthulhu first."""
    return tuple(
        m.Declare(elder_signs=signs, cthulhu=cthulhu)
        for cthulhu in (0, 1)
        for signs in range(most + 1 - cthulhu)
    )


@cache
def _declaring(seat: int, since: int, awaited: bool, at_once: bool, answered: bool) -> Window:
    return Window(seat=seat, kinds=DECLARE, since=since, awaited=awaited, at_once=at_once, answered=answered)


def _show(batch: Batch[State], seat: int) -> None:
    sealed = batch.state.statements[seat]
    assert sealed is not None
    batch.add(m.Declared(seat=seat, declaration=Ref[m.Declare](sealed.seq, 0)))


def _show_next(batch: Batch[State]) -> None:
    """Show the declarations that were sent ahead and whose place has come.

    Source: rulebook, R1.
    """
    while batch.state.is_declaring and batch.state.declarations == "in_order":
        seat = (batch.state.active + batch.state.spoken) % batch.state.seats
        if batch.state.statements[seat] is None:
            return
        _show(batch, seat)


def _ending(state: State) -> str | None:
    """Return why the game is over after a reveal, before the rounds are counted."""
    letter = state.reveals[-1].letter
    if letter == CTHULHU:
        return "cthulhu_revealed"
    if letter == SIGN and sum(each.letter == SIGN for each in state.reveals) == state.seats:
        return "signs_found"
    return None


def _end(batch: Batch[State], reason: str) -> None:
    """Record who has won, and the tokens of a series.

    Source: rulebook, R3 (nobody wins without cultists) and R4 (a seat left gets a token).
    """
    state = batch.state
    roles = state.roles[: state.seats]
    side: m.Side | None = "investigators" if reason == "signs_found" else "cultists"
    won = {seat for seat, role in enumerate(roles) if f"{role}s" == side}
    if not won:
        side = None
    winners = tuple(sorted(won - set(state.left)))
    batch.add(m.GameEnded(reason=reason, side=side, winners=winners))
    if state.is_series:
        losers = tuple(seat for seat in range(state.seats) if seat not in winners)
        tokens = tuple(each + (seat in losers) for seat, each in enumerate(state.tokens))
        batch.add(m.TokensGiven(seats=losers, tokens=tokens))


def _face_down(state: State) -> str:
    """Return the cards that lie face down, in canonical order."""
    shown = [each.letter for each in state.reveals]
    deck = SETUPS[state.seats].deck
    return "".join(letter * (deck.count(letter) - shown.count(letter)) for letter in (FUTILE, SIGN, CTHULHU))


def _lay(batch: Batch[State], cards: str) -> None:
    """Record a deal of ``cards``, which are in canonical order; slot i holds cards[order[i]]."""
    seats = batch.state.seats
    each = len(cards) // seats
    deal = "".join([cards[index] for index in batch.chance.shuffle(len(cards), "cards")])
    batch.add(
        m.CardsLaid(
            round=len(batch.state.deals) + 1,
            cards=tuple([_card(slot // each, slot % each, letter) for slot, letter in enumerate(deal)]),
            counts=tuple([Item(seat, counts_in(deal, seat, each)) for seat in range(seats)]),
        )
    )


@cache
def _card(seat: int, place: int, letter: str) -> Item[m.Card]:
    return Item(None, m.Card(seat=seat, place=place, kind=KIND_OF[letter]))


@cache
def _token(seat: int | None, role: Role) -> Item[m.Token]:
    return Item(seat, m.Token(role=role))
