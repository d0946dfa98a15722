"""What the players did and were told: a line when a call begins, a line when it ends.

Written at once, so that it survives whatever ends the rig.  A call without an end is unknown.
"""

from __future__ import annotations

import json
import threading
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Literal

Outcome = Literal["ok", "failed", "unknown"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One command with its key, all its attempts included.

    ``ok``: acknowledged.  ``failed``: refused at every attempt, so it has done nothing.  ``unknown``:
    some attempt had no answer, and no other was acknowledged.  ``mark`` tells what it leaves in the log
    from what other calls of its kind leave at the table; ``position`` is where the answer says that it
    is, ``head`` the signed hash of the event at ``signed``.
    """

    id: str
    kind: str
    table: str
    mark: str
    outcome: Outcome = "unknown"
    status: int = 0
    code: str = ""
    attempts: int = 0
    seconds: float = 0.0
    position: int | None = None
    signed: int | None = None
    head: str = ""


class History:
    """The file of one run; every player writes to it."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.path = path
        self._file = path.open("w", encoding="utf-8")
        self._lock = threading.Lock()

    def begins(self, call: Call) -> None:
        """Write that a call is about to be sent."""
        self._write({"event": "invoke", **asdict(call)})

    def ends(self, call: Call) -> None:
        """Write what became of it."""
        self._write({"event": call.outcome, **asdict(call)})

    def strikes(self, fault: str) -> None:
        """Write that something was killed, for whoever looks for causes."""
        self._write({"event": "strike", "fault": fault})

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _write(self, line: dict[str, object]) -> None:
        told = json.dumps({"at": round(time.time(), 3), **line})
        with self._lock:
            self._file.write(f"{told}\n")
            self._file.flush()


def read(path: Path) -> list[Call]:
    """Return every call of a history, as it ended."""
    found: dict[str, Call] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            fields = json.loads(line)
        except ValueError:  # the last line of a rig that was killed
            continue
        event = fields.pop("event")
        fields.pop("at")
        if event == "strike":
            continue
        call = Call(**fields)
        found[call.id] = replace(call, outcome="unknown") if event == "invoke" else call
    return list(found.values())
