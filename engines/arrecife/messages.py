"""Moves and events of Arrecife: frozen records without behaviour.

What a player lays in secret is sealed in its move, and opened by the event that reveals it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from engines.arrecife.kit import Card
from engines.audience import OPENED, PUBLIC, SEALED, About, Ref
from engines.base import Seat

AbilityName = Literal["ram", "bite"]
CardOrder = Literal["free", "fixed"]
RamEffect = Literal["switch_team", "flip_sign"]
Talk = Literal["silent", "open"]

Seats = tuple[int, ...]
Round = Annotated[int, About("The round, from 1.", ge=1)]
Amulet = Annotated[int, About("The seat before which the amulet lies.", ge=0)]

LEAVING = ("resigned", "removed", "timeout")
ENDINGS = ("last_alive", "sea", "max_rounds", "others_left", "only_leavers")
SETTLING = ("size", "amulet_tie", "amulet_alone")
VERDICTS = ("healing", "above", "below", "inverted")


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What the players of a table agree on before the game."""

    starting_hp: Annotated[
        int, About("The hp that everybody starts with; nobody heals above it.", ge=10, le=60)
    ] = 30
    card_order: Annotated[
        CardOrder,
        About("The order of the three kinds of card: free, each as it likes; fixed, team, value, sign."),
    ] = "free"
    ram_effect: Annotated[
        RamEffect,
        About("What a ram does: switch_team counts the target in the other team, flip_sign turns its sign."),
    ] = "switch_team"
    bite_damage: Annotated[int, About("The hp that a bite costs its target.", ge=1, le=5)] = 2
    max_rounds: Annotated[int, About("The round after which the game ends.", ge=10, le=200)] = 60
    talk: Annotated[
        Talk, About("Whether players may talk at the table: silent, not before the end; open, always.")
    ] = "silent"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pick:
    """Move: lay a card face down for the next reveal; it is final."""

    card: Annotated[Card, SEALED, About("A team (A, B), a value (1 to 5) or a sign (+, -).")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ability:
    """Move: the worm lays an ability face down before a living player; it is final."""

    ability: Annotated[AbilityName, SEALED, About("What it does when it is turned: ram or bite.")]
    target: Annotated[Seat, PUBLIC]


@dataclass(frozen=True, slots=True, kw_only=True)
class AmuletPlaced:
    """Event: chance has placed the amulet before a seat."""

    seat: Annotated[int, PUBLIC, About("The seat before which the amulet lies.", ge=0)]


@dataclass(frozen=True, slots=True, kw_only=True)
class DuelBegan:
    """Event: two are alive; the worm is back with a full kit until the end."""

    worm: Annotated[int, PUBLIC, About("The seat that plays without life.", ge=0)]
    duellists: Annotated[Seats, PUBLIC, About("The two seats alive, ascending.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundBegan:
    """Event: a round begins; the table is clear and the amulet lies in its new place."""

    round: Annotated[Round, PUBLIC]
    amulet: Annotated[Amulet, PUBLIC]
    players: Annotated[Seats, PUBLIC, About("The seats that play cards, ascending.")]
    highest_value: Annotated[int, PUBLIC, About("The highest value that may be played.", ge=4, le=5)]


@dataclass(frozen=True, slots=True, kw_only=True)
class CardsRevealed:
    """Event: all have picked, and the cards lie open until the round ends."""

    reveal: Annotated[int, PUBLIC, About("Which of the three reveals of the round.", ge=1, le=3)]
    seats: Annotated[Seats, PUBLIC, About("The seats that have picked, ascending.")]
    cards: Annotated[tuple[Ref[Pick], ...], OPENED, About("Their cards, in the same order.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class AbilityTurned:
    """Event: the worm's card lies open, and a bite has been taken."""

    worm: Annotated[int, PUBLIC, About("The seat that had laid it.", ge=0)]
    target: Annotated[Seat, PUBLIC]
    ability: Annotated[Ref[Ability], OPENED, About("The sealed ability.")]
    hp_lost: Annotated[int, PUBLIC, About("The hp that a bite took from the target; 0 for a ram.", ge=0)]


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundResolved:
    """Event: the round is reckoned; each field follows from those before it."""

    round: Annotated[Round, PUBLIC]
    worth: Annotated[
        Seats, PUBLIC, About("Value times sign by seat, as it counts after a ram; 0 for who does not play.")
    ]
    majority: Annotated[Seats, PUBLIC, About("The seats of the majority, ascending.")]
    minority: Annotated[Seats, PUBLIC, About("The seats of the minority, ascending.")]
    settled_by: Annotated[
        str,
        PUBLIC,
        About(
            "How they were settled: by size; amulet_tie, equal sizes, the amulet's team is the majority; "
            "amulet_alone, all in one team, the amulet's holder is the minority.",
            known=SETTLING,
        ),
    ]
    majority_sum: Annotated[int, PUBLIC, About("The absolute sum of the majority.", ge=0)]
    minority_sum: Annotated[int, PUBLIC, About("The absolute sum of the minority.", ge=0)]
    hands: Annotated[int, PUBLIC, About("How many play: the number that the majority's sum is held to.")]
    verdict: Annotated[
        str,
        PUBLIC,
        About(
            "healing: the majority's sum is 0, the minority regains hp; above: it is above the number of "
            "hands, the majority is struck; below: it is not, the minority is struck; inverted: the "
            "minority's sum is the greater one, the majority is struck all the same.",
            known=VERDICTS,
        ),
    ]
    damage: Annotated[int, PUBLIC, About("What each seat struck loses: the majority's sum.", ge=0)]
    is_rebound: Annotated[
        bool, PUBLIC, About("Whether the worm alone was to be struck, so that the living are.")
    ]
    struck: Annotated[Seats, PUBLIC, About("The living seats that are struck, ascending.")]
    healed: Annotated[Seats, PUBLIC, About("The living seats that regain hp, ascending.")]
    hp: Annotated[Seats, PUBLIC, About("The hp of each seat afterwards.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatFell:
    """Event: a seat has no hp left, and lays its kit down."""

    seat: Annotated[Seat, PUBLIC]


@dataclass(frozen=True, slots=True, kw_only=True)
class WormRose:
    """Event: a seat that has just fallen is the worm; whoever was it before is out of the game."""

    seat: Annotated[Seat, PUBLIC]


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatLeft:
    """Event: a seat is left for good; the table plays it from now on, and it cannot win."""

    seat: Annotated[Seat, PUBLIC]
    reason: Annotated[str, PUBLIC, About("Why: it resigned, was removed, or ran out of time.", known=LEAVING)]


@dataclass(frozen=True, slots=True, kw_only=True)
class GameEnded:
    """Event: the game is over, and nothing in it is hidden any more."""

    winners: Annotated[Seats, PUBLIC, About("The seats that have won, ascending; nobody, for some endings.")]
    reason: Annotated[
        str,
        PUBLIC,
        About(
            "How: one is alive (last_alive), nobody is (sea), the last round is over (max_rounds), all "
            "others alive have left (others_left), or only seats that were left are alive (only_leavers).",
            known=ENDINGS,
        ),
    ]
    places: Annotated[tuple[int, ...], PUBLIC, About("The place of each seat, equal ones shared.")]


MOVES: tuple[type, ...] = (Pick, Ability)
EVENTS: tuple[type, ...] = (
    AmuletPlaced,
    DuelBegan,
    RoundBegan,
    CardsRevealed,
    AbilityTurned,
    RoundResolved,
    SeatFell,
    WormRose,
    SeatLeft,
    GameEnded,
)
