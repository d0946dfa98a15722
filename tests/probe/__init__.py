"""Probe, the smallest game that uses all of the contract: three seats, a secret number, a hidden mark.

Tests register it beside the real games; nobody is meant to enjoy it.
"""

from __future__ import annotations

from engines.base import Game
from tests.probe import bots, engine, messages
from tests.probe.state import SEATS, State, empty
from tests.probe.view import View, view

GAME: Game[State] = Game(
    id="probe",
    rules_version=1,
    package=__name__,
    seats=range(SEATS, SEATS + 1),
    options=messages.Options,
    moves=messages.MOVES,
    events=messages.EVENTS,
    state=State,
    view_type=View,
    clock_seconds=60 * 60,
    usual_turns=7,
    talk="open",
    bots={"random": bots.random},
    empty=empty,
    start=engine.start,
    check=engine.check,
    resolve=engine.resolve,
    evolve=engine.evolve,
    to_act=engine.to_act,
    legal_moves=engine.legal_moves,
    default_move=engine.default_move,
    abandon=engine.abandon,
    view=view,
    outcome=engine.outcome,
)
