"""What the API takes and answers of arbiters."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from tables.shapes.fields import Answer, Request


class ArbiterAnswer(Answer):
    """Who arbitrates a table, or is asked to."""

    player: Annotated[str | None, Meta(description="The name; null: the account is gone.")]
    accepted: Annotated[
        bool, Meta(description="Whether the player has said yes; until then nobody arbitrates.")
    ]
    is_me: Annotated[bool, Meta(description="Whether it is the caller.")]


class ArbiterChoice(Request):
    """Who is asked to arbitrate."""

    player: Annotated[str, Meta(max_length=40, description="The name of a player who has no seat here.")]


class NewRuling(Request):
    """What an arbiter decides, and why."""

    ruling: Annotated[
        Literal["pause", "resume", "extend", "remove", "adjudicate", "annul"],
        Meta(
            description=(
                "`pause`: stop all clocks for `hours`; `resume`: end such pauses. `extend`: give `hours` more"
                " to whoever is awaited. `remove`: take the player of `seat` out for good. `adjudicate`: end"
                " the game with `places`; `annul`: end it without a result."
            )
        ),
    ]
    reason: Annotated[
        Literal["conduct", "dispute", "fault", "law", "mended", "request"],
        Meta(
            description=(
                "For all to read: how a player behaves, a dispute of players, a fault of the server, a demand"
                " by law, that what was wrong is mended, the request of a player."
            )
        ),
    ]
    hours: (
        Annotated[
            int,
            Meta(
                ge=1,
                le=720,
                description=(
                    "With `pause` and `extend` only; however often a turn is extended, nobody has over 720"
                    " hours for it."
                ),
            ),
        ]
        | None
    ) = None
    seat: Annotated[int, Meta(ge=0, le=19, description="With `remove` only.")] | None = None
    places: (
        Annotated[
            list[Annotated[int, Meta(ge=1, le=20)]],
            Meta(
                min_length=1,
                max_length=20,
                description=(
                    "With `adjudicate` only: the place of each seat, by seat, 1 for the winners, equal ones"
                    " shared: `[1, 2, 2, 4]`."
                ),
            ),
        ]
        | None
    ) = None
