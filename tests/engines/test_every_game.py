"""What every game promises its table; a new game needs no line here."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import fields
from functools import cache, partial
from importlib.resources import files
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any, Literal, get_args, get_origin, get_type_hints

import msgspec
import pytest

from engines import base
from engines.audience import Audience, about_of, fields_of, name_of
from engines.base import Batch, Game, Move, MovePlayed, Question, awaited, window_of
from engines.chance import Chance, KeyedChance
from engines.errors import RuleViolation
from engines.registry import GAMES

from .annexes import annex_of, check_layouts, check_vocabularies
from .plays import ALL_GAMES, Act, Log, batch_of, bots_play, do, games, key_of, setting, streams

ROOT = Path(__file__).parents[2]
SEEDS = range(30)
CALM, ROUGH = {}, {"absence": 0.25, "leaving": 0.03}

every_game = pytest.mark.parametrize("game", ALL_GAMES, ids=lambda game: game.id)
every_version = pytest.mark.parametrize(
    "game",
    [each for game in ALL_GAMES for each in (game, *game.earlier)],
    ids=lambda game: f"{game.id} {game.rules_version}",
)


@cache
def played(game_id: str, seed: int, *, rough: bool) -> tuple[Any, Batch[Any], tuple[Act, ...]]:
    """Return a whole game: what it was begun with, all its events, and the acts that led there."""
    game = next(each for each in ALL_GAMES if each.id == game_id)
    chosen = setting(game, Random(seed))
    steps = list(games(chosen, seed, **(ROUGH if rough else CALM)))
    return chosen, steps[-1][0], tuple(act for _, act, _ in steps)


def plays(game: Game[Any]) -> Iterator[tuple[Any, Batch[Any], tuple[Act, ...]]]:
    for seed in SEEDS:
        yield played(game.id, seed, rough=bool(seed % 2))


# Play


@every_game
@pytest.mark.parametrize("rough", [False, True], ids=["calm", "rough"])
def test_a_game_waits_for_somebody_who_can_move_until_it_ends(game: Game[Any], rough: bool) -> None:
    """Random play, in ``rough`` with time-outs and people leaving at any moment."""
    for seed in SEEDS[:6]:
        chosen = setting(game, Random(seed))
        for batch, _, _ in games(chosen, seed, **(ROUGH if rough else CALM)):
            state = batch.state
            assert batch.chance.taken() == (), "a draw that no event carries"
            if game.outcome(state) is not None:
                assert game.to_act(state) == ()
                assert not any(game.legal_moves(state, seat) for seat in range(chosen.seats))
                continue
            assert awaited(game, state), "nobody is awaited"
            for seat in awaited(game, state):
                assert game.legal_moves(state, seat), "an awaited seat has no move"


@every_game
def test_legal_moves_are_those_that_check_accepts(game: Game[Any]) -> None:
    for seed in SEEDS[:4]:
        chosen, _, acts = played(game.id, seed, rough=bool(seed % 2))
        tried = [act.move for act in acts if act.what == "move"]
        random = Random(seed)
        for state in states(chosen, acts, seed):
            for seat in range(chosen.seats):
                legal = list(game.legal_moves(state, seat))
                assert all(is_accepted(game, state, seat, move) for move in legal)
                for move in random.sample(tried, min(8, len(tried))):
                    assert is_accepted(game, state, seat, move) == (move in legal)


@every_game
def test_an_optional_move_opens_no_turn_and_stays_answered_until_its_window_closes(game: Game[Any]) -> None:
    for seed in SEEDS[:6]:
        turn = 1
        was_optional: dict[int, set[str]] = {}
        for batch, act, before in games(setting(game, Random(seed)), seed, **ROUGH):
            state = batch.state
            assert state.turn >= turn
            if act.what == "move":
                answered = batch.events[before].event
                assert isinstance(answered, MovePlayed)
                assert answered.window <= turn
                kind = name_of(type(act.move))
                if kind in was_optional.get(act.seat, ()):
                    assert state.turn == turn
                    assert any(
                        (each.seat, each.since, each.answered) == (act.seat, answered.window, True)
                        for each in game.to_act(state)
                        if kind in each.kinds
                    )
            turn = state.turn
            was_optional = open_optional(game, state)
            for window in game.to_act(state):
                assert 1 <= window.since <= turn
                assert not window.at_once, "what is played at once has been played"


def open_optional(game: Game[Any], state: Any) -> dict[int, set[str]]:
    """Return the kinds of the optional windows open to each seat."""
    found: dict[int, set[str]] = {}
    for each in game.to_act(state):
        if not each.awaited and not each.answered:
            found.setdefault(each.seat, set()).update(each.kinds)
    return found


@every_game
def test_no_two_open_windows_of_a_seat_take_the_same_kind(game: Game[Any]) -> None:
    """Else a move could not tell which it answers."""
    for seed in SEEDS[:4]:
        for batch, _, _ in games(setting(game, Random(seed)), seed, **ROUGH):
            kinds = [
                (each.seat, kind)
                for each in game.to_act(batch.state)
                for kind in each.kinds
                if not each.answered
            ]
            assert len(set(kinds)) == len(kinds)


@every_game
def test_an_outcome_ranks_every_seat_and_its_winners_are_first(game: Game[Any]) -> None:
    names = json.loads((files(game.package) / "names.json").read_text("utf-8"))
    for chosen, batch, _ in plays(game):
        outcome = game.outcome(batch.state)
        assert outcome is not None
        assert len(outcome.places) == chosen.seats
        assert outcome.scores is None or len(outcome.scores) == chosen.seats
        for place in outcome.places:
            assert place == 1 + sum(other < place for other in outcome.places)
        assert list(outcome.winners) == sorted(set(outcome.winners))
        assert all(outcome.places[winner] == 1 for winner in outcome.winners)
        assert outcome.reason in names["reasons"]


@every_game
def test_whoever_resigned_has_not_won(game: Game[Any]) -> None:
    for chosen, batch, acts in plays(game):
        gone = {act.seat for act in acts if act.what == "leave"}
        outcome = game.outcome(batch.state)
        assert outcome is not None
        assert not gone & set(outcome.winners), chosen


@every_game
def test_a_seat_left_for_good_is_neither_awaited_nor_offered_a_move(game: Game[Any]) -> None:
    for seed in SEEDS:
        gone = set()
        for batch, act, _ in games(setting(game, Random(seed)), seed, absence=0.1, leaving=0.1):
            gone |= {act.seat} if act.what == "leave" else set()
            assert not gone & set(awaited(game, batch.state))
            for seat in gone:
                assert not game.legal_moves(batch.state, seat)


@pytest.mark.long
@every_game
def test_each_bot_plays_whole_games_from_its_view_and_legal_moves(game: Game[Any]) -> None:
    """It passes at most what it is offered."""
    chance = KeyedChance(key_of(5))
    for name in game.bots:
        batch = batch_of(setting(game, Random(5)), KeyedChance(key_of(6)))
        do(batch, Act(what="begin"))
        bots_play(batch, partial(chosen_by, name, batch, chance))


def chosen_by(name: str, batch: Batch[Any], chance: Chance, seat: int, legal: Sequence[Move]) -> Move | None:
    """Return the choice of a bot, which is legal."""
    game = batch.game
    move = game.bots[name](game.view(batch.state, seat), legal, chance)
    assert move in legal or (move is None and seat not in awaited(game, batch.state)), name
    return move


@every_game
def test_an_optional_window_is_offered_once_and_never_to_who_is_awaited(game: Game[Any]) -> None:
    for seed in SEEDS[:6]:
        turn, offered = 0, set()
        for batch, _, _ in games(setting(game, Random(seed)), seed, absence=0.1, leaving=0.02):
            asked = base.questions(game, batch.state, turn)
            waited_for = awaited(game, batch.state)
            assert tuple(each.seat for each in asked if not each.is_offer) == waited_for
            windows = {each.seat: each for each in game.to_act(batch.state) if not each.awaited}
            for seat in (each.seat for each in asked if each.is_offer):
                assert seat not in waited_for
                assert windows[seat] not in offered
                assert base.choices(game, batch.state, Question(seat, is_offer=True))
                offered.add(windows[seat])
            turn = batch.state.turn


# Replay


@every_game
def test_replay_of_what_was_stored_equals_play(game: Game[Any]) -> None:
    """Through the codec and canonical JSON, event by event."""
    for chosen, batch, _ in plays(game):
        log = Log(game)
        state = game.empty(chosen.options, chosen.seats)
        for recorded in batch.events:
            event = log.event(log.add(recorded))
            assert event == recorded.event
            state = game.evolve(state, event, recorded.position)
        assert state == batch.state


@every_game
def test_deciding_again_from_the_recorded_draws_gives_the_same_events(game: Game[Any]) -> None:
    """Each batch on the stream of chance at the counter that its first draw names."""
    for chosen, batch, acts in plays(game):
        again = batch_of(chosen, KeyedChance(key_of(seed_of(game, batch))))
        for act in acts:
            again.chance = KeyedChance(again.chance._key, again.chance.drawn)
            do(again, act)
        assert again.events == batch.events
        numbers = [draw.n for recorded in batch.events for draw in recorded.draws]
        epochs = [first for first, n in enumerate(numbers) if n == 0]
        assert len(epochs) == 1 + game.epoch(batch.state)
        for first, end in pairwise([*epochs, len(numbers)]):
            assert numbers[first:end] == list(range(end - first))


@every_game
def test_a_state_survives_being_packed_and_is_never_changed(game: Game[Any]) -> None:
    for seed in SEEDS[:4]:
        chosen, batch, _ = played(game.id, seed, rough=bool(seed % 2))
        state = game.empty(chosen.options, chosen.seats)
        for recorded in batch.events:
            packed = msgspec.msgpack.encode(state)
            after = game.evolve(state, recorded.event, recorded.position)
            assert msgspec.msgpack.encode(state) == packed, "evolve has changed its argument"
            state = msgspec.msgpack.decode(msgspec.msgpack.encode(after), type=game.state)
            assert state == after


@every_game
def test_a_view_is_plain_data_of_its_type(game: Game[Any]) -> None:
    for seed in SEEDS[:3]:
        chosen, _, acts = played(game.id, seed, rough=bool(seed % 2))
        for state in states(chosen, acts, seed):
            for viewer in (*range(chosen.seats), None):
                view = game.view(state, viewer)
                assert type(view) is game.view_type
                assert msgspec.json.decode(msgspec.json.encode(view), type=game.view_type) == view


def test_no_order_of_a_set_or_a_hash_shows_in_any_event() -> None:
    """Two interpreters with other hash seeds tell the same streams."""
    told = {digest_under(hash_seed) for hash_seed in ("1", "4242")}
    assert told == {streams()}


def digest_under(hash_seed: str) -> str:
    program = "from tests.engines.plays import streams; print(streams())"
    env = {**os.environ, "PYTHONHASHSEED": hash_seed}
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, env=env, capture_output=True, check=True)
    return done.stdout.decode().strip()


# Declarations


@every_game
def test_every_field_says_who_may_know_it_and_what_it_is(game: Game[Any]) -> None:
    for message in (*game.moves, *game.events):
        assert message.__doc__, message
        assert not message.__doc__.startswith(f"{message.__name__}("), f"{message} has no docstring"
        for field in fields_of(message):
            allowed = {Audience.PUBLIC, Audience.SEALED} if message in game.moves else set(Audience)
            assert field.audience in allowed, (message, field)
            assert field.about is not None, (message, field)
        by_name = {field.name: field for field in fields_of(message)}
        if any(field.audience is Audience.ASSIGNED for field in by_name.values()):
            assert by_name["seat"].audience is Audience.PUBLIC, message
    for each in fields(game.view_type):
        hint = get_type_hints(game.view_type, include_extras=True)[each.name]
        assert about_of(hint) is not None, each.name


@every_game
def test_a_game_tells_a_catalogue_what_it_needs(game: Game[Any]) -> None:
    assert re.fullmatch(r"[a-z0-9_]+", game.id)
    assert game.options() == game.options(), "every option has a default"
    assert game.seats
    assert game.seats.start >= 1
    assert "random" in game.bots
    assert game.talk in ("open", "silent")
    assert game.clock_seconds > 0
    assert game.usual_turns > 0


# Texts

SAME_IN_BOTH = {"Mulligan"}


@every_game
def test_every_name_that_a_player_reads_is_there_in_both_languages(game: Game[Any]) -> None:
    names = json.loads((files(game.package) / "names.json").read_text("utf-8"))
    assert set(names["moves"]) == {name_of(each) for each in game.moves}
    assert set(names["events"]) == {name_of(each) for each in game.events}
    assert set(names["options"]) == {each.name for each in fields(game.options)}
    hints = get_type_hints(game.options, include_extras=True)
    for name, told in names["options"].items():
        bare = get_args(hints[name])[0]
        choices = set(get_args(bare)) if get_origin(bare) is Literal else set()
        assert set(told.get("values", ())) == choices
    assert codes(game) <= set(names["errors"])
    assert {f"bot_{bot}" for bot in game.bots} <= set(names["terms"])
    for path, texts in texts_in(names):
        assert set(texts) == {"en", "es"}, path
        assert all(text.strip() == text != "" for text in texts.values()), path
        if path not in ("game", "credits"):
            is_alike = texts["en"] in SAME_IN_BOTH or texts["en"].isdigit()
            assert is_alike or texts["en"] != texts["es"], path
        assert facts_in(texts["en"]) == facts_in(texts["es"]), path


@every_game
def test_no_error_is_worded_that_no_rule_gives(game: Game[Any]) -> None:
    names = json.loads((files(game.package) / "names.json").read_text("utf-8"))
    assert set(names["errors"]) <= codes(game)


@every_game
@pytest.mark.parametrize("language", ["en", "es"])
def test_there_is_a_rulebook_in_each_language(game: Game[Any], language: str) -> None:
    text = (files(game.package) / f"rulebook.{language}.md").read_text("utf-8")
    assert text.startswith("# ")
    assert len(text) > 500


@pytest.mark.parametrize("game", GAMES.values(), ids=lambda game: game.id)
def test_both_rulebooks_have_the_same_numbers_and_name_the_same_rulings_in_the_same_order(
    game: Game[Any],
) -> None:
    texts = [
        (files(game.package) / f"rulebook.{language}.md").read_text("utf-8") for language in ("en", "es")
    ]
    for pattern in (r"^#+ [\d.]+|^\d+\.\d+\.", r"\bR\d+\b"):
        one, other = (re.findall(pattern, text, re.MULTILINE) for text in texts)
        assert one == other
        assert one


@pytest.mark.parametrize("game", GAMES.values(), ids=lambda game: game.id)
def test_a_game_of_the_registry_has_tests_and_recorded_games(game: Game[Any]) -> None:
    """CONTRIBUTING, "Add a game"."""
    tests = Path(__file__).resolve().parents[1]
    assert list((tests / "engines" / game.id).glob("test_*.py"))
    assert list((tests / "golden" / game.id).glob("*.json"))


@every_version
def test_the_annex_of_the_rules_version_tells_every_layout(game: Game[Any]) -> None:
    check_layouts(game)


@every_game
def test_the_annex_lists_every_option_ending_and_closed_set_of_values(game: Game[Any]) -> None:
    check_vocabularies(game)


@every_game
def test_the_annex_names_every_draw(game: Game[Any]) -> None:
    labels = {draw.label for _, batch, _ in plays(game) for each in batch.events for draw in each.draws}
    assert labels <= set(annex_of(game)["draws"])


# Helpers


def states(chosen: Any, acts: tuple[Act, ...], seed: int) -> Iterator[Any]:
    """Yield the state after each act of a game already played."""
    batch = batch_of(chosen, KeyedChance(key_of(seed)))
    for act in acts:
        do(batch, act)
        yield batch.state


def seed_of(game: Game[Any], batch: Batch[Any]) -> int:
    return next(seed for seed in SEEDS if played(game.id, seed, rough=bool(seed % 2))[1] is batch)


def is_accepted(game: Game[Any], state: Any, seat: int, move: Any) -> bool:
    if window_of(game, state, seat, name_of(type(move))) is None:
        return False
    try:
        game.check(state, seat, move)
    except RuleViolation:
        return False
    return True


def codes(game: Game[Any]) -> set[str]:
    """Return every code that the sources of a game, and the contract, refuse a move with."""
    sources = [Path(base.__file__), *Path(str(files(game.package))).glob("*.py")]
    return {
        code
        for each in sources
        for code in re.findall(r"RuleViolation\(\s*\"(\w+)\"", each.read_text("utf-8"))
    }


def texts_in(part: dict[str, Any], path: str = "") -> Iterator[tuple[str, dict[str, str]]]:
    """Yield every text of ``names.json`` with the path that leads to it."""
    if "en" in part or "es" in part:
        yield path, part
        return
    for name, each in part.items():
        yield from texts_in(each, f"{path}.{name}" if path else name)


def facts_in(text: str) -> list[str]:
    return sorted(re.findall(r"\{(\w+)\}", text))
