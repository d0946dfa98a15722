"""What becomes of genuine files and of mutants, by the verifier in Python and by that in JavaScript.

A mutant must be refused, or, where it was only cut, be told for what it is.  The two must agree on
receipts, integrity and fairness of genuine files, and on who added to chance; of a mutant, whose replay
JavaScript cannot judge, on receipts and integrity, and both must see where a draw was touched.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from functools import lru_cache
from random import Random
from typing import Any

import msgspec

from engines.registry import GAMES
from tests.verify.javascript import judge_many
from tests.verify.mutants import Mutant, mutant
from tests.verify.plays import SERVER, File, files, listed
from verify.transcript import Judgement, Key, NotATranscript, judge

LISTED = json.dumps({"items": [listed(SERVER)]}).encode()
KEYS = [msgspec.convert(listed(SERVER), Key)]
ABOUT_DRAWS = ("swapped_cards", "altered_draw", "lost_draw", "invented_draw")
OF_A_TABLE = 25
"""So many mutants are made of the files of one table."""


@dataclass(slots=True)
class Tally:
    """Mutants counted by what refused them and by kind; those accepted, and where the two differ."""

    refused: Counter[str] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    accepted: list[str] = field(default_factory=list)
    differences: list[str] = field(default_factory=list)

    def add(self, other: Tally) -> None:
        """Count another tally in."""
        self.refused += other.refused
        self.kinds += other.kinds
        self.accepted += other.accepted
        self.differences += other.differences


@lru_cache(maxsize=8)
def genuine(seed: int) -> list[File]:
    """Return the files of the table of a seed, which nobody may change; games take turns."""
    return files(list(GAMES)[seed % len(GAMES)], seed)


def mutants_of(seed: int, count: int = OF_A_TABLE) -> list[Mutant]:
    """Return mutants of the files of one table; half of them of the whole game."""
    whole, *views = genuine(seed)
    other, *_ = genuine(seed + len(GAMES))
    found = []
    for number in range(count):
        random = Random(f"mutant {number} of table {seed}")
        of = whole if random.random() < 0.5 else random.choice([whole, *views])
        found.append(mutant(of, other, random))
    return found


def tally(seed: int, count: int = OF_A_TABLE, *, by_both: bool = True) -> Tally:
    """Judge the mutants of one table, by both verifiers or by that in Python alone."""
    found, mutants = Tally(), mutants_of(seed, count)
    data = [json.dumps(each.file).encode() for each in mutants]
    told = judge_many(data) if by_both else [None] * count
    for number, (each, bytes_, in_javascript) in enumerate(zip(mutants, data, told, strict=True)):
        name = f"mutant {number} of table {seed}: {each.kind}, {each.dress}"
        found.kinds[each.kind] += 1
        judgement = _judged(bytes_)
        if (by := _refused_by(each, bytes_, judgement)) is None:
            found.accepted.append(name)
        else:
            found.refused[by] += 1
        if in_javascript is None:
            continue
        if why := contradiction(judgement, in_javascript) or _unseen(each, in_javascript):
            found.differences.append(f"{name}: {why}")
    return found


def _judged(data: bytes) -> Judgement | None:
    try:
        return judge(data, GAMES)
    except NotATranscript:
        return None


def _refused_by(lie: Mutant, data: bytes, judgement: Judgement | None) -> str | None:
    """Return what refuses a mutant: a verdict's name, ``form``, ``keys``, or ``length`` if it was cut.

    Who knows the keys of the server, as a player can, must refuse it by them at last; where the lie
    is about what rules or chance decide, it must be refused without them.
    """
    if judgement is None:
        return "form"
    if failed := [name for name, each in judgement.verdicts.items() if each.status == "failed"]:
        return failed[0]
    if lie.is_cut:
        is_told = judgement.receipts.status == "not_provable" and judgement.signed < judgement.report.length
        return "length" if is_told else None
    return "keys" if not lie.is_decided and judge(data, GAMES, KEYS).is_failed else None


def contradiction(in_python: Judgement | None, in_javascript: dict[str, Any]) -> str | None:
    """Return where the verdicts on receipts or integrity are not the same."""
    if in_python is None or "refused" in in_javascript:
        return None if in_python is None and "refused" in in_javascript else "one refuses its form"
    mine = {name: each.status for name, each in in_python.verdicts.items()}
    told = {name: each["status"] for name, each in in_javascript["verdicts"].items()}
    for name in ("receipts", "integrity"):
        if mine[name] != told[name]:
            return f"{name} is {mine[name]} in Python, {told[name]} in JavaScript"
    if in_python.signed != in_javascript["signed_up_to"]:
        return f"signed up to {in_python.signed} in Python, {in_javascript['signed_up_to']} in JavaScript"
    if told["fairness"] == "failed" and not in_python.is_failed:
        return "JavaScript finds fairness failed, and Python nothing"
    return None


def _unseen(lie: Mutant, in_javascript: dict[str, Any]) -> str | None:
    """Return that JavaScript proves the draws of a mutant that lies about one."""
    proves = "verdicts" in in_javascript and in_javascript["verdicts"]["fairness"]["status"] == "proved"
    return "JavaScript proves a draw that was touched" if proves and lie.kind in ABOUT_DRAWS else None


def difference(data: bytes, in_javascript: dict[str, Any]) -> str | None:
    """Return where the verdicts on a genuine file are not the same, or not the best possible."""
    in_python = judge(data, GAMES, KEYS)
    if not (in_python.is_good and in_javascript["is_good"]):
        return "it is not proved as far as can be"
    for name in ("receipts", "integrity", "fairness"):
        mine = in_python.verdicts[name]
        told = in_javascript["verdicts"][name]
        if (mine.status, mine.doubt) != (told["status"], told["doubt"]):
            return f"{name} is {mine.status} in Python ({mine.doubt}), not {told['status']} ({told['doubt']})"
    epochs = [each.status for each in in_python.report.epochs]
    if epochs != [each["status"] for each in in_javascript["fairness_of_epochs"]]:
        return f"the epochs are {epochs}"
    added = [(each.present, each.missing, each.withheld) for each in in_python.report.entropies]
    if added != [tuple(each.values()) for each in in_javascript["entropy_of_epochs"]]:
        return f"what players added is {added}"
    return contradiction(in_python, in_javascript)


def differences(seed: int) -> tuple[list[str], int]:
    """Return where the two differ on the files of one table, and how many those are."""
    data = [json.dumps(each).encode() for each in genuine(seed)]
    found = [difference(*each) for each in zip(data, judge_many(data, LISTED), strict=True)]
    return [f"file {number} of table {seed}: {why}" for number, why in enumerate(found) if why], len(data)
