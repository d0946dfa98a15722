"""The README's own lines work as they stand, but for the server's address."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from engines.registry import GAMES
from tests.services import Services

ROOT = Path(__file__).resolve().parents[2]


def _blocks(name: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", (ROOT / name).read_text(), re.DOTALL)


def _run(command: list[str], cwd: Path) -> list[str]:
    """Return the lines that a command says, which must succeed."""
    environment = {**os.environ, "NO_PROXY": "127.0.0.1"}
    ran = subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=120, env=environment)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.splitlines()


@pytest.mark.long
def test_the_games_by_curl_are_played_and_opened(server: str, tmp_path: Path) -> None:
    """The shell lines of README.md: a whole match of two, then a table with bots of each game."""
    lines = "".join(_blocks("README.md", "bash")).replace("http://127.0.0.1:8000", server)

    said = _run(["bash", "-eu", "-c", lines], tmp_path)

    assert said[0] == "playing"
    assert "'reason'" in said[-1 - len(GAMES)]
    assert said[-len(GAMES) :] == ["playing"] * len(GAMES)
    assert (tmp_path / "transcript.json").stat().st_size > 10_000


@pytest.mark.long
def test_a_game_against_a_bot_is_played_by_the_client(server: str, services: Services) -> None:
    (lines,) = _blocks("README.md", "python")
    services.start("daemon")  # as in ``make up``: it lets the bots move sooner than beat does

    said = _run([sys.executable, "-c", lines.replace("http://127.0.0.1:8000", server)], ROOT)

    services.stop("daemon")

    assert "'reason'" in said[-1]


def test_both_readmes_tell_the_same_lines_against_bots() -> None:
    for language in ("bash", "python"):
        assert _blocks("README.es.md", language)[-1] == _blocks("README.md", language)[-1]


def test_both_readmes_have_the_same_parts() -> None:
    """Each heading and each table row of one has its like in the other."""

    def shape(name: str) -> list[str]:
        lines = (ROOT / name).read_text().splitlines()
        return [line.split(" ")[0] for line in lines if line.startswith(("## ", "| "))]

    assert shape("README.md") == shape("README.es.md")


def test_every_local_link_leads_somewhere() -> None:
    """No dead link in the repository's own documents."""
    for document in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]:
        for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", document.read_text()):
            if "://" not in target and not target.startswith("/"):
                assert (document.parent / target).exists(), f"{document.name}: {target}"
