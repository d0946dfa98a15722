"""A field says who may know it, or its message cannot be used."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import pytest

from engines.audience import (
    ASSIGNED,
    COMMITTED,
    OPENED,
    PUBLIC,
    SEALED,
    About,
    Audience,
    Item,
    Ref,
    UndeclaredAudience,
    about_of,
    fields_of,
    name_of,
)


@dataclass(frozen=True)
class CardsDealt:
    """An event with a field for each kind of item."""

    seat: Annotated[int, PUBLIC, About("Whose.", ge=0)]
    places: Annotated[tuple[Item[str], ...], COMMITTED]
    cards: Annotated[tuple[Ref[str], ...], ASSIGNED]
    trump: Annotated[Ref[str], OPENED]


@dataclass(frozen=True)
class Guess:
    """A move of which one part is sealed."""

    rival: Annotated[int, PUBLIC]
    number: Annotated[int | None, SEALED]


def test_a_field_has_an_audience_and_the_type_of_one_item() -> None:
    found = [(each.name, each.audience, each.type, each.many) for each in fields_of(CardsDealt)]

    assert found == [
        ("seat", PUBLIC, int, False),
        ("places", COMMITTED, str, True),
        ("cards", ASSIGNED, str, True),
        ("trump", OPENED, str, False),
    ]


def test_a_move_may_be_sealed_in_part() -> None:
    assert [(each.name, each.audience) for each in fields_of(Guess)] == [
        ("rival", PUBLIC),
        ("number", SEALED),
    ]


def test_a_field_without_an_audience_is_refused() -> None:
    @dataclass
    class Careless:
        card: str

    with pytest.raises(UndeclaredAudience, match=r"Careless\.card does not say who may know it"):
        fields_of(Careless)


@pytest.mark.parametrize(
    ("audience", "kind"),
    [
        (COMMITTED, str),
        (COMMITTED, Ref[str]),
        (COMMITTED, tuple[str, ...]),
        (ASSIGNED, Item[str]),
        (OPENED, str),
        (OPENED, tuple[Item[str], ...]),
    ],
)
def test_a_field_of_items_holds_items_and_one_of_references_holds_references(
    audience: Audience, kind: object
) -> None:
    @dataclass
    class Careless:
        card: Annotated[kind, audience]  # type: ignore[valid-type]

    Careless.__annotations__["card"] = Annotated[kind, audience]
    with pytest.raises(UndeclaredAudience, match=f"is {audience.value}, so it must hold"):
        fields_of(Careless)


def test_what_a_client_is_told_of_a_field_is_found_wherever_it_stands() -> None:
    assert fields_of(CardsDealt)[0].about == About("Whose.", ge=0)
    assert about_of(Annotated[int, PUBLIC, About("A number.")]) == About("A number.")
    assert about_of(int) is None


@pytest.mark.parametrize(
    ("name", "told"), [("CardsDealt", "cards_dealt"), ("Guess", "guess"), ("TwoByTwo", "two_by_two")]
)
def test_a_message_is_stored_under_its_name_in_small_letters(name: str, told: str) -> None:
    assert name_of(type(name, (), {})) == told


def test_a_reference_is_a_pair_of_numbers_and_an_item_names_its_receiver() -> None:
    assert Ref(3, 1) == (3, 1)
    assert Item(None, "7h").to is None
