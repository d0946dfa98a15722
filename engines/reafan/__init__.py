"""Reafan, by José Carlos de Diego: two players lay 52 cards on a growing board."""

from __future__ import annotations

from engines.base import Game
from engines.reafan import bots, engine, messages
from engines.reafan.evolve import evolve
from engines.reafan.state import State, empty
from engines.reafan.view import View, view

GAME: Game[State] = Game(
    id="reafan",
    rules_version=1,
    package=__name__,
    seats=range(2, 3),
    options=messages.Options,
    moves=messages.MOVES,
    events=messages.EVENTS,
    state=State,
    view_type=View,
    clock_seconds=2 * 24 * 60 * 60,
    usual_turns=57,
    talk="open",
    bots={"random": bots.random, "greedy": bots.greedy, "searcher": bots.searcher},
    empty=empty,
    start=engine.start,
    check=engine.check,
    resolve=engine.resolve,
    evolve=evolve,
    to_act=engine.to_act,
    legal_moves=engine.legal_moves,
    default_move=engine.default_move,
    abandon=engine.abandon,
    view=view,
    outcome=engine.outcome,
)
