"""The report for paper and the results as CSV: of games that are over, for those who may see them."""

from __future__ import annotations

import csv
import json
import re
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from html.parser import HTMLParser
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from events import store
from tables import arbiters, commands, erasure, imports, rulings, staff
from tables.auditing import verify_finished
from tables.models import Arbiter, Player, Table
from tables.reports import printed, results, words
from tests.api.contract import Api
from tests.matches import open_match
from tests.services import SimulatedClock
from tests.tables.rooms import Room, open_room, running_room
from tests.tables.rooms import new_player as someone
from tests.verify.plays import SERVER, Play


class _Page(HTMLParser):
    """The cells of a page, by row."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self._in_cell = False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: Any) -> None:  # noqa: ARG002
        if tag == "tr":
            self.rows.append([])
        if tag == "td":
            self.rows[-1].append("")
        self._in_cell = tag == "td"

    def handle_data(self, data: str) -> None:
        if self._in_cell:
            self.rows[-1][-1] += data

    def handle_endtag(self, tag: str) -> None:  # noqa: ARG002
        self._in_cell = False


@pytest.fixture(scope="module")
def room(database: None) -> Room:
    """A game with a time-out, a peek and rulings of staff and arbiter, one of whose players is gone since."""
    room = open_room("reafan", settings={"title": "<b>Final</b> & more"})
    Player.objects.filter(id=room.players[0]).update(name=f"Ana-{room.id.hex[:8]}")
    arbiter = Arbiter.objects.create(table_id=room.id, player_id=someone())
    with commands.locked(room.id) as host:
        arbiters.accept(host, arbiter.player_id)
    room.play_on(6)
    call_command("peek", str(room.id), reason="dispute", stdout=StringIO())
    staff.extend(room.id, "fault", hours=2)
    with commands.locked(room.id) as host:
        rulings.adjudicate(host, "arbiter", "conduct", places=[1, 2])
    verify_finished(room.id)
    erasure.close(room.players[1])
    erasure.erase(room.players[1])
    return room


def report(room: Room, locale: str = "en") -> list[list[str]]:
    return _Page(printed.of_table(room.id, locale)).rows


def test_every_move_has_its_time_its_player_and_the_deadline_that_was_open(room: Room) -> None:
    rows = {row[0]: row for row in report(room) if len(row) == 5}
    moves = room.headers("table.move_played")
    deadlines: dict[int, int] = {}
    due = 0
    for header in room.headers():
        due = header.public["deadline_at"] if header.type == "clock.deadline_set" else due
        deadlines[header.seq] = due
    assert moves
    for move in moves:
        _, at, actor, what, deadline = rows[str(move.seq)]
        assert actor == (f"Ana-{room.id.hex[:8]}" if move.public["seat"] == 0 else "A player who left")
        assert at == printed._time(move.at)
        assert deadline == printed._time(deadlines[move.seq])
        assert what.endswith(".")


def test_what_staff_and_arbiter_did_is_told_with_who_and_why(room: Room) -> None:
    told = [(row[2], row[3]) for row in report(room) if len(row) == 5]
    for wanted in (
        ("Arbiter", "The table has an arbiter."),
        ("Staff", "Staff look at everything that is hidden (a dispute)."),
        ("Staff", "Ruling of staff: there is more time (a fault of the server)."),
        ("Arbiter", "Ruling of the arbiter: the game ends here, with a result (conduct)."),
    ):
        assert wanted in told
    assert told[-1][1].startswith("The game is over, and won by Ana-")


def test_what_staff_do_after_a_ruling_of_the_arbiter_is_not_the_arbiters() -> None:
    room = open_room("arrecife", seats=3)
    arbiter = Arbiter.objects.create(table_id=room.id, player_id=someone())
    with commands.locked(room.id) as host:
        arbiters.accept(host, arbiter.player_id)
        rulings.extend(host, "arbiter", "request", hours=1)
    Table.objects.filter(id=room.id).update(suspended_at=datetime.now(UTC) - timedelta(hours=1))
    staff.resume(room.id, "fault")
    staff.annul(room.id, "fault")
    rows = {int(row[0]): row[2] for row in report(room) if len(row) == 5}
    for type_, actor in (
        ("clock.time_added", "Arbiter"),
        ("table.reinstated", "Staff"),
        ("clock.deadline_extended", "Staff"),
    ):
        assert rows[room.headers(type_)[-1].seq] == actor


def test_the_page_tells_verdict_head_and_key(room: Room) -> None:
    page = printed.of_table(room.id, "en")
    assert room.row.verdict == "proved"
    assert f"proved, up to event {room.row.version}" in page
    assert store.head_of(room.stream).hash.hex() in page
    assert re.search(r"Signed by key</dt><dd class=\"h\">([0-9a-f]{16}|not signed yet)<", page)


def test_names_are_escaped_and_those_of_the_gone_are_gone(room: Room) -> None:
    page = printed.of_table(room.id, "en")
    assert "&lt;b&gt;Final&lt;/b&gt; &amp; more" in page
    assert "<b>" not in page
    holders = [row for row in report(room) if len(row) == 6]
    assert [row[:3] for row in holders[:2]] == [
        ["0", f"Ana-{room.id.hex[:8]}", "1"],
        ["1", "A player who left", "2"],
    ]
    assert holders[2][0] == "Arbiter"
    assert [len(row[4]) for row in holders] == [32, 32, 32]


def test_it_is_in_both_languages(room: Room) -> None:
    english, spanish = (printed.of_table(room.id, locale) for locale in ("en", "es"))
    assert '<html lang="es">' in spanish
    assert "Decisión arbitral: la partida acaba aquí, con resultado (conducta)." in spanish
    assert "Alguien que se fue" in spanish
    for one, other in words.WORDS.values():
        assert set(re.findall(r"\{\w+\}", one)) == set(re.findall(r"\{\w+\}", other))
    assert english != spanish


def test_a_time_out_is_told_with_the_deadline_that_was_missed(clock: SimulatedClock) -> None:
    room = running_room("reafan", 3)
    room.let_time_pass(clock)
    due = room.last("clock.expired")["deadline_at"]
    staff.annul(room.id, "request")
    (row,) = [row for row in report(room) if len(row) == 5 and row[3].startswith("Time is up")]
    assert (row[2], row[4]) == ("The table", printed._time(due))


def test_a_table_of_another_server_is_reported_under_the_key_of_that_server() -> None:
    file = Play("reafan", 131).play().file("full")
    table_id = imports.import_table(json.dumps(file).encode(), visibility="public").table_id
    page = printed.of_table(table_id, "en")
    assert f'<dd class="h">{SERVER.kid}</dd>' in page
    assert file["receipts"][-1]["head"] in page


def test_of_a_table_of_another_server_nobody_is_gone() -> None:
    file = Play("reafan", 132).play().file("full")
    table_id = imports.import_table(json.dumps(file).encode(), visibility="public").table_id
    for locale, name in (("en", "Played elsewhere"), ("es", "Jugó en otro servidor")):
        page = printed.of_table(table_id, locale)
        assert name in page
        assert words.word("gone", locale) not in page
    lines = [each for each in sheet("".join(results.of_all())) if each["table"] == str(table_id)]
    assert [(each["player"], each["gone"]) for each in lines] == [("", "false")] * 2


def test_of_a_running_game_there_is_none(tmp_path: Path) -> None:
    room = running_room("probe", 1)
    with pytest.raises(CommandError, match="There is no report: This can be done when the game has ended"):
        call_command("audit_report", str(room.id))
    staff.annul(room.id, "request")
    call_command("audit_report", str(room.id), locale="es", output=tmp_path / "report.html")
    assert "(partida anulada)" in (tmp_path / "report.html").read_text("utf-8")


def test_the_report_over_http(new_player: Callable[..., Api], server: str) -> None:
    players = [new_player(), new_player()]
    match = open_match(players)
    early = players[0].get(f"{match.path}/report")
    assert (early.status_code, early.json()["code"]) == (409, "table_not_finished")
    players[0].post(f"{match.path}/resign", {})
    until = time.monotonic() + 30
    while players[0].get(match.path).json()["verification"] is None:  # which the page tells
        assert time.monotonic() < until
    answer = players[0].get(f"{match.path}/report", headers={"Accept-Language": "es"})
    assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
    assert answer.headers["Content-Language"] == "es"
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
    same = players[1].get(
        f"{match.path}/report", headers={"Accept-Language": "es", "If-None-Match": answer.headers["ETag"]}
    )
    assert (same.status_code, same.content) == (304, b"")
    assert new_player().get(f"{match.path}/report", headers={"Accept": "application/json"}).status_code == 406
    assert Api(server).get(f"{match.path}/report").status_code == 401


# --- Results ------------------------------------------------------------------------------------


def sheet(text: str) -> list[dict[str, str]]:
    assert text.endswith("\r\n")
    return list(csv.DictReader(StringIO(text, newline="")))


def test_a_line_for_each_seat_of_the_games_that_are_over(new_player: Callable[..., Api]) -> None:
    host = new_player()
    played = open_match([host], seats=2, bots=["greedy"], title="=HYPERLINK(1)")
    host.post(f"{played.path}/resign", {})
    open_match([host], seats=2, bots=["greedy"])

    answer = host.get("/v1/tables/results.csv?mine=true&game=reafan")

    assert answer.headers["Content-Type"] == "text/csv; charset=utf-8"
    assert answer.headers["Content-Disposition"] == 'attachment; filename="results.csv"'
    lines = sheet(answer.text)
    assert tuple(lines[0]) == results.COLUMNS
    me = host.get("/v1/me").json()["name"]
    assert [(each["table"], each["seat"], each["player"], each["bot"]) for each in lines] == [
        (played.id, "0", me, ""),
        (played.id, "1", "", "greedy"),
    ]
    assert [(each["place"], each["winner"], each["gone"]) for each in lines] == [
        ("2", "false", "false"),
        ("1", "true", "false"),
    ]
    assert {each["title"] for each in lines} == {"'=HYPERLINK(1)"}
    assert host.get("/v1/tables/results.csv?mine=maybe").status_code == 400


def test_private_tables_are_for_those_who_see_them(new_player: Callable[..., Api], server: str) -> None:
    host, stranger = new_player(), new_player()
    hidden = open_match([host], seats=2, bots=["greedy"], visibility="private")
    host.post(f"{hidden.path}/resign", {})

    assert hidden.id in host.get("/v1/tables/results.csv").text
    assert hidden.id not in stranger.get("/v1/tables/results.csv").text
    assert Api(server).get("/v1/tables/results.csv").status_code == 401
    out = StringIO()
    call_command("results", game="reafan", stdout=out)
    assert hidden.id in out.getvalue()


def test_results_come_in_parts_and_none_is_lost_or_told_twice(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    rooms = [running_room("probe", 1) for _ in range(5)]
    for room in rooms:
        staff.annul(room.id, "request")
    Table.objects.filter(id__in=[room.id for room in rooms[:3]]).update(created_at=rooms[0].row.created_at)
    monkeypatch.setattr(results, "AT_ONCE", 2)

    call_command("results", game="probe", output=tmp_path / "results.csv")

    told = [each["table"] for each in sheet((tmp_path / "results.csv").read_bytes().decode())]
    assert len(told) == len(set(told)) * 3
    assert {str(room.id) for room in rooms} <= set(told)


@pytest.mark.parametrize(
    ("value", "cell"),
    [
        ("=1+1", "'=1+1"),
        ("+1", "'+1"),
        ("-1", "'-1"),
        ("@x", "'@x"),
        ("\t=1", "'\t=1"),
        (" =1", "' =1"),
        ("＝1", "'＝1"),  # noqa: RUF001
        ("Ana;=1;\t@x; -1", "Ana;'=1;'\t@x;' -1"),
        ("Ana; Bea;", "Ana; Bea;"),
        ("Ana = Bea", "Ana = Bea"),
        (-3, "-3"),
        (True, "true"),
        (None, ""),
    ],
)
def test_no_text_is_a_formula_and_a_number_is_one(value: Any, cell: str) -> None:
    assert results._cell(value) == cell
