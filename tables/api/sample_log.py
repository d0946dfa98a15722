"""The transcript of the document: a game just begun, as its first seat has it.

It is made as the server makes one, from fixed keys, and verifies; only the digest of the engine is
invented, for the real one changes with every edit of the code.
"""

from __future__ import annotations

import hashlib
import uuid
from functools import cache
from itertools import count
from typing import Any, Final

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from engines import base
from engines.base import Batch, Recorded
from engines.chance import KeyedChance
from events import canonical
from events.codec import Chain, NewEvent, learned, read_header
from events.receipts import SigningKey
from tables import catalogue, lifecycle, messages, timekeeping
from tables.api import samples
from tables.folding import EMPTY, advance

AT: Final = 1767636000000
SEED: Final = b"\x07" * 32
DIGEST: Final = "5e" * 32
SEAT: Final = 0
_KEY = SigningKey(Ed25519PrivateKey.from_private_bytes(b"\x09" * 32))


class Log:
    """A log as it grows, and what its events make of the table."""

    def __init__(self, tid: bytes) -> None:
        salts = (hashlib.sha256(b"salt %d" % number).digest() for number in count())
        self.chain = Chain(tid, 0, bytes(32), lambda: next(salts))
        self.events: list[NewEvent] = []
        self.folded = EMPTY

    def add(self, event: Any, actor: str = "table", draws: Any = ()) -> None:
        """Add one event."""
        settings = self.folded.table.settings
        game = catalogue.game_of(settings.game) if settings else None
        codec = catalogue.codec_of(game) if game else catalogue.table_codec()
        name, schema = codec.name_of(event)
        self.events.append(
            self.chain.add(codec.encode(event), name=name, schema=schema, actor=actor, at=AT, draws=draws)
        )
        recorded = Recorded(self.chain.version, event, actor, draws)
        self.folded = advance(self.folded, game, recorded, AT)

    def openings(self, seat: int) -> list[dict[str, Any]]:
        """Return what a seat may open, by event and slot."""
        held = sorted(ref for each in self.events for ref in learned(read_header(each.header), seat))
        return [
            {"seq": seq, "slot": slot, "salt": told.salt.hex(), "payload": canonical.parse(told.payload)}
            for seq, slot in held
            for told in [self.events[seq - 1].openings[slot]]
        ]


@cache
def transcript() -> dict[str, Any]:
    """Return the transcript."""
    log = begun_log()
    started = next(each for each in log.events if each.type == "table.started")
    public = canonical.parse(started.header)["public"]
    return {
        "format": "ttx/transcript/v1",
        "view": f"seat:{SEAT}",
        "events": [canonical.parse(each.header) for each in log.events],
        "openings": log.openings(SEAT),
        "receipts": [_KEY.receipt(log.chain.tid, seq=log.chain.version, head=log.chain.head, at=AT)],
        "keys": [{"kid": _KEY.kid, "public": _KEY.public.hex(), "from": 0, "until": None}],
        "engine": {
            "game": public["game"],
            "rules_version": public["rules_version"],
            "digest": public["engine"],
        },
    }


def begun_log() -> Log:
    """Return the log of a table of the first game whose seats were taken one by one."""
    game, tid = samples.first_game(), uuid.UUID(samples.TABLE).bytes
    log, seats = Log(tid), game.seats[0]
    commit = canonical.seed_commit(tid, 0, SEED).hex()
    log.add(messages.Opened(seed_commit=commit, seed_policy="server", kid=_KEY.kid))
    log.add(
        messages.SettingsChosen(
            game=game.id,
            rules_version=game.rules_version,
            options=msgspec.to_builtins(game.options()),
            seats=seats,
            clock=messages.Clock(kind="per_turn", seconds=game.clock_seconds),
            max_timeouts=2,
            absentee="forfeit",
            vacations=True,
            visibility="public",
            starts="when_full",
        )
    )
    for seat in range(seats):
        log.add(lifecycle.join(log.folded.table, seat, f"{seat + 1:032x}"), actor=f"seat:{seat}")
    log.add(lifecycle.start(log.folded.table, DIGEST))
    _begin(log, seats)
    return log


def _begin(log: Log, seats: int) -> None:
    """Add what begins the game, and the deadline of its first turn."""
    game = samples.first_game()
    batch = Batch(
        game=game,
        state=log.folded.game_state,
        chance=KeyedChance(canonical.stream_key(log.chain.tid, 0, SEED, [None] * seats)),
        position=log.chain.version + 1,
    )
    base.begin(batch)
    for each in batch.events:
        log.add(each.event, each.actor, each.draws)
    state = log.folded.game_state
    awaited = base.awaited(game, state)
    log.add(timekeeping.deadline_set(log.folded.table, now=AT, turn=state.turn, awaited=awaited, quiet={}))
