"""Which scope each operation asks for, by its tag and whether it only reads; and the exceptions.

Where nothing is said, a token with scopes is not enough: what is new is closed until somebody opens it.
"""

from __future__ import annotations

from typing import Final

from tables import catalogue

EVERYTHING: Final = "everything"
"""No scope lets a token do this: only one that may do everything."""

_PLAY = ("tables:read", "moves:write")
_BY_TAG: Final[dict[str, tuple[str, str]]] = {
    "accounts": ("profile:read", "profile:write"),
    "notices": ("profile:read", "profile:write"),
    "tables": ("tables:read", "tables:write"),
    "play": _PLAY,
    "live": _PLAY,
    "talk": ("tables:read", "messages:write"),
    "players": ("tables:read", "messages:write"),
    "webhook-endpoints": ("webhooks:manage", "webhooks:manage"),
}
_BY_ID: Final[dict[str, str | None]] = {
    "signOut": None,  # whoever holds a token may give it up
    **dict.fromkeys(
        ("commitEntropy", "revealEntropy", "confirmPresence"), "moves:write"
    ),  # else no game begins
    # who may do these could take the account over, or read what it keeps from everybody
    **dict.fromkeys(("listTokens", "createToken", "revokeToken"), EVERYTHING),
    **dict.fromkeys(("keepGuest", "changePassword", "deleteMe", "exportMe"), EVERYTHING),
    **dict.fromkeys(("getEmail", "giveEmail", "confirmEmail", "forgetEmail"), EVERYTHING),
}


def scope_of(operation_id: str, tag: str, method: str) -> str | None:
    """Return what a token with scopes needs for an operation that asks for a token; None: nothing."""
    if operation_id in _BY_ID:
        return _BY_ID[operation_id]
    by_tag = _BY_TAG.get(tag, _PLAY if tag in catalogue.games() else (EVERYTHING, EVERYTHING))
    return by_tag[method not in ("GET", "HEAD")]
