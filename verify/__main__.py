"""``posta-verify FILE``, or ``python -m verify FILE``: judge a transcript file, without any server.

Exit code 0: all is proved, or where the view holds less than everything, nothing is wrong.
1: something failed, or a full view leaves something unproved.  2: there is no such transcript.
"""

from __future__ import annotations

import argparse
import importlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from engines.base import Game
from engines.registry import GAMES, newest
from verify.entropy import words
from verify.transcript import Judgement, NotATranscript, judge, read, read_keys
from verify.verdicts import Verdict

LONGEST = 400
"""Characters of a line; what a file tells may be of any length."""


def main(arguments: list[str] | None = None) -> int:
    """Judge a file, print the verdicts, and return the exit code."""
    options = _options(arguments)
    whose = ""
    try:
        games = _games(options.game)
        whose = f"{options.keys} cannot be read: "
        keys = read_keys(options.keys.read_bytes()) if options.keys else None
        origins = []
        for origin in options.origin:
            whose = f"{origin} cannot be verified: "
            origins.append(read(origin.read_bytes()))
        whose = f"{options.file} cannot be verified: "
        judgement = judge(options.file.read_bytes(), games, keys, origins)
    except (OSError, NotATranscript, _NoGame) as error:
        why = f"{error.strerror or error}" if isinstance(error, OSError) else str(error)
        sys.stderr.write(_shown(f"{whose}{why}.") + "\n")
        return 2
    if options.json:
        sys.stdout.write(json.dumps(_as_object(judgement)) + "\n")
    else:
        lines = _lines(judgement, is_servers=keys is not None)
        sys.stdout.writelines(_shown(line) + "\n" for line in lines)
    return 0 if judgement.is_good else 1


class _NoGame(Exception):
    """A module that should hold a game holds none."""


def _games(modules: list[str]) -> dict[str, Game[Any]]:
    try:
        return newest((*GAMES.values(), *map(_game_in, modules)))
    except ValueError as error:
        raise _NoGame(f"--game names a game that is there already: {error}") from None


def _game_in(module: str) -> Game[Any]:
    try:
        game = importlib.import_module(module).GAME
    except (ImportError, AttributeError, ValueError) as error:
        raise _NoGame(f"--game wants a module that holds a GAME; {module!r} does not: {error}") from None
    if not isinstance(game, Game):
        raise _NoGame(f"--game wants a module that holds a GAME; that of {module!r} is none")
    return game


def _lines(judgement: Judgement, *, is_servers: bool) -> Iterator[str]:
    """Yield the verdicts, each for itself, and in the end what they come to."""
    for name, verdict in judgement.verdicts.items():
        yield f"{name}: {verdict}"
        for position, what in verdict.findings[1:]:
            yield f"  and at position {position}: {what}"
        if name != "fairness":
            continue
        report = judgement.report
        for epoch, (each, given) in enumerate(zip(report.epochs, report.entropies, strict=True)):
            indent = "  "
            if len(report.epochs) > 1:
                indent = "    "
                yield f"  epoch {epoch}: {each}"
            if each.status == "proved":
                yield from (indent + line for line in words(report.policy, epoch, given))
    if judgement.report.integrity.status != "failed":
        yield _signed_line(judgement, is_servers=is_servers)
    yield _summary(judgement)


def _signed_line(judgement: Judgement, *, is_servers: bool) -> str:
    """Return how far a receipt reaches: what was cut off behind it, nothing else can tell."""
    verified = f"verified up to event {judgement.signed} of {judgement.report.length}"
    if not judgement.signed:
        return f"{verified}: no receipt speaks for what is here"
    whose = (
        "of those that the server lists"
        if is_servers
        else "(is it the server's? it lists its keys at /v1/keys)"
    )
    return f"{verified}, by key {', '.join(judgement.kids)} {whose}"


def _summary(judgement: Judgement) -> str:
    log = f"table {judgement.table}, {judgement.report.length} events, view {judgement.view}"
    if judgement.is_proved:
        return f"proved: {log}"
    failed, open_ = (
        [name for name, each in judgement.verdicts.items() if each.status == status]
        for status in ("failed", "not_provable")
    )
    if failed:
        return f"not proved: {' and '.join(failed)} FAILED; {log}"
    return f"not proved: {' and '.join(open_)}, which this view does not show, nothing failed; {log}"


def _as_object(judgement: Judgement) -> dict[str, Any]:
    return {
        "table": judgement.table,
        "view": judgement.view,
        "events": judgement.report.length,
        "signed_up_to": judgement.signed,
        "keys": judgement.kids,
        "verdicts": {name: _verdict(each) for name, each in judgement.verdicts.items()},
        "fairness_of_epochs": [_verdict(each) for each in judgement.report.epochs],
        "seed_policy": judgement.report.policy,
        "entropy_of_epochs": [
            {"present": each.present, "missing": each.missing, "withheld": each.withheld}
            for each in judgement.report.entropies
        ],
        "is_proved": judgement.is_proved,
        "is_good": judgement.is_good,
        "summary": _summary(judgement),
    }


def _verdict(verdict: Verdict) -> dict[str, Any]:
    findings = [each._asdict() for each in verdict.findings]
    return {"status": verdict.status, "doubt": verdict.doubt, "findings": findings}


def _shown(text: str) -> str:
    """Return a line that can do nothing to a terminal, whatever the file told."""
    plain = "".join(each if each.isprintable() else f"\\u{ord(each):04x}" for each in text)
    return plain if len(plain) <= LONGEST else f"{plain[:LONGEST]}..."


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="posta-verify", description="Judges the transcript file of a table, offline."
    )
    parser.add_argument(
        "file", type=Path, metavar="FILE", help="a transcript, in the format ttx/transcript/v1"
    )
    parser.add_argument("--json", action="store_true", help="print one object instead of lines")
    parser.add_argument(
        "--keys",
        type=Path,
        metavar="FILE",
        help="the keys that the server lists, as /v1/keys answers: no other key signs for it",
    )
    parser.add_argument(
        "--origin",
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help="the full transcript of the table from which this one goes on; before it those of that one",
    )
    parser.add_argument(
        "--game",
        action="append",
        default=[],
        metavar="MODULE",
        help="a module with another GAME that may have been played; may be given more than once",
    )
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
