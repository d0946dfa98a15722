"""A player without a person."""

from __future__ import annotations

from collections.abc import Sequence

from engines.base import Move
from engines.chance import Chance
from tests.probe.view import View


def random(_view: View, legal: Sequence[Move], chance: Chance) -> Move:
    """Return any legal move, each equally likely."""
    return legal[chance.below(len(legal), "bot")]
