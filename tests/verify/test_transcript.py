"""``posta-verify FILE``: what players keep is judged offline, and lies are told by position."""

from __future__ import annotations

import copy
import json
import subprocess
import sys
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from events.canonical import canonical, event_hash
from events.receipts import NO_KID, SigningKey
from tables import catalogue, queries
from tests.tables.rooms import Room, open_room, running_room
from tests.verify import mutants
from verify import __main__ as program
from verify.transcript import Judgement, NotATranscript, judge

ROOT = Path(__file__).parents[2]
FORGER = SigningKey(Ed25519PrivateKey.from_private_bytes(bytes(range(32))))

File = dict[str, Any]


def transcript(room: Room, player: uuid.UUID | None = None) -> File:
    """Return the file that the server gives to a player, or to a stranger."""
    file = queries.transcript(room.stranger if player is None else player, room.id)
    told: File = json.loads(msgspec.json.encode(file))
    return told


@pytest.fixture(scope="module")
def finished(database: None) -> File:
    """The file of a whole game of Reafan."""
    room = open_room("reafan")
    room.play_on(seed=7)
    return transcript(room)


@pytest.fixture
def file(finished: File) -> File:
    """The same file, to be forged."""
    return copy.deepcopy(finished)


@pytest.fixture(scope="module")
def running(database: None) -> Room:
    """A game of Reafan that goes on."""
    return running_room("reafan", moves=8)


def judged(file: File) -> Judgement:
    return judge(json.dumps(file).encode(), catalogue.games())


def failed(file: File) -> dict[str, int]:
    """Return the first position of each verdict that failed."""
    return {name: each.findings[0].position for name, each in judged(file).verdicts.items() if each.findings}


def chain(file: File) -> None:
    """Make every hash hold again, and sign the end anew, with a key of the forger's own."""
    prev = bytes(32)
    for event in file["events"]:
        event["prev"] = prev.hex()
        prev = event_hash(canonical(event))
    sign(file, len(file["events"]))


def sign(file: File, seq: int, /, **other: Any) -> None:
    """Put the forger's receipt of an event in the place of all others; the forger lists the key as well."""
    event = file["events"][seq - 1]
    told = {"seq": seq, "head": event_hash(canonical(event)), "at": event["at"]} | other
    file["receipts"] = [dict(FORGER.receipt(bytes.fromhex(event["table"]), **told))]
    if all(each["kid"] != FORGER.kid for each in file["keys"]):
        file["keys"].append({"kid": FORGER.kid, "public": FORGER.public.hex(), "from": 0, "until": None})


# --- What the server gives ----------------------------------------------------------------------


def test_a_whole_game_is_proved(file: File) -> None:
    judgement = judged(file)

    assert judgement.is_proved, judgement.verdicts
    assert judgement.signed == len(file["events"])


def test_a_running_game_is_proved_as_far_as_a_seat_can_see(running: Room) -> None:
    for player in (running.players[1], running.stranger):
        judgement = judged(transcript(running, player))

        assert {name: each.status for name, each in judgement.verdicts.items()} == {
            "receipts": "proved",
            "integrity": "proved",
            "fairness": "not_provable",
            "replay": "not_provable",
        }
        assert judgement.is_good


# --- Receipts -----------------------------------------------------------------------------------


def test_an_older_receipt_proves_less(file: File) -> None:
    sign(file, 40)

    judgement = judged(file)

    assert str(judgement.receipts).endswith(f"the server signed up to event 40 of {len(file['events'])}")
    assert not judgement.is_good


def test_a_file_that_was_cut_off_is_found_by_its_receipt(file: File) -> None:
    signed = len(file["events"])
    del file["events"][-3:]

    assert failed(file)["receipts"] == signed


def test_a_file_that_was_cut_off_with_its_receipt_is_not_proved(file: File) -> None:
    del file["events"][-1:]
    file["receipts"] = []

    judgement = judged(file)

    assert judgement.receipts.status == "not_provable"
    assert not judgement.is_good


def test_another_past_than_the_signed_one_is_found(file: File) -> None:
    receipts = file["receipts"]
    file["events"][-1]["public"]["seed"] = bytes(32).hex()
    chain(file)
    file["receipts"], file["keys"] = receipts, queries.keys()["items"]

    assert failed(file)["receipts"] == len(file["events"])


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("sig", "00" * 64, "the signature is wrong"),
        ("sig", "", "the signature is wrong"),
        ("at", 5, "the signature is wrong"),
        ("v", 2, "a receipt of version 2"),
        ("table", "00" * 16, "a receipt of table 00000000000000000000000000000000"),
        ("kid", "00" * 8, "signed by a key that is not listed, 0000000000000000"),
        ("seq", True, "a receipt has not the fields of ttx v1"),
        ("note", "hello", "a receipt has not the fields of ttx v1"),
    ],
)
def test_a_receipt_that_is_none_is_found(file: File, name: str, value: object, told: str) -> None:
    file["receipts"][0][name] = value

    judgement = judged(file)

    assert judgement.receipts.status == "failed"
    assert str(judgement.receipts).endswith(told)


@pytest.mark.parametrize(
    ("other", "told"),
    [
        ({"seq": 0}, "a receipt of no event"),
        ({"seq": 10**6}, "it is cut off"),
        ({"head": bytes(32)}, "the server signed another event than this, or another past"),
        ({"at": 1}, "the receipt tells another time than its event"),
    ],
)
def test_a_signature_under_something_else_is_found(file: File, other: dict[str, Any], told: str) -> None:
    sign(file, 30, **other)

    assert str(judged(file).receipts).endswith(told)


@pytest.mark.parametrize(("from_", "until", "is_valid"), [(0, 1, True), (0, 0, False), (1, None, False)])
def test_a_key_signs_only_while_it_is_valid(
    file: File, from_: int, until: int | None, *, is_valid: bool
) -> None:
    at = file["receipts"][0]["at"]
    file["keys"][0] |= {"from": at + from_, "until": None if until is None else at + until}

    assert judged(file).is_proved == is_valid


def test_a_file_signed_anew_by_a_key_alone_is_found_by_that_of_its_beginning(file: File) -> None:
    """Else a list that holds the forger's key alone would look like a server's that has only had that."""
    chain(file)
    assert judged(file).is_proved
    file["keys"] = file["keys"][-1:]

    assert failed(file) == {"receipts": 1}


def test_a_log_of_a_server_that_has_never_had_a_key_begins_under_none(file: File) -> None:
    file["events"][0]["public"]["kid"] = NO_KID
    chain(file)

    assert judged(file).is_proved


def test_a_key_under_another_name_does_not_count(file: File) -> None:
    file["keys"][0]["public"] = FORGER.public.hex()

    assert str(judged(file).receipts).endswith("the signature is wrong")


# --- Events and openings ------------------------------------------------------------------------


def test_another_score_chained_and_signed_again_is_found(file: File) -> None:
    placed = next(each for each in file["events"] if each["type"] == "reafan.card_placed")
    placed["public"]["score"] += 1
    chain(file)

    assert failed(file) == {"replay": placed["seq"]}


def test_an_event_outside_the_profile_is_found(file: File) -> None:
    for value in (1.5, 2**53, "\ud800", "\x00", {"Upper": 1}):
        file["events"][4]["public"]["seat"] = value
        assert failed(file)["integrity"] == 5


def test_an_opening_twice_is_found(file: File) -> None:
    file["openings"].append(file["openings"][7])

    assert failed(file) == {"integrity": file["openings"][7]["seq"]}


@pytest.mark.parametrize(("seq", "slot"), [(1, 0), (0, 0), (-1, -1), (10**6, 0)])
def test_an_opening_of_no_slot_is_found(file: File, seq: int, slot: int) -> None:
    file["openings"].append(file["openings"][7] | {"seq": seq, "slot": slot})

    assert failed(file) == {"integrity": seq}


@pytest.mark.parametrize(
    ("name", "value"),
    [("salt", ""), ("salt", "00" * 32), ("salt", "zz"), ("payload", {"card": 1.5}), ("payload", "\ud800")],
)
def test_an_opening_that_does_not_open_is_found(file: File, name: str, value: object) -> None:
    opening = file["openings"][7]
    opening[name] = value

    assert failed(file)["integrity"] == opening["seq"]


def test_an_opening_in_capitals_is_found(file: File) -> None:
    file["openings"][7]["salt"] = file["openings"][7]["salt"].upper()

    assert failed(file) == {"integrity": file["openings"][7]["seq"]}


def test_a_salt_twice_is_found(file: File) -> None:
    """Whoever holds one of the two openings could try values for the other."""
    one, other = file["openings"][7], file["openings"][9]
    other["salt"] = one["salt"]
    mutants.chain(file)
    sign(file, len(file["events"]))

    assert failed(file) == {"integrity": other["seq"]}


def test_a_table_named_by_another_kind_of_uuid_is_found(file: File) -> None:
    at = next(each["seq"] for each in file["events"] if each["type"] == "table.started") - 1
    del file["events"][at:]
    file |= {"openings": [], "view": "public", "engine": None}
    for version, variant, is_random in [
        ("4", "8", True),
        ("4", "b", True),
        ("1", "8", False),
        ("4", "c", False),
    ]:
        for event in file["events"]:
            id_ = event["table"]
            event["table"] = f"{id_[:12]}{version}{id_[13:16]}{variant}{id_[17:]}"
        chain(file)
        assert failed(file) == ({} if is_random else {"integrity": 1})


def test_a_full_view_that_lacks_an_opening_is_found(file: File) -> None:
    gone = file["openings"].pop(7)

    assert failed(file) == {"integrity": gone["seq"]}


def test_a_view_that_holds_too_much_is_found(running: Room) -> None:
    mine, public = transcript(running, running.players[0]), transcript(running)
    public["openings"] = mine["openings"]
    first = next(each for each in mine["openings"] if each not in transcript(running)["openings"])

    assert failed(public) == {"integrity": first["seq"]}


@pytest.mark.parametrize("change", [{"game": "chess"}, {"rules_version": 2}, {"digest": ""}])
def test_an_engine_that_the_log_does_not_name_is_found(file: File, change: dict[str, Any]) -> None:
    started = next(each for each in file["events"] if each["type"] == "table.started")
    file["engine"] |= change

    assert failed(file) == {"integrity": started["seq"]}


def test_a_game_that_has_not_started_has_no_engine(file: File) -> None:
    at = next(each["seq"] for each in file["events"] if each["type"] == "table.started") - 1
    del file["events"][at:]
    file |= {"openings": [], "view": "public"}
    sign(file, at)
    assert failed(file) == {"integrity": 1}

    file["engine"] = None

    assert judged(file).is_good


# --- The form of a file -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("format", "ttx/transcript/v2"),
        ("view", "seat:01"),
        ("view", "seat:1\n"),
        ("view", "staff"),
        ("view", None),
        ("events", {}),
        ("events", []),
        ("events", [7]),
        ("openings", [{"seq": 1, "slot": 0, "salt": "", "payload": {}, "to": "seat:0"}]),
        ("openings", [{"seq": "1", "slot": 0, "salt": "", "payload": {}}]),
        ("openings", [{"seq": 1.0, "slot": 0, "salt": "", "payload": {}}]),
        ("receipts", None),
        ("keys", [{"kid": "", "public": ""}]),
        ("engine", {}),
        ("comment", "hello"),
    ],
)
def test_a_file_of_another_form_is_no_transcript(file: File, name: str, value: object) -> None:
    with pytest.raises(NotATranscript):
        judged(file | {name: value})


def test_a_file_without_one_of_its_parts_is_no_transcript(file: File) -> None:
    for name in file:
        with pytest.raises(NotATranscript):
            judged({each: value for each, value in file.items() if each != name})


def test_a_key_that_is_listed_twice_is_no_choice(file: File) -> None:
    file["keys"] *= 2

    with pytest.raises(NotATranscript, match="is listed twice"):
        judged(file)


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "it is not JSON"),
        (b"\xff\xfe\xff", "it is not"),
        (b"[]", "its form is not that of"),
        (b'{"a": 1, "b": {"c": 1, "c": 2}}', "the name 'c' stands twice"),
        (b'{"a": NaN}', "NaN is no value"),
        (b"1" * 5000, "it is not JSON"),
        (b"[" * 100_000, "nested too deeply"),
    ],
)
def test_bytes_that_are_no_transcript_are_told_in_a_sentence(data: bytes, why: str) -> None:
    with pytest.raises(NotATranscript, match=why):
        judge(data, {})


# --- The program --------------------------------------------------------------------------------

Run = Callable[..., tuple[int, str]]


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """A function that hands a file to the program; it returns the exit code and what was printed."""

    def run(file: File, *arguments: str) -> tuple[int, str]:
        path = tmp_path / "transcript.json"
        path.write_text(json.dumps(file))
        code = program.main([str(path), *arguments])
        told = capsys.readouterr()
        assert told.err == ""
        return code, told.out

    return run


def test_it_needs_no_server_and_no_framework(file: File, tmp_path: Path) -> None:
    path = tmp_path / "transcript.json"
    path.write_text(json.dumps(file))
    script = (
        "import sys; sys.modules |= dict.fromkeys(['django', 'psycopg', 'tables', 'config', 'stack']);"
        f"sys.argv[1:] = [{str(path)!r}]; import runpy; runpy.run_module('verify', run_name='__main__')"
    )

    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, env={}, capture_output=True, text=True)

    assert (done.returncode, done.stderr) == (0, "")
    count = len(file["events"])
    lines = done.stdout.splitlines()
    assert lines[:5] == [
        "receipts: proved",
        "integrity: proved",
        "fairness: proved",
        "  every draw follows from a seed that the server fixed before anyone sat down",
        "replay: proved",
    ]
    assert lines[5].startswith(
        f"verified up to event {count} of {count}, by key {file['receipts'][0]['kid']} ("
    )
    assert lines[6:] == [f"proved: table {file['events'][0]['table']}, {count} events, view full"]


def test_a_failure_is_told_with_its_position(file: File, run: Run) -> None:
    file["events"][0]["at"] -= 1

    code, told = run(file)

    assert code == 1
    assert "integrity: FAILED at position 2: prev is not the hash of the event before\n" in told
    assert "verified up to" not in told
    assert told.splitlines()[-1].startswith("not proved: integrity FAILED; table ")


def test_a_view_in_which_nothing_is_wrong_is_good_and_not_proved(running: Room, run: Run) -> None:
    code, told = run(transcript(running))

    assert code == 0
    assert "\nreplay: not provable from this view: the seed is not published yet\n" in told
    assert told.splitlines()[-1].startswith(
        "not proved: fairness and replay, which this view does not show, nothing failed; table "
    )


def test_programs_get_one_object(file: File, run: Run) -> None:
    file["openings"].append(file["openings"][7])

    code, told = run(file, "--json")

    found = json.loads(told)
    assert code == 1
    assert not found["is_proved"]
    assert found["signed_up_to"] == found["events"] == len(file["events"])
    assert found["verdicts"]["integrity"]["findings"][0]["position"] == file["openings"][7]["seq"]
    assert [each["status"] for each in found["fairness_of_epochs"]] == ["proved"]


def test_a_game_of_elsewhere_can_be_named(run: Run) -> None:
    room = open_room("probe")
    room.play_on()
    file = transcript(room)

    assert run(file)[0] == 1
    assert run(file, "--game", "tests.probe")[0] == 0


def test_what_a_file_tells_cannot_speak_to_a_terminal(file: File, run: Run) -> None:
    file["events"][-2]["public"]["reason"] = "\x1b[2J\nproved: " + "x" * 9000
    chain(file)

    code, told = run(file)

    assert code == 1
    assert all(each.isprintable() and len(each) < 500 for each in told.splitlines())
    assert not any(line.startswith("proved: ") for line in told.splitlines())


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["nowhere.json"], "nowhere.json cannot be verified: No such file or directory.\n"),
        (["/"], "/ cannot be verified: Is a directory.\n"),
        (["nowhere.json", "--game", "json"], "--game wants a module that holds a GAME; 'json' does not"),
        (
            ["nowhere.json", "--game", "no.such"],
            "--game wants a module that holds a GAME; 'no.such' does not",
        ),
    ],
)
def test_a_file_that_cannot_be_read_is_told_in_a_sentence(
    arguments: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert program.main(arguments) == 2
    assert capsys.readouterr().err.startswith(told)


def test_a_cut_file_is_verified_up_to_its_last_receipt(file: File, run: Run) -> None:
    sign(file, 40)
    del file["events"][50:]
    file["openings"] = [each for each in file["openings"] if each["seq"] <= 50]

    code, told = run(file)
    assert code == 1
    assert f"verified up to event 40 of 50, by key {FORGER.kid} (" in told

    file["receipts"] = []
    assert "verified up to event 0 of 50: no receipt speaks for what is here\n" in run(file)[1]


def test_the_keys_of_the_server_tell_whose_signature_it_is(file: File, run: Run, tmp_path: Path) -> None:
    keys = tmp_path / "keys.json"
    keys.write_text(json.dumps(queries.keys()))
    kid = file["receipts"][0]["kid"]

    code, told = run(file, "--keys", str(keys))
    assert code == 0
    assert f", by key {kid} of those that the server lists\n" in told

    sign(file, len(file["events"]))
    assert run(file)[0] == 0
    code, told = run(file, "--keys", str(keys))
    assert code == 1
    assert f"signed by a key that is not listed, {FORGER.kid}\n" in told


@pytest.mark.parametrize("keys", [b"[]", b"{}", b'{"items": [{"kid": ""}]}', b"\xff", b"["])
def test_a_list_of_keys_that_is_none_is_told_in_a_sentence(
    file: File, keys: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, listed = tmp_path / "transcript.json", tmp_path / "keys.json"
    path.write_text(json.dumps(file))
    listed.write_bytes(keys)

    assert program.main([str(path), "--keys", str(listed)]) == 2
    assert capsys.readouterr().err.startswith(f"{listed} cannot be read: it is no list of keys")


def test_the_program_is_installed() -> None:
    """``posta-verify`` lies beside the interpreter of the environment."""
    program = Path(sys.executable).with_name("posta-verify")

    done = subprocess.run([program, "nowhere.json"], cwd="/", env={}, capture_output=True, text=True)

    assert done.returncode == 2
    assert done.stderr == "nowhere.json cannot be verified: No such file or directory.\n"


def test_no_file_is_a_mistake_of_use(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        program.main([])
    assert ended.value.code == 2
    assert "usage: posta-verify" in capsys.readouterr().err
