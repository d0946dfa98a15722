"""The doctor: silent where nothing is wrong, and a sentence for each thing that is, broken for real."""

from __future__ import annotations

import time
import uuid
from pathlib import Path

import pytest
import redis

from events.receipts import SigningKey
from stack import valkey
from tests.operations.conftest import Installation

PRODUCTION = {
    "POSTA_ENV": "production",
    "SECRET_KEY": "0123456789" * 5,
    "ALLOWED_HOSTS": "posta.example.org",
    "POSTA_URL": "https://posta.example.org",
    "POSTA_LIVE_URL": "https://posta.example.org",
    "POSTA_MAIL_URL": "smtp://127.0.0.1:1",
    "POSTA_MAIL_FROM": "posta@example.org",
}


@pytest.fixture
def key(tmp_path: Path) -> Path:
    """A file in which a signing key is expected."""
    return tmp_path / "signing.key"


def test_nothing_is_wrong_with_a_fresh_installation(installation: Installation) -> None:
    assert _until(installation, "Nothing is wrong.") == "Nothing is wrong.\n"


def test_a_database_that_is_down(installation: Installation) -> None:
    said = installation.doctor(DATABASE_URL="postgresql://posta_app:hush@127.0.0.1:1/posta")
    assert "database: The database does not answer: " in said
    assert "or mend DATABASE_URL." in said
    assert "hush" not in said


def test_an_owner_that_is_down_or_the_application_itself(installation: Installation) -> None:
    said = installation.doctor(DATABASE_OWNER_URL="postgresql://posta_owner@127.0.0.1:1/posta")
    assert "or mend DATABASE_OWNER_URL." in said
    same = installation.env["DATABASE_URL"]
    assert "both connect as posta_app" in installation.doctor(DATABASE_OWNER_URL=same)
    assert "DATABASE_OWNER_URL is not set" in installation.doctor(DATABASE_OWNER_URL="")


def test_a_migration_that_is_not_applied(installation: Installation) -> None:
    gone = "DELETE FROM django_migrations WHERE app = 'tables' AND name = '0003_rematch'"
    back = "INSERT INTO django_migrations (app, name, applied) VALUES ('tables', '0003_rematch', now())"
    with installation.broken(gone, back):
        said = installation.doctor()
    assert "1 migration is not applied, tables.0003_rematch first; run: python manage.py migrate" in said


def test_a_log_that_is_not_guarded(installation: Installation) -> None:
    with (
        installation.broken(
            "GRANT INSERT ON events_event TO posta_app", "REVOKE INSERT ON events_event FROM posta_app"
        ),
        installation.broken(
            "REVOKE DELETE ON events_snapshot FROM posta_app", "GRANT DELETE ON events_snapshot TO posta_app"
        ),
        installation.broken(
            "ALTER TABLE events_event DISABLE TRIGGER events_event_keep",
            "ALTER TABLE events_event ENABLE ALWAYS TRIGGER events_event_keep",
        ),
        installation.broken(
            "ALTER FUNCTION events_load(text, boolean) SECURITY INVOKER",
            "ALTER FUNCTION events_load(text, boolean) SECURITY DEFINER",
        ),
    ):
        said = installation.doctor()
    for sentence in (
        "The role posta_app has INSERT on events_event; run: REVOKE",
        "The role posta_app lacks DELETE on events_snapshot; run: GRANT",
        "The trigger events_event_keep does not fire always; run: ALTER TABLE",
        "The function events_load(text,boolean) is not SECURITY DEFINER; run: ALTER FUNCTION",
    ):
        assert f"guards of the log: {sentence}" in said


def test_a_clock_that_differs(installation: Installation) -> None:
    real = "floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint"
    define = "CREATE OR REPLACE FUNCTION now_ms() RETURNS bigint LANGUAGE sql VOLATILE AS $$ SELECT {} $$"
    with installation.broken(define.format(f"{real} + 7200000"), define.format(real)):
        said = _until(installation, "trust in the clock: ")
        assert "The clock of the database is 2 hours ahead of this machine's" in said
    assert "then run: python manage.py trust_clock" in said
    assert installation.manage("trust_clock")[0] == 0
    with installation.broken(define.format(f"{real} - 5000"), define.format(real)):
        assert "The clock of the database is 5 seconds behind this machine's" in installation.doctor()


def test_a_broker_that_is_down(installation: Installation) -> None:
    installation.services.stop("valkey")
    try:
        assert "broker: The broker does not answer: " in installation.doctor()
        rabbit = installation.doctor(BROKER_URL="amqp://posta:hush@127.0.0.1:1/posta")
        assert "broker: The broker does not answer: " in rabbit
        assert "hush" not in rabbit
    finally:
        installation.services.start("valkey")


def test_a_broker_that_forgets(installation: Installation) -> None:
    with redis.Redis(unix_socket_path=str(valkey.socket_path(installation.where))) as client:
        client.config_set("maxmemory-policy", "allkeys-lru")
        client.config_set("appendonly", "no")
        try:
            said = installation.doctor()
        finally:
            client.config_set("maxmemory-policy", "noeviction")
            client.config_set("appendonly", "yes")
    assert "(maxmemory-policy is allkeys-lru); run: valkey-cli CONFIG SET maxmemory-policy noeviction" in said
    assert "(appendonly is no); run: valkey-cli CONFIG SET appendonly yes" in said


def test_nobody_who_sweeps_and_what_then_waits(installation: Installation) -> None:
    table = uuid.uuid4()
    installation.services.stop("daemon", "worker", "deadlines", "beat")
    installation.forget_sweeps()
    long_ago = "clock_timestamp() - interval '3 hours'"
    installation.insert_table(table, due_at=long_ago)
    installation.insert_deed(table, long_ago, attempts=2)
    try:
        said = _until(installation, "the driver celery last swept", "the driver daemon last swept")
        assert "start it with: make up, or celery -A config beat, and celery -A config worker" in said
        assert "start it with: make up, or python manage.py daemon." in said
        assert "outbox: 1 row is waiting in the outbox, the oldest for 3 hours" in said
        assert "overdue tables: 1 table is overdue, the oldest for 3 hours" in said
        assert "the driver celery" not in installation.doctor(POSTA_DRIVERS="daemon")
    finally:
        installation.delete_tables()
        installation.services.start("daemon", "worker", "deadlines", "beat")


def test_a_table_that_is_suspended(installation: Installation) -> None:
    table = uuid.uuid4()
    installation.insert_table(table, suspended_at="now()")
    try:
        said = installation.doctor()
        assert f"1 table is suspended because the time-out failed too often: {table}." in said
        assert "then run: python manage.py resume_table ID" in said
    finally:
        installation.delete_tables()


def test_a_signing_key_that_others_can_read_or_nobody(installation: Installation, key: Path) -> None:
    production = {**PRODUCTION, "POSTA_SIGNING_KEY": str(key)}
    key.write_text("no key")
    key.chmod(0o600)
    assert "holds no Ed25519 key that can be read" in installation.doctor(**production)
    _make_key(key)
    key.chmod(0o644)
    assert f"can be read by others; mend it with: chmod 600 {key}" in installation.doctor(**production)


def test_settings_unfit_for_production(installation: Installation, key: Path) -> None:
    _make_key(key)
    production = {**PRODUCTION, "POSTA_SIGNING_KEY": str(key)}
    assert "settings:" not in installation.doctor(**production)
    loose = {"ALLOWED_HOSTS": "*", "POSTA_TRUSTED_PROXIES": "0", "POSTA_THROTTLES": "0"}
    guessable = {"SECRET_KEY": "hush" * 20, "POSTA_METRICS_TOKEN": "hush"}
    said = installation.doctor(**production | loose | guessable)
    for sentence in (
        "SECRET_KEY can be guessed",
        "POSTA_METRICS_TOKEN can be guessed: it has 4 characters",
        "ALLOWED_HOSTS allows every name",
        "POSTA_TRUSTED_PROXIES is 0",
        "POSTA_THROTTLES is 0",
    ):
        assert f"settings: {sentence}" in said
    assert "hush" not in said
    said = installation.doctor(**production | {"ALLOWED_HOSTS": "example.org", "SECRET_KEY": "short"})
    assert "settings: POSTA_URL names posta.example.org, ALLOWED_HOSTS does not" in said
    assert "settings: SECRET_KEY can be guessed" in said


def test_a_disk_that_is_full_and_a_folder_that_is_not_there(
    installation: Installation, tmp_path: Path
) -> None:
    """``/proc`` is a file system without any room."""
    if Path("/proc/self").exists():
        assert "disk: The disk of /proc has 0 MB left" in installation.doctor(POSTA_DATA="/proc")
    missing = str(tmp_path / "missing")
    assert f"disk: The folder of POSTA_DATA, {missing}, is not there" in installation.doctor(
        POSTA_DATA=missing
    )


def test_folders_that_take_nothing(installation: Installation, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    folder = tmp_path / "file" / "folder"
    said = installation.doctor(PROMETHEUS_MULTIPROC_DIR=str(folder), POSTA_MAIL_URL=f"file://{folder}")
    assert f"metrics: Nothing can be written to the folder of PROMETHEUS_MULTIPROC_DIR, {folder}," in said
    assert f"mail: Nothing can be written to the folder of POSTA_MAIL_URL, {folder};" in said


def test_a_game_that_is_not_installed(installation: Installation) -> None:
    said = installation.doctor(POSTA_EXTRA_GAMES="nowhere.chess,json")
    assert "games: The game nowhere.chess of POSTA_EXTRA_GAMES cannot be loaded: No module named" in said
    assert "games: The game json of POSTA_EXTRA_GAMES cannot be loaded: " in said


def test_time_zones_that_are_missing(installation: Installation, tmp_path: Path) -> None:
    (tmp_path / "tzdata").mkdir()
    (tmp_path / "tzdata" / "__init__.py").touch()
    said = installation.doctor(PYTHONTZPATH="", PYTHONPATH=str(tmp_path))
    assert "time zones: There is no time zone data; install tzdata" in said


def test_a_mail_server_that_is_down(installation: Installation) -> None:
    said = installation.doctor(POSTA_MAIL_URL="smtp://posta:hush@127.0.0.1:1")
    assert "mail: The mail server 127.0.0.1:1 does not answer" in said
    assert "hush" not in said


def test_every_finding_is_a_line_and_they_are_counted(installation: Installation) -> None:
    said = installation.doctor(POSTA_DATA="/nowhere", BROKER_URL="redis://127.0.0.1:1/0")
    *findings, count = said.splitlines()
    assert [each.split(":")[0] for each in findings] == ["disk", "broker"]
    assert count == "2 things are wrong."


def _until(installation: Installation, *words: str) -> str:
    """Ask the doctor until it says all ``words``; what has changed shows by and by."""
    until = time.monotonic() + 60
    while not all(each in (said := installation.doctor()) for each in words):
        assert time.monotonic() < until, said
    return said


def _make_key(key: Path) -> None:
    """Put the key of a server in its file."""
    key.unlink(missing_ok=True)
    SigningKey.load_or_create(key)
