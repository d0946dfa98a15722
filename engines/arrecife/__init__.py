"""Arrecife: three to seven players read one another; the last one alive wins."""

from __future__ import annotations

from engines.arrecife import bots, engine, messages
from engines.arrecife.evolve import evolve
from engines.arrecife.state import State, empty
from engines.arrecife.view import View, view
from engines.base import Game

GAME: Game[State] = Game(
    id="arrecife",
    rules_version=1,
    package=__name__,
    seats=range(3, 8),
    options=messages.Options,
    moves=messages.MOVES,
    events=messages.EVENTS,
    state=State,
    view_type=View,
    clock_seconds=12 * 60 * 60,
    usual_turns=50,
    talk="silent",
    bots={"random": bots.random, "reader": bots.reader},
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
