"""Don't Mess with Cthulhu: secret roles, cards that nobody can locate, and open lying."""

from __future__ import annotations

from engines.base import Game, Tally
from engines.cthulhu import bots, engine, messages
from engines.cthulhu.evolve import evolve
from engines.cthulhu.state import State, empty
from engines.cthulhu.view import View, view

TALLY = Tally(
    type="cthulhu.cards_laid",
    items="cards",
    counts="counts",
    by="kind",
    names={"futile": "futile", "elder_signs": "elder_sign", "cthulhu": "cthulhu"},
)

GAME: Game[State] = Game(
    id="cthulhu",
    rules_version=1,
    package=__name__,
    seats=range(3, 7),
    options=messages.Options,
    moves=messages.MOVES,
    events=messages.EVENTS,
    state=State,
    view_type=View,
    clock_seconds=24 * 60 * 60,
    usual_turns=22,
    talk="open",
    bots={"random": bots.random, "counting": bots.counting},
    tallies=(TALLY,),
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
    epoch=engine.epoch,
)
