"""One run: an installation, players at its tables, and at the end what the checker says.

A process can have one only, for Django is set up on its database.
"""

from __future__ import annotations

import logging
import os
import shutil
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from bench.measure import Watch, watching
from faults import checker, installation
from faults.checker import Finding, Overdue
from faults.history import Call, History, read
from faults.installation import Installation
from faults.players import Account, Board, Caller, Line, Player, sign_up
from faults.receiver import Receiver
from stack import places
from stack.errors import StackError

ACCOUNTS = 8
SETTLING = checker.LATEST_SECONDS + 1.0  # what is due by then has been looked at, or is late
NAMED = ("POSTA_DATA", "DATABASE_URL", "DATABASE_OWNER_URL", "BROKER_URL", "POSTA_EXTRA_GAMES", "POSTA_ENV")


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What the command line asks for; ``without`` names the processes that are not started."""

    drill: str
    seed: int
    seconds: float
    rate: float
    tables: int
    without: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """What was found after a run, and what it is founded on."""

    findings: list[Finding]
    calls: list[Call]
    lateness: list[float]
    decisions: int
    tables: int
    restarts: int
    seconds: float  # that players played
    foreign: float  # the share of the machine that others took meanwhile
    webhooks: int  # that came, repeats included


@dataclass(slots=True)
class Session:
    """A run under way."""

    options: Options
    console: Console
    found: Installation
    history: History
    accounts: list[Account] = field(default_factory=list)
    prepared: list[str] = field(default_factory=list)
    players: list[Player] = field(default_factory=list)
    watches: list[Watch] = field(default_factory=list)
    receiver: Receiver = field(default_factory=Receiver)
    began: float = 0.0
    seconds: float = 0.0

    def prepare(self, clocks: Sequence[int]) -> None:
        """Sign the players up, and open a table for each of ``clocks``, in seconds for a turn."""
        from faults import rooms

        self.say("Signing up players, opening tables ...")
        self.accounts = sign_up(self.found.url, ACCOUNTS)
        self._follow(self.accounts[0])
        self.prepared = rooms.open_rooms([self._pair(number) for number in range(len(clocks))], clocks)

    def caller(self, number: int, label: str) -> Caller:
        """Return somebody who sends commands for an account."""
        return Caller(
            self.found.url, self.accounts[number], self.history, label=label, seed=str(self.options.seed)
        )

    def play(self, tables: Sequence[str]) -> None:
        """Let all accounts play at these of the tables prepared, together at the rate asked for."""
        from faults import rooms

        board, rate = Board(), self.options.rate / ACCOUNTS
        seats = rooms.seats_of(tables)
        for number, account in enumerate(self.accounts):
            own = [table for table, player in seats if player == account.id]
            caller = self.caller(number, f"p{number}")
            self.players.append(Player(caller, own, board, rate=rate, seed=str(self.options.seed)))
        self.began = time.monotonic()
        for player in self.players:
            player.start()

    def wait(self, seconds: float, told: Callable[[], str] = str) -> None:
        """Let the run go on for so long; ``told`` says what goes on, for the bar."""
        with watching() as watch:
            self._wait(seconds, told)
        self.watches.append(watch)

    def require_alive(self) -> None:
        """Raise StackError when a player or the supervisor has failed."""
        for player in self.players:
            if player.failure is not None:
                raise StackError(f"A player failed: {player.failure!r}")
        if not Path(f"/proc/{self.found.supervisor}").exists():
            raise StackError("The supervisor has ended.")

    def rest(self) -> list[Overdue]:
        """Let the calls under way end and deadlines be met; return what is overdue then."""
        from faults import deliveries, rooms

        for player in self.players:
            player.stop()
        for player in self.players:
            player.join()
        self.seconds = time.monotonic() - self.began
        self.require_alive()
        self.say("Letting what is due be done ...")
        time.sleep(SETTLING)
        overdue = rooms.overdue(checker.LATEST_SECONDS)
        deliveries.await_none()
        return overdue

    def judge(self, overdue: Sequence[Overdue]) -> Judgement:
        """Stop everything but the database, started afresh, and judge what is stored."""
        from django.db import connections

        restarts = self.found.restarts()
        connections.close_all()
        installation.stop(self.found)
        self.history.close()
        with installation.stored(self.found):
            try:
                return self._judged(overdue, restarts)
            finally:
                connections.close_all()

    def say(self, text: str) -> None:
        """Print a line."""
        self.console.print(text, markup=False)

    def _wait(self, seconds: float, told: Callable[[], str]) -> None:
        began, said = time.monotonic(), 0.0
        columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
        with Progress(
            *columns, console=self.console, transient=True, disable=not self.console.is_terminal
        ) as bar:
            task = bar.add_task("", total=seconds)
            while (gone := time.monotonic() - began) < seconds:
                bar.update(task, completed=gone, description=told() or "Running")
                if not self.console.is_terminal and gone - said >= 30:
                    said = gone
                    self.say(f"  {gone:.0f} s  {told()}")
                self.require_alive()
                time.sleep(0.2)

    def _judged(self, overdue: Sequence[Overdue], restarts: int) -> Judgement:
        from faults import deliveries, evidence, rooms

        told = read(self.history.path)
        found = evidence.collect(prepared=set(self.prepared))
        late = [value for each in found.decisions if (value := _lateness(each)) is not None]
        findings = [
            *checker.calls(told, found.effects),
            *checker.receipts(told, found.heads),
            *checker.winners(found.decisions),
            *checker.early(found.decisions),
            *checker.overtime(found.decisions),
            *checker.late(found.decisions, overdue),
            *checker.webhooks(deliveries.written(), self.receiver.got),
            *(Finding("suspended", f"{table}: its clock is stopped") for table in rooms.suspended()),
            *self._audited(sorted(found.tables)),
        ]
        return Judgement(
            findings=findings,
            calls=told,
            lateness=late,
            decisions=len(found.decisions),
            tables=len(found.tables),
            restarts=restarts,
            seconds=self.seconds,
            webhooks=len(self.receiver.got),
            foreign=sum((each.foreign or 0.0) * each.wall for each in self.watches)
            / sum(each.wall for each in self.watches),
        )

    def _audited(self, tables: Sequence[str]) -> Iterator[Finding]:
        """Yield what ``verify_streams`` finds: chains, refold, snapshots, columns."""
        from tables.management.commands.verify_streams import audit

        self.say(f"Verifying the logs of {len(tables)} tables ...")
        columns = (TextColumn("Verifying"), BarColumn(), TimeRemainingColumn())
        with Progress(
            *columns, console=self.console, transient=True, disable=not self.console.is_terminal
        ) as bar:
            for table in bar.track(tables):
                for check, position, what in audit(uuid.UUID(table)).findings:
                    yield Finding("unproved", f"{table}, position {position}, {check}: {what}")

    def _follow(self, account: Account) -> None:
        """Have the receiver told of an account's tables.  Raises StackError where nobody calls it."""
        from faults import deliveries

        line = Line(self.found.url, account.token)
        body = {"url": self.receiver.url, "types": ["table.changed"]}
        try:
            answer = line.send("POST", "/me/webhook-endpoints", body)
        finally:
            line.close()
        if answer.status != 201 or not deliveries.await_active():
            raise StackError("The installation does not call webhooks.")

    def _pair(self, number: int) -> tuple[uuid.UUID, uuid.UUID]:
        first, second = number % ACCOUNTS, (number + 1 + number // ACCOUNTS % (ACCOUNTS - 1)) % ACCOUNTS
        return self.accounts[first].id, self.accounts[second].id


@contextmanager
def running(options: Options, console: Console, *, broker_url: str | None = None) -> Iterator[Session]:
    """Start an installation for a run; what it leaves goes afterwards, but for the history and the logs."""
    folder = places.development().data / "faults" / f"{options.drill}-{options.seed}"
    history = History(folder / "history.jsonl")
    console.print(f"Starting an installation{_without(options)} ...", markup=False)
    with installation.running(without=options.without, broker_url=broker_url) as found:
        _become_client(found)
        begun = Session(options, console, found, history)
        try:
            with begun.receiver.running():
                yield begun
        finally:
            history.close()
            with suppress(OSError):
                shutil.copy(found.log, folder / "installation.log")
                shutil.copytree(found.where.data / "logs", folder / "logs", dirs_exist_ok=True)


def clocks(count: int, shortest: int, longest: int, seed: int) -> list[int]:
    """Return the seconds for a turn of so many tables."""
    whim = Random(seed)  # noqa: S311  repeatable on purpose
    return [whim.randint(shortest, longest) for _ in range(count)]


def _lateness(decision: checker.Decision) -> float | None:
    return checker.lateness(decision) if decision.how == "time-out" else None


def _without(options: Options) -> str:
    return f" without {', '.join(options.without)}" if options.without else ""


def _become_client(found: Installation) -> None:
    """Set Django up as one more process of the installation."""
    os.environ |= {name: found.env[name] for name in NAMED}
    os.environ |= {"POSTA_WORKER": "1", "DJANGO_SETTINGS_MODULE": "config.settings"}
    import django

    django.setup()
    for noisy in ("httpx", "events", "tables"):
        logging.getLogger(noisy).setLevel(logging.ERROR)
