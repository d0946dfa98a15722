"""What can go wrong with a stream."""

from __future__ import annotations


class VersionConflict(Exception):
    """Another writer came first; nothing was written.

    ``actual`` is the version of the stream now, 0 for a stream that does not exist.
    """

    def __init__(self, stream: str, expected: int, actual: int) -> None:
        super().__init__(f"{stream}: expected version {expected}, found {actual}")
        self.stream = stream
        self.expected = expected
        self.actual = actual


class StreamNotFound(Exception):
    """No event was ever written to this stream."""

    def __init__(self, stream: str) -> None:
        super().__init__(f"{stream}: no such stream")
        self.stream = stream


class CorruptStream(Exception):
    """The stored bytes contradict themselves at ``position``.  Never answered politely, never skipped."""

    def __init__(self, stream: str, position: int, what: str) -> None:
        super().__init__(f"{stream}, position {position}: {what}")
        self.stream = stream
        self.position = position
        self.what = what
