"""The one exception that an engine raises on purpose."""

from __future__ import annotations

Fact = str | int | bool | None | list[int] | list[str]


class RuleViolation(Exception):
    """A move that the rules refuse; nothing has happened.

    ``code`` is a stable snake_case word, worded in the game's ``names.json``; ``facts`` say
    why, using only what the mover may know.
    """

    def __init__(self, code: str, **facts: Fact) -> None:
        super().__init__(code)
        self.code = code
        self.facts = facts
