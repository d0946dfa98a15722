"""Transcript files of tables, and the signatures in them.

Source: ``ttx v1``, "Transcript file".
"""

from __future__ import annotations

from typing import Any

import msgspec

from events import canonical, store
from events.codec import learned, read_header
from tables import answers, signing
from tables.folding import stream_of
from tables.models import Table
from tables.shapes import Receipt
from verify.holdings import FULL, PUBLIC, of_epochs_over


def of(row: Table, seat: int | None) -> dict[str, Any]:
    """Return the transcript of a table as a seat, or None, may have it; of a finished game all.

    Of a series that goes on, the games that are over are open to everybody.
    """
    stream = stream_of(row.id)
    stored = store.read(stream, upto=row.version)
    headers = [read_header(each.header) for each in stored]
    is_over = row.status == "finished"
    held = {ref for header in headers for ref in learned(header, seat)} | of_epochs_over(headers)
    openings = store.openings(stream, held)
    started = next((each.public for each in headers if each.type == "table.started"), None)
    signed, keys = _signed(row, stored[-1])
    return {
        "format": "ttx/transcript/v1",
        "view": FULL if is_over else PUBLIC if seat is None else f"seat:{seat}",
        "events": [canonical.parse(each.header) for each in stored],
        "openings": [
            {"seq": seq, "slot": slot, "salt": each.salt.hex(), "payload": canonical.parse(each.payload)}
            for (seq, slot), each in sorted(openings.items())
        ],
        "receipts": signed,
        "keys": keys,
        "engine": started
        and {
            "game": started["game"],
            "rules_version": started["rules_version"],
            "digest": started["engine"],
        },
    }


def receipt(row: Table, last: store.StoredEvent) -> Receipt:
    """Return the signature under a log that ends with ``last``; it may be pending.

    An imported table has that of the server where it was played, and no other.
    """
    if row.imported_from is None:
        return answers.receipt(row.id, last)
    return msgspec.convert(max(row.imported.receipts, key=lambda each: each["seq"]), Receipt)


def _signed(row: Table, last: store.StoredEvent) -> tuple[list[Any], list[Any]]:
    """Return the receipts of a transcript, and the keys that speak for them."""
    if row.imported_from is not None:
        return row.imported.receipts, row.imported.keys
    own = receipt(row, last)
    return [] if own.sig is None else [msgspec.to_builtins(own)], signing.listed()
