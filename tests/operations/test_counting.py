"""What is counted where it happens: moves, time-outs, replays, sweeps, outbox; and lines know their table."""

from __future__ import annotations

import json
import logging

import pytest
from prometheus_client.parser import text_string_to_metric_families

from engines.errors import RuleViolation
from events import store
from tables import catalogue, commands, hosting
from tables.commands import locked
from tables.errors import Refusal
from tables.folding import stream_of
from tables.models import Table
from tables.operations import logs, metrics
from tables.relay import relay
from tables.shapes import NewTable
from tables.sweeps import sweep
from tests.services import SimulatedClock
from tests.tables.rooms import Room, new_player, open_room

pytestmark = pytest.mark.usefixtures("no_drivers")  # what others do, others count


@pytest.fixture
def room() -> Room:
    """A game of the probe that has just begun."""
    return open_room(seconds=60)


def test_moves_are_counted_by_game_and_by_what_became_of_them(room: Room) -> None:
    before = {result: _moves(result) for result in ("played", "repeated", "refused", "late")}
    pick = {"number": 0, "rival": 1}
    room.send(0, "pick", **pick)
    room.send(0, "pick", **pick)
    with pytest.raises(RuleViolation):
        room.send(1, "pick", number=1, rival=1)
    with pytest.raises(Refusal):
        room.send(1, "pick", turn=99, number=1, rival=0)
    assert {result: _moves(result) - count for result, count in before.items()} == dict.fromkeys(before, 1)


def test_a_time_out_is_counted_with_its_lateness_and_the_sweep_with_what_it_took_up(
    room: Room, clock: SimulatedClock
) -> None:
    while sweep("test"):
        pass
    count, total = (
        _value("posta_time_out_lateness_seconds_count"),
        _value("posta_time_out_lateness_seconds_sum"),
    )
    swept = _value("posta_swept_tables_total", driver="test")
    ended = _time_outs()
    clock.advance(seconds=100)
    while sweep("test"):
        pass
    expected = _time_outs() - ended
    assert _value("posta_time_out_lateness_seconds_count") == count + expected
    assert _value("posta_time_out_lateness_seconds_sum") >= total + 40
    assert _value("posta_swept_tables_total", driver="test") >= swept + expected
    assert room.row.turn == 2


def test_a_replay_is_counted_and_a_snapshot_is_none(room: Room) -> None:
    before = _value("posta_replay_seconds_count")
    hosting.peek(room.id)
    assert _value("posta_replay_seconds_count") == before
    store.drop_snapshots(room.stream)
    hosting.peek(room.id)
    assert _value("posta_replay_seconds_count") == before + 1


def test_what_the_outbox_said_is_counted() -> None:
    game = catalogue.game_of("probe")
    commands.open_table(
        new_player(), NewTable(game="probe", bots=[next(iter(game.bots))] * (game.seats[0] - 1))
    )
    before = _value("posta_outbox_done_total")
    done = relay()
    assert done >= 1
    assert _value("posta_outbox_done_total") == before + done


def test_a_line_written_while_a_table_is_held_names_it(room: Room) -> None:
    with locked(room.id):
        line = _line()
    assert (line["table"], line["position"]) == (str(room.id), room.row.version)
    assert "table" not in _line()


def _line() -> dict[str, object]:
    record = logging.LogRecord("somebody", logging.INFO, __file__, 1, "here", None, None)
    told: dict[str, object] = json.loads(logs.JsonLines().format(record))
    return told


def _time_outs() -> int:
    """Return how many turns of any table have ended by time, as the logs tell."""
    tables = Table.objects.values_list("id", flat=True)
    return sum(len(store.all_of_type(stream_of(each), "clock.expired")) for each in tables)


def _moves(result: str) -> float:
    return _value("posta_moves_total", game="probe", result=result)


def _value(name: str, **labels: str) -> float:
    """Return what this very process tells of one metric."""
    text = metrics.exposition("")[0].decode()
    samples = (each for family in text_string_to_metric_families(text) for each in family.samples)
    return sum(each.value for each in samples if each.name == name and each.labels.items() >= labels.items())
