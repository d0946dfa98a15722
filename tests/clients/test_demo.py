"""The demonstration as somebody runs it: real processes, the public API, exit codes."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from clients import demo
from clients.audit import audit
from clients.posta import Client
from stack.places import CLONE


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "clients.demo", *arguments]
    return subprocess.run(command, cwd=CLONE, capture_output=True, text=True, timeout=120, check=False)


@pytest.fixture
def strangers(server: str) -> Iterator[Client]:
    with Client(server) as client:
        yield client


def test_two_bots_play_a_whole_game_and_its_record_is_proved(server: str, tmp_path: Path) -> None:
    path = tmp_path / "transcript.json"

    done = run("--url", server, "--seed", "11", "--transcript", str(path))

    assert done.returncode == 0, done.stdout[-2000:] + done.stderr
    lines = done.stdout.splitlines()
    assert lines[-1].startswith("proved: ")
    assert [line for line in lines if line.startswith("Result: won by ")]
    assert [line for line in lines if line.strip() == "replay: proved"]
    assert audit(path.read_bytes()).is_proved
    _one_changed_score_is_found(path)
    _a_record_cut_short_is_found(path)


def _one_changed_score_is_found(path: Path) -> None:
    file: dict[str, Any] = json.loads(path.read_bytes())
    placed = next(each for each in file["events"] if each["type"] == "reafan.card_placed")
    placed["public"]["score"] += 1

    report = audit(json.dumps(file).encode())

    assert not report.is_proved
    assert any("FAILED" in line for line in report.lines)


def _a_record_cut_short_is_found(path: Path) -> None:
    file: dict[str, Any] = json.loads(path.read_bytes())
    file["events"].pop()

    assert not audit(json.dumps(file).encode()).is_proved


@pytest.mark.parametrize("data", [b"", b"[]", b"{}", b'{"events": [], "openings": []}'])
def test_what_is_no_transcript_is_not_proved(data: bytes) -> None:
    assert not audit(data).is_proved


def test_a_game_that_the_client_does_not_know_is_played_and_told_all_the_same(strangers: Client) -> None:
    """Probe has simultaneous and hidden moves; nothing of it is in the client."""
    game = strangers.game("probe")
    console = Console(record=True, file=open("/dev/null", "w"))  # noqa: SIM115
    with ExitStack() as undo:
        undo.enter_context(console.file)
        players = [
            undo.enter_context(demo.signed_up(strangers, name)) for name in demo.NAMES[: game.seats_min]
        ]
        match = demo.Match(console, game, players, seed=3)
        end = match.play(match.open().id, every=1)

        assert end.status == "finished"
        assert end.outcome is not None
        assert game.names["moves"]


def test_an_unknown_game_is_a_sentence_and_an_exit_code(server: str) -> None:
    done = run("--url", server, "--game", "chess")

    assert done.returncode == 1
    assert done.stderr.startswith("There is no game 'chess' here; on offer: reafan")
    assert "Traceback" not in done.stderr


def test_a_wrong_number_of_players_is_a_sentence_and_an_exit_code(server: str) -> None:
    done = run("--url", server, "--seats", "5")

    assert done.returncode == 1
    assert done.stderr.startswith("Reafan is played by 2, not by 5.")


def test_a_server_that_is_not_there_is_a_sentence_and_an_exit_code() -> None:
    done = run("--url", "http://127.0.0.1:9")

    assert done.returncode == 1
    assert done.stderr.startswith("http://127.0.0.1:9 does not answer")
    assert "Traceback" not in done.stderr
