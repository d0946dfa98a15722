"""What hashes, commitments and signatures take of a move's CPU time."""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar
from unittest import mock

from bench.matches import Match, two_players
from bench.measure import Figure, Goal, microseconds, watching
from events.codec import Chain
from events.signer import LocalSigner
from stack.temporary import Running
from tables import playing

T = TypeVar("T")
MOST = Goal(15, at_least=False)  # percent


class Meter:
    """Adds up the CPU time of the functions that it wraps."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def wrapped(self, function: Callable[..., T]) -> Callable[..., T]:
        """Return the function, metered."""

        def run(*arguments: Any, **named: Any) -> T:
            since = time.thread_time()
            try:
                return function(*arguments, **named)
            finally:
                self.seconds += time.thread_time() - since

        return run


def run(_running: Running, *, quick: bool) -> list[Figure]:
    """Return the share in the moves of whole games of Reafan, and the parts."""
    moves: list[float] = []
    chain, signatures = Meter(), Meter()
    with watching() as watch:
        for number in range(1 if quick else 5):
            moves += _moves(number, chain, signatures)
    total = sum(moves)
    share = (chain.seconds + signatures.seconds) / total
    parts = (
        f"{microseconds(chain.seconds / len(moves))} to build, commit and hash,"
        f" {microseconds(signatures.seconds / len(moves))} to sign"
    )
    return [
        Figure(
            name="hashes, commitments and signature of a move",
            method=f"share of the command's CPU, no HTTP or database; {len(moves)} moves of reafan",
            figure=f"{parts}, of {microseconds(statistics.mean(moves))}",
            value=share * 100,
            unit="%",
            ratio=f"{share:.1%}",
            goal=MOST,
            foreign=watch.foreign,
        )
    ]


def _moves(number: int, chain: Meter, signatures: Meter) -> Iterator[float]:
    """Play a game; yield the CPU seconds of each move, the meters running then alone."""
    match, whim = Match("reafan", two_players()), random.Random(number)  # noqa: S311
    while (found := match.next_move(whim)) is not None:
        player, move = found
        with _metered(chain, signatures):
            since = time.thread_time()
            playing.play_move(player, match.id, **move)
            spent = time.thread_time() - since
        yield spent


@contextmanager
def _metered(chain: Meter, signatures: Meter) -> Iterator[None]:
    """Meter during the block what makes an event's bytes, commitments and hash, and what signs."""
    with (
        mock.patch.object(Chain, "add", chain.wrapped(Chain.add)),
        mock.patch.object(LocalSigner, "sign", signatures.wrapped(LocalSigner.sign)),
    ):
        yield
