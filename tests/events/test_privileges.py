"""The audit at start-up: silent on a database as migrated, and it names each thing that differs."""

from __future__ import annotations

from contextlib import suppress

import psycopg
import pytest
from django.db import connections
from psycopg.sql import SQL, Identifier

from events.guards import APPEND
from events.privileges import audit


def test_a_database_as_migrated_passes() -> None:
    assert audit(connections["default"]) == []


def test_the_owner_is_not_the_application() -> None:
    assert audit(connections["owner"])[0].startswith("The application connects as posta_owner")


@pytest.mark.parametrize(
    ("deviation", "named"),
    [
        ("ALTER TABLE events_event OWNER TO posta_app", "The table events_event belongs to posta_app"),
        ("ALTER ROLE posta_app SUPERUSER", "posta_app is SUPERUSER"),
        ("ALTER ROLE posta_app CREATEROLE", "posta_app is CREATEROLE"),
        ("ALTER ROLE posta_reader BYPASSRLS", "posta_reader is BYPASSRLS"),
        ("GRANT posta_owner TO posta_app", "posta_app can act as posta_owner"),
        ("GRANT CREATE ON SCHEMA public TO PUBLIC", "can create objects"),
        ("GRANT INSERT ON events_event TO posta_app", "posta_app has INSERT on events_event"),
        ("GRANT INSERT (header) ON events_event TO posta_app", "posta_app has INSERT on events_event"),
        ("GRANT UPDATE ON events_head TO posta_app", "posta_app has UPDATE on events_head"),
        ("GRANT TRUNCATE ON events_event TO PUBLIC", "Everybody has TRUNCATE on events_event"),
        ("GRANT SELECT ON events_secret TO posta_reader", "posta_reader has SELECT on events_secret"),
        ("GRANT SELECT ON events_snapshot TO posta_reader", "posta_reader has SELECT on events_snapshot"),
        ("GRANT SELECT (payload) ON events_secret TO posta_eraser", "posta_eraser can read payload"),
        ("GRANT pg_write_all_data TO posta_app", "posta_app can act as pg_write_all_data"),
        (
            "CREATE ROLE audit_x; GRANT DELETE ON events_event TO audit_x",
            "audit_x has DELETE on events_event",
        ),
        ("REVOKE SELECT ON events_event FROM posta_app", "posta_app lacks SELECT on events_event"),
        ("REVOKE DELETE ON events_snapshot FROM posta_app", "posta_app lacks DELETE on events_snapshot"),
        (
            "ALTER TABLE events_event DISABLE TRIGGER events_event_keep",
            "events_event_keep does not fire always",
        ),
        (
            "ALTER TABLE events_head ENABLE TRIGGER events_head_keep_all",
            "events_head_keep_all does not fire always",
        ),
        (
            "DROP TRIGGER events_secret_append ON events_secret",
            "events_secret_append on events_secret is missing",
        ),
        (
            "CREATE FUNCTION other() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';"
            "CREATE TRIGGER other BEFORE INSERT ON events_event FOR EACH ROW EXECUTE FUNCTION other()",
            "The trigger other is not ours",
        ),
        (
            "CREATE OR REPLACE FUNCTION events_refuse() RETURNS trigger LANGUAGE plpgsql AS"
            " 'BEGIN RETURN NEW; END'",
            "The text of the function events_refuse() is not the migration's",
        ),
        (f"ALTER FUNCTION {APPEND} OWNER TO posta_app", "belongs to posta_app"),
        (f"ALTER FUNCTION {APPEND} SECURITY INVOKER", "is not SECURITY DEFINER"),
        (f"ALTER FUNCTION {APPEND} RESET search_path", "has another search path"),
        (f"DROP FUNCTION {APPEND}", "events_append(text,integer,bytea[],bytea[],bytea[],integer"),
        (f"GRANT EXECUTE ON FUNCTION {APPEND} TO PUBLIC", "Everybody can call events_append"),
        (
            "GRANT EXECUTE ON FUNCTION events_load(text,boolean) TO posta_reader",
            "posta_reader can call events_load",
        ),
        ("REVOKE EXECUTE ON FUNCTION now_ms() FROM posta_app", "posta_app cannot call now_ms()"),
        (
            "ALTER FUNCTION events_opened(text) SECURITY INVOKER",
            "events_opened(text) is not SECURITY DEFINER",
        ),
        ("GRANT EXECUTE ON FUNCTION events_opened(text) TO PUBLIC", "Everybody can call events_opened(text)"),
        (
            "CREATE OR REPLACE FUNCTION events_refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN END'",
            "The text of the function events_refuse() is not the migration's",
        ),
        ("ALTER FUNCTION events_refuse() SET role = 'posta_eraser'", "has settings of its own"),
        (
            "CREATE FUNCTION other() RETURNS int LANGUAGE sql SECURITY DEFINER AS 'SELECT 1'",
            "The function other() is not ours",
        ),
        ("ALTER ROLE posta_owner SUPERUSER", "posta_owner is SUPERUSER"),
        ("ALTER SCHEMA public OWNER TO posta_app", "The schema public belongs to posta_app"),
        ("GRANT TEMP ON DATABASE posta TO posta_reader", "posta_reader has TEMP on the database"),
        (
            "GRANT SET ON PARAMETER session_replication_role TO posta_app",
            "posta_app may set session_replication_role",
        ),
        (
            "ALTER DEFAULT PRIVILEGES FOR ROLE posta_owner GRANT SELECT ON TABLES TO posta_reader",
            "posta_reader would get SELECT on new tables",
        ),
        ("GRANT SELECT ON tables_seed TO posta_reader", "posta_reader has SELECT on tables_seed"),
        (
            "GRANT SELECT (invite_code) ON tables_table TO posta_reader",
            "posta_reader has SELECT on tables_tab",
        ),
        ("GRANT UPDATE (title) ON tables_table TO posta_reader", "posta_reader has UPDATE on tables_table"),
        ("GRANT DELETE ON tables_player TO posta_eraser", "posta_eraser has DELETE on tables_player"),
        ("GRANT UPDATE ON tables_seed TO posta_app", "posta_app has UPDATE on tables_seed"),
        ("GRANT DELETE ON tables_table TO posta_app", "posta_app has DELETE on tables_table"),
        ("GRANT TRUNCATE ON tables_player TO posta_app", "posta_app has TRUNCATE on tables_player"),
        (
            "DROP TRIGGER events_event_keep ON events_event; CREATE TRIGGER events_event_keep"
            " BEFORE UPDATE ON events_event FOR EACH ROW EXECUTE FUNCTION events_refuse();"
            "ALTER TABLE events_event ENABLE ALWAYS TRIGGER events_event_keep",
            "events_event_keep on events_event does not fire when it should",
        ),
        (
            "DROP TRIGGER events_event_keep ON events_event; CREATE TRIGGER events_event_keep"
            " BEFORE UPDATE OR DELETE ON events_event FOR EACH ROW WHEN (false)"
            " EXECUTE FUNCTION events_refuse();"
            "ALTER TABLE events_event ENABLE ALWAYS TRIGGER events_event_keep",
            "events_event_keep on events_event does not fire when it should",
        ),
        (
            "ALTER TABLE events_snapshot DISABLE TRIGGER ALL",
            "A foreign key of events_snapshot is not checked",
        ),
        (
            "ALTER TABLE events_secret DROP CONSTRAINT events_secret_stream_position_fkey",
            "The constraint events_secret_stream_position_fkey on events_secret is missing",
        ),
        (
            "CREATE RULE other AS ON DELETE TO events_snapshot DO INSTEAD NOTHING",
            "The rule other on events_snapshot is not ours",
        ),
        (
            "CREATE TABLE other () INHERITS (events_event)",
            "The child table other on events_event is not ours",
        ),
        ("ALTER TABLE events_event ENABLE ROW LEVEL SECURITY", "The row-level security on events_event"),
        ("CREATE POLICY other ON events_event USING (false)", "The policy other on events_event"),
        ("SET LOCAL synchronous_commit = off", "synchronous_commit is off"),
        ("DROP TABLE events_snapshot", "The table events_snapshot is missing"),
    ],
)
def test_each_deviation_is_named(superuser_url: str, deviation: str, named: str) -> None:
    with psycopg.connect(superuser_url) as superuser:  # never committed
        superuser.execute("SET LOCAL synchronous_commit = on")
        superuser.execute(deviation.encode())
        superuser.execute("SET LOCAL ROLE posta_app")
        said = audit(superuser)
        superuser.rollback()

    assert any(named in sentence for sentence in said), said
    assert len(said) <= 3


def test_a_mended_database_passes_again(superuser_url: str) -> None:
    """The sentences end in what to run, and it works."""
    deviations = [
        "GRANT INSERT, UPDATE ON events_event TO posta_app",
        "GRANT TRUNCATE ON events_secret TO PUBLIC",
        "REVOKE SELECT ON events_head FROM posta_app",
        "ALTER TABLE events_event DISABLE TRIGGER ALL",
        f"ALTER FUNCTION {APPEND} SECURITY INVOKER",
        f"ALTER FUNCTION {APPEND} SET search_path = public",
        "ALTER FUNCTION now_ms() OWNER TO posta_app",
        "GRANT EXECUTE ON FUNCTION events_load(text,boolean) TO PUBLIC",
        "ALTER ROLE posta_app BYPASSRLS",
    ]
    with psycopg.connect(superuser_url) as superuser:  # never committed
        for deviation in deviations:
            superuser.execute(deviation.encode())
        first = judged(superuser)
        for _ in range(2):  # a change of owner changes what was granted
            for sentence in judged(superuser):
                superuser.execute(sentence.partition("run: ")[2].encode())
        left = judged(superuser)
        superuser.rollback()

    assert len(first) >= len(deviations)
    assert left == []


def judged(superuser: psycopg.Connection[tuple[object, ...]]) -> list[str]:
    """Return what the application would say in this transaction."""
    superuser.execute("SET LOCAL synchronous_commit = on")
    superuser.execute("SET LOCAL ROLE posta_app")
    said = audit(superuser)
    superuser.execute("RESET ROLE")
    return said


# --- The reader ------------------------------------------------------------------------------------


def test_the_reader_reads_what_everybody_may_and_nothing_else(superuser_url: str) -> None:
    """Each column of each table is asked for: a new one is closed to it until somebody thinks of it."""
    open_to_it = {
        "events_head": {"stream", "version", "hash", "at"},
        "events_event": {"stream", "position", "type", "at", "batch", "header", "hash"},
        "tables_table": {"id", "game", "status", "visibility", "version"},
    }
    with psycopg.connect(superuser_url) as superuser:
        columns = superuser.execute(
            "SELECT relname::text, attname::text FROM pg_class c JOIN pg_attribute ON attrelid = c.oid"
            " WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND attnum > 0"
            " AND NOT attisdropped AND relname <> 'simulated_clock'"
        ).fetchall()
        superuser.execute("SET ROLE posta_reader")
        read: dict[str, set[str]] = {}
        for table, column in columns:
            query = SQL("SELECT {} FROM {} LIMIT 1").format(Identifier(column), Identifier(table))
            with suppress(psycopg.errors.InsufficientPrivilege), superuser.transaction():
                superuser.execute(query)
                read.setdefault(table, set()).add(column)
    assert len(columns) > 100
    assert read == open_to_it
    assert not {"tables_seed", "events_secret", "events_snapshot"} & read.keys()
