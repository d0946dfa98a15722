"""What the catalogue must say for the log to be append-only, and how to mend it where it differs.

Read at start-up over the application's own connection.  ``migrations/0001_initial.sql`` makes what
is wanted here.  A superuser can undo all of it; then the chain of hashes shows what was done.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol

OWNER, APP, READER, ERASER = "posta_owner", "posta_app", "posta_reader", "posta_eraser"
PUBLIC = "public"  # everybody: no role, but the functions of PostgreSQL that ask for one take it

TABLES: dict[str, dict[str, set[str]]] = {
    "events_head": {APP: {"SELECT"}, READER: {"SELECT"}},
    "events_event": {APP: {"SELECT"}, READER: {"SELECT"}},
    "events_secret": {APP: {"SELECT"}, ERASER: {"DELETE"}},
    "events_snapshot": {APP: {"SELECT", "DELETE"}},
}
"""Who may do what; nobody else may do anything, but may be let read heads and headers."""
OPEN_TO_READERS = ("events_head", "events_event")
SEALED_COLUMNS = ("salt", "payload")  # of events_secret; the eraser may read the others to find its rows

APPEND = "events_append(text,integer,bytea[],bytea[],bytea[],integer,text,bytea,bytea)"
LOAD = "events_load(text,boolean)"
REFUSE = "events_refuse()"
FUNCTIONS: dict[str, set[str]] = {
    APPEND: {APP},
    LOAD: {APP},
    REFUSE: set(),
    "now_ms()": {APP, READER, ERASER},
}
"""Who may execute what; nobody else."""
DEFINERS = (APPEND, LOAD)
FIXED = (APPEND, LOAD, REFUSE)  # their text must be a migration's; tests replace now_ms()
SEARCH_PATH = "search_path=pg_catalog, public, pg_temp"

TRIGGERS: dict[str, str] = {
    "events_event_keep": "events_event",
    "events_event_keep_all": "events_event",
    "events_event_append": "events_event",
    "events_head_keep": "events_head",
    "events_head_keep_all": "events_head",
    "events_head_append": "events_head",
    "events_secret_keep": "events_secret",
    "events_secret_keep_all": "events_secret",
    "events_secret_erase": "events_secret",
    "events_secret_append": "events_secret",
}

MIGRATIONS = Path(__file__).parent / "migrations"
_RESTORE = "restore it from events/migrations/0001_initial.sql"


class Connection(Protocol):
    """What is used of a connection of Django or psycopg."""

    def cursor(self) -> Any: ...


def audit(connection: Connection) -> list[str]:
    """Return a sentence for each thing that differs, with the way to mend it; none if all is well.

    ``connection`` is the application's: the role it speaks as is judged too.
    """
    with connection.cursor() as cursor:
        missing = _rows(
            cursor, "SELECT t FROM unnest(%s::text[]) t WHERE to_regclass(t) IS NULL", list(TABLES)
        )
        if missing:
            return [f"The table {table} is missing; run: python manage.py migrate" for (table,) in missing]
        mighty: set[str] = set()
        return [
            *_session(cursor),
            *_owners(cursor, mighty),
            *_roles(cursor, mighty),
            *_grants(cursor, mighty),
            *_sealed(cursor, mighty),
            *_triggers(cursor),
            *_functions(cursor),
            *_executions(cursor, mighty),
        ]


def _rows(cursor: Any, query: str, *parameters: object) -> Sequence[Any]:
    cursor.execute(query, parameters)
    rows: Sequence[Any] = cursor.fetchall()
    return rows


def _session(cursor: Any) -> Iterator[str]:
    """Judge the role of this connection, and whether its commits are durable."""
    ((role, commit),) = _rows(cursor, "SELECT current_user, current_setting('synchronous_commit')")
    if role != APP:
        yield f"The application connects as {role}; let DATABASE_URL name the role {APP}."
    if commit != "on":
        yield (
            f"synchronous_commit is {commit}, so an acknowledged move can be lost;"
            f" run: ALTER ROLE {role} SET synchronous_commit = on;"
        )


def _owners(cursor: Any, mighty: set[str]) -> Iterator[str]:
    query = (
        "SELECT t, pg_get_userbyid(relowner) FROM unnest(%s::text[]) t JOIN pg_class ON oid = to_regclass(t)"
    )
    for table, owner in _rows(cursor, query, list(TABLES)):
        if owner != OWNER:
            mighty.add(owner)
            yield f"The table {table} belongs to {owner}; run: ALTER TABLE {table} OWNER TO {OWNER};"


def _roles(cursor: Any, mighty: set[str]) -> Iterator[str]:
    """Judge what lets a role step over the guards; add those whose grants then mean nothing to ``mighty``."""
    query = """
        SELECT rolname, rolsuper, rolbypassrls, rolcreaterole,
            ARRAY(SELECT pg_get_userbyid(roleid)::text FROM pg_auth_members WHERE member = r.oid),
            has_schema_privilege(r.oid, 'public', 'CREATE')
        FROM pg_roles r WHERE rolname = ANY (%s)"""
    for role, is_super, bypasses, creates_roles, groups, can_create in _rows(
        cursor, query, [APP, READER, ERASER]
    ):
        for has, word in ((is_super, "SUPERUSER"), (bypasses, "BYPASSRLS"), (creates_roles, "CREATEROLE")):
            if has:
                yield f"The role {role} is {word}; run: ALTER ROLE {role} NO{word};"
        for group in groups:
            yield f"The role {role} can act as {group}; run: REVOKE {group} FROM {role};"
        if is_super or groups:
            mighty.add(role)
        elif can_create:
            yield (
                f"The role {role} can create objects in the schema public;"
                f" run: REVOKE CREATE ON SCHEMA public FROM PUBLIC, {role};"
            )


def _grants(cursor: Any, mighty: set[str]) -> Iterator[str]:
    """Judge who may do what with the tables, also by a grant to everybody, to a group or on a column."""
    query = """
        WITH grantees AS (
            SELECT rolname::text AS role FROM pg_roles WHERE rolname = ANY (%s)
            UNION SELECT 'public'
            UNION SELECT pg_get_userbyid(a.grantee) FROM pg_class c, aclexplode(c.relacl) a
                WHERE c.oid = ANY (%s::regclass[]) AND a.grantee NOT IN (0, c.relowner))
        SELECT t, role, p, has_table_privilege(role, t, p),
            p IN ('SELECT', 'INSERT', 'UPDATE', 'REFERENCES') AND has_any_column_privilege(role, t, p)
        FROM unnest(%s::text[]) t, grantees, unnest(%s::text[]) p ORDER BY t, role, p"""
    privileges = ["SELECT", "INSERT", "UPDATE", "DELETE", "TRUNCATE", "REFERENCES", "TRIGGER"]
    found = _rows(cursor, query, [APP, READER, ERASER], list(TABLES), list(TABLES), privileges)
    everybody = {
        (table, privilege) for table, role, privilege, whole, part in found if role == PUBLIC and whole
    }
    for table, role, privilege, whole, part in found:
        wanted = privilege in TABLES[table].get(role, ())
        if wanted and not whole:
            mend = f"GRANT {privilege} ON {table} TO {role};"
            yield f"The role {role} lacks {privilege} on {table}; run: {mend}"
        if wanted or role in mighty or not (whole or part) or _is_harmless(table, role, privilege, whole):
            continue
        if role == PUBLIC or (table, privilege) not in everybody:
            name = "Everybody" if role == PUBLIC else f"The role {role}"
            yield f"{name} has {privilege} on {table}; run: REVOKE {privilege} ON {table} FROM {role};"


def _is_harmless(table: str, role: str, privilege: str, whole: bool) -> bool:
    """Whether a grant that was not asked for may stay."""
    if privilege != "SELECT":
        return False
    by_eraser = role == ERASER and table == "events_secret" and not whole  # see _sealed
    return by_eraser or (table in OPEN_TO_READERS and role not in (PUBLIC, ERASER))


def _sealed(cursor: Any, mighty: set[str]) -> Iterator[str]:
    """Judge that the eraser sees which secrets there are, and none of them."""
    query = """
        SELECT c FROM pg_roles r, unnest(%s::text[]) c
        WHERE rolname = %s AND has_column_privilege(r.oid, 'events_secret', c, 'SELECT')
            AND NOT has_table_privilege(r.oid, 'events_secret', 'SELECT')"""
    for (column,) in _rows(cursor, query, list(SEALED_COLUMNS), ERASER):
        if ERASER not in mighty:
            where = f"({column}) ON events_secret FROM {ERASER};"
            yield f"The role {ERASER} can read {column} of events_secret; run: REVOKE SELECT {where}"


def _triggers(cursor: Any) -> Iterator[str]:
    query = """
        SELECT tgname::text, tgenabled::text, tgfoid = to_regprocedure(%s) FROM pg_trigger
        WHERE tgrelid = ANY (%s::regclass[]) AND NOT tgisinternal"""
    found = {name: (enabled, right) for name, enabled, right in _rows(cursor, query, REFUSE, list(TABLES))}
    for trigger, table in TRIGGERS.items():
        enabled, right = found.get(trigger, ("", False))
        if not enabled:
            yield f"The trigger {trigger} on {table} is missing; {_RESTORE}."
        elif not right:
            yield f"The trigger {trigger} on {table} does not call {REFUSE}; {_RESTORE}."
        elif enabled != "A":
            yield (
                f"The trigger {trigger} does not fire always;"
                f" run: ALTER TABLE {table} ENABLE ALWAYS TRIGGER {trigger};"
            )
    for trigger in found.keys() - TRIGGERS.keys():
        yield f"The trigger {trigger} is not ours and could change what is written; drop it."


def _functions(cursor: Any) -> Iterator[str]:
    """Judge that the functions are as migrated: owner, rights, search path, text."""
    query = """
        SELECT f, pg_get_userbyid(proowner), prosecdef, coalesce(proconfig, '{}'), prosrc
        FROM unnest(%s::text[]) f LEFT JOIN pg_proc p ON p.oid = to_regprocedure(f)"""
    texts = [path.read_text(encoding="utf-8") for path in MIGRATIONS.glob("*.sql")]
    for function, owner, is_definer, settings, source in _rows(cursor, query, list(FUNCTIONS)):
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
        if function in FIXED and not any(source in text for text in texts):
            yield f"The text of the function {function} is not the migration's; {_RESTORE}."


def _executions(cursor: Any, mighty: set[str]) -> Iterator[str]:
    """Judge who may call the functions."""
    query = """
        SELECT f, role, has_function_privilege(role, f, 'EXECUTE')
        FROM unnest(%s::text[]) f, (
            SELECT rolname::text AS role FROM pg_roles WHERE rolname = ANY (%s) UNION SELECT 'public') roles
        WHERE to_regprocedure(f) IS NOT NULL ORDER BY f, role"""
    found = _rows(cursor, query, list(FUNCTIONS), [APP, READER, ERASER])
    everybody = {function for function, role, may in found if role == PUBLIC and may}
    for function, role, may in found:
        wanted = role in FUNCTIONS[function]
        if wanted and not may:
            mend = f"GRANT EXECUTE ON FUNCTION {function} TO {role};"
            yield f"The role {role} cannot call {function}; run: {mend}"
        if may and not wanted and role not in mighty and (role == PUBLIC or function not in everybody):
            name = "Everybody" if role == PUBLIC else f"The role {role}"
            yield f"{name} can call {function}; run: REVOKE EXECUTE ON FUNCTION {function} FROM {role};"
