"""A second reading of the rules, slow and plain: a round from the cards on the table.

It shares no code with the engine.  A table is ``{seat: cards}``, cards a text such as ``A3+`` in any
order; seats are numbered clockwise.
"""

from __future__ import annotations

from typing import Any

Table = dict[int, str]


def team(cards: str) -> str:
    """Return the letter among the cards."""
    return next(each for each in cards if each in "AB")


def number(cards: str) -> int:
    """Return the value with its sign."""
    value = next(int(each) for each in cards if each in "12345")
    return value * (1 if "+" in cards else -1)


def resolve(
    table: Table,
    hp: list[int],
    *,
    amulet: int,
    duel_worm: int | None = None,
    ability: str | None = None,
    target: int | None = None,
    options: dict[str, Any],
) -> dict[str, Any]:
    """Return what a round does: teams, sums, who loses and regains, hp, who falls, the new worm.

    ``duel_worm`` is the worm where it plays cards.  ``options`` has starting_hp, ram_effect and
    bite_damage.
    """
    hp = list(hp)
    teams = {seat: team(cards) for seat, cards in table.items()}
    numbers = {seat: number(cards) for seat, cards in table.items()}
    if ability == "bite" and target is not None:
        hp[target] = max(hp[target] - options["bite_damage"], 0)
    if ability == "ram" and target is not None and options["ram_effect"] == "switch_team":
        teams[target] = {"A": "B", "B": "A"}[teams[target]]
    if ability == "ram" and target is not None and options["ram_effect"] == "flip_sign":
        numbers[target] = -numbers[target]

    in_a = {seat for seat in table if teams[seat] == "A"}
    in_b = set(table) - in_a
    if not in_a or not in_b:
        minority = {amulet}
    elif len(in_a) == len(in_b):
        minority = in_b if amulet in in_a else in_a
    else:
        minority = min(in_a, in_b, key=len)
    majority = set(table) - minority
    big = abs(sum(numbers[seat] for seat in majority))
    small = abs(sum(numbers[seat] for seat in minority))

    mortal = {seat for seat in table if seat != duel_worm}
    loses: set[int] = set()
    regains: set[int] = set()
    if big == 0:
        regains = minority & mortal
    else:
        loses = majority if big > len(table) or small > big else minority
        loses = loses & mortal or mortal
    for seat in loses:
        hp[seat] = max(hp[seat] - big, 0)
    for seat in regains:
        hp[seat] = min(hp[seat] + 2, options["starting_hp"])
    fallen = {seat for seat in mortal if hp[seat] == 0}
    return {
        "majority": majority,
        "minority": minority,
        "sums": (big, small),
        "loses": loses,
        "regains": regains,
        "hp": hp,
        "fallen": fallen,
        "new_worm": first_from(amulet, fallen, len(hp)),
    }


def first_from(amulet: int, seats: set[int], count: int) -> int | None:
    """Walk counter-clockwise from the amulet, itself first, until one of ``seats`` is met."""
    at = amulet
    for _ in range(count):
        if at in seats:
            return at
        at = count - 1 if at == 0 else at - 1
    return None


def next_amulet(amulet: int, alive: set[int], count: int) -> int | None:
    """Walk counter-clockwise from the amulet to the next one alive."""
    return first_from(count - 1 if amulet == 0 else amulet - 1, alive, count)


def cards_allowed(shown: str, living: int, *, is_fixed: bool) -> set[str]:
    """Return what may be laid after the cards ``shown``."""
    values = "12345" if living >= 5 else "1234"
    kinds = ["AB", values, "+-"]
    if is_fixed:
        return set(kinds[len(shown)])
    return {card for kind in kinds for card in kind if not any(each in shown for each in kind)}
