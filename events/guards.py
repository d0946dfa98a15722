"""What must stand around the rows of the log: triggers, functions, constraints, and nothing beside them.

``privileges`` asks who may do what; here is asked whether the things themselves are the migrations'.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

OWNER: Final = "posta_owner"

APPEND = "events_append(text,integer,bytea[],bytea[],bytea[],integer,text,bytea,bytea)"
LOAD = "events_load(text,boolean)"
OPENED = "events_opened(text)"
REFUSE = "events_refuse()"
NOW = "now_ms()"
FUNCTIONS = (APPEND, LOAD, OPENED, REFUSE, NOW)
DEFINERS = (APPEND, LOAD, OPENED)
FIXED = (APPEND, LOAD, OPENED, REFUSE)  # their text must be a migration's; tests replace now_ms()
SEARCH_PATH = "search_path=pg_catalog, public, pg_temp"

_ROW, _INSERT, _DELETE, _UPDATE, _TRUNCATE = 1, 4, 8, 16, 32  # bits of pg_trigger.tgtype
_BEFORE = 2
_OUTSIDE_APPEND = "(current_setting('events.appending'::text, true) IS DISTINCT FROM 'on'::text)"
_NOT_ERASER = "(CURRENT_USER IS DISTINCT FROM 'posta_eraser'::name)"


class Trigger(NamedTuple):
    """Where a trigger stands, what makes it fire (bits of ``tgtype``), and on which condition."""

    table: str
    fires: int
    when: str | None = None


TRIGGERS: dict[str, Trigger] = {
    "events_event_keep": Trigger("events_event", _ROW | _BEFORE | _UPDATE | _DELETE),
    "events_event_keep_all": Trigger("events_event", _BEFORE | _TRUNCATE),
    "events_event_append": Trigger("events_event", _BEFORE | _INSERT, _OUTSIDE_APPEND),
    "events_head_keep": Trigger("events_head", _ROW | _BEFORE | _DELETE),
    "events_head_keep_all": Trigger("events_head", _BEFORE | _TRUNCATE),
    "events_head_append": Trigger("events_head", _BEFORE | _INSERT | _UPDATE, _OUTSIDE_APPEND),
    "events_secret_keep": Trigger("events_secret", _ROW | _BEFORE | _UPDATE),
    "events_secret_keep_all": Trigger("events_secret", _BEFORE | _TRUNCATE),
    "events_secret_erase": Trigger("events_secret", _ROW | _BEFORE | _DELETE, _NOT_ERASER),
    "events_secret_append": Trigger("events_secret", _BEFORE | _INSERT, _OUTSIDE_APPEND),
}
CONSTRAINTS = {
    "events_head": ("events_head_pkey", "events_head_stream_check"),
    "events_event": ("events_event_pkey", "events_event_stream_fkey"),
    "events_secret": (
        "events_secret_pkey",
        "events_secret_salt_check",
        "events_secret_stream_position_fkey",
    ),
    "events_snapshot": ("events_snapshot_pkey", "events_snapshot_stream_fkey"),
}

MIGRATIONS = Path(__file__).parent / "migrations"
_RESTORE = "restore it from events/migrations/0001_initial.sql"
_BODY = re.compile(r"CREATE (?:OR REPLACE )?FUNCTION (\w+)\(.*?\$\$(.*?)\$\$", re.DOTALL)


def audit(cursor: Any, tables: Sequence[str]) -> Iterator[str]:
    """Yield a sentence for each thing around ``tables`` that differs, with the way to mend it."""
    yield from _triggers(cursor, tables)
    yield from _foreign_keys(cursor, tables)
    yield from _constraints(cursor)
    yield from _strangers(cursor, tables)
    yield from _functions(cursor)
    yield from _other_definers(cursor)


def rows(cursor: Any, query: str, *parameters: object) -> Sequence[Any]:
    """Return what a query yields."""
    cursor.execute(query, parameters)
    found: Sequence[Any] = cursor.fetchall()
    return found


def _triggers(cursor: Any, tables: Sequence[str]) -> Iterator[str]:
    query = """
        SELECT tgname::text, tgrelid::regclass::text, tgenabled::text, tgfoid = to_regprocedure(%s), tgtype,
            pg_get_expr(tgqual, tgrelid), tgattr::text <> '' OR tgnargs > 0
        FROM pg_trigger WHERE tgrelid = ANY (%s::regclass[]) AND NOT tgisinternal"""
    found = {(name, table): told for name, table, *told in rows(cursor, query, REFUSE, list(tables))}
    for name, wanted in TRIGGERS.items():
        if (told := found.get((name, wanted.table))) is None:
            yield f"The trigger {name} on {wanted.table} is missing; {_RESTORE}."
            continue
        enabled, is_right, fires, when, is_narrowed = told
        if not is_right:
            yield f"The trigger {name} on {wanted.table} does not call {REFUSE}; {_RESTORE}."
        elif (fires, when) != (wanted.fires, wanted.when) or is_narrowed:
            yield f"The trigger {name} on {wanted.table} does not fire when it should; {_RESTORE}."
        elif enabled != "A":
            yield (
                f"The trigger {name} does not fire always;"
                f" run: ALTER TABLE {wanted.table} ENABLE ALWAYS TRIGGER {name};"
            )
    for name, table in found:
        if name not in TRIGGERS or TRIGGERS[name].table != table:
            yield f"The trigger {name} is not ours, and on {table} could change what is written; drop it."


def _foreign_keys(cursor: Any, tables: Sequence[str]) -> Iterator[str]:
    """Judge that PostgreSQL's own triggers of foreign keys fire."""
    query = """
        SELECT quote_ident(tgname), tgrelid::regclass::text FROM pg_trigger
        WHERE tgrelid = ANY (%s::regclass[]) AND tgisinternal AND tgenabled NOT IN ('O', 'A')"""
    for name, table in rows(cursor, query, list(tables)):
        yield (
            f"A foreign key of {table} is not checked; let a superuser run:"
            f" ALTER TABLE {table} ENABLE TRIGGER {name};"
        )


def _constraints(cursor: Any) -> Iterator[str]:
    query = """
        SELECT conname::text FROM pg_constraint
        WHERE conrelid = to_regclass(%s) AND convalidated AND contype IN ('p', 'f', 'c')"""
    for table, wanted in CONSTRAINTS.items():
        found = {name for (name,) in rows(cursor, query, table)}
        for name in wanted:
            if name not in found:
                yield f"The constraint {name} on {table} is missing; {_RESTORE}."


def _strangers(cursor: Any, tables: Sequence[str]) -> Iterator[str]:
    """Judge that no rule, policy or child table changes what is written to the log, or read of it."""
    query = """
        SELECT 'rule ' || rulename, ev_class::regclass::text FROM pg_rewrite
            WHERE ev_class = ANY (%(tables)s::regclass[])
        UNION ALL SELECT 'policy ' || polname, polrelid::regclass::text FROM pg_policy
            WHERE polrelid = ANY (%(tables)s::regclass[])
        UNION ALL SELECT 'child table ' || inhrelid::regclass, inhparent::regclass::text FROM pg_inherits
            WHERE inhparent = ANY (%(tables)s::regclass[])
        UNION ALL SELECT 'row-level security', oid::regclass::text FROM pg_class
            WHERE oid = ANY (%(tables)s::regclass[]) AND (relrowsecurity OR relforcerowsecurity)"""
    cursor.execute(query, {"tables": list(tables)})
    for what, table in cursor.fetchall():
        yield f"The {what} on {table} is not ours and could change what is written or read; remove it."


def _functions(cursor: Any) -> Iterator[str]:
    """Judge that the functions are as migrated: owner, rights, search path, text."""
    query = """
        SELECT f, pg_get_userbyid(proowner), prosecdef, coalesce(proconfig, '{}'), prosrc
        FROM unnest(%s::text[]) f LEFT JOIN pg_proc p ON p.oid = to_regprocedure(f)"""
    texts = _bodies()
    for function, owner, is_definer, settings, source in rows(cursor, query, list(FUNCTIONS)):
        if owner is None:
            yield f"The function {function} is missing; {_RESTORE}."
            continue
        alter = f"run: ALTER FUNCTION {function}"
        if owner != OWNER:
            yield f"The function {function} belongs to {owner}; {alter} OWNER TO {OWNER};"
        if is_definer != (function in DEFINERS):
            word = "DEFINER" if function in DEFINERS else "INVOKER"
            yield f"The function {function} is not SECURITY {word}; {alter} SECURITY {word};"
        if function in DEFINERS and settings != [SEARCH_PATH]:
            yield f"The function {function} has another search path; {alter} SET {SEARCH_PATH};"
        if function not in DEFINERS and settings:
            yield f"The function {function} has settings of its own; {alter} RESET ALL;"
        if function in FIXED and source != texts[function.partition("(")[0]]:
            yield f"The text of the function {function} is not the migration's; {_RESTORE}."


def _bodies() -> dict[str, str]:
    """Return the text of each function, as the last migration that makes it has it."""
    found: dict[str, str] = {}
    for path in sorted(MIGRATIONS.glob("*.sql")):
        found |= dict(_BODY.findall(path.read_text(encoding="utf-8")))
    return found


def _other_definers(cursor: Any) -> Iterator[str]:
    """Judge that nothing else acts with the owner's, or a superuser's, power for whoever calls it."""
    query = """
        SELECT p.oid::regprocedure::text FROM pg_proc p JOIN pg_roles r ON r.oid = proowner
        WHERE prosecdef AND pronamespace <> ALL (ARRAY['pg_catalog', 'information_schema']::regnamespace[])
            AND (rolsuper OR rolname = %s) AND p.oid <> ALL (
                SELECT oid FROM pg_proc, unnest(%s::text[]) f WHERE oid = to_regprocedure(f))"""
    for (function,) in rows(cursor, query, OWNER, list(DEFINERS)):
        yield f"The function {function} is not ours and acts with its owner's power; drop it."
