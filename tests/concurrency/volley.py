"""Many requests at the same moment, from several client processes (``gun``)."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx

from tests.api.contract import committed


@dataclass(frozen=True, slots=True, kw_only=True)
class Shot:
    """One POST."""

    url: str
    token: str
    body: dict[str, Any]
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Hit:
    """What a shot was answered: its number in the volley, status, headers in lower case, body."""

    number: int
    status: int
    headers: dict[str, str]
    body: Any


def fire(shots: Sequence[Shot], processes: int = 5) -> list[Hit]:
    """Send all shots at once from several processes; return the answers in the order of the shots."""
    parts = [
        [(number, asdict(shot)) for number, shot in enumerate(shots)][part::processes]
        for part in range(processes)
    ]
    guns = [_gun(part) for part in parts if part]
    for gun in guns:
        assert gun.stdout is not None
        assert gun.stdout.readline() == "loaded\n"
    for gun in guns:
        assert gun.stdin is not None
        gun.stdin.write("fire\n")
        gun.stdin.flush()
    told = sorted(each for gun in guns for each in json.loads(gun.communicate(timeout=60)[0]))
    assert len(told) == len(shots)
    return [_checked(shot, *each) for shot, each in zip(shots, told, strict=True)]


def _checked(shot: Shot, number: int, status: int, headers: dict[str, str], body: str) -> Hit:
    """Return an answer, once it is found to be as documented."""
    answer = httpx.Response(status, headers=headers, text=body)
    committed().check("POST", urlsplit(shot.url).path, answer)
    return Hit(number, status, headers, answer.json())


def _gun(part: list[tuple[int, dict[str, Any]]]) -> subprocess.Popen[str]:
    gun = subprocess.Popen(
        [sys.executable, str(Path(__file__).with_name("gun.py"))],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert gun.stdin is not None
    gun.stdin.write(json.dumps(part) + "\n")
    gun.stdin.flush()
    return gun
