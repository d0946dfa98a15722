# SPDX-License-Identifier: MIT
"""A transcript file handed to the offline verifier: no server is asked, nothing is believed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from engines.registry import GAMES
from events.audit import Link
from events.canonical import canonical, event_hash, head_message
from events.codec import Opening
from verify import verify


class Report(NamedTuple):
    """The verdicts as lines, and whether every one of them is ``proved``."""

    lines: list[str]
    is_proved: bool


def audit(transcript: bytes) -> Report:
    """Return the verdicts on a transcript file (``ttx v1``): receipts, integrity, fairness, replay."""
    try:
        file = json.loads(transcript)
        links = [Link(each["seq"], canonical(each)) for each in file["events"]]
        report = verify(
            bytes.fromhex(file["events"][0]["table"]), links, _openings(file), games=GAMES, view=file["view"]
        )
        receipts, signed = _receipts(file, links)
    except (ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
        return Report([f"this is no transcript: {error!r}"], is_proved=False)
    lines = [f"receipts: {receipts}", *(f"{name}: {verdict}" for name, verdict in report)]
    return Report(lines, is_proved=signed and report.is_proved)


def _openings(file: Mapping[str, Any]) -> dict[tuple[int, int], Opening]:
    slots = {each["seq"]: each["slots"] for each in file["events"]}
    return {
        (each["seq"], each["slot"]): Opening(
            slots[each["seq"]][each["slot"]]["to"],
            bytes.fromhex(each["salt"]),
            canonical(each["payload"]),
        )
        for each in file["openings"]
    }


def _receipts(file: Mapping[str, Any], links: list[Link]) -> tuple[str, bool]:
    """Return what the server has signed, and whether that covers the last event."""
    keys = {each["kid"]: each for each in file["keys"]}
    proved = 0
    for each in file["receipts"]:
        told = {name: value for name, value in each.items() if name != "sig"}
        seq, key = told["seq"], keys.get(told["kid"])
        if key is None:
            return f"FAILED at position {seq}: signed by a key that is not listed", False
        if event_hash(links[seq - 1].header).hex() != told["head"] or seq < 1:
            return f"FAILED at position {seq}: the signed head is not the event's hash", False
        try:
            public = Ed25519PublicKey.from_public_bytes(bytes.fromhex(key["public"]))
            public.verify(bytes.fromhex(each["sig"]), head_message(told))
        except InvalidSignature:
            return f"FAILED at position {seq}: the signature is wrong", False
        proved = max(proved, seq)
    return f"signed by the server up to event {proved} of {len(links)}", proved == len(links)
