"""Where the log of each table ended when it was last proved, in a file outside the database.

One JSON object a line: ``stream``, ``seq``, ``head``.  A run writes beside it, to ``FILE.part``, a line
for each stream that it has proved; at its end the whole file is replaced at once.  So a run that was
interrupted leaves the old file, and the next one goes on behind its last whole line.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import IO, Annotated

import msgspec

from events.store import Head
from tables import signing
from tables.auditing import Known

_UUID = "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"

FRESH_SECONDS = 24 * 3600
"""An older part is not gone on with: what it says was proved too long ago."""


class Unreadable(Exception):
    """A file is not what it should be; the message is a sentence."""


class _Mark(msgspec.Struct, forbid_unknown_fields=True):
    stream: Annotated[str, msgspec.Meta(pattern=f"^(table|talk)-{_UUID}$")]
    seq: Annotated[int, msgspec.Meta(ge=1)]
    head: Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]


class Checkpoint:
    """The file at ``path``, and what a run adds to it; ``marks`` are those of the run before.

    ``resumed`` are the streams that an interrupted run has proved.  Raises Unreadable.
    """

    def __init__(self, path: Path) -> None:
        self._path, self._draft = path, path.with_name(f"{path.name}.part")
        self.marks = _read("checkpoint", path)
        self.resumed: dict[str, Known] = {}
        self._part: IO[str] | None = None

    def begin(self) -> None:
        """Open the part, and go on with it if it is fresh.  Raises Unreadable."""
        try:
            if self._draft.exists() and time.time() - self._draft.stat().st_mtime < FRESH_SECONDS:
                whole = self._draft.read_bytes().rpartition(b"\n")[0]
                self.resumed = _marks("checkpoint", self._draft, whole)
            self._part = self._draft.open("w", encoding="utf-8")
            self._write(self._part, self.resumed.values())
        except OSError as error:
            raise Unreadable(f"{self._draft} cannot be written: {error.strerror}.") from None

    def add(self, ends: Mapping[str, Head]) -> None:
        """Write down where the streams of a table end that was proved."""
        marks = [Known("checkpoint", stream, end.version, end.hash) for stream, end in ends.items()]
        self.resumed |= {each.stream: each for each in marks}
        if self._part is not None:
            self._write(self._part, marks)

    def finish(self) -> None:
        """Replace the file; of what was not proved, and of what is gone, it keeps the older line."""
        with self._draft.open("w", encoding="utf-8") as draft:
            marks = self.marks | self.resumed
            self._write(draft, (marks[stream] for stream in sorted(marks)))
            os.fsync(draft.fileno())
        self._draft.replace(self._path)
        self.close()

    def close(self) -> None:
        """Leave the part as it is."""
        if self._part is not None:
            self._part.close()
            self._part = None

    @staticmethod
    def _write(file: IO[str], marks: Iterable[Known]) -> None:
        for each in marks:
            mark = _Mark(each.stream, each.seq, (each.head or b"").hex())
            file.write(msgspec.json.encode(mark).decode() + "\n")
        file.flush()


def receipts(path: Path) -> list[Known]:
    """Return what players hold against us: a receipt a line, signed by this server.  Raises Unreadable."""
    found = []
    for number, line in enumerate(_bytes_of(path).splitlines(), start=1):
        try:
            receipt = msgspec.json.decode(line, type=dict[str, object])
        except msgspec.MsgspecError:
            receipt = {}
        if not signing.is_ours(receipt):
            raise Unreadable(f"Line {number} of {path} is no receipt of this server.")
        table, seq, head = (receipt[name] for name in ("table", "seq", "head"))
        if not (isinstance(table, str) and isinstance(seq, int) and isinstance(head, str)):
            raise Unreadable(f"Line {number} of {path} is no receipt of this server.")
        stream = "-".join(("table", table[:8], table[8:12], table[12:16], table[16:20], table[20:]))
        found.append(Known("receipt", stream, seq, bytes.fromhex(head)))
    return found


def _read(source: str, path: Path) -> dict[str, Known]:
    return _marks(source, path, _bytes_of(path)) if path.exists() else {}


def _bytes_of(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise Unreadable(f"{path} cannot be read: {error.strerror}.") from None


def _marks(source: str, path: Path, data: bytes) -> dict[str, Known]:
    found = {}
    for number, line in enumerate(data.splitlines(), start=1):
        try:
            mark = msgspec.json.decode(line, type=_Mark)
            found[mark.stream] = Known(source, mark.stream, mark.seq, bytes.fromhex(mark.head))
        except msgspec.MsgspecError:
            raise Unreadable(f"Line {number} of {path} is none of a checkpoint.") from None
    return found
