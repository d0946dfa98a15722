"""Edits on a condition: ``If-Match`` names what the client has seen, and nothing newer is overwritten."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from rest_framework.request import Request

from tables import players
from tables.api import rendering
from tables.api.base import caller_of
from tables.errors import PreconditionFailed


@contextmanager
def unchanged(request: Request, read: Callable[[], Any]) -> Iterator[None]:
    """Let the block edit what ``read`` returns, if it is still what the caller has seen.

    Two edits on a condition never meet.  Raises PreconditionFailed.
    """
    held = request._request.META.get("HTTP_IF_MATCH")
    if held is None:
        yield
        return
    with players.settings_of(caller_of(request).id):
        if not rendering.names(held, rendering.tag_of(rendering.encode(read()))):
            raise PreconditionFailed()
        yield
