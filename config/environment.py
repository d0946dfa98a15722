"""Reading settings from the environment: typed, and refused by name when missing or bad."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from psycopg import ProgrammingError
from psycopg.conninfo import conninfo_to_dict


class Environment:
    """The variables of one process."""

    def __init__(self, variables: Mapping[str, str]) -> None:
        self._variables = variables

    def text(self, name: str, default: str | None = None, *, example: str) -> str:
        """Return a variable, or ``default``.  Raises ImproperlyConfigured when there is neither."""
        value = self._variables.get(name) or default
        if value is None:
            raise ImproperlyConfigured(f"{name} is not set. Example: {name}={example}")
        return value

    def choice(self, name: str, default: str, choices: tuple[str, ...]) -> str:
        """Return a variable that is one of ``choices``."""
        value = self._variables.get(name) or default
        if value not in choices:
            raise ImproperlyConfigured(
                f"{name} is {value!r}, and may be {' or '.join(choices)}. Example: {name}={choices[0]}"
            )
        return value

    def switch(self, name: str, *, default: bool) -> bool:
        """Return a variable that is 1 or 0."""
        return self.choice(name, "1" if default else "0", ("1", "0")) == "1"

    def words(self, name: str, default: str | None = None, *, example: str) -> list[str]:
        """Return a variable that lists words, separated by commas."""
        return [word for word in self.text(name, default, example=example).split(",") if word]


def database(name: str, url: str) -> dict[str, Any]:
    """Return Django's settings for a PostgreSQL connection string.

    Raises ImproperlyConfigured, naming the variable, when it is none.
    """
    try:
        parts = conninfo_to_dict(url)
    except ProgrammingError:
        parts = {}
    if not parts.get("dbname"):
        raise ImproperlyConfigured(
            f"{name} is no PostgreSQL address. Example: {name}=postgresql://posta_app:secret@127.0.0.1:5432/posta"
        )
    known = {"dbname": "NAME", "user": "USER", "password": "PASSWORD", "host": "HOST", "port": "PORT"}
    settings: dict[str, Any] = {upper: str(parts.pop(lower, "")) for lower, upper in known.items()}
    settings["ENGINE"] = "django.db.backends.postgresql"
    settings["OPTIONS"] = dict(parts)
    return settings
