"""What lies in the box for each number of seats, and the letters in which a deal is kept."""

from __future__ import annotations

from typing import Literal, NamedTuple

Kind = Literal["futile", "elder_sign", "cthulhu"]
Role = Literal["investigator", "cultist"]

ROUNDS = 4
FIRST_DEAL = 5
"""The cards before each seat in round 1; one fewer in each round that follows."""
ENOUGH_TOKENS = 3

INVESTIGATOR: Role = "investigator"
CULTIST: Role = "cultist"

FUTILE, SIGN, CTHULHU = "f", "s", "c"
KIND_OF: dict[str, Kind] = {FUTILE: "futile", SIGN: "elder_sign", CTHULHU: "cthulhu"}
LETTER_OF = {kind: letter for letter, kind in KIND_OF.items()}


class Setup(NamedTuple):
    """How many tokens and cards of each kind are used."""

    investigators: int
    cultists: int
    futile: int
    elder_signs: int
    cthulhu: int = 1

    @property
    def pool(self) -> tuple[Role, ...]:
        """The role tokens in canonical order."""
        return (INVESTIGATOR,) * self.investigators + (CULTIST,) * self.cultists

    @property
    def deck(self) -> str:
        """The cards in canonical order, one letter each."""
        return FUTILE * self.futile + SIGN * self.elder_signs + CTHULHU * self.cthulhu


SETUPS = {
    3: Setup(investigators=3, cultists=2, futile=11, elder_signs=3),
    4: Setup(investigators=3, cultists=2, futile=15, elder_signs=4),
    5: Setup(investigators=4, cultists=2, futile=19, elder_signs=5),
    6: Setup(investigators=4, cultists=2, futile=23, elder_signs=6),
}
