"""The client in the terminal: it knows no game, and plays each one from schemas and legal moves."""

from __future__ import annotations

import os
import secrets
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from clients import demo
from clients.posta import Client
from clients.terminal.choices import choose_move
from clients.terminal.screen import Lexicon, picture, properties
from clients.terminal.words import WORDS, words_of
from engines.registry import GAMES
from stack.places import CLONE

SCHEMA = {
    "$ref": "#/$defs/View",
    "$defs": {
        "View": {
            "properties": {
                "viewer": {"type": "integer"},
                "is_closed": {"type": "boolean"},
                "hand": {"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "null"}]},
                "board": {"type": "array", "items": {"$ref": "#/$defs/Cell"}},
                "seats": {"type": "array", "items": {"$ref": "#/$defs/Seat"}},
            }
        },
        "Cell": {"properties": {"x": {}, "y": {}, "card": {}, "covered": {}}},
        "Seat": {"properties": {"seat": {}, "role": {}, "has_left": {}}},
    },
}
MANY = 1000  # lines, more than any game asks of a person
LEXICON = Lexicon(
    {"terms": {"hand": "your cards", "role_fox": "the fox", "card_A": "team A"}}, words_of("en")
)


def drawn(data: dict[str, Any]) -> list[str]:
    console = Console(width=60, record=True, file=open(os.devnull, "w"))  # noqa: SIM115
    with console.file:
        console.print(picture(data, SCHEMA, LEXICON))
        return [line.strip() for line in console.export_text().splitlines() if line.strip()]


def test_what_has_coordinates_is_a_board_and_other_lists_are_tables() -> None:
    lines = drawn(
        {
            "viewer": 0,
            "is_closed": False,
            "hand": ["A", None],
            "board": [{"x": -1, "y": 0, "card": "Kd", "covered": ["2c"]}, {"x": 1, "y": 1, "card": "Ah"}],
            "seats": [{"seat": 0, "role": "fox", "has_left": False}, {"seat": 1, "role": None}],
        }
    )

    assert [line.split() for line in lines] == [
        ["closed", "no"],
        ["your", "cards", "A", "?"],
        ["board"],
        ["1", "·", "·", "Ah"],
        ["0", "Kd+", "·", "·"],
        ["-1", "0", "1"],
        ["seats"],
        ["seat", "role"],
        ["─" * 14],
        ["0", "the", "fox"],
        ["1", "-"],
    ]


def test_many_moves_are_narrowed_by_questions_that_have_more_than_one_answer() -> None:
    """Of 3 x 4 places and one pass: the kind, x, y; the card is the same everywhere."""
    moves = [{"kind": "lay", "params": {"card": "A", "x": x, "y": y}} for x in range(3) for y in range(4)]
    schema = {"properties": {"card": {}, "x": {"description": "The column."}, "y": {}}}
    asked: list[tuple[str, Sequence[str]]] = []

    def second(question: str, answers: Sequence[str]) -> int:
        asked.append((question, answers))
        return 1 if "lay" in question else 0

    found = choose_move([*moves, {"kind": "pass", "params": {}}], lambda _: schema, LEXICON, second)

    assert found == {"kind": "lay", "params": {"card": "A", "x": 1, "y": 1}}
    assert asked == [
        ("Your move", ["lay", "pass"]),
        ("lay, x: The column.", ["0", "1", "2"]),
        ("lay, y: ", ["0", "1", "2", "3"]),
    ]


def test_a_few_moves_are_offered_at_once_and_the_player_may_go_back() -> None:
    moves = [{"kind": "pick", "params": {"card": card}} for card in "AB"]

    def back(_question: str, answers: Sequence[str]) -> None:
        assert answers == ["pick: card team A", "pick: card B"]

    assert choose_move(moves, lambda _: {}, LEXICON, back) is None


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES.keys())
def test_the_fields_of_every_view_are_found_in_its_schema(game: Any) -> None:
    from tables import catalogue  # at the top it would read Django's settings too early

    schema = catalogue.json_schema(game, "view")
    assert {"viewer", "turn", "is_over"} <= set(properties(schema))


def test_everything_is_said_in_both_languages() -> None:
    for key, (english, spanish) in WORDS.items():
        assert spanish, key
        assert english.count("{") == spanish.count("{"), key


def test_without_the_generated_client_there_is_a_sentence() -> None:
    hidden = "import sys; sys.modules['clients.generated.posta_client'] = None; "
    run = "from clients.terminal.__main__ import main; sys.exit(main())"
    done = subprocess.run(
        [sys.executable, "-c", hidden + run, "--url", "http://127.0.0.1:9"],
        cwd=CLONE,
        capture_output=True,
        text=True,
    )

    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "The generated client is missing: make client-python\n"


@pytest.fixture(scope="module")
def _generated() -> None:
    subprocess.run(["make", "client-python"], cwd=CLONE, check=True, capture_output=True)


class Person:
    """Somebody who reads what the terminal says, and types a line when it waits for one."""

    def __init__(self, server: str, language: str) -> None:
        command = [sys.executable, "-m", "clients.terminal", "--url", server, "--lang", language]
        env = {name: value for name, value in os.environ.items() if name != "POSTA_TOKEN"}
        self.program = subprocess.Popen(
            command, cwd=CLONE, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        self.read = ""

    def __enter__(self) -> Person:
        return self

    def __exit__(self, *_: object) -> None:
        self.program.kill()
        self.program.communicate()

    def type_all(self, lines: Sequence[str], then: str, until: str) -> str:
        """Answer with these lines, later always with ``then``; leave after ``until`` was said."""
        assert self.program.stdin
        assert self.program.stdout
        waiting, typed = list(lines), 0
        while chunk := os.read(self.program.stdout.fileno(), 65536):
            self.read += chunk.decode(errors="replace")
            if self.read.endswith("> "):
                if until in self.read:
                    break
                typed += 1
                if typed == MANY:
                    pytest.fail(self.read[-2000:])
                self.program.stdin.write(f"{waiting.pop(0) if waiting else then}\n".encode())
                self.program.stdin.flush()
        rest, complaint = self.program.communicate(timeout=60)  # the end of input: it leaves
        assert (self.program.returncode, complaint) == (0, b""), self.read[-2000:]
        return self.read + rest.decode()


@pytest.mark.long
@pytest.mark.usefixtures("_generated")
@pytest.mark.parametrize(("number", "game"), list(enumerate(GAMES.values(), start=1)), ids=list(GAMES))
def test_a_person_plays_a_whole_game_against_bots(whole_server: str, number: int, game: Any) -> None:
    """A guest, at a table of as few seats as the game has, with bots; then always the first answer."""
    seats = [] if len(game.seats) == 1 else [str(game.seats[0])]
    bots = game.seats[0] - 1
    lines = ["1", "1", str(number), *seats, str(bots), *["1"] * bots, "1"]

    with Person(whole_server, "en") as person:
        said = person.type_all(lines, then="1", until="Won by ")

    assert "Your move" in said


@pytest.mark.long
@pytest.mark.usefixtures("_generated")
def test_a_table_has_the_options_that_the_player_chose(whole_server: str) -> None:
    """In Spanish: Arrecife with 10 hp, until round 10."""
    lines = ["1", "1", "2", "3", "2", "1", "1", "2", "10", "0", "0", "", "10"]

    with Person(whole_server, "es") as person:
        said = person.type_all(lines, then="1", until="Ganan ")

    assert "Tu jugada" in said


@pytest.mark.long
@pytest.mark.usefixtures("_generated")
def test_whoever_joins_by_id_adds_to_chance_and_plays(server: str, tmp_path: Path) -> None:
    """The table of somebody else, where everybody must add to chance; the record says that both did."""
    with Client(server) as stranger, demo.signed_up(stranger, "host") as host, Person(server, "en") as person:
        table = host.open_table("reafan", seats=2, fairness="players_strict").id
        with ThreadPoolExecutor() as beside:
            hosted = beside.submit(play_first_moves, host, table)
            person.type_all(["1", "2", table, "", "1"], then="1", until="Won by ")
        assert hosted.result() == "finished"
        kept = tmp_path / "transcript.json"
        kept.write_bytes(host.transcript(table))

    judged = subprocess.run(
        [sys.executable, "-m", "verify", str(kept)], cwd=CLONE, capture_output=True, text=True
    )
    assert "  nobody could steer it but the server and seats 0 and 1 together\n" in judged.stdout


def play_first_moves(player: Client, table: str) -> str:
    """Play the first awaited move each time; return how the table ended."""
    while (view := player.view(table)).status in ("open", "playing"):
        if not player.add_entropy(table):
            for move in view.awaited_moves()[:1]:
                player.move(table, turn=view.turn, kind=move["kind"], params=move["params"])
        time.sleep(0.05)
    return view.status


@pytest.mark.long
@pytest.mark.usefixtures("_generated")
def test_an_account_is_made_and_entered_again(server: str) -> None:
    from clients.generated.posta_client.api.accounts import get_me
    from clients.terminal.door import Door, Refused

    name, password = f"ana-{secrets.token_hex(4)}", "five-dragons-at-dawn"
    with Door(server, "es") as new, Door(server, "es") as known, Door(server, "es") as wrong:
        new.enter(name, password, is_new=True)
        known.enter(name, password, is_new=False)
        assert new.token != known.token
        assert new.ask(get_me).id == known.ask(get_me).id
        with pytest.raises(Refused, match="contraseña"):
            wrong.enter(name, "six-dragons-at-dawn", is_new=False)
