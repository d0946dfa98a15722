"""What is remembered outside the database, and a run that goes on where it was interrupted."""

from __future__ import annotations

import io
import json
import os
import re
import time
import uuid
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.core.management import CommandError, call_command

from events import store
from tables import playing, queries, talk
from tables.auditing import Known, audit
from tables.checkpoints import FRESH_SECONDS, Checkpoint
from tables.idempotency import Idempotency
from tables.management.commands import verify_streams
from tests.tables.rooms import Room, open_room


@pytest.fixture
def rooms() -> list[Room]:
    """Three tables, with something said at the first."""
    found = [open_room() for _ in range(3)]
    talk.say(found[0].players[0], found[0].id, "hello")
    return found


def run(**options: Any) -> tuple[int, list[str]]:
    """Return the exit code and the lines of the command."""
    out, code = io.StringIO(), 0
    try:
        call_command("verify_streams", stdout=out, **options)
    except SystemExit as ended:
        code = int(ended.code or 0)
    return code, out.getvalue().splitlines()


def marks(path: Path) -> dict[str, tuple[int, str]]:
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert all(list(each) == ["stream", "seq", "head"] for each in lines)
    return {each["stream"]: (each["seq"], each["head"]) for each in lines}


def test_a_checkpoint_tells_where_each_log_ends(rooms: list[Room], tmp_path: Path) -> None:
    path = tmp_path / "heads"
    run(checkpoint=path)

    told = marks(path)
    for room in rooms:
        head = store.head_of(room.stream)
        assert told[room.stream] == (head.version, head.hash.hex())
    assert talk.stream_of(rooms[0].id) in told
    assert list(told) == sorted(told)
    assert [each.name for each in tmp_path.iterdir()] == ["heads"]


@pytest.mark.long
def test_a_log_may_grow_behind_its_checkpoint(rooms: list[Room], tmp_path: Path) -> None:
    path = tmp_path / "heads"
    run(checkpoint=path)
    before = marks(path)[rooms[0].stream]
    rooms[0].pick(0, 1)

    _, lines = run(checkpoint=path)

    assert not any(str(rooms[0].id) in line for line in lines)
    assert marks(path)[rooms[0].stream][0] > before[0]


def test_an_interrupted_run_goes_on(
    rooms: list[Room], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, seen = tmp_path / "heads", []

    def audited(table_id: uuid.UUID, known: Any = ()) -> Any:
        if len(seen) == 2 and not path.exists() and table_id not in seen:
            raise KeyboardInterrupt
        seen.append(table_id)
        return audit(table_id, known)

    ids = [room.id for room in rooms]
    monkeypatch.setattr(verify_streams, "_table_ids", lambda: iter(ids))
    monkeypatch.setattr(verify_streams, "audit", audited)
    with pytest.raises(
        CommandError, match=r"^Interrupted after 2 tables\. The next run .* goes on\.$"
    ) as told:
        run(checkpoint=path)
    assert told.value.returncode == 130
    assert not path.exists()
    with (tmp_path / "heads.part").open("a") as part:
        part.write('{"stream":"torn')

    monkeypatch.setattr(verify_streams, "audit", lambda *args: (seen.append(args[0]), audit(*args))[1])
    code, lines = run(checkpoint=path)

    assert code == 0
    assert seen == ids
    assert re.match(r"1 table, \d+ events, after 2 tables before the interruption: all proved", lines[-1])
    assert {room.stream for room in rooms} <= marks(path).keys()


def test_a_part_of_yesterday_is_begun_anew(rooms: list[Room], tmp_path: Path) -> None:
    part = tmp_path / "heads.part"
    line = {"stream": rooms[0].stream, "seq": 1, "head": "00" * 32}
    part.write_text(json.dumps(line) + "\n")
    fresh = Checkpoint(tmp_path / "heads")
    fresh.begin()
    fresh.close()
    assert fresh.resumed.keys() == {rooms[0].stream}
    old = time.time() - FRESH_SECONDS - 60
    os.utime(part, (old, old))

    stale = Checkpoint(tmp_path / "heads")
    stale.begin()
    stale.close()

    assert stale.resumed == {}


@pytest.mark.long
def test_what_was_not_proved_keeps_its_older_line(rooms: list[Room], tmp_path: Path) -> None:
    """A forged head never takes the place of the evidence against it, nor does a lost table vanish."""
    path, lost = tmp_path / "heads", f"table-{uuid.uuid4()}"
    wrong = {rooms[0].stream: (2, "11" * 32), rooms[1].stream: (999, "22" * 32), lost: (3, "33" * 32)}
    for stream, (seq, head) in wrong.items():
        with path.open("a") as file:
            file.write(json.dumps({"stream": stream, "seq": seq, "head": head}) + "\n")

    for _ in range(2):
        code, lines = run(checkpoint=path, json=True)
        found = {each["table"]: each["findings"] for each in map(json.loads, lines[:-1])}
        assert code == 1
        assert [each["what"] for each in found[str(rooms[0].id)]] == ["the table had another event here"]
        assert found[str(rooms[1].id)][0]["what"].startswith("the table reached 999, and ends at ")
        assert found[lost.removeprefix("table-")][0]["what"] == "the table is gone, and its log"
        assert str(rooms[2].id) not in found
    told = marks(path)
    assert wrong.items() <= told.items()
    assert told[rooms[2].stream][0] == store.head_of(rooms[2].stream).version


def test_a_table_asked_for_alone_is_compared_and_writes_nothing(rooms: list[Room], tmp_path: Path) -> None:
    path = tmp_path / "heads"
    line = json.dumps({"stream": rooms[0].stream, "seq": 2, "head": "11" * 32}) + "\n"
    path.write_text(line)

    assert run(table=str(rooms[0].id), checkpoint=path)[0] == 1
    assert run(table=str(rooms[1].id), checkpoint=path)[0] == 0

    assert path.read_text() == line
    assert len(list(tmp_path.iterdir())) == 1


def test_receipts_of_players_are_held_against_the_logs(rooms: list[Room], tmp_path: Path) -> None:
    path, room = tmp_path / "receipts", rooms[0]
    receipt = queries.head(room.players[0], room.id)
    path.write_text(json.dumps({name: getattr(receipt, name) for name in receipt.__struct_fields__}) + "\n")

    assert run(table=str(room.id), receipts=path)[0] == 0
    forged = audit(room.id, [Known("receipt", room.stream, receipt.seq, bytes(32))])
    assert [each.check for each in forged.findings] == ["receipt"]


def test_a_move_that_was_acknowledged_and_is_gone_is_found(rooms: list[Room], superuser_url: str) -> None:
    """A restored backup: everything inside fits, but for what was answered since."""
    room = rooms[0]
    sent = Idempotency("k", f"POST /v1/tables/{room.id}/moves", bytes(32))
    playing.play_move(
        room.players[0],
        room.id,
        turn=room.row.turn,
        kind="pick",
        params={"number": 0, "rival": 1},
        idempotency=sent,
    )
    assert run(table=str(room.id))[0] == 0
    move = "UPDATE tables_idempotencyrecord SET answer = jsonb_set(answer, '{last}', '999') WHERE scope = %s"
    with psycopg.connect(superuser_url) as superuser:
        superuser.execute(move, [sent.scope])
        superuser.commit()
        _, lines = run(table=str(room.id))
        superuser.execute("DELETE FROM tables_idempotencyrecord WHERE scope = %s", [sent.scope])
    assert any("position 999, receipt: the table reached 999" in line for line in lines)


@pytest.mark.parametrize(
    ("option", "content"),
    [
        ("checkpoint", "nonsense\n"),
        ("checkpoint", '{"stream":"table-1","seq":1,"head":""}\n'),
        ("receipts", "{}\n"),
        ("receipts", '{"v":1,"table":"","seq":1,"head":"","at":1,"kid":"","sig":""}\n'),
        ("receipts", None),
    ],
)
def test_a_file_that_is_none_is_refused_in_a_sentence(
    option: str, content: str | None, tmp_path: Path
) -> None:
    path = tmp_path / "file"
    if content is not None:
        path.write_text(content)
    with pytest.raises(CommandError, match=r"^(Line 1 of .* is (no|none) .*|.* cannot be read: .*)\.$"):
        run(**{option: path})
