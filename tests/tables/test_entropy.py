"""Players add to the chance of a game: commitments, then reveals, then the game."""

from __future__ import annotations

import secrets
import uuid
from dataclasses import dataclass, field
from typing import Any

import msgspec
import pytest

from events import canonical
from tables import commands, contributions, erasure, hosting, rows, staff
from tables.clock import moment
from tables.errors import (
    BadField,
    EntropyCommittedAlready,
    EntropyMismatch,
    EntropyNotAsked,
    NoBots,
    SeatingClosed,
)
from tables.models import Player, Table
from tables.shapes import Ballot, ClockChoice, EntropyCommitment, EntropyReveal, Join, NewTable, NewVote
from tests.services import SimulatedClock
from tests.tables.rooms import Room, new_player

DAY = 86_400
TURN = 600


@dataclass(frozen=True, slots=True)
class Hall(Room):
    """A table whose players add to its chance; ``kept`` is what they have drawn, by seat and epoch."""

    kept: dict[tuple[int, int], bytes] = field(default_factory=dict)

    def commit(self, *seats: int, epoch: int = 0) -> None:
        """Let seats commit."""
        for seat in seats:
            drawn = self.kept.setdefault((seat, epoch), secrets.token_bytes(32))
            commit = canonical.entropy_commit(self.id.bytes, epoch, seat, drawn).hex()
            contributions.commit(self.players[seat], self.id, EntropyCommitment(epoch=epoch, commit=commit))

    def reveal(self, *seats: int, epoch: int = 0) -> None:
        """Let seats reveal what they have committed to."""
        for seat in seats:
            told = EntropyReveal(epoch=epoch, entropy=self.kept[seat, epoch].hex())
            contributions.reveal(self.players[seat], self.id, told)

    @property
    def key(self) -> bytes:
        """The key of the draws that the server makes."""
        return self.host._stream_key()


def hall(
    fairness: str = "players",
    game: str = "probe",
    seats: int = 3,
    joined: int | None = None,
    **settings: Any,
) -> Hall:
    """Return a table at which so many people sit; all who fit by default."""
    clock = settings.pop("clock", ClockChoice(seconds=TURN))
    joined = seats - len(settings.get("bots", ())) if joined is None else joined
    players = [new_player() for _ in range(joined)]
    body = NewTable(game=game, seats=seats, fairness=fairness, clock=clock, **settings)  # type: ignore[arg-type]
    opened = msgspec.to_builtins(commands.open_table(players[0], body).answer)
    room = Hall(uuid.UUID(opened["id"]), players, new_player())
    for player in players[1:]:
        commands.join(player, room.id, Join())
    return room


def test_the_genesis_tells_the_policy_and_so_does_the_table() -> None:
    for fairness in ("server", "players", "players_strict"):
        room = hall(fairness, joined=1)
        assert room.last("table.opened")["seed_policy"] == fairness
        assert Table.objects.get(id=room.id).fairness == fairness
        room.prove()


def test_the_game_begins_with_the_last_reveal_and_its_chance_is_of_all() -> None:
    room = hall()
    assert room.last("table.entropy_asked")["epoch"] == 0
    room.commit(0, 1)
    assert "table.seating_closed" not in room.types()
    room.commit(2)
    assert room.last("table.seating_closed")["seats"] == [0, 1, 2]
    room.reveal(2, 0)
    assert room.row.status == "open"
    room.reveal(1)

    assert room.row.status == "playing"
    drawn = [room.kept[seat, 0] for seat in range(3)]
    assert room.key == canonical.stream_key(room.id.bytes, 0, rows.seed_of(room.id, 0), drawn)
    room.play_on()
    room.prove()


def test_a_table_whose_players_have_committed_before_it_is_full_asks_nobody() -> None:
    room = hall(seats=3, joined=2)
    room.commit(0, 1)
    third = new_player()
    commands.join(third, room.id, Join())
    room = Hall(room.id, [*room.players, third], room.stranger, room.kept)

    assert room.last("table.entropy_asked")["epoch"] == 0, "the third has not"
    room.commit(2)
    assert room.types()[-1] == "table.seating_closed"
    other = hall(starts="by_host")
    other.commit(0, 1, 2)
    commands.start(other.players[0], other.id)
    assert "table.entropy_asked" not in other.types()
    assert other.types()[-1] == "table.seating_closed"
    other.reveal(0, 1, 2)
    assert other.row.status == "playing"
    other.prove()


def test_who_does_not_commit_in_time_is_missing_in_the_mix(clock: SimulatedClock) -> None:
    room = hall()
    room.commit(0, 1)
    room.wait(clock, TURN + 1)
    assert room.last("table.seating_closed")["seats"] == [0, 1]
    with pytest.raises(EntropyNotAsked):
        room.commit(2)
    room.reveal(0, 1)

    assert room.row.status == "playing"
    assert room.last("table.entropy_missing") == {"epoch": 0, "seats": [2]}
    drawn = [room.kept[0, 0], room.kept[1, 0], None]
    assert room.key == canonical.stream_key(room.id.bytes, 0, rows.seed_of(room.id, 0), drawn)
    room.prove()


def test_who_does_not_reveal_in_time_is_missing_in_the_mix(clock: SimulatedClock) -> None:
    room = hall()
    room.commit(0, 1, 2)
    room.reveal(0)
    room.wait(clock, TURN - 10)
    assert room.row.status == "open"
    room.wait(clock, 11)

    assert room.row.status == "playing"
    assert room.last("table.entropy_missing") == {"epoch": 0, "seats": [1, 2]}
    with pytest.raises(EntropyNotAsked):
        room.reveal(1)
    room.prove()


def test_a_table_where_nobody_commits_begins_with_the_seed_alone(clock: SimulatedClock) -> None:
    room = hall()
    room.wait(clock, TURN + 1)

    assert room.row.status == "playing"
    assert room.types()[-1] == "clock.deadline_set"
    assert room.last("table.entropy_missing")["seats"] == [0, 1, 2]
    room.prove()


def test_bots_add_nothing_and_are_waited_for_by_nobody() -> None:
    room = hall(bots=["random", "random"])
    assert room.row.status == "open"
    room.commit(0)
    room.reveal(0)

    assert room.row.status == "playing"
    assert room.last("table.entropy_missing")["seats"] == [1, 2]
    room.prove()


@pytest.mark.parametrize("committed", [(0, 1), (0, 1, 2)])
def test_a_strict_table_is_closed_without_all(clock: SimulatedClock, committed: tuple[int, ...]) -> None:
    room = hall("players_strict")
    room.commit(*committed)
    if len(committed) == 3:
        room.reveal(0, 1)
    room.wait(clock, TURN + 1)

    assert room.row.status == "closed"
    assert room.last("table.entropy_missing") == {"epoch": 0, "seats": [2]}
    assert room.last("table.closed") == {"reason": "entropy_missing"}
    room.prove()


def test_a_strict_table_with_all_is_played() -> None:
    room = hall("players_strict")
    room.commit(0, 1, 2)
    room.reveal(0, 1, 2)
    room.play_on()

    assert room.row.status == "finished"
    room.prove()


def test_a_strict_table_seats_no_bots() -> None:
    with pytest.raises(BadField) as refused:
        hall("players_strict", bots=["random"])

    assert refused.value.facts == {"pointer": "#/bots", "code": "no_bots"}


def test_a_commitment_counts_once_and_the_same_again_changes_nothing() -> None:
    room = hall()
    room.commit(0)
    before = room.row.version
    room.commit(0)
    assert room.row.version == before
    room.kept[0, 0] = bytes(32)
    with pytest.raises(EntropyCommittedAlready):
        room.commit(0)
    with pytest.raises(EntropyNotAsked):
        room.commit(1, epoch=1)


def test_nothing_but_what_was_committed_to_is_revealed_and_once() -> None:
    room = hall()
    room.commit(0, 1)
    with pytest.raises(EntropyNotAsked):
        room.reveal(0)
    room.commit(2)
    room.reveal(0)
    before = room.row.version
    room.reveal(0)
    assert room.row.version == before
    genuine, room.kept[1, 0] = room.kept[1, 0], bytes(32)
    with pytest.raises(EntropyMismatch):
        room.reveal(1)
    room.kept[1, 0] = room.kept[0, 0]
    with pytest.raises(EntropyMismatch):
        room.reveal(1)
    room.kept[1, 0] = genuine
    room.reveal(1, 2)
    assert room.row.status == "playing"


def test_a_table_of_the_server_asks_nobody() -> None:
    room = hall("server", joined=2)
    with pytest.raises(EntropyNotAsked):
        room.commit(0)
    assert room.view(0).entropy is None


def test_who_leaves_before_the_closing_takes_the_commitment_along() -> None:
    room = hall()
    room.commit(0, 1)
    commands.leave(room.players[1], room.id)
    assert room.row.status == "open"
    assert room.host.table.due_at == room.host.table.opened_at + 7 * DAY * 1000
    other = new_player()
    commands.join(other, room.id, Join())
    room = Hall(room.id, [room.players[0], other, room.players[2]], room.stranger, room.kept)
    assert room.view(0).entropy.committed == [0]  # type: ignore[union-attr]
    room.kept[1, 0] = secrets.token_bytes(32)
    room.commit(1, 2)
    room.reveal(0, 1, 2)

    assert room.row.status == "playing"
    room.prove()


def test_nobody_leaves_between_closing_and_start() -> None:
    room = hall()
    room.commit(0, 1, 2)
    with pytest.raises(SeatingClosed):
        commands.leave(room.players[0], room.id)
    room.reveal(0, 1, 2)
    room.resign(0)
    room.prove()


def test_an_account_deleted_between_closing_and_start_leaves_its_seat_to_time(clock: SimulatedClock) -> None:
    room = hall()
    room.commit(0, 1, 2)
    erasure.close(room.players[1])
    erasure.erase(room.players[1])
    assert not Player.objects.filter(id=room.players[1]).exists()
    room.reveal(0, 2)
    room.wait(clock, TURN + 1)

    assert room.row.status == "playing"
    assert room.last("table.entropy_missing")["seats"] == [1]
    room.prove()


def test_an_outage_takes_nobodys_time_to_reveal(clock: SimulatedClock) -> None:
    room = hall()
    room.commit(0, 1, 2)
    room.sweep()
    clock.outage(seconds=DAY)
    room.sweep()
    assert room.last("clock.deadline_extended")["reason"] == "outage"
    room.reveal(0, 1, 2)

    assert room.row.status == "playing"
    assert "table.entropy_missing" not in room.types()
    room.prove()


def test_a_suspension_takes_nobodys_time_to_reveal(clock: SimulatedClock) -> None:
    room = hall("players_strict")
    room.commit(0, 1, 2)
    Table.objects.filter(id=room.id).update(suspended_at=moment(hosting.now_ms()))
    room.wait(clock, TURN + 60)
    assert staff.resume(room.id, "mended")
    room.sweep()
    room.reveal(0, 1, 2)

    assert room.row.status == "playing"
    assert room.last("clock.deadline_extended")["reason"] == "suspension"
    room.prove()


def test_a_table_that_has_waited_long_asks_who_is_there_and_then_for_entropy(clock: SimulatedClock) -> None:
    room = hall(joined=2)
    room.wait(clock, DAY + 60)
    third = new_player()
    commands.join(third, room.id, Join())
    room = Hall(room.id, [*room.players, third], room.stranger, room.kept)
    assert room.types()[-2:] == ["table.presence_asked", "table.presence_confirmed"]
    commands.confirm_presence(room.players[0], room.id)
    commands.confirm_presence(room.players[1], room.id)
    assert room.types()[-1] == "table.entropy_asked"
    room.commit(0, 1, 2)
    room.reveal(0, 1, 2)

    assert room.row.status == "playing"
    room.prove()


def test_the_time_is_that_of_a_turn_and_a_day_at_most() -> None:
    for clock, seconds in (
        (ClockChoice(seconds=60), 60),
        (ClockChoice(seconds=3 * DAY), DAY),
        (ClockChoice(kind="budget", initial=7200), 7200),
        (ClockChoice(kind="none"), DAY),
    ):
        (asked,) = hall(clock=clock).headers("table.entropy_asked")
        assert asked.public["until"] == asked.at + seconds * 1000


def test_a_view_tells_who_has_committed_and_revealed_and_no_more() -> None:
    room = hall()
    room.commit(1)
    seen = [room.view(seat).entropy for seat in (0, 1, None)]
    assert [(each.stage, each.committed, each.revealed) for each in seen if each] == [("commit", [1], [])] * 3
    room.commit(0, 2)
    room.reveal(2)
    told = room.view(0).entropy
    assert told is not None
    assert (told.stage, told.committed, told.revealed) == ("reveal", [0, 1, 2], [2])
    room.reveal(0, 1)
    assert room.view(0).entropy is None


def test_a_rematch_carries_the_setting(clock: SimulatedClock) -> None:
    room = hall("players_strict")
    room.commit(0, 1, 2)
    room.reveal(0, 1, 2)
    room.play_on()
    for player in room.players:
        commands.rematch(player, room.id)
    again = Hall(Table.objects.get(origin=room.id).id, room.players, room.stranger)

    assert again.row.fairness == "players_strict"
    again.commit(0, 1, 2)
    again.reveal(0, 1, 2)
    assert again.row.status == "playing"
    again.prove()


def test_a_strict_rematch_is_refused_where_a_bot_stands_in() -> None:
    room = hall("players_strict")
    room.commit(0, 1, 2)
    room.reveal(0, 1, 2)
    for number, motion in enumerate(("replace", "abandon"), start=1):
        seat = 2 if motion == "replace" else None
        commands.call_vote(room.players[0], room.id, NewVote(motion=motion, seat=seat))  # type: ignore[arg-type]
        commands.cast_vote(room.players[1], room.id, number, Ballot(in_favour=True))
    assert room.row.status == "finished"

    commands.rematch(room.players[0], room.id)
    with pytest.raises(NoBots):
        commands.rematch(room.players[1], room.id)
