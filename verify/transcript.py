"""A transcript file, judged offline: no server is asked, nothing that the file says is believed.

Source: transcript format ``ttx v1``, Transcript file and Offline verification.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from engines.base import Game
from events import receipts
from events.audit import Finding, Link, Ref
from events.canonical import NotCanonical, canonical, event_hash
from events.codec import Opening
from verify.continuing import OriginLike
from verify.holdings import FULL
from verify.origin import Origin
from verify.verdicts import Report, Verdict, in_order
from verify.verifier import verify

MOST_NESTING = 64
"""How many containers of a file may stand in one another, itself the first; a genuine one has 19 at most."""
_NO_BRACKETS = re.compile(r'[^][{}"]+|"(?:[^"\\]|\\.)*"?', re.DOTALL)
_TID = re.compile(r"[0-9a-f]{32}")
_UUID_4 = re.compile(r"[0-9a-f]{12}4[0-9a-f]{3}[89ab][0-9a-f]{15}")
_RECEIPT = {"v": int, "table": str, "seq": int, "head": str, "at": int, "kid": str, "sig": str}


class NotATranscript(ValueError):
    """Bytes that are no transcript file; the message says why, in a sentence."""


class _Opening(msgspec.Struct, forbid_unknown_fields=True):
    seq: int
    slot: int
    salt: str
    payload: Any


class Key(msgspec.Struct, forbid_unknown_fields=True):
    """A key that signed heads, and when: milliseconds, ``until`` None for one still in use."""

    kid: str
    public: str
    from_: int = msgspec.field(name="from")
    until: int | None


class _Keys(msgspec.Struct, forbid_unknown_fields=True):
    """What a server answers at ``/v1/keys``."""

    items: list[Key]


class _Engine(msgspec.Struct, forbid_unknown_fields=True):
    game: str
    rules_version: int
    digest: str


class File(msgspec.Struct, forbid_unknown_fields=True):
    """A file whose form is right; what it tells is not judged yet."""

    format: Literal["ttx/transcript/v1"]
    view: Annotated[str, Meta(pattern=r"^(public|full|seat:(0|[1-9][0-9]*))\Z")]
    events: Annotated[list[dict[str, Any]], Meta(min_length=1)]
    openings: list[_Opening]
    receipts: list[dict[str, Any]]
    keys: list[Key]
    engine: _Engine | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """The verdicts on a file: ``receipts`` is on whether the server signed all of it.

    ``table`` is the table's id in hex; ``signed`` the highest position under a good receipt, 0
    where there is none, and ``kids`` the keys that signed.
    """

    table: str
    view: str
    receipts: Verdict
    signed: int
    kids: tuple[str, ...]
    report: Report

    @property
    def verdicts(self) -> dict[str, Verdict]:
        """All four by name."""
        return {"receipts": self.receipts, **dict(self.report)}

    @property
    def is_failed(self) -> bool:
        """Whether something is wrong."""
        return any(each.status == "failed" for each in self.verdicts.values())

    @property
    def is_proved(self) -> bool:
        """Whether all four are ``proved``."""
        return all(each.status == "proved" for each in self.verdicts.values())

    @property
    def is_good(self) -> bool:
        """Whether it is what it may be at best: all proved, or where a view holds less, nothing wrong."""
        return self.is_proved or (self.view != FULL and not self.is_failed)


def judge(
    data: bytes,
    games: Mapping[str, Game[Any]],
    keys: Sequence[Key] | None = None,
    origins: Sequence[File] = (),
) -> Judgement:
    """Return the verdicts on the bytes of a file.  Raises NotATranscript.

    ``keys`` are those that the server lists.  Without them those of the file are taken: they tell
    who signed, and not that it was the server.
    ``origins`` are the files of tables from which this one may go on, the oldest first.
    """
    return judge_file(read(data), games, keys, origins_of(origins, games))


def read_keys(data: bytes) -> list[Key]:
    """Return the keys that a server lists, from its answer at ``/v1/keys``.  Raises NotATranscript."""
    try:
        keys = msgspec.json.decode(data, type=_Keys).items
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise NotATranscript(f"it is no list of keys as /v1/keys answers: {error}") from None
    _refuse_double(keys)
    return keys


def judge_file(
    file: File,
    games: Mapping[str, Game[Any]],
    keys: Sequence[Key] | None = None,
    origins: Mapping[str, OriginLike] | None = None,
) -> Judgement:
    """Return the verdicts on a file that is read; ``origins`` are those of it as for ``verify``."""
    return _judge(file, games, file.keys if keys is None else keys, origins or {})


def links_of(file: File) -> list[Link]:
    """Return the events of a file, in canonical bytes."""
    return [Link(position, _bytes_of(each)) for position, each in enumerate(file.events, start=1)]


def origins_of(files: Sequence[File], games: Mapping[str, Game[Any]]) -> dict[str, OriginLike]:
    """Return the tables of files, by id in hex; each may go on from those before it."""
    found: dict[str, OriginLike] = {}
    for file in files:
        table = _id_of(file)
        found[table] = Origin(
            tid=bytes.fromhex(table),
            events=links_of(file),
            openings=openings_of(file),
            games=games,
            origins=dict(found),
        )
    return found


def _id_of(file: File) -> str:
    return _text(file.events[0].get("table"), _TID, "0" * 32)


def _judge(
    file: File, games: Mapping[str, Game[Any]], keys: Sequence[Key], origins: Mapping[str, OriginLike]
) -> Judgement:
    links, table = links_of(file), _id_of(file)
    report = verify(
        bytes.fromhex(table), links, openings_of(file), games=games, view=file.view, origins=origins
    )
    wrong, signed, kids = _check_receipts(
        file, keys, table, [event_hash(each.header).hex() for each in links]
    )
    doubt = None
    if signed < len(links):
        doubt = f"the server signed up to event {signed} of {len(links)}" if signed else "nothing is signed"
    found = [*report.integrity.findings, *_check_id(table), *_double_openings(file), *_double_salts(file)]
    found += _check_engine(file)
    return Judgement(
        table=table,
        view=file.view,
        receipts=Verdict(findings=in_order(wrong), doubt=doubt),
        signed=signed,
        kids=kids,
        report=dataclasses.replace(report, integrity=Verdict(findings=in_order(found))),
    )


# --- The file -----------------------------------------------------------------------------------


def read(data: bytes) -> File:
    """Return the parts of a file, each of the right form as far as the verdicts do not judge it.

    Raises NotATranscript.
    """
    try:
        text = data.decode()
        if _nesting(text) > MOST_NESTING:
            raise NotATranscript("it is nested too deeply")
        told = json.loads(text, object_pairs_hook=_object, parse_constant=_no_constant)
        file = msgspec.convert(told, File)
    except UnicodeDecodeError:
        raise NotATranscript("it is not text in UTF-8") from None
    except json.JSONDecodeError as error:
        raise NotATranscript(f"it is not JSON: {error}") from None
    except msgspec.ValidationError as error:
        raise NotATranscript(f"its form is not that of ttx/transcript/v1: {error}") from None
    except NotATranscript:
        raise
    except ValueError as error:  # an integer of thousands of digits
        raise NotATranscript(f"it is not JSON: {error}") from None
    _refuse_double(file.keys)
    return file


def _refuse_double(keys: Sequence[Key]) -> None:
    if double := _doubles(each.kid for each in keys):
        raise NotATranscript(f"key {double[0]} is listed twice")


def _nesting(text: str) -> int:
    """Return how many objects and arrays of a JSON text stand within one another, without parsing it."""
    brackets = _NO_BRACKETS.sub("", text)
    return max(accumulate(1 if each in "{[" else -1 for each in brackets), default=0)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        name = _doubles(name for name, _ in pairs)[0]
        raise NotATranscript(f"the name {name!r} stands twice in one object")
    return found


def _no_constant(name: str) -> Any:
    raise NotATranscript(f"it is not JSON: {name} is no value")


def _bytes_of(value: Any) -> bytes:
    """Return the canonical bytes of a value, or where it has none a spelling that shows why."""
    try:
        return canonical(value)
    except NotCanonical:
        return json.dumps(value).encode()


def _text(value: object, pattern: re.Pattern[str], otherwise: str) -> str:
    return value if isinstance(value, str) and pattern.fullmatch(value) else otherwise


def _doubles(values: Iterable[Any]) -> list[Any]:
    """Return what stands there more than once."""
    return [value for value, count in Counter(values).items() if count > 1]


# --- Table, openings, engine --------------------------------------------------------------------


def _check_id(table: str) -> list[Finding]:
    """Return that a table's id is not drawn at random: another kind of UUID could tell when, or where."""
    is_random = _UUID_4.fullmatch(table) is not None
    return [] if is_random else [Finding(1, "the id of the table is no UUID of version 4")]


def openings_of(file: File) -> dict[Ref, Opening]:
    """Return the openings; one for a slot that is none is left to be found."""
    return {
        (each.seq, each.slot): Opening(
            _receiver(file, each.seq, each.slot), _unhex(each.salt), _bytes_of(each.payload)
        )
        for each in file.openings
    }


def _receiver(file: File, seq: int, slot: int) -> str:
    """Return to whom a slot is; files do not say it again beside the opening."""
    try:
        to = file.events[seq - 1]["slots"][slot]["to"] if min(seq - 1, slot) >= 0 else ""
    except (LookupError, TypeError):
        return ""
    return to if isinstance(to, str) else ""


def _double_openings(file: File) -> list[Finding]:
    double = _doubles((each.seq, each.slot) for each in file.openings)
    return [Finding(seq, f"slot {slot}: it is opened more than once") for seq, slot in double]


def _double_salts(file: File) -> list[Finding]:
    """Return the slots that share a salt with one before: who holds that, could try values for these."""
    first: dict[str, Ref] = {}
    found = []
    for seq, slot, salt in sorted((each.seq, each.slot, each.salt) for each in file.openings):
        if first.setdefault(salt, (seq, slot)) != (seq, slot):
            found.append(Finding(seq, f"slot {slot}: its salt is that of another slot"))
    return found


def _check_engine(file: File) -> list[Finding]:
    """Return where the file names another engine than the start of the game."""
    for position, event in enumerate(file.events, start=1):
        public = event.get("public")
        if event.get("type") == "table.started" and isinstance(public, dict):
            named = file.engine and [file.engine.game, file.engine.rules_version, file.engine.digest]
            if named == [public.get("game"), public.get("rules_version"), public.get("engine")]:
                return []
            return [Finding(position, "the file names another engine than the start of the game")]
    return [Finding(1, "the file names an engine, and no game has started")] if file.engine else []


def _unhex(text: str) -> bytes:
    """Return bytes written in lower case hex, none for any other text."""
    try:
        data = bytes.fromhex(text)
    except ValueError:
        return b""
    return data if data.hex() == text else b""


# --- Receipts -----------------------------------------------------------------------------------


def _check_receipts(
    file: File, listed: Sequence[Key], table: str, heads: list[str]
) -> tuple[list[Finding], int, tuple[str, ...]]:
    """Return what is wrong, the highest position under a good receipt, and the keys of the good ones."""
    keys = {each.kid: each for each in listed}
    findings, signed, kids = _check_genesis(file, keys), 0, set()
    for receipt in file.receipts:
        if receipt.keys() != _RECEIPT.keys() or any(
            type(receipt[name]) is not kind for name, kind in _RECEIPT.items()
        ):
            findings.append(Finding(len(heads), "a receipt has not the fields of ttx v1"))
        elif (why := _check_receipt(receipt, keys.get(receipt["kid"]), file, table, heads)) is not None:
            findings.append(Finding(receipt["seq"], why))
        else:
            signed = max(signed, receipt["seq"])
            kids.add(receipt["kid"])
    return findings, signed, tuple(sorted(kids))


def _check_genesis(file: File, keys: Mapping[str, Key]) -> list[Finding]:
    """Return that the log begins under a key that is not listed, though old keys stay listed for ever."""
    public = file.events[0].get("public")
    kid = public.get("kid") if isinstance(public, dict) else None
    if isinstance(kid, str) and (kid == receipts.NO_KID or kid in keys):
        return []
    return [Finding(1, "the key that the log begins under is not listed")]


def _check_receipt(
    receipt: Mapping[str, Any], key: Key | None, file: File, table: str, heads: list[str]
) -> str | None:
    """Return why a receipt does not speak for this log, or None."""
    seq, at = receipt["seq"], receipt["at"]
    if receipt["v"] != 1:
        return f"a receipt of version {receipt['v']}"
    if receipt["table"] != table:
        return f"a receipt of table {receipt['table']}"
    if key is None:
        return f"signed by a key that is not listed, {receipt['kid']}"
    if at < key.from_ or (key.until is not None and at >= key.until):
        return f"signed with key {key.kid} at a time when it was not valid"
    public = _unhex(key.public)
    if len(public) != 32 or not receipts.verify(receipt, public):
        return "the signature is wrong"
    if seq < 1:
        return "a receipt of no event"
    if seq > len(heads):
        return f"the server signed this event, the file ends at {len(heads)}: it is cut off"
    if receipt["head"] != heads[seq - 1]:
        return "the server signed another event than this, or another past"
    if at != file.events[seq - 1].get("at"):
        return "the receipt tells another time than its event"
    return None
