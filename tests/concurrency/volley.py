"""Many requests at the same moment, from several client processes.

As a program (``python -m tests.concurrency.volley``) it reads a list of requests as JSON from
standard input, sends each on a thread of its own once all are connected and a line arrives,
and prints what came back.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path
from threading import Barrier
from typing import Any
from urllib.parse import urlsplit

import httpx

from tests.api.contract import committed

ROOT = Path(__file__).resolve().parents[2]


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
        [sys.executable, "-m", "tests.concurrency.volley"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )
    assert gun.stdin is not None
    gun.stdin.write(json.dumps(part) + "\n")
    gun.stdin.flush()
    return gun


def _shoot(number: int, shot: dict[str, Any], gate: Barrier) -> tuple[int, int, dict[str, str], str]:
    headers = {"Authorization": f"Bearer {shot['token']}", **shot["headers"]}
    with httpx.Client(timeout=30) as client:
        client.get(shot["url"].split("/v1/")[0] + "/v1/status")
        gate.wait(timeout=30)
        answer = client.post(shot["url"], json=shot["body"], headers=headers)
    return number, answer.status_code, dict(answer.headers), answer.text


def main() -> None:
    """Load, wait for the word, fire, report."""
    part = json.loads(sys.stdin.readline())
    gate = Barrier(len(part) + 1)
    with ThreadPoolExecutor(max_workers=len(part)) as pool:
        shots = [pool.submit(_shoot, number, shot, gate) for number, shot in part]
        print("loaded", flush=True)  # noqa: T201 - the protocol with ``fire``
        sys.stdin.readline()
        gate.wait(timeout=30)
        print(json.dumps([shot.result() for shot in shots]))  # noqa: T201


if __name__ == "__main__":
    main()
