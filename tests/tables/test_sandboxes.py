"""Sandboxes: reproducible to the card, marked for ever, and proof of nothing but that the rules were kept."""

from __future__ import annotations

import json
import uuid
from collections.abc import Sequence
from typing import Any

import msgspec
import pytest

from events import canonical, store
from tables import catalogue, commands, queries, transcripts
from tables.auditing import verify_finished
from tables.errors import BadField, Misshapen
from tables.management.commands.verify_streams import audit
from tables.models import AwaitedTurn
from tables.relay import ask_bot
from tables.shapes import ClockChoice, Join, NewFork, NewTable, SandboxChoice, ScriptedMove
from tests.tables.rooms import Room, new_player, open_room
from tests.verify.javascript import judge_many
from verify import SEED_CHOSEN
from verify.transcript import Judgement, judge, read

SEED, OTHER = "5e" * 32, "d1" * 32
GAMES = ("arrecife", "cthulhu", "reafan")


def sandbox(game: str, seed: str | None = SEED, **settings: Any) -> Room:
    """Return a sandbox with its seats taken by persons."""
    return open_room(game, settings={"sandbox": SandboxChoice(seed=seed), **settings})


def with_bots(script: Sequence[ScriptedMove] = (), seed: str = SEED) -> Room:
    """Return a sandbox of Arrecife: a person, and two bots that play at random or what they are told."""
    body = NewTable(
        game="arrecife",
        seats=3,
        clock=ClockChoice(kind="none"),
        bots=["random", "random"],
        sandbox=SandboxChoice(seed=seed, script=list(script)),
    )
    player = new_player()
    opened: Any = commands.open_table(player, body).answer
    return Room(uuid.UUID(opened.id), [player], new_player())


def chance_of(room: Room) -> list[Any]:
    """Return what chance has given so far, hidden things too: everything that the game holds."""
    return [room.host.state, [each.draws for each in room.headers()]]


def let_bots_move(room: Room) -> None:
    while bots := [seat for seat in room.host.awaited() if seat > 0]:
        for seat in bots:
            ask_bot(room.id, f"seat:{seat}")


def judged(room: Room, origins: Sequence[Room] = ()) -> tuple[bytes, Judgement]:
    files = [msgspec.json.encode(transcripts.of(each.row, None)) for each in (*origins, room)]
    return files[-1], judge(files[-1], catalogue.games(), origins=[read(each) for each in files[:-1]])


@pytest.mark.parametrize("game", ["cthulhu", "reafan"])
def test_the_same_seed_and_moves_give_the_same_game(game: str) -> None:
    one, other = sandbox(game), sandbox(game)
    for room in (one, other):
        room.play_on(6)

    assert chance_of(one) == chance_of(other)
    another = sandbox(game, OTHER)
    another.play_on(6)
    assert chance_of(one) != chance_of(another)


def test_so_it_is_in_each_game_of_a_series_and_earlier_seeds_tell_nothing_of_later_ones() -> None:
    one, other = (
        open_room("cthulhu", settings={"sandbox": SandboxChoice(seed=SEED)}, series=True) for _ in range(2)
    )
    for room in (one, other):
        while room.host.table.epoch == 0:
            room.play_on(1)

    assert chance_of(one) == chance_of(other)
    assert one.last("table.seed_revealed")["seed"] != SEED
    one.prove()


def test_bots_choose_by_the_seed_too() -> None:
    rooms = with_bots(), with_bots(), with_bots(seed=OTHER)
    for room in rooms:
        for _ in range(3):
            let_bots_move(room)
            room.send(0, **first_move(room))

    assert chance_of(rooms[0]) == chance_of(rooms[1]) != chance_of(rooms[2])


def first_move(room: Room) -> dict[str, Any]:
    move = room.view(0).legal_moves[0]
    return {"kind": move.kind, **move.params}


def test_bots_play_their_script_and_skip_what_is_not_legal() -> None:
    """A seat shows each kind of card once a round: a value, and no second one."""
    told = [(1, "3"), (1, "3"), (1, "+"), (2, "A"), (2, "2"), (2, "-"), (2, "B")]
    room = with_bots([ScriptedMove(seat=seat, kind="pick", params={"card": card}) for seat, card in told])
    for _ in range(3):
        let_bots_move(room)
        room.send(0, **first_move(room))
    let_bots_move(room)

    first, skipped, *_ = cards_of(room, 1)
    assert (first, skipped in "AB+-") == ("3", True)
    assert cards_of(room, 2) == ["A", "2", "-", "B"]


def cards_of(room: Room, seat: int) -> list[str]:
    sent = [each for each in room.headers("table.move_played") if each.actor == f"seat:{seat}"]
    openings = store.openings(room.stream, [(each.seq, 0) for each in sent])
    return [canonical.parse(openings[each.seq, 0].payload)["params"]["card"] for each in sent]


@pytest.mark.parametrize(
    ("move", "pointer"),
    [
        ({"seat": 2, "kind": "pick"}, "seat"),
        ({"seat": 1, "kind": "open"}, "kind"),
    ],
)
def test_a_script_is_of_moves_that_there_are_by_bots_that_there_are(
    move: dict[str, Any], pointer: str
) -> None:
    script = [ScriptedMove(seat=1, kind="pick", params={"card": "A"}), ScriptedMove(**move)]
    body = NewTable(game="arrecife", seats=3, bots=["random"], sandbox=SandboxChoice(script=script))

    with pytest.raises(BadField) as refused:
        commands.open_table(new_player(), body)
    assert refused.value.facts["pointer"] == f"#/sandbox/script/1/{pointer}"


def test_a_script_has_the_params_of_its_moves() -> None:
    script = [ScriptedMove(seat=1, kind="pick", params={"card": 3})]
    body = NewTable(game="arrecife", seats=3, bots=["random"], sandbox=SandboxChoice(script=script))

    with pytest.raises(Misshapen) as refused:
        commands.open_table(new_player(), body)
    assert refused.value.pointer == "#/sandbox/script/0/params"


def test_it_is_marked_in_the_log_in_words_and_in_every_answer() -> None:
    room = sandbox("reafan")
    assert room.headers()[0].public["seed_policy"] == "chosen"
    told = queries.table(room.stranger, room.id)
    assert (told.sandbox, told.fairness) == (True, "chosen")
    (first, *_) = queries.narration(room.stranger, room.id, "es").items
    assert "Se abre una mesa de pruebas" in first.sentence
    ordinary = open_room("reafan")
    assert queries.table(ordinary.stranger, ordinary.id).sandbox is False


def test_nothing_counts_for_anybody() -> None:
    room, rated = sandbox("reafan"), open_room("reafan")
    for each in (room, rated):
        each.play_on(3)

    assert not AwaitedTurn.objects.filter(player__in=room.players).exists()
    assert AwaitedTurn.objects.filter(player__in=rated.players).exists()


def test_clocks_of_two_seconds_are_for_sandboxes() -> None:
    for clock in (ClockChoice(seconds=2), ClockChoice(kind="budget", initial=2, increment=0, cap=2)):
        told = sandbox("reafan", clock=clock).row.settings["clock"]
        assert 2 in (told["seconds"], told["initial"])
    for clock in (ClockChoice(seconds=59), ClockChoice(kind="budget", initial=59, cap=60)):
        with pytest.raises(BadField):
            commands.open_table(new_player(), NewTable(game="reafan", clock=clock))


def test_players_add_nothing_to_a_seed_that_is_chosen() -> None:
    with pytest.raises(BadField) as refused:
        sandbox("reafan", fairness="players")
    assert refused.value.facts["pointer"] == "#/fairness"


def end(room: Room) -> None:
    """Let the seats resign until the game is over."""
    for seat in range(len(room.players)):
        if room.row.status == "playing":
            room.resign(seat)


@pytest.mark.parametrize("game", GAMES)
def test_the_verifiers_say_that_the_seed_was_chosen(game: str) -> None:
    room = sandbox(game)
    room.play_on(10)
    end(room)
    data, found = judged(room)
    (found_there,) = judge_many([data])

    assert {name: each.status for name, each in found.verdicts.items()} == {
        "receipts": "proved",
        "integrity": "proved",
        "fairness": "not_provable",
        "replay": "proved",
    }
    assert found.verdicts["fairness"].doubt == SEED_CHOSEN
    assert found_there["verdicts"]["fairness"] == {
        "status": "not_provable",
        "doubt": SEED_CHOSEN,
        "findings": [],
    }


def test_a_draw_that_does_not_follow_from_the_chosen_seed_is_found_all_the_same() -> None:
    """As a log would be whose chance was no sandbox's, or came from another seed."""
    room = open_room("reafan")
    end(room)
    file = json.loads(judged(room)[0])
    file["events"][0]["public"]["seed_policy"] = "chosen"
    data = json.dumps(file).encode()

    here, (there,) = judge(data, catalogue.games()), judge_many([data])
    assert here.verdicts["fairness"].status == there["verdicts"]["fairness"]["status"] == "failed"


def test_the_server_calls_it_replayed() -> None:
    room = sandbox("reafan")
    end(room)
    verify_finished(room.id)

    verification = queries.table(room.stranger, room.id).verification
    assert verification is not None
    assert verification.verdict == "replayed"
    room.prove()


def test_what_goes_on_from_a_sandbox_is_one() -> None:
    room = sandbox("reafan")
    room.play_on(8)
    room.resign(0)
    turn = queries.turn_positions(room.players[0], room.id).items[2]
    opened: Any = commands.fork(room.players[0], room.id, NewFork(position=turn.position, seat=0)).answer
    fork = Room(uuid.UUID(opened.id), room.players[:1], new_player())
    commands.resign(fork.players[0], fork.id)

    assert opened.sandbox
    assert not audit(fork.id).findings
    _, found = judged(fork, [room])
    assert found.verdicts["replay"].status == "proved"
    assert found.verdicts["fairness"].doubt == SEED_CHOSEN


def test_a_rematch_is_the_same_game_once_more() -> None:
    room = sandbox("reafan")
    before = room.host.state
    room.resign(0)
    for player in room.players:
        again: Any = commands.rematch(player, room.id).answer
    assert Room(uuid.UUID(again.table_id), room.players, room.stranger).host.state == before


def test_whoever_sees_a_public_one_may_sit_down() -> None:
    body = NewTable(game="reafan", sandbox=SandboxChoice(seed=SEED))
    opened: Any = commands.open_table(new_player(), body).answer
    joined: Any = commands.join(new_player(), uuid.UUID(opened.id), Join()).answer
    assert joined.status == "playing"
    assert SEED not in msgspec.json.encode(joined).decode()


def test_the_lobby_shows_them_apart() -> None:
    player = new_player()
    made: dict[bool, Any] = {
        is_one: commands.open_table(
            player, NewTable(game="reafan", sandbox=SandboxChoice() if is_one else None)
        ).answer
        for is_one in (True, False)
    }

    for is_one, table in made.items():
        found = queries.tables(player, mine=True, sandbox=is_one)
        assert [each.id for each in found.items] == [table.id]
    assert len(queries.tables(player, mine=True).items) == 2
