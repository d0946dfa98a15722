"""A whole installation of its own, to break: what is wrong here is wrong nowhere else."""

from __future__ import annotations

import subprocess
import sys
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest

from stack import places, postgres, temporary
from stack.places import Places
from tests.services import Services

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True, slots=True)
class Installation:
    """Servers, processes and environment, all named for this installation alone."""

    where: Places
    services: Services
    env: Mapping[str, str]

    def manage(self, *arguments: str, **env: str) -> tuple[int, str]:
        """Run a management command; return its exit code and all that it said."""
        ran = subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=ROOT,
            env={**self.env, **env},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=60,
        )
        return ran.returncode, ran.stdout

    def doctor(self, **env: str) -> str:
        """Return what the doctor says, having looked that its exit code fits and that it did not faint."""
        code, said = self.manage("doctor", **env)
        assert "Traceback" not in said
        assert "does not start" not in said
        assert "could not be looked at" not in said
        assert code == (0 if said.endswith("Nothing is wrong.\n") else 1), said
        return said

    def forget_sweeps(self) -> None:
        """Let the last sweeps be an hour ago, as if the time had passed."""
        self.execute(
            "UPDATE tables_heartbeat SET started_at = started_at - interval '1 h',"
            " ended_at = ended_at - interval '1 h', monotonic_ms = monotonic_ms - 3600000"
        )

    def execute(self, *statements: str) -> None:
        """Run statements as superuser."""
        with psycopg.connect(postgres.urls_of(self.where).superuser_url, autocommit=True) as connection:
            for each in statements:
                connection.execute(each.encode())

    @contextmanager
    def broken(self, how: str, mended: str) -> Iterator[None]:
        """Break something for the length of the block."""
        self.execute(how)
        try:
            yield
        finally:
            self.execute(mended)

    def insert_table(self, table: uuid.UUID, **columns: str) -> None:
        """Add the row of a table that has no log, so that nothing can be done for it."""
        assignments = ", ".join(f"{name} = {value}" for name, value in columns.items())
        self.execute(
            "INSERT INTO tables_table (id, game, title, visibility, invite_code, status, seats, created_at,"  # noqa: S608
            " seeking, least_reliability, settings, version, turn, awaited, expiry_attempts,"
            " spectator_talk, fairness)"
            f" VALUES ('{table}', 'reafan', '', 'private', '{table.hex}', 'playing', 2, now(), '{{}}', 0,"
            " '{}', 0, 1, '{}', 0, 'none', 'server')",
            f"UPDATE tables_table SET {assignments} WHERE id = '{table}'",  # noqa: S608
        )

    def insert_deed(self, table: uuid.UUID, since: str, *, attempts: int = 0) -> None:
        """Add a row of the outbox that has been due since a time, and was attempted so often."""
        lease = f"interval '{30 * attempts * (attempts + 1) // 2} s'"
        self.execute(
            "INSERT INTO tables_outbox (id, table_id, position, kind, audience, attempts, next_attempt_at)"  # noqa: S608
            f" VALUES (gen_random_uuid(), '{table}', 1, 'bot', 'seat:0', {attempts}, {since} + {lease})"
        )

    def delete_tables(self) -> None:
        """Delete all such rows, and what was to be done for them."""
        self.execute("DELETE FROM tables_outbox", "DELETE FROM tables_table WHERE version = 0")


@pytest.fixture(scope="session")
def installation() -> Iterator[Installation]:
    """A fresh installation with every process running."""
    with (
        places.temporary() as where,
        postgres.log_file(where) as log,
        postgres.running(where, log, settings=postgres.HASTE),
        Services(where) as services,
    ):
        made = Installation(where, services, temporary.plan_of(where).env)
        code, said = made.manage("migrate", "--verbosity", "0")
        assert code == 0, said
        services.start("valkey", *PROCESSES)
        yield made


PROCESSES = ("signer", "api", "live", "deadlines", "worker", "mailer", "caller", "beat", "daemon")
