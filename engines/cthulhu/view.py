"""What a seat, or a spectator, may know of a game of Don't Mess with Cthulhu."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from engines.audience import About
from engines.base import Seat
from engines.cthulhu.messages import ENDINGS, Counts, Declarations, Evil, Place, Round, Side, Signs
from engines.cthulhu.setup import CTHULHU, FUTILE, KIND_OF, SETUPS, SIGN, Kind, Role
from engines.cthulhu.state import Played, Said, State, Statement, cards_each, counts_in, made, present

Phase = Literal["declaring", "investigating", "over"]
Told = Literal["nothing", "sealed", "shown", "silence"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RevealView:
    """A card that lies face up."""

    seat: Annotated[int, About("The seat that investigated.", ge=0)]
    target: Annotated[int, About("The seat before which the card lay.", ge=0)]
    place: Place
    kind: Annotated[Kind, About("What the card shows.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclarationView:
    """What a seat has declared for all to know, truly or not."""

    seat: Seat
    elder_signs: Annotated[Signs | None, About("How many elder signs it says; null is silence.")]
    cthulhu: Annotated[Evil | None, About("How many Cthulhu it says; null is silence.")]
    after: Annotated[int, About("How many investigations the round had seen by then.", ge=0)]


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundView:
    """One round, as far as it has come."""

    round: Round
    starter: Annotated[int, About("The seat that was active as the round began.", ge=0)]
    cards: Annotated[int, About("How many cards were dealt to each seat.", ge=2, le=5)]
    declarations: Annotated[tuple[DeclarationView, ...], About("The declarations shown, the oldest first.")]
    reveals: Annotated[tuple[RevealView, ...], About("The cards revealed, the oldest first.")]
    dealt: Annotated[
        tuple[Counts | None, ...],
        About("By seat, what was dealt: your own, or all when the game is over; else null."),
    ]
    places: Annotated[
        tuple[tuple[Kind, ...], ...] | None,
        About("By seat, then by place, what lay where; null until the game is over."),
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class StatementView:
    """What a seat says in this round of its cards."""

    elder_signs: Annotated[Signs | None, About("How many elder signs it says; null is silence.")]
    cthulhu: Annotated[Evil | None, About("How many Cthulhu it says; null is silence.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatView:
    """A seat as the viewer knows it."""

    seat: Seat
    has_left: Annotated[bool, About("Whether the table plays the seat for good.")]
    face_down: Annotated[tuple[Place, ...], About("The places before it that may be investigated.")]
    role: Annotated[Role | None, About("Your own, or any when the game is over; else null.")]
    dealt: Annotated[
        Counts | None, About("What was dealt to it this round: your own, or any after the end; else null.")
    ]
    remaining: Annotated[
        Counts | None, About("What of it still lies face down: your own, or any after the end; else null.")
    ]
    told: Annotated[
        Told,
        About("Its declaration this round: nothing yet, sealed until its place comes, shown, or silence."),
    ]
    statement: Annotated[
        StatementView | None,
        About("What it declares this round; null before, and while it is sealed, but for your own."),
    ]
    tokens: Annotated[int, About("Its insanity tokens in a series.", ge=0, le=3)]


@dataclass(frozen=True, slots=True, kw_only=True)
class GameView:
    """A game of the series that is over."""

    roles: Annotated[tuple[Role, ...], About("The role of each seat.")]
    left_over: Annotated[tuple[Role, ...], About("The role tokens that nobody had.")]
    rounds: Annotated[tuple[RoundView, ...], About("All that happened, the first round first.")]
    reason: Annotated[str, About("How it ended.", known=ENDINGS)]
    side: Annotated[Side | None, About("The side that won; null when all lost.")]
    winners: Annotated[tuple[int, ...], About("The seats that won; all others got an insanity token.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """A game as one viewer knows it."""

    viewer: Annotated[Seat | None, About("The seat whose view this is; null for a spectator.")]
    declarations: Annotated[Declarations, About("The table's option.")]
    is_series: Annotated[bool, About("The table's option.")]
    turn: Annotated[int, About("The decision point now open, from 1.", ge=1)]
    game: Annotated[int, About("Which game of the series this is, from 1.", ge=1)]
    round: Annotated[int, About("The round, from 1.", ge=1, le=4)]
    phase: Annotated[Phase, About("Whether the first round is being declared, or cards are investigated.")]
    active: Annotated[
        Seat | None, About("The active seat, which investigates next; null when the game is over.")
    ]
    investigations: Annotated[int, About("How many this round has seen; it ends with one a seat.", ge=0)]
    pool: Annotated[tuple[Role, ...], About("The role tokens that were mixed; some may be left over.")]
    left_over: Annotated[
        tuple[Role, ...] | None, About("The role tokens that nobody has; null until the game is over.")
    ]
    deck: Annotated[Counts, About("All cards of the game, by kind.")]
    revealed: Annotated[Counts, About("The cards revealed so far, by kind.")]
    seats: Annotated[tuple[SeatView, ...], About("The seats, by number.")]
    rounds: Annotated[tuple[RoundView, ...], About("The rounds so far, the present one last.")]
    reason: Annotated[str | None, About("How this game ended; null while it runs.", known=ENDINGS)]
    side: Annotated[Side | None, About("The side that has won; null while nobody has.")]
    winners: Annotated[tuple[int, ...], About("The seats that have won this game.")]
    past: Annotated[tuple[GameView, ...], About("The games of the series before this one, oldest first.")]
    is_over: Annotated[bool, About("Whether the game, or the series, is over.")]


def view(state: State, viewer: int | None) -> View:
    """Return what ``viewer`` may know; None is a spectator."""
    is_over = state.reason is not None
    setup = SETUPS[state.seats]
    shown = "".join([each.letter for each in state.reveals])
    return View(
        viewer=viewer,
        declarations=state.declarations,
        is_series=state.is_series,
        turn=state.turn,
        game=len(state.past) + 1,
        round=len(state.deals),
        phase="over" if is_over else "declaring" if state.is_declaring else "investigating",
        active=None if is_over else state.active,
        investigations=made(state),
        pool=setup.pool,
        left_over=state.roles[state.seats :] if is_over else None,
        deck=Counts(futile=setup.futile, elder_signs=setup.elder_signs, cthulhu=setup.cthulhu),
        revealed=counts_in(shown, 0, len(shown)),
        seats=tuple([_seat(state, seat, viewer, is_over=is_over) for seat in range(state.seats)]),
        rounds=_rounds(present(state), state.seats, viewer),
        reason=state.reason,
        side=state.side,
        winners=state.winners,
        past=tuple([_game(each, state.seats) for each in state.past]),
        is_over=is_over,
    )


def _seat(state: State, seat: int, viewer: int | None, *, is_over: bool) -> SeatView:
    sees_all = is_over or seat == viewer
    dealt = _counts(state, seat) if sees_all else None
    statement = state.statements[seat]
    is_told = statement is not None and (sees_all or statement.is_shown)
    return SeatView(
        seat=seat,
        has_left=seat in state.left,
        face_down=state.face_down[seat],
        role=state.roles[seat] if sees_all else None,
        dealt=dealt,
        remaining=_remaining(state, seat, dealt) if dealt else None,
        told=_told(statement),
        statement=StatementView(elder_signs=statement.elder_signs, cthulhu=statement.cthulhu)
        if statement and is_told and not statement.is_silence
        else None,
        tokens=state.tokens[seat],
    )


def _told(statement: Statement | None) -> Told:
    if statement is None:
        return "nothing"
    if not statement.is_shown:
        return "sealed"
    return "silence" if statement.is_silence else "shown"


def _counts(state: State, seat: int) -> Counts:
    return counts_in(state.deals[-1], seat, cards_each(len(state.deals)))


def _remaining(state: State, seat: int, dealt: Counts) -> Counts:
    """Return what was dealt less what has been revealed of it, never what lies where."""
    this_round = state.reveals[(len(state.deals) - 1) * state.seats :]
    shown = [each.letter for each in this_round if each.target == seat]
    return Counts(
        futile=dealt.futile - shown.count(FUTILE),
        elder_signs=dealt.elder_signs - shown.count(SIGN),
        cthulhu=dealt.cthulhu - shown.count(CTHULHU),
    )


def _rounds(played: Played, seats: int, viewer: int | None) -> tuple[RoundView, ...]:
    return tuple([_round(played, number, seats, viewer) for number in range(len(played.deals))])


def _round(played: Played, number: int, seats: int, viewer: int | None) -> RoundView:
    """Return round ``number``, counted from 0."""
    is_over = played.reason is not None
    deal, each = played.deals[number], cards_each(number + 1)
    lying = (tuple(KIND_OF[letter] for letter in deal[seat * each :][:each]) for seat in range(seats))
    return RoundView(
        round=number + 1,
        starter=played.starters[number],
        cards=each,
        declarations=tuple([_declaration(said) for said in played.said if said.round == number + 1]),
        reveals=tuple(
            [
                RevealView(seat=by, target=target, place=place, kind=KIND_OF[letter])
                for by, target, place, letter in played.reveals[number * seats :][:seats]
            ]
        ),
        dealt=tuple(
            [counts_in(deal, seat, each) if is_over or seat == viewer else None for seat in range(seats)]
        ),
        places=tuple(lying) if is_over else None,
    )


def _declaration(said: Said) -> DeclarationView:
    return DeclarationView(
        seat=said.seat, elder_signs=said.elder_signs, cthulhu=said.cthulhu, after=said.after
    )


def _game(played: Played, seats: int) -> GameView:
    return GameView(
        roles=played.roles[:seats],
        left_over=played.roles[seats:],
        rounds=_rounds(played, seats, None),
        reason=played.reason or "",
        side=played.side,
        winners=played.winners,
    )
