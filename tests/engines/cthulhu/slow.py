"""A second reading of the rules, slow and plain: it knows a list of reveals and no engine.

A deal is a list of rows, one a seat, of the words futile, elder_sign, cthulhu.  A reveal is
(who, of whom, place, kind).
"""

from __future__ import annotations

from typing import Any

Reveal = tuple[int, int, int, str]
Rows = list[list[str]]

FUTILE_BY_SEATS = {3: 11, 4: 15, 5: 19, 6: 23}


def whole_deck(seats: int) -> list[str]:
    """Return all cards of a game, sorted."""
    return sorted(["futile"] * FUTILE_BY_SEATS[seats] + ["elder_sign"] * seats + ["cthulhu"])


def round_of(number: int, seats: int) -> int:
    """Return the round, from 1, of the reveal with this number, from 0."""
    return number // seats + 1


def how_it_ended(seats: int, reveals: list[Reveal]) -> str | None:
    """Rulebook, the end: looked at after every card, in this order."""
    kinds: list[str] = []
    for number, (_, _, _, kind) in enumerate(reveals):
        kinds.append(kind)
        ending = None
        if "cthulhu" in kinds:
            ending = "cthulhu_revealed"
        elif kinds.count("elder_sign") == seats:
            ending = "signs_found"
        elif len(kinds) == 4 * seats:
            ending = "rounds_over"
        if ending is not None:
            assert number == len(reveals) - 1, "the game went on after its end"
            return ending
    return None


def winners(roles: list[str], ending: str, gone: set[int]) -> tuple[str | None, list[int]]:
    """Return the side that wins and its seats that still have an owner."""
    wanted = "investigator" if ending == "signs_found" else "cultist"
    if wanted not in roles:
        return None, []
    return wanted + "s", [seat for seat, role in enumerate(roles) if role == wanted and seat not in gone]


def active(first: int, reveals: list[Reveal]) -> int:
    """Rulebook, investigating: whose card was revealed last."""
    return reveals[-1][1] if reveals else first


def face_down(deals: list[Rows], reveals: list[Reveal], seats: int) -> list[list[int]]:
    """Return the places before each seat that are not revealed, in the last deal."""
    lying = [list(range(len(row))) for row in deals[-1]]
    for number, (_, target, place, _) in enumerate(reveals):
        if round_of(number, seats) == len(deals):
            lying[target].remove(place)
    return lying


def remaining(deals: list[Rows], reveals: list[Reveal], seats: int, seat: int) -> dict[str, int]:
    """Return how many cards of each kind still lie before a seat."""
    places = face_down(deals, reveals, seats)[seat]
    kinds = [deals[-1][seat][place] for place in places]
    return {kind: kinds.count(kind) for kind in ("futile", "elder_sign", "cthulhu")}


def legal(deals: list[Rows], reveals: list[Reveal], seats: int, seat: int) -> set[tuple[int, int]]:
    """Return every (target, place) that a seat may investigate when it is active."""
    lying = face_down(deals, reveals, seats)
    return {(target, place) for target in range(seats) if target != seat for place in lying[target]}


def series(games: list[dict[str, Any]], seats: int) -> tuple[list[int], list[int] | None]:
    """Return the tokens after games with these ``winners`` and ``gone``, and who won, if it is over."""
    tokens = [0] * seats
    for game in games:
        assert max(tokens) < 3, "the series went on after its end"
        for seat in range(seats):
            if seat not in game["winners"] or seat in game["gone"]:
                tokens[seat] += 1
    if max(tokens) < 3:
        return tokens, None
    here = [seat for seat in range(seats) if seat not in games[-1]["gone"]]
    fewest = min((tokens[seat] for seat in here), default=0)
    return tokens, [seat for seat in here if tokens[seat] == fewest]
