"""What the catalogue must say for the log to be append-only, and how to mend it where it differs.

Read at start-up over the application's own connection.  ``migrations/0001_initial.sql`` makes what
is wanted here.  A superuser can undo all of it; then the chain of hashes shows what was done.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

from events import guards
from events.guards import OWNER
from events.guards import rows as _rows

APP, READER, ERASER = "posta_app", "posta_reader", "posta_eraser"
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

FUNCTIONS: dict[str, set[str]] = {
    guards.APPEND: {APP},
    guards.LOAD: {APP},
    guards.OPENED: {READER},
    guards.REFUSE: set(),
    guards.NOW: {APP, READER, ERASER},
}
"""Who may execute what; nobody else."""

READABLE = {"tables_table": {"id", "game", "status", "visibility", "version"}}
"""What the reader may know of the rows beside the log, to tell who is a spectator of what; no more."""
FORBIDDEN = {
    "": ("TRUNCATE", "REFERENCES", "TRIGGER"),
    "tables_table": ("DELETE",),
    "tables_seed": ("UPDATE", "DELETE"),
    "tables_import": ("UPDATE", "DELETE"),
}
"""What the application may not do with any of the rows beside the log, and with some of them."""


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
            *_surroundings(cursor),
            *_owners(cursor, mighty),
            *_roles(cursor, mighty),
            *_grants(cursor, mighty),
            *_sealed(cursor, mighty),
            *_beside(cursor, mighty),
            *guards.audit(cursor, list(TABLES)),
            *_executions(cursor, mighty),
        ]


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


def _surroundings(cursor: Any) -> Iterator[str]:
    """Judge the owner, and what database and schema let others do."""
    query = "SELECT rolsuper, rolbypassrls FROM pg_roles WHERE rolname = %s"
    for is_super, bypasses in _rows(cursor, query, OWNER):
        for has, word in ((is_super, "SUPERUSER"), (bypasses, "BYPASSRLS")):
            if has:
                yield f"The role {OWNER} is {word}; run: ALTER ROLE {OWNER} NO{word};"
    query = """
        SELECT pg_get_userbyid(nspowner) FROM pg_namespace
        WHERE nspname = 'public' AND nspowner <> %s::regrole"""
    for (owner,) in _rows(cursor, query, OWNER):
        yield f"The schema public belongs to {owner}; run: ALTER SCHEMA public OWNER TO {OWNER};"
    query = """
        SELECT role, p, quote_ident(current_database()) FROM unnest(%s::text[]) role, unnest(%s::text[]) p
        WHERE to_regrole(role) IS NOT NULL AND has_database_privilege(role, current_database(), p)
            AND NOT (SELECT rolsuper OR EXISTS (SELECT FROM pg_auth_members WHERE member = oid)
                FROM pg_roles WHERE rolname = role)"""
    for role, privilege, database in _rows(cursor, query, [APP, READER, ERASER], ["CREATE", "TEMP"]):
        mend = f"REVOKE {privilege} ON DATABASE {database} FROM PUBLIC, {role};"
        yield f"The role {role} has {privilege} on the database; run: {mend}"
    query = """
        SELECT grantee::regrole::text, parname FROM pg_parameter_acl, aclexplode(paracl)
        WHERE parname = 'session_replication_role' AND grantee = ANY (
            SELECT oid FROM pg_roles WHERE rolname = ANY (%s))"""
    for role, name in _rows(cursor, query, [OWNER, APP, READER, ERASER]):
        yield f"The role {role} may set {name}; run: REVOKE ALL ON PARAMETER {name} FROM {role};"
    query = """
        SELECT coalesce(r.rolname, 'PUBLIC'), a.privilege_type,
            CASE defaclobjtype WHEN 'r' THEN 'TABLES' ELSE 'FUNCTIONS' END
        FROM pg_default_acl, aclexplode(defaclacl) a LEFT JOIN pg_roles r ON r.oid = a.grantee
        WHERE defaclrole = %s::regrole AND a.grantee <> defaclrole AND defaclobjtype IN ('r', 'f')"""
    for role, privilege, what in _rows(cursor, query, OWNER):
        mend = f"ALTER DEFAULT PRIVILEGES FOR ROLE {OWNER} REVOKE {privilege} ON {what} FROM {role};"
        yield f"The role {role} would get {privilege} on new {what.lower()}; run: {mend}"


def _beside(cursor: Any, mighty: set[str]) -> Iterator[str]:
    """Judge who may do what with people, seats and seeds, of which the log's guards know nothing."""
    query = """
        SELECT role, c.relname::text, p, has_table_privilege(role, c.oid, p),
            ARRAY(SELECT attname::text FROM pg_attribute a WHERE attrelid = c.oid AND attnum > 0
                AND NOT attisdropped AND p IN ('SELECT', 'INSERT', 'UPDATE', 'REFERENCES')
                AND has_column_privilege(role, c.oid, attnum, p))
        FROM pg_class c, unnest(%s::text[]) role, unnest(%s::text[]) p
        WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p', 'v', 'm', 'f')
            AND starts_with(relname, 'tables_') AND to_regrole(role) IS NOT NULL
        ORDER BY relname, role, p"""
    privileges = ["SELECT", "INSERT", "UPDATE", "DELETE", "TRUNCATE", "REFERENCES", "TRIGGER"]
    for role, table, privilege, whole, columns in _rows(cursor, query, [APP, READER, ERASER], privileges):
        if role in mighty or not (whole or columns):
            continue
        if role == APP:
            is_fine = privilege not in (*FORBIDDEN[""], *FORBIDDEN.get(table, ()))
        else:
            readable = READABLE.get(table, set()) if role == READER and privilege == "SELECT" else set()
            is_fine = not whole and set(columns) <= readable
        if not is_fine:
            yield (
                f"The role {role} has {privilege} on {table};"
                f" run: REVOKE {privilege} ON {table} FROM PUBLIC, {role};"
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
