"""The demonstration as somebody runs it: real processes, the public API, exit codes."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from rich.console import Console

from clients import demo
from clients.posta import Client
from stack.places import CLONE


def run(module: str, *arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", module, *arguments]
    return subprocess.run(
        command,
        cwd=CLONE,
        env={**os.environ, **env},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.fixture
def strangers(server: str) -> Iterator[Client]:
    with Client(server) as client:
        yield client


@pytest.mark.long
def test_two_bots_play_a_whole_game_and_its_record_is_proved(server: str, tmp_path: Path) -> None:
    """``make demo`` against a server that is named: the client plays, the verifier judges."""
    done = run("stack", "demo", URL=server, POSTA_DATA=str(tmp_path))

    assert done.returncode == 0, done.stdout[-2000:] + done.stderr
    lines = done.stdout.splitlines()
    assert [line for line in lines if line.startswith("Result: won by ")]
    assert [line for line in lines if line.startswith("replay: proved")]
    assert (tmp_path / "transcript.json").exists()


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


def test_players_add_to_the_chance_of_their_game(strangers: Client, tmp_path: Path) -> None:
    game = strangers.game("probe")
    console = Console(record=True, file=open("/dev/null", "w"))  # noqa: SIM115
    with ExitStack() as undo:
        undo.enter_context(console.file)
        players = [
            undo.enter_context(demo.signed_up(strangers, name)) for name in demo.NAMES[: game.seats_min]
        ]
        match = demo.Match(console, game, players, seed=3, fairness="players_strict")
        table = match.open()
        assert table.status == "playing"
        match.play(table.id, every=99)
        kept = tmp_path / "transcript.json"
        kept.write_bytes(players[0].transcript(table.id))

    done = run("verify", str(kept), "--game", "tests.probe")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "  nobody could steer it but the server and seats 0, 1 and 2 together\n" in done.stdout


def test_an_unknown_game_is_a_sentence_and_an_exit_code(server: str) -> None:
    done = run("clients.demo", "--url", server, "--game", "chess")

    assert done.returncode == 1
    assert done.stderr.startswith("There is no game 'chess' here; on offer: reafan")
    assert "Traceback" not in done.stderr


def test_a_wrong_number_of_players_is_a_sentence_and_an_exit_code(server: str) -> None:
    done = run("clients.demo", "--url", server, "--seats", "5")

    assert done.returncode == 1
    assert done.stderr.startswith("Reafan is played by 2, not by 5.")


def test_a_server_that_is_not_there_is_a_sentence_and_an_exit_code() -> None:
    done = run("clients.demo", "--url", "http://127.0.0.1:9")

    assert done.returncode == 1
    assert done.stderr.startswith("http://127.0.0.1:9 does not answer")
    assert "Traceback" not in done.stderr
