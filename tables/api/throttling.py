"""Courtesy limits, counted in the memory of each process; lifted by ``settings.THROTTLES``.

Fixed windows: a caller may spend a whole quota at the end of one and again in the next.
Hard limits for an installation belong to its proxy.
"""

from __future__ import annotations

import time
from threading import Lock
from typing import NamedTuple

from django.conf import settings

from tables.errors import Refusal


class Limit(NamedTuple):
    """``quota`` requests in ``seconds``, for each key."""

    name: str
    quota: int
    seconds: int


READS = Limit("reads", 300, 60)
COMMANDS = Limit("commands", 30, 60)
TALK = Limit("talk", 30, 60)
JOINS = Limit("joins", 20, 3600)
SANDBOXES = Limit("sandboxes", 60, 3600)
EXPORTS = Limit("exports", 30, 3600)
SIGN_UP = Limit("sign-up", 10, 3600)
GUESTS = Limit("guests", 10, 3600)
SIGN_IN_ADDRESS = Limit("sign-in", 20, 60)
SIGN_IN_ACCOUNT = Limit("sign-in-account", 10, 300)
ADDRESSES = Limit("addresses", 10, 3600)
CODES = Limit("codes", 20, 3600)
RESETS = Limit("resets", 10, 3600)
RESETS_ACCOUNT = Limit("resets-account", 5, 3600)
NAMES = Limit("names", 5, 86_400)
TOKENS = Limit("oauth-tokens", 120, 60)
WEBHOOKS = Limit("webhooks", 10, 3600)
SIGN_IN_NAME = Limit("sign-in-name", 100, 3600)

BY_ADDRESS = frozenset({SIGN_UP, GUESTS, SIGN_IN_ADDRESS, RESETS})
"""Counted by address whoever calls: an account must not be good for ten more."""
MOST_KEYS = 20_000


class TooManyRequests(Refusal):
    """The caller's quota is spent."""

    code, status = "rate_limited", 429
    about = ("policy", "retry_after_seconds")

    def __init__(self, limit: Limit, wait: int) -> None:
        super().__init__(policy=limit.name, retry_after_seconds=wait)
        self.limit = limit
        self.wait = wait

    @property
    def headers(self) -> dict[str, str]:
        """Return the headers that tell the caller when to go on."""
        limit = self.limit
        return {
            "Retry-After": str(self.wait),
            "RateLimit-Policy": f'"{limit.name}";q={limit.quota};w={limit.seconds}',
            "RateLimit": f'"{limit.name}";r=0;t={self.wait}',
        }


def spend_attempt(name: str, address: str) -> None:
    """Count one attempt to be the player of a name, for the address and for everybody.

    Raises TooManyRequests.
    """
    spend(SIGN_IN_ACCOUNT, f"{name.casefold()} {address}")
    spend(SIGN_IN_NAME, name.casefold())


_windows: dict[tuple[str, str], tuple[int, int]] = {}
_lock = Lock()


def spend(limit: Limit, key: str) -> None:
    """Count one request of ``key``.  Raises TooManyRequests when the window's quota is spent."""
    if not settings.THROTTLES:
        return
    now = time.monotonic()
    window = int(now // limit.seconds)
    with _lock:
        if len(_windows) >= MOST_KEYS:
            _windows.clear()
        began, spent = _windows.get((limit.name, key), (window, 0))
        spent = spent + 1 if began == window else 1
        _windows[limit.name, key] = (window, spent)
    if spent > limit.quota:
        raise TooManyRequests(limit, int((window + 1) * limit.seconds - now) + 1)
