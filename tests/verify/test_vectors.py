"""The vectors for other implementers hold for both of ours, and those of the format are among them."""

from __future__ import annotations

import contextlib
import hmac
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engines.chance import KeyedChance
from engines.registry import GAMES
from events import canonical, receipts
from events.canonical import NotCanonical
from tables import interventions
from tests.verify import writing
from tests.verify.javascript import FOLDER, VERIFIER, judge_many, node
from tests.verify.judging import contradiction
from tests.verify.mutants import chain, sign
from verify import transcript
from verify.__main__ import main
from verify.entropy import Entropy, words
from verify.transcript import NotATranscript, judge

VECTORS = VERIFIER.parent / "vectors"
CASES: dict[str, list[dict[str, Any]]] = json.loads((VECTORS / "vectors.json").read_text("utf-8"))
EXPECTED: dict[str, dict[str, Any]] = json.loads(
    (VECTORS / "transcripts" / "expected.json").read_text("utf-8")
)
OF_THE_FORMAT = {
    ("seed_commit", "e6d53ad9c21b2cff6415889765f29f9b5e4bfc2c52b194dbf0c54c731e44133b"),
    ("entropy_commit", "a8863eeee5278df66f5d9cdabdeab3b11167315860e57ad0c31d1c641274b2b5"),
    ("stream_key", "18fe7f6e685da58e88c8454d070fbb862b6588a0fded4dc6c1e8a63cbe59a04e"),
    ("draw_key", "77df68308af6da9004cd670ae7f6ebe6bc59617d22800da82e154464d60f11f8"),
    ("commitment", "fa223df1268b43d2b43f1eb874bcb8ed276866cfb10aedd0412ef942c657623e"),
}


def spelt(text: str) -> str | None:
    try:
        return canonical.canonical(json.loads(text)).decode()
    except (ValueError, NotCanonical):
        return None


def is_canonical(data: bytes) -> bool:
    try:
        canonical.parse(data)
    except NotCanonical:
        return False
    return True


def draw_key(key: str, n: int, label: str) -> str:
    message = b"ttx/draw/v1\x00" + n.to_bytes(4, "big") + label.encode()
    return hmac.digest(bytes.fromhex(key), message, "sha256").hex()


def chance(key: str, n: int) -> KeyedChance:
    return KeyedChance(bytes.fromhex(key), n)


def _entropies(given: list[str | None]) -> list[bytes | None]:
    return [None if each is None else bytes.fromhex(each) for each in given]


hex_ = bytes.fromhex
ANSWERS: dict[str, Callable[..., Any]] = {
    "spelling": lambda json: spelt(json),
    "canonical": lambda data: is_canonical(hex_(data)),
    "event_hash": lambda header: canonical.event_hash(canonical.canonical(header)).hex(),
    "commitment": lambda table, seq, slot, salt, payload: canonical.commitment(
        hex_(salt), hex_(table), seq, slot, canonical.canonical(payload)
    ).hex(),
    "seed_commit": lambda table, epoch, seed: canonical.seed_commit(hex_(table), epoch, hex_(seed)).hex(),
    "entropy_commit": lambda table, epoch, seat, entropy: canonical.entropy_commit(
        hex_(table), epoch, seat, hex_(entropy)
    ).hex(),
    "stream_key": lambda table, epoch, seed, entropies: canonical.stream_key(
        hex_(table), epoch, hex_(seed), _entropies(entropies)
    ).hex(),
    "draw_key": draw_key,
    "below": lambda key, n, label, bound: chance(key, n).below(bound, label),
    "die": lambda key, n, label: chance(key, n).below(6, label) + 1,
    "shuffle": lambda key, n, label, count: list(chance(key, n).shuffle(count, label)),
    "receipt": lambda receipt, public: receipts.verify(receipt, hex_(public)),
}


@pytest.mark.parametrize("section", CASES)
def test_a_section_holds_in_python(section: str) -> None:
    for case in CASES[section]:
        try:
            found = ANSWERS[section](**case["in"])
        except ValueError:  # a key of another length signs nothing
            found = False
        assert found == case["out"], case


def test_every_section_holds_in_javascript() -> None:
    done = node(FOLDER / "vectors.mjs", str(VECTORS / "vectors.json"))

    assert (done.returncode, done.stderr) == (0, "")
    found = json.loads(done.stdout)
    for section, cases in CASES.items():
        assert found[section] == [case["out"] for case in cases], section


def test_those_of_the_format_are_among_them() -> None:
    """Source: ttx v1, Test vectors."""
    assert {(name, each["out"]) for name in CASES for each in CASES[name] if _is_text(each)} >= OF_THE_FORMAT
    assert [each["out"] for each in CASES["die"]] == [6, 3, 4, 3, 1, 2, 2, 5]
    deck = CASES["shuffle"][0]["out"]
    assert deck[:12] == [51, 28, 32, 16, 0, 39, 6, 7, 13, 4, 23, 45]
    assert deck[-4:] == [10, 24, 48, 21]


def _is_text(case: dict[str, Any]) -> bool:
    return isinstance(case["out"], str)


def test_good_and_bad_are_among_them() -> None:
    for section in ("canonical", "receipt"):
        assert {case["out"] for case in CASES[section]} == {True, False}
    assert {case["out"] is None for case in CASES["spelling"]} == {True, False}


def test_a_word_that_is_too_large_is_among_them() -> None:
    """A word at or above the last multiple of the bound is skipped, not reduced."""
    assert any(_first_word(**case["in"]) % case["in"]["bound"] != case["out"] for case in CASES["below"])


def _first_word(key: str, n: int, label: str, bound: int) -> int:
    block = hmac.digest(hex_(draw_key(key, n, label)), bytes(4), "sha256")
    return int.from_bytes(block[:8], "big")


# --- Transcripts --------------------------------------------------------------------------------


def read(name: str) -> bytes:
    return (VECTORS / "transcripts" / f"{name}.json").read_bytes()


def test_every_transcript_is_expected_of() -> None:
    files = {each.stem for each in (VECTORS / "transcripts").iterdir()} - {"expected"}
    assert files == EXPECTED.keys()
    for game in GAMES:
        assert {f"{game}-{view}" for view in ("full", "public", "seat-0", "lobby")} <= files


@pytest.mark.parametrize("name", EXPECTED)
def test_a_transcript_is_judged_as_expected_in_python(name: str) -> None:
    expected, judgement = EXPECTED[name], judge(read(name), GAMES)

    for verdict, each in judgement.verdicts.items():
        assert each.status == expected[verdict]
        if each.findings:
            assert each.findings[0].position == expected["failed_at"][verdict]
    assert [each.status for each in judgement.report.epochs] == expected["fairness_of_epochs"]
    assert judgement.signed == expected["signed_up_to"]
    assert judgement.is_good == (expected["exit_code"] == 0)


@pytest.mark.parametrize("name", [name for name, each in EXPECTED.items() if "with" in each])
def test_a_fork_is_judged_as_expected_with_what_it_goes_on_from(name: str) -> None:
    expected = EXPECTED[name]["with"]
    origins = [transcript.read(read(each)) for each in expected["origins"]]
    judgement = judge(read(name), GAMES, origins=origins)

    for verdict, each in judgement.verdicts.items():
        assert each.status == expected[verdict]
        if each.findings:
            assert each.findings[0].position == expected["failed_at"][verdict]
    assert judgement.is_good == (expected["exit_code"] == 0)
    alone = judge(read(name), GAMES).verdicts["replay"]
    assert alone.status == "not_provable"


def test_what_is_written_from_a_seed_is_as_it_is_written() -> None:
    """Whoever alters what they are made by writes them anew, and says so."""
    for name, file in writing.made().items():
        assert writing.written(file) == read(name), name
        assert writing.expected(name, file) == EXPECTED[name], name


def test_every_type_and_every_draw_of_the_annexes_is_among_the_genuine_ones() -> None:
    found: set[Any] = set()
    for name in EXPECTED:
        if not name.startswith("forged"):
            for event in json.loads(read(name))["events"]:
                found |= {event["type"], *((event["type"], label) for _, label in event["draws"])}
    roots = VERIFIER.parents[1]
    annexes = [
        json.loads(path.read_bytes())
        for path in (roots / "tables" / "annex-v1.json", *roots.glob("engines/*/annex-v1.json"))
    ]
    assert found >= {type_ for annex in annexes for type_ in annex["events"]}
    assert found >= {
        (each["on"], label) for annex in annexes for label, each in annex.get("draws", {}).items()
    }


def test_everything_that_staff_and_arbiters_do_is_among_them() -> None:
    types = {
        event["type"] for name in ("staff-full", "arbiter-full") for event in json.loads(read(name))["events"]
    }
    assert types >= interventions.EVENTS.keys()
    rulings = {
        (event["public"]["by"], event["public"]["ruling"])
        for name in ("staff-full", "arbiter-full")
        for event in json.loads(read(name))["events"]
        if event["type"] == "table.ruling_made"
    }
    assert rulings >= {("arbiter", "pause"), ("arbiter", "remove"), ("staff", "adjudicate")}


def test_the_transcripts_are_judged_as_expected_in_javascript() -> None:
    """All but replay; and a score that the rules do not give is for replay alone to find."""
    for name, found in zip(EXPECTED, judge_many([read(name) for name in EXPECTED]), strict=True):
        expected = EXPECTED[name]
        for verdict in ("receipts", "integrity", "fairness"):
            assert found["verdicts"][verdict]["status"] == expected[verdict], name
            for first in found["verdicts"][verdict]["findings"][:1]:
                assert first["position"] == expected["failed_at"][verdict], name
        assert found["verdicts"]["replay"]["status"] == "not_provable"
        assert [each["status"] for each in found["fairness_of_epochs"]] == expected["fairness_of_epochs"]
        assert found["signed_up_to"] == expected["signed_up_to"]
        is_for_replay = set(expected["failed_at"]) == {"replay"}
        assert found["is_good"] == (expected["exit_code"] == 0 or is_for_replay), name


def test_both_say_of_whom_the_chance_is() -> None:
    told = [
        "  every draw follows from the server's seed and what seats 1 and 3 added,"
        " all sealed before any was shown",
        "  seat 0 sealed something and did not show it, or was not heard: who knew the seed may have",
        "  chosen that, and could steer no further without all of the others",
        "  seat 2 added nothing",
    ]
    path = VECTORS / "transcripts" / "players-full.json"

    for lines in (program(path)[1], posta_verify(str(path))):
        assert [line for line in lines.splitlines() if line.startswith("  ")] == told
    found = [json.loads(each) for each in (program("--json", path)[1], posta_verify("--json", str(path)))]
    for each in found:
        assert each["seed_policy"] == "players"
        assert each["entropy_of_epochs"] == [{"present": [1, 3], "missing": [0, 2], "withheld": [0]}]


def posta_verify(*arguments: str) -> str:
    told = io.StringIO()
    with contextlib.redirect_stdout(told):
        assert main(list(arguments)) == 0
    return told.getvalue()


@pytest.mark.parametrize(
    ("values", "withheld", "told"),
    [
        ([b"", b""], [], ["nobody could steer it but the server and seats 0 and 1 together"]),
        (
            [b"", None],
            [],
            ["nobody could steer it but the server and seat 0 together", "seat 1 added nothing"],
        ),
    ],
)
def test_what_is_claimed_is_what_is_true(
    values: list[bytes | None], withheld: list[int], told: list[str]
) -> None:
    assert words("players", 0, Entropy(values, withheld))[1:] == told


def test_without_anything_added_the_chance_is_the_servers() -> None:
    alone = "every draw follows from a seed that the server fixed before anyone sat down"
    assert words("server", 0, Entropy([None])) == [alone]
    assert words("server", 1, Entropy([None])) == [alone.replace("anyone sat down", "that game began")]
    assert words("players", 0, Entropy([None], [0])) == [f"{alone}; no seat added anything"]


def nested(levels: int) -> bytes:
    """Return a transcript with so many containers within one another; brackets in its texts are none."""
    file = json.loads(read("reafan-lobby"))
    public: dict[str, Any] = {"[{": '"[{'}
    for _ in range(levels - 4):
        public = {"of": public}
    file["events"][-1]["public"] = public
    return json.dumps(file).encode()


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xff",
        b"\xef\xbb\xbf{}",
        b"[]",
        b"{}",
        b'{"a": 1, "a": 1}',
        b'{"a": NaN}',
        b"1" * 5000,
        b"[" * 100_000,
        nested(65),
        read("reafan-lobby").replace(b'"view":"public"', b'"view":"seat:01"'),
        read("reafan-lobby").replace(b'"engine":null', b'"engine":{}'),
        read("reafan-lobby").replace(b'"openings":[]', b'"openings":[{}]'),
        read("reafan-lobby").replace(b'"until":null', b'"until":1.0'),
    ],
)
def test_bytes_that_are_no_transcript_are_refused_by_both(data: bytes) -> None:
    (found,) = judge_many([data])

    assert found["refused"]
    with pytest.raises(NotATranscript):
        judge(data, GAMES)


@pytest.mark.parametrize("levels", [20, 64])
def test_what_is_nested_as_deeply_as_a_file_may_be_gets_a_verdict_of_both(levels: int) -> None:
    data = nested(levels)
    ours, (theirs,) = judge(data, GAMES), judge_many([data])

    assert ours.is_failed
    assert contradiction(ours, theirs) is None


@pytest.mark.parametrize(
    ("name", "type_", "field", "value"),
    [
        ("series-public", "table.seed_revealed", "epoch", False),
        ("series-public", "table.epoch_opened", "epoch", True),
        ("series-public", "table.epoch_opened", "epoch", [{}]),
        ("series-public", "table.seed_revealed", "epoch", {"of": 0}),
        ("players-public", "table.entropy_committed", "epoch", [{}]),
        ("players-public", "table.entropy_committed", "seat", True),
        ("players-public", "table.entropy_revealed", "entropy", None),
        ("players-public", "table.seating_closed", "seats", [{}]),
        ("fork-seat-1", "table.forked", "origin", [{}]),
        ("staff-public", "table.started", "seats", {"of": 2}),
        ("staff-public", "table.started", "options", None),
        ("staff-public", "table.opened", "kid", "\u2028\u202e"),
    ],
)
def test_both_say_the_same_of_values_of_another_kind(name: str, type_: str, field: str, value: Any) -> None:
    """False is no 0, and what a file tells instead of a number is told by no traceback."""
    file = json.loads(read(name))
    next(each for each in file["events"] if each["type"] == type_)["public"][field] = value
    chain(file)
    sign(file)
    data = json.dumps(file).encode()
    ours, (theirs,) = judge(data, GAMES), judge_many([data])

    assert ours.is_failed
    assert contradiction(ours, theirs) is None
    told = theirs["verdicts"]["fairness"]["status"]
    assert (told == "failed") == (ours.verdicts["fairness"].status == "failed")


# --- The program --------------------------------------------------------------------------------


def program(*arguments: str | Path) -> tuple[int, str, str]:
    done = node(VERIFIER, *map(str, arguments))
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("name", ["cthulhu-full", "cthulhu-public", "forged-receipt", "forged-cut-tail"])
def test_it_answers_with_the_exit_code_of_posta_verify(name: str) -> None:
    code, told, wrong = program(VECTORS / "transcripts" / f"{name}.json")

    assert (code, wrong) == (EXPECTED[name]["exit_code"], "")
    assert "\nreplay: not provable here: the rules of the games are not known to this verifier\n" in told
    assert f"\nverified up to event {EXPECTED[name]['signed_up_to']} of " in told


def test_it_tells_programs_one_object() -> None:
    code, told, _ = program("--json", VECTORS / "transcripts" / "series-full.json")

    found = json.loads(told)
    assert code == 0
    assert [each["status"] for each in found["fairness_of_epochs"]] == ["proved"] * 3


def test_it_takes_the_keys_of_the_server(tmp_path: Path) -> None:
    name = VECTORS / "transcripts" / "forged-altered-score.json"
    honest = json.loads(read("arrecife-full"))
    keys = tmp_path / "keys.json"
    keys.write_text(json.dumps({"items": honest["keys"]}))

    assert program(name)[0] == 0
    code, told, _ = program(name, "--keys", keys)
    assert code == 1
    assert "signed by a key that is not listed" in told


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ([], "usage: node verify.mjs FILE"),
        (["a", "b"], "usage: "),
        (["--what"], "usage: "),
        (["nowhere.json"], "nowhere.json cannot be verified: No such file or directory.\n"),
        (["/"], "/ cannot be verified: Is a directory.\n"),
        ([str(VERIFIER)], f"{VERIFIER} cannot be verified: it is not JSON: "),
        (["a", "--keys", str(VERIFIER)], f"{VERIFIER} cannot be read: it is not JSON: "),
    ],
)
def test_it_tells_in_a_sentence_what_it_cannot_read(arguments: list[str], told: str) -> None:
    code, out, wrong = program(*arguments)

    assert (code, out) == (2, "")
    assert wrong.startswith(told)
    assert wrong.count("\n") == 1


def test_what_a_file_tells_cannot_speak_to_a_terminal(tmp_path: Path) -> None:
    file = json.loads(read("cthulhu-full"))
    file["events"][-1]["type"] = "\x1b[2J\nproved: \u2028\u202e" + "x" * 9000
    file["receipts"][0]["kid"] = "\x1b[2J\nproved: \u2028\u202e" + "x" * 9000
    path = tmp_path / "transcript.json"
    path.write_text(json.dumps(file))

    code, told, _ = program(path)

    assert code == 1
    assert all(each.isprintable() and len(each) < 500 for each in told.split("\n"))
    assert not any(line.startswith("proved: ") for line in told.split("\n"))
