"""The templates of bots, as whoever copies one runs it: a program, an address, a table."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from clients import demo
from clients.posta import Client
from stack.places import CLONE
from tests.verify.javascript import NODE

BOTS = CLONE / "clients" / "bots"
PROGRAMS = {
    "python": [sys.executable, "-I", str(BOTS / "bot.py")],
    "typescript": [str(NODE), "--no-warnings", str(BOTS / "bot.ts")],
}


def started(language: str, *arguments: str) -> subprocess.Popen[str]:
    env = {name: value for name, value in os.environ.items() if name != "POSTA_TOKEN"}
    return subprocess.Popen(
        [*PROGRAMS[language], *arguments], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def ended(bot: subprocess.Popen[str]) -> dict[str, object]:
    out, complaint = bot.communicate(timeout=240)
    assert bot.returncode == 0, complaint
    return dict(json.loads(out))


@pytest.mark.parametrize("file", ["bot.py", "bot.ts"])
def test_a_template_has_under_100_lines(file: str) -> None:
    assert len((BOTS / file).read_text().splitlines()) < 100


@pytest.mark.long
@pytest.mark.parametrize("language", PROGRAMS)
def test_a_bot_opens_a_table_and_plays_it_to_the_end(whole_server: str, language: str) -> None:
    """Seats move at the same time at this table, one of them not in every turn."""
    end = ended(started(language, whole_server, "open", "arrecife", "random", "random"))

    assert end["status"] == "finished"
    assert end["outcome"]


@pytest.mark.long
def test_both_join_the_table_of_somebody_else_and_play_it_to_the_end(server: str) -> None:
    with Client(server) as stranger, demo.signed_up(stranger, "host") as host:
        table = host.open_table("cthulhu", seats=3).id
        bots = [started(language, server, "join", table) for language in PROGRAMS]
        while (view := host.view(table)).status in ("open", "playing"):
            for move in view.awaited_moves()[:1]:
                host.move(table, turn=view.turn, kind=move["kind"], params=move["params"])
            assert all(bot.poll() in (None, 0) for bot in bots), "a bot has given up"
            time.sleep(0.05)

    assert [ended(bot) for bot in bots] == [{"status": "finished", "outcome": view.outcome}] * 2


@pytest.mark.parametrize("language", PROGRAMS)
def test_what_a_server_refuses_is_a_sentence_and_an_exit_code(server: str, language: str) -> None:
    bot = started(language, server, "join", "00000000-0000-4000-8000-000000000000")
    out, complaint = bot.communicate(timeout=60)

    assert (bot.returncode, out) == (1, "")
    assert complaint == "There is nothing here, or nothing that you may see.\n"


@pytest.mark.parametrize("language", PROGRAMS)
def test_the_address_of_something_else_is_a_sentence_too(language: str) -> None:
    with HTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler) as other:
        address = f"http://127.0.0.1:{other.server_port}"
        bot = started(language, address, "open", "reafan")
        other.handle_request()  # there is nothing that it could do: 501, a page of HTML
        out, complaint = bot.communicate(timeout=60)

    assert (bot.returncode, out) == (1, "")
    assert complaint in (
        "There is no server of Posta at this address.\n",
        f"{address} is no server of Posta.\n",
    )
