"""Reading settings from the environment: typed, and refused by name when missing or bad.

To refuse is to end the process with a sentence, for nothing can be done without the setting.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn
from urllib.parse import unquote, urlsplit

from psycopg import ProgrammingError
from psycopg.conninfo import conninfo_to_dict


def refuse(sentence: str) -> NoReturn:
    """End the process, telling why."""
    raise SystemExit(f"Posta does not start: {sentence}")


class Environment:
    """The variables of one process."""

    def __init__(self, variables: Mapping[str, str]) -> None:
        self._variables = variables

    def text(self, name: str, default: str | None = None, *, example: str) -> str:
        """Return a variable, or ``default``.  Refuses when there is neither."""
        value = self._variables.get(name) or default
        if value is None:
            refuse(f"{name} is not set. Example: {name}={example}")
        return value

    def has(self, name: str) -> bool:
        """Tell whether a variable is set, and not empty."""
        return bool(self._variables.get(name))

    def choice(self, name: str, default: str, choices: tuple[str, ...]) -> str:
        """Return a variable that is one of ``choices``."""
        value = self._variables.get(name) or default
        if value not in choices:
            refuse(f"{name} is {value!r}, and may be {' or '.join(choices)}. Example: {name}={choices[0]}")
        return value

    def switch(self, name: str, *, default: bool) -> bool:
        """Return a variable that is 1 or 0."""
        return self.choice(name, "1" if default else "0", ("1", "0")) == "1"

    def url(self, name: str, default: str | None = None, *, schemes: tuple[str, ...], example: str) -> str:
        """Return a variable that is a URL of one of ``schemes``."""
        value = self.text(name, default, example=example)
        if _scheme(value) not in schemes:
            refuse(
                f"{name} is no address that begins with {' or '.join(each + '://' for each in schemes)}."
                f" Example: {name}={example}"
            )
        return value

    def site(self, name: str, default: str | None = None, *, schemes: tuple[str, ...], example: str) -> str:
        """Return a variable that is the address of a site, without a slash at its end: paths follow."""
        value = self.url(name, default, schemes=schemes, example=example)
        if not urlsplit(value).hostname:
            refuse(f"{name} is {value!r}, and names no host. Example: {name}={example}")
        return value.rstrip("/")

    def socket(self, name: str, *, example: str) -> Path | None:
        """Return the path of a Unix socket; None where the variable is not set."""
        return (
            Path(urlsplit(self.url(name, schemes=("unix",), example=example)).path)
            if self.has(name)
            else None
        )

    def number(self, name: str, default: int) -> int:
        """Return a variable that is a whole number from 0."""
        value = self._variables.get(name) or str(default)
        if not (value.isascii() and value.isdecimal()):
            refuse(f"{name} is {value!r}, and must be a number. Example: {name}={default}")
        return int(value)

    def words(self, name: str, default: str | None = None, *, example: str) -> list[str]:
        """Return a variable that lists words, separated by commas."""
        return [word for word in self.text(name, default, example=example).split(",") if word]


def _scheme(url: str) -> str:
    """Return the scheme of an address; empty for what is none, as one with a port that is no number."""
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        return ""
    return parts.scheme


def database(name: str, url: str) -> dict[str, Any]:
    """Return Django's settings for a PostgreSQL connection string.

    Refuses, naming the variable, when it is none.
    """
    try:
        parts = conninfo_to_dict(url)
    except ProgrammingError:
        parts = {}
    if not parts.get("dbname"):
        refuse(
            f"{name} is no PostgreSQL address. Example: {name}=postgresql://posta_app:secret@127.0.0.1:5432/posta"
        )
    known = {"dbname": "NAME", "user": "USER", "password": "PASSWORD", "host": "HOST", "port": "PORT"}
    settings: dict[str, Any] = {upper: str(parts.pop(lower, "")) for lower, upper in known.items()}
    settings["ENGINE"] = "django.db.backends.postgresql"
    settings["OPTIONS"] = dict(parts)
    return settings


def mail_server(url: str) -> dict[str, Any]:
    """Return Django's settings for a mail server: ``smtp``, ``smtps``, or ``file`` for a folder of mails.

    A password is never sent in the clear: with one, ``smtp`` begins by STARTTLS.
    """
    parts = urlsplit(url)
    if parts.scheme == "file":
        return {
            "EMAIL_BACKEND": "django.core.mail.backends.filebased.EmailBackend",
            "EMAIL_FILE_PATH": unquote(parts.path),
        }
    is_wrapped = parts.scheme == "smtps"
    return {
        "EMAIL_BACKEND": "django.core.mail.backends.smtp.EmailBackend",
        "EMAIL_HOST": parts.hostname or "localhost",
        "EMAIL_PORT": parts.port or (465 if is_wrapped else 587 if parts.password else 25),
        "EMAIL_HOST_USER": unquote(parts.username or ""),
        "EMAIL_HOST_PASSWORD": unquote(parts.password or ""),
        "EMAIL_USE_SSL": is_wrapped,
        "EMAIL_USE_TLS": bool(parts.password) and not is_wrapped,
        "EMAIL_TIMEOUT": 10,
    }
