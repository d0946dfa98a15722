"""Health: each check is red when the real thing is broken, and the answer comes in time whatever hangs."""

from __future__ import annotations

import os
import signal
import time
import uuid
from contextlib import suppress
from typing import Any

import httpx

from tables.operations import bounded
from tests.operations.conftest import Installation

IN_TIME = bounded.LIMIT_SECONDS + 3
"""Seconds, on a machine that does other things too."""


def test_whoever_is_healthy_says_so(installation: Installation) -> None:
    for address in (installation.services.api_url, installation.services.live_url):
        assert httpx.get(f"{address}/health/live").json() == {"status": "ok", "checks": []}
        ready = _until(address, "ready")
        assert [each["name"] for each in ready["checks"]] == ["database", "migrations", "guards"]
        deep = _until(address, "deep")
        assert {each["name"]: each["ok"] for each in deep["checks"]} == dict.fromkeys(
            [
                "database",
                "sweep_celery",
                "sweep_daemon",
                "clock",
                "outbox",
                "webhooks",
                "overdue",
                "suspended",
                "verdicts",
                "verification",
                "signer",
            ],
            True,
        )
    sweep = _check(deep, "sweep_daemon")
    assert 0 <= sweep["age_seconds"] <= sweep["limit"] == 10
    proof = _check(deep, "verification")
    assert (proof["age_seconds"], proof["detail"]) == (None, "All tables were last proved: never.")


def test_who_probes_needs_no_name_no_tls_and_no_token(installation: Installation) -> None:
    answer = httpx.get(f"{installation.services.api_url}/health/ready", headers={"Host": "10.0.0.7"})
    assert answer.status_code == 200, answer.text
    assert answer.headers["Cache-Control"] == "no-store"
    head = httpx.head(f"{installation.services.api_url}/health/live")
    assert (head.status_code, head.content) == (200, b"")
    refused = httpx.post(f"{installation.services.api_url}/health/live")
    assert (refused.status_code, refused.headers["Allow"]) == (405, "GET, HEAD")


def test_a_migration_that_is_missing(installation: Installation) -> None:
    gone = "DELETE FROM django_migrations WHERE app = 'tables' AND name = '0003_rematch'"
    back = "INSERT INTO django_migrations (app, name, applied) VALUES ('tables', '0003_rematch', now())"
    with installation.broken(gone, back):
        ready = _until(installation.services.api_url, "ready", "migrations")
    assert _check(ready, "migrations")["detail"] == "1 are not applied; run: python manage.py migrate"


def test_a_log_that_is_not_guarded(installation: Installation) -> None:
    broken = "GRANT INSERT ON events_event TO posta_app"
    with installation.broken(broken, "REVOKE INSERT ON events_event FROM posta_app"):
        ready = _until(installation.services.api_url, "ready", "guards")
    assert "posta" not in str(ready)
    assert "events" not in str(ready)


def test_nobody_who_sweeps_and_what_then_waits(installation: Installation) -> None:
    table = uuid.uuid4()
    installation.services.stop("daemon", "worker", "deadlines", "beat")
    installation.forget_sweeps()
    installation.insert_table(table, due_at="clock_timestamp() - interval '1 hour'")
    installation.insert_table(uuid.UUID(int=table.int ^ 1), suspended_at="now()")
    installation.insert_deed(table, "clock_timestamp() - interval '61 s'", attempts=1)
    installation.insert_deed(table, "clock_timestamp() + interval '1 h'")
    waiting = ("sweep_celery", "sweep_daemon", "outbox", "overdue", "suspended")
    try:
        deep = _until(installation.services.api_url, "deep", *waiting)
    finally:
        installation.delete_tables()
        installation.services.start("daemon", "worker", "deadlines", "beat")
    told = {each["name"]: each for each in deep["checks"] if not each["ok"]}
    assert told["sweep_daemon"]["age_seconds"] >= told["sweep_daemon"]["limit"] == 10
    assert 61 <= told["outbox"]["age_seconds"] < 3600
    assert told["overdue"]["age_seconds"] >= 3600
    assert (told["suspended"]["count"], told["suspended"]["limit"]) == (1, 0)
    assert str(table) not in str(deep)


def test_a_proof_that_is_too_old(installation: Installation) -> None:
    beat = (
        "INSERT INTO tables_heartbeat (driver, started_at, ended_at, handled, oldest_overdue_ms,"
        " monotonic_ms, boot, jumped)"
        " VALUES ('verifier', now(), now() - interval '3 days', 7, 0, 0, '', false)"
    )
    with installation.broken(beat, "DELETE FROM tables_heartbeat WHERE driver = 'verifier'"):
        deep = _until(installation.services.api_url, "deep", "verification")
    assert _check(deep, "verification")["detail"] == "All tables were last proved: 72 h ago."


def test_a_database_that_hangs_or_is_down_is_told_in_time(installation: Installation) -> None:
    address = installation.services.api_url
    pid = int((installation.where.database / "postmaster.pid").read_text().splitlines()[0])
    children = [int(each) for each in _children(pid)]
    for each in (pid, *children):
        os.kill(each, signal.SIGSTOP)
    try:
        for route in ("ready", "deep", "ready"):
            began = time.monotonic()
            found = _until(address, route, "database")
            assert time.monotonic() - began < IN_TIME + 1
            assert [each["name"] for each in found["checks"]] == ["database"]
            assert "/" not in found["checks"][0]["detail"]
        assert httpx.get(f"{address}/health/live").status_code == 200
    finally:
        for each in (pid, *children):
            with suppress(ProcessLookupError):  # one that was just ending
                os.kill(each, signal.SIGCONT)
    _until(address, "ready")


def test_a_pool_without_a_free_connection_is_told_in_time(installation: Installation) -> None:
    """The server lets nobody in any more, so a pool has none to give."""
    address = installation.services.api_url
    limit = "ALTER ROLE posta_app CONNECTION LIMIT {}"
    kick = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'posta_app'"
    with installation.broken(limit.format(0), limit.format(-1)):
        installation.execute(kick)
        began = time.monotonic()
        _until(address, "ready", "database")
        assert time.monotonic() - began < 2 * IN_TIME
    _until(address, "ready")


def _look(address: str, route: str) -> httpx.Response:
    """Ask for health once; the answer has to come in time."""
    began = time.monotonic()
    answer = httpx.get(f"{address}/health/{route}", timeout=30)
    assert time.monotonic() - began < IN_TIME
    return answer


def _until(address: str, route: str, *failing: str) -> dict[str, Any]:
    """Ask for health until these checks fail, or none: answers are kept for a second, heartbeats age."""
    until = time.monotonic() + 60
    while True:
        answer = _look(address, route)
        found: dict[str, Any] = answer.json()
        failed = {each["name"] for each in found["checks"] if not each["ok"]}
        assert (answer.status_code, found["status"]) == ((503, "failing") if failed else (200, "ok"))
        if failed == set(failing):
            return found
        assert time.monotonic() < until, answer.text
        time.sleep(0.1)


def _check(health: dict[str, Any], name: str) -> dict[str, Any]:
    (found,) = (each for each in health["checks"] if each["name"] == name)
    return found  # type: ignore[no-any-return]


def _children(pid: int) -> list[str]:
    with open(f"/proc/{pid}/task/{pid}/children") as file:
        return file.read().split()
