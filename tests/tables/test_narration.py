"""Every event reads as one sentence in both languages, made from the redacted event alone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random
from typing import Any

import msgspec
import pytest

from engines.audience import name_of
from engines.base import Batch, Game
from engines.chance import KeyedChance
from engines.registry import GAMES
from events.codec import MOVE_PLAYED, Header
from tables import catalogue, messages, queries
from tables.catalogue import table_names
from tables.narration import BLANK, entry_of, holds, joined, narrate, value_at
from tables.shapes import EventAnswer
from tests.engines.plays import ALL_GAMES, Act, Log, Setting, batch_of, do, games, key_of, setting

from .rooms import Room, running_room

LOCALES = ("en", "es")
SAID = ("seat", "Seat", "game", "time")
"""The kinds of blank that need no word for each value."""

NAMES = {0: "Ana", 1: "Inés"}

every_game = pytest.mark.parametrize("game", ALL_GAMES, ids=lambda game: game.id)


# What is written


def test_every_event_and_move_has_a_sentence_in_both_languages() -> None:
    for where, entry, _ in entries():
        assert "sentence" in entry, where
        for texts in variants(entry["sentence"]):
            assert set(texts) == {"en", "es"}, where
            assert texts["en"] != texts["es"], where
            for text in texts.values():
                assert text == text.strip(), where
                assert text.endswith((".", ")")), where
                assert not set("{}") & set(BLANK.sub("", text)), f"{where}: a blank that is none"
            blanks = [sorted(BLANK.findall(text.replace(":Seat", ":seat"))) for text in texts.values()]
            assert blanks[0] == blanks[1], where


def test_every_sentence_with_conditions_has_a_last_one_without() -> None:
    for where, entry, _ in entries():
        if "en" not in entry["sentence"]:
            *conditions, last = entry["sentence"]
            assert last == "else", where
            assert conditions, where
            assert all("=" in condition for condition in conditions), where


def test_every_blank_and_condition_is_about_a_field_that_the_event_has() -> None:
    for where, entry, schema in entries():
        paths = [path.partition("=")[0] for path in entry["sentence"] if path not in ("en", "es", "else")]
        for texts in variants(entry["sentence"]):
            paths += [path for text in texts.values() for path, _ in BLANK.findall(text)]
        for path in paths:
            assert path.isdigit() or field(schema, path) is not None, f"{where}: {path}"


def test_every_known_value_in_a_blank_has_a_word() -> None:
    for where, entry, schema in entries():
        for texts in variants(entry["sentence"]):
            for text in texts.values():
                for path, kind in BLANK.findall(text):
                    told = {} if path.isdigit() else field(schema, path)
                    for value in told.get("enum", told.get("x-known-values", ())):
                        assert kind, f"{where}: {path} is a code"
                        game = catalogue.game_of(where.split()[0])
                        assert value is None or is_worded(game, kind, value), f"{where}: {value}"


def test_the_texts_of_the_table_itself_are_complete() -> None:
    assert set(table_names()["events"]) == set(messages.EVENTS)
    for texts in [each["name"] for each in table_names()["events"].values()]:
        assert set(texts) == {"en", "es"}
        assert texts["en"] != texts["es"]
    for texts in table_names()["terms"].values():
        assert texts["en"] != texts["es"]


# Whole games


@every_game
def test_whole_games_read_well_for_every_viewer(game: Game[Any]) -> None:
    told: set[str] = set()
    for seed in range(8):
        chosen = setting(game, Random(seed))
        for event in redacted(chosen, seed):
            told.add(event.type)
            sentences = [reads_well(game, event, locale) for locale in LOCALES]
            assert sentences[0] != sentences[1]
    assert told >= {MOVE_PLAYED, f"{game.id}.seat_left", f"{game.id}.game_ended"}


@pytest.mark.parametrize("game_id", ["probe", "reafan"])
def test_a_stored_table_reads_well_from_its_opening_to_its_seed(game_id: str) -> None:
    game, room = catalogue.game_of(game_id), running_room(game_id, 5)
    room.resign(0)
    room.play_on()
    for player in (*room.players, room.stranger):
        events = queries.events(player, room.id, limit=200).items
        for locale in LOCALES:
            page = queries.narration(player, room.id, locale, limit=200)
            assert [each.position for each in page.items] == [each.position for each in events]
            for told, event in zip(page.items, events, strict=True):
                assert (told.type, told.occurred_at) == (event.type, event.occurred_at)
                assert told.sentence == narrate(game, event, locale, names_of(room))
                reads_well(game, event, locale)
    assert {"table.opened", "table.started", "clock.deadline_set"} < {each.type for each in events}


def test_the_redacted_event_and_the_names_are_all_that_a_sentence_is_made_of() -> None:
    """The same event told to two viewers who learned the same reads the same; else nobody is told more."""
    for seed in range(4):
        chosen = setting(GAMES["reafan"], Random(seed))
        for events in by_viewer(chosen, seed):
            alike: dict[bytes, str] = {}
            for event in events:
                known = msgspec.json.encode(event)
                sentence = narrate(GAMES["reafan"], msgspec.json.decode(known, type=EventAnswer), "en", NAMES)
                assert alike.setdefault(known, sentence) == sentence


# Examples, read by eye

STORY = [
    Act(what="begin"),
    Act(what="mulligan", seat=0, move={"take": False}),
    Act(what="mulligan", seat=1, move={"take": True}),
    Act(what="first", seat=0),
    Act(what="first", seat=1),
    Act(what="time_out", seat=0),
    Act(what="leave", seat=1),
]


def test_a_short_game_of_reafan_as_a_seat_reads_it() -> None:
    english, spanish = (told_to(0, locale) for locale in LOCALES)
    assert english == ENGLISH
    assert spanish == SPANISH


def test_a_spectator_reads_of_no_card_that_is_not_open() -> None:
    told = " ".join(told_to(None, "en"))
    assert "Ana decides in secret about the mulligan." in told
    assert "Ana is dealt three cards." in told
    assert "Ana draws a card." in told


@pytest.mark.parametrize(
    ("type_", "data", "english", "spanish"),
    [
        (
            "table.settings_chosen",
            {"game": "reafan", "seats": 2},
            "Reafan is to be played, by 2 players.",
            "Se jugará a Reafan, entre 2 personas.",
        ),
        ("table.seat_taken", {"seat": 0, "bot": None}, "Ana joins the table.", "Ana se une a la mesa."),
        (
            "table.seat_taken",
            {"seat": 2, "bot": "greedy"},
            "Seat 2 joins the table; the bot “Greedy” plays it.",
            "Asiento 2 se une a la mesa; lo juega el bot «Codicioso».",
        ),
        (
            "clock.expired",
            {"turn": 3, "seats": [0, 1]},
            "Time is up for turn 3: nothing came from Ana and Inés.",
            "Se acabó el tiempo del turno 3: no llegó nada de Ana e Inés.",
        ),
        (
            "clock.deadline_set",
            {"turn": 3, "deadline_at": 1767808800000},
            "Turn 3 is open until 2026-01-07 18:00 UTC.",
            "Turno 3 abierto hasta 2026-01-07 18:00 UTC.",
        ),
        (
            "clock.deadline_set",
            {"turn": 3, "deadline_at": None},
            "Turn 3 has no deadline.",
            "Turno 3 sin plazo.",
        ),
        (
            "table.finished",
            {"winners": [1], "reason": "deck_out"},
            "The game is over, and won by Inés (More points).",
            "La partida ha terminado con victoria de Inés (Más puntos).",
        ),
    ],
)
def test_what_happens_at_a_table_in_words(
    type_: str, data: dict[str, Any], english: str, spanish: str
) -> None:
    event = EventAnswer(position=1, type=type_, occurred_at="", actor_seat=None, data=data)
    assert [narrate(GAMES["reafan"], event, locale, NAMES) for locale in LOCALES] == [english, spanish]


@pytest.mark.parametrize(
    ("words", "english", "spanish"),
    [
        ([], "", ""),
        (["a"], "a", "a"),
        (["a", "b"], "a and b", "a y b"),
        (["a", "b", "c"], "a, b and c", "a, b y c"),
        (["Ana", "Hilda"], "Ana and Hilda", "Ana e Hilda"),
        (["Ana", "Iago"], "Ana and Iago", "Ana y Iago"),
    ],
)
def test_lists_are_joined_as_each_language_does(words: list[str], english: str, spanish: str) -> None:
    assert [joined(words, locale) for locale in LOCALES] == [english, spanish]


def test_a_list_tells_what_is_known_of_it() -> None:
    data = {"counts": [None, {"n": 2}, None], "cards": [None, None], "seats": [], "left": None}
    assert value_at("counts.n", data) == [2]
    assert value_at("cards", data) is value_at("cards.card", data) is value_at("left.card", data) is None
    assert value_at("seats", data) == []
    assert holds("seats=[]", data)
    assert holds("cards=null", data)
    assert not holds("cards=[]", data)


# Helpers


def entries() -> Iterator[tuple[str, dict[str, Any], dict[str, Any]]]:
    """Yield every entry that words an event or a move, with the schema of the data that it gets."""
    for game_id, game in catalogue.games().items():
        for type_ in catalogue.event_types(game):
            yield (
                f"{game_id} {type_}",
                entry_of(game, type_, {}),
                catalogue.json_schema(game, f"event.{type_}"),
            )
        for move in game.moves:
            kind = name_of(move)
            schema = catalogue.json_schema(game, f"move.{kind}")
            params = {"seat": {}, "window": {}, "kind": {}, "params": {"$ref": schema["$ref"]}}
            yield (
                f"{game_id} {kind}",
                entry_of(game, MOVE_PLAYED, {"kind": kind}),
                {"properties": params, "$defs": schema["$defs"]},
            )


def variants(sentence: dict[str, Any]) -> list[dict[str, str]]:
    return [sentence] if "en" in sentence else list(sentence.values())


def field(schema: dict[str, Any], path: str) -> dict[str, Any] | None:
    """Return the schema of what lies at a path, None where nothing can."""
    told: dict[str, Any] | None = bare(schema, schema)
    for step in path.split("."):
        told = told.get("properties", {}).get(step) if told else None
        told = bare(told, schema) if told is not None else None
    return told


def bare(told: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    """Return a schema without references, lists and the chance of null."""
    while True:
        if "$ref" in told:
            told = schema["$defs"][told["$ref"].rsplit("/", 1)[1]]
        elif "anyOf" in told:
            told = next(each for each in told["anyOf"] if each != {"type": "null"})
        elif isinstance(told.get("items"), dict):
            told = told["items"]
        else:
            return told


def is_worded(game: Game[Any], kind: str, value: Any) -> bool:
    names = catalogue.names_of(game)
    if kind in SAID:
        return True
    if kind == "reason":
        return value in names["reasons"]
    word = value if kind == "term" else f"{kind}_{value}"
    return word in names["terms"] or word in table_names()["terms"]


def reads_well(game: Game[Any], event: EventAnswer, locale: str) -> str:
    sentence = narrate(game, event, locale, NAMES)
    assert sentence[0].isupper(), sentence
    assert not re.search(r"None|null|True|False|[{}\[\]]|\b[a-z]+_[a-z]+\b|\s\s|\s[.,:;)]", sentence), (
        sentence
    )
    texts = entry_of(game, event.type, event.data)["sentence"]
    if "en" not in texts:
        texts = next(each for condition, each in texts.items() if holds(condition, event.data))
    for path, kind in BLANK.findall(texts[locale]):
        value = value_at(path, event.data)
        assert value is not None, f"{sentence}: {path}"
        assert value != [], f"{sentence}: {path}"
        for each in value if isinstance(value, list) else [value]:
            assert kind or isinstance(each, int), f"{sentence}: {path}"
            if kind and kind not in SAID:
                assert is_worded(game, kind, each), f"{sentence}: {each}"
    return sentence


def answer(game: Game[Any], log: Log, header: Header, viewer: int | None) -> EventAnswer:
    data = log.codec.redact(header, lambda seq, slot: log.payloads[seq, slot], viewer)
    seat = int(header.actor[5:]) if header.actor.startswith("seat:") else None
    return EventAnswer(position=header.seq, type=header.type, occurred_at="", actor_seat=seat, data=data)


def by_viewer(chosen: Setting, seed: int) -> Iterator[list[EventAnswer]]:
    """Yield the events of a random game, each as all viewers learned it."""
    *_, (batch, _, _) = games(chosen, seed, absence=0.2, leaving=0.02)
    log = Log(chosen.game)
    for recorded in batch.events:
        header = log.add(recorded)
        yield [answer(chosen.game, log, header, viewer) for viewer in (*range(chosen.seats), None)]


def redacted(chosen: Setting, seed: int) -> Iterator[EventAnswer]:
    for events in by_viewer(chosen, seed):
        yield from events


def told_to(viewer: int | None, locale: str) -> list[str]:
    """Return the story as sentences."""
    game = GAMES["reafan"]
    chosen = Setting(game=game, seats=2, options=game.options())
    batch: Batch[Any] = batch_of(chosen, KeyedChance(key_of(3)))
    for act in STORY:
        do(batch, _act(game, batch, act))
    log = Log(game)
    events = [answer(game, log, log.add(recorded), viewer) for recorded in batch.events]
    return [narrate(game, event, locale, {0: "Ana", 1: "Bea"}) for event in events]


def _act(game: Game[Any], batch: Batch[Any], act: Act) -> Act:
    match act.what:
        case "mulligan":
            (mulligan,) = (each for each in game.moves if name_of(each) == "mulligan")
            return Act(what="move", seat=act.seat, move=mulligan(**act.move))
        case "first":
            return Act(what="move", seat=act.seat, move=game.legal_moves(batch.state, act.seat)[0])
        case _:
            return act


def names_of(room: Room) -> dict[int, str]:
    held = room.row.tenures.select_related("player")
    return {each.seat: each.player.name for each in held if each.player}


ENGLISH = [
    "Chance lets Ana lay the first card.",
    "The deck is shuffled, and nobody knows its order.",
    "Ana is dealt the three of clubs, the queen of hearts and the nine of diamonds.",
    "Bea is dealt three cards.",
    "Ana decides in secret to keep the hand.",
    "Bea decides in secret about the mulligan.",
    "Ana has chosen to keep the hand, Bea to lay it aside.",
    "Bea lays the hand aside.",
    "Bea is dealt three cards.",
    "The deck is shuffled, and nobody knows its order.",
    "Ana chooses the three of clubs for cell (0, 0).",
    "Ana places the three of clubs at (0, 0): +1, score 1.",
    "Ana draws the two of hearts.",
    "Bea chooses the ace of clubs for cell (-1, 0).",
    "Bea places the ace of clubs at (-1, 0): +2, score 2.",
    "Bea draws a card.",
    "The table plays: Ana chooses the nine of diamonds for cell (0, -1).",
    "Ana places the nine of diamonds at (0, -1): +2, score 3.",
    "Ana draws the six of clubs.",
    "Bea is gone for good.",
    "Ana wins; the scores by seat are 3 and 2 (The other player resigned).",
]
SPANISH = [
    "Por sorteo, Ana pone la primera carta.",
    "Se baraja el mazo y nadie conoce su orden.",
    "Ana recibe el tres de tréboles, la reina de corazones y el nueve de diamantes.",
    "Bea recibe tres cartas.",
    "Ana decide en secreto conservar su mano.",
    "Bea decide en secreto sobre su mulligan.",
    "Ana ha elegido conservar su mano, Bea descartarla.",
    "Bea descarta su mano.",
    "Bea recibe tres cartas.",
    "Se baraja el mazo y nadie conoce su orden.",
    "Ana elige el tres de tréboles para la casilla (0, 0).",
    "Ana coloca el tres de tréboles en (0, 0): +1, puntuación 1.",
    "Ana roba el dos de corazones.",
    "Bea elige el as de tréboles para la casilla (-1, 0).",
    "Bea coloca el as de tréboles en (-1, 0): +2, puntuación 2.",
    "Bea roba una carta.",
    "La mesa juega: Ana elige el nueve de diamantes para la casilla (0, -1).",
    "Ana coloca el nueve de diamantes en (0, -1): +2, puntuación 3.",
    "Ana roba el seis de tréboles.",
    "Bea abandona para siempre.",
    "Ana gana; la puntuación por asiento es 3 y 2 (El otro jugador se rindió).",
]
