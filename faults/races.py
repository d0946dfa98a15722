"""Races of a move against its deadline: sent so that it arrives when a sweep looks (F41).

A sweeper of our own looks every few milliseconds, beside those of the installation.  Each race shifts the
next one of its table towards whoever lost, so that both sides keep winning.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime

from faults.players import Caller, Silence, move_mark
from faults.session import Session
from stack.errors import StackError

RACES = 1000
TABLES = 40
SECONDS = 2  # for a turn
STEP = 0.001  # seconds by which the next move is sent earlier or later
SWEEP_SECONDS = 0.005


def run(session: Session) -> Counter[str]:
    """Run the races; return how often the move won, and how often the deadline."""
    from faults import rooms

    won: Counter[str] = Counter()
    seats = rooms.seats_of(session.prepared)
    accounts = {account.id: number for number, account in enumerate(session.accounts)}
    over = threading.Event()

    def table_of(number: int) -> Counter[str]:
        table = session.prepared[number]
        holders = [accounts[player] for each, player in seats if each == table]
        callers = [session.caller(holder, f"t{number}s{seat}") for seat, holder in enumerate(holders)]
        found = Counter[str]()
        lead = 0.006
        for _ in range(RACES // TABLES):
            winner = _race(table, callers, lead)
            found[winner] += 1
            won[winner] += 1
            lead += STEP if winner == "deadline" else -STEP
        for caller in callers:
            caller.line.close()
        return found

    sweeper = threading.Thread(target=_sweep, args=(over,), daemon=True)
    sweeper.start()
    try:
        with ThreadPoolExecutor(TABLES) as pool:
            running = [pool.submit(table_of, number) for number in range(TABLES)]
            while not all(each.done() for each in running):
                session.wait(2.0, lambda: f"{sum(won.values())} races")
        return sum((each.result() for each in running), Counter())
    finally:
        over.set()
        sweeper.join()


def _race(table: str, callers: list[Caller], lead: float) -> str:
    """Send a move ``lead`` seconds before its deadline; return who won by the answer."""
    for _ in range(50):
        try:
            view = callers[0].line.send("GET", f"/tables/{table}/view").body
            turn, due = view["turn"], datetime.fromisoformat(view["deadline_at"]).timestamp()
        except (Silence, KeyError, TypeError):
            time.sleep(0.1)
            continue
        if due - lead - time.time() < 0.05 or not view["awaited"]:  # too late for this turn
            time.sleep(0.05)
            continue
        seat = view["awaited"][0]["seat"]
        time.sleep(due - lead - time.time())
        call, _ = callers[seat].call(
            "move",
            f"/tables/{table}/moves",
            {"turn": turn, "kind": "step", "params": {"width": 1}},
            table=table,
            mark=move_mark(seat, turn, "step"),
        )
        return {"ok": "move", "failed": "deadline", "unknown": "nobody knows"}[call.outcome]
    raise StackError(f"Table {table} opens no turn that can be raced for.")


def _sweep(over: threading.Event) -> None:
    from django.db import connections

    from tables.sweeps import sweep

    while not over.wait(SWEEP_SECONDS):
        sweep("races")
    connections.close_all()
