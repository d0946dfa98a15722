"""Attacks on the log in SQL, as data: what is tried, by whom it succeeds, and what finds it then.

Every statement takes what ``test_attacks_sql`` gives it by name.  None succeeds as the application.
"""

from __future__ import annotations

from typing import LiteralString, NamedTuple

OWNER, SUPERUSER, NOBODY = "owner", "superuser", "nobody"

OFF = (
    "ALTER TABLE events_event DISABLE TRIGGER events_event_keep",
    "ALTER TABLE events_event DISABLE TRIGGER events_event_append",
    "ALTER TABLE events_head DISABLE TRIGGER events_head_keep",
    "ALTER TABLE events_head DISABLE TRIGGER events_head_append",
    "ALTER TABLE events_secret DISABLE TRIGGER events_secret_keep",
    "ALTER TABLE events_secret DISABLE TRIGGER events_secret_erase",
    "ALTER TABLE events_secret DISABLE TRIGGER events_secret_append",
)
"""What the owner can do, for the triggers are its own."""


class Attack(NamedTuple):
    """One attack.

    ``by`` is the least role as which it succeeds, with the guards switched off first where it needs that
    (``guards_off``); NOBODY: not even as a superuser.  ``found`` are checks that find it afterwards, those
    of a checkpoint and of receipts among them; ``audited`` is what the audit at start-up says.
    """

    statements: tuple[LiteralString, ...]
    by: str = OWNER
    found: tuple[str, ...] = ()
    audited: str | None = None
    guards_off: bool = True


ATTACKS: dict[str, Attack] = {
    "change an event": Attack(
        (
            "UPDATE events_event SET header = set_byte(header, length(header) - 60, 65)"
            " WHERE stream = %(stream)s AND position = 20",
        ),
        found=("integrity",),
    ),
    "delete an event in the middle": Attack(
        (
            "DELETE FROM events_secret WHERE stream = %(stream)s AND position = 20",
            "DELETE FROM events_event WHERE stream = %(stream)s AND position = 20",
        ),
        found=("integrity",),
    ),
    "insert an event past the end": Attack(
        (
            "INSERT INTO events_event SELECT stream, position + 5, type, at, batch, header, hash"
            " FROM events_event WHERE stream = %(stream)s AND position = %(version)s",
        ),
        found=("integrity", "head"),
    ),
    "truncate the log": Attack(("TRUNCATE events_event, events_secret",), by=NOBODY),
    "truncate the heads": Attack(("TRUNCATE events_head CASCADE",), by=NOBODY),
    "rewind the head": Attack(
        ("UPDATE events_head SET version = version - 1 WHERE stream = %(stream)s",), found=("head",)
    ),
    "rewind the head with the safety catch off": Attack(
        (
            "SET LOCAL events.appending = 'on'",
            "UPDATE events_head SET version = version - 1 WHERE stream = %(stream)s",
        ),
        found=("head",),
        guards_off=False,
    ),
    "put another hash into the head": Attack(
        ("UPDATE events_head SET hash = sha256(hash) WHERE stream = %(stream)s",), found=("head",)
    ),
    "cut the tail off": Attack(
        ("DELETE FROM events_event WHERE stream = %(stream)s AND position = %(version)s",),
        found=("head",),
    ),
    "cut the tail off, and the head with it": Attack(
        (
            "DELETE FROM events_event WHERE stream = %(stream)s AND position = %(version)s",
            "UPDATE events_head SET version = version - 1, hash = %(before)s,"
            " at = (SELECT at FROM events_event WHERE stream = %(stream)s AND position = %(version)s - 1)"
            " WHERE stream = %(stream)s",
        ),
        found=("checkpoint", "receipt"),
    ),
    "delete the whole log": Attack(
        (
            "DELETE FROM events_secret WHERE stream = %(stream)s",
            "DELETE FROM events_event WHERE stream = %(stream)s",
            "DELETE FROM events_snapshot WHERE stream = %(stream)s",
            "DELETE FROM events_head WHERE stream = %(stream)s",
        ),
        found=("head",),
    ),
    "delete a table with everything of it": Attack(
        (
            "DELETE FROM events_secret WHERE stream = %(stream)s",
            "DELETE FROM events_event WHERE stream = %(stream)s",
            "DELETE FROM events_snapshot WHERE stream = %(stream)s",
            "DELETE FROM events_head WHERE stream = %(stream)s",
            "DELETE FROM tables_seed WHERE table_id = %(id)s",
            "DELETE FROM tables_tenure WHERE table_id = %(id)s",
            "DELETE FROM tables_table WHERE id = %(id)s",
        ),
        found=("checkpoint",),
    ),
    "write an event anew and chain everything again": Attack(
        (
            "UPDATE events_event e SET header = f.header, hash = f.hash"
            " FROM unnest(%(positions)s::int[], %(headers)s::bytea[], %(hashes)s::bytea[])"
            " AS f (position, header, hash) WHERE e.stream = %(stream)s AND e.position = f.position",
            "UPDATE events_secret SET salt = %(salt)s"
            " WHERE stream = %(stream)s AND position = %(shuffled)s AND slot = 40",
            "UPDATE events_head SET hash = %(head)s WHERE stream = %(stream)s",
        ),
        found=("checkpoint", "receipt"),
    ),
    "swap two payloads": Attack(
        (
            "UPDATE events_secret s SET payload = o.payload, salt = o.salt FROM events_secret o"
            " WHERE s.stream = %(stream)s AND o.stream = s.stream AND s.position = %(shuffled)s"
            " AND o.position = s.position AND s.slot + o.slot = 7 AND s.slot IN (3, 4)",
        ),
        found=("integrity",),
    ),
    "delete an opening": Attack(
        ("DELETE FROM events_secret WHERE stream = %(stream)s AND position = %(shuffled)s AND slot = 40",),
        found=("integrity",),
    ),
    "insert an opening": Attack(
        (
            'INSERT INTO events_secret SELECT stream, position, 999, "to", salt, payload FROM events_secret'
            " WHERE stream = %(stream)s AND position = %(shuffled)s AND slot = 0",
        ),
        found=("integrity",),
    ),
    "truncate the openings": Attack(("TRUNCATE events_secret",), by=NOBODY),
    "change a seed": Attack(
        ("UPDATE tables_seed SET seed = sha256(seed) WHERE table_id = %(id)s",),
        found=("fairness",),
        guards_off=False,
    ),
    "delete a seed": Attack(
        ("DELETE FROM tables_seed WHERE table_id = %(id)s",), found=("seeds",), guards_off=False
    ),
    "a second seed for an epoch": Attack(
        (
            "INSERT INTO tables_seed (table_id, epoch, seed) SELECT table_id, epoch, sha256(seed)"
            " FROM tables_seed WHERE table_id = %(id)s",
        ),
        by=NOBODY,
        guards_off=False,
    ),
    "change a snapshot": Attack(
        ("UPDATE events_snapshot SET state = sha256(state) WHERE stream = %(stream)s",),
        found=("snapshot",),
        guards_off=False,
    ),
    "insert a snapshot from the future": Attack(
        ("UPDATE events_snapshot SET position = position + 9 WHERE stream = %(stream)s",),
        found=("snapshot",),
        guards_off=False,
    ),
    "append with a wrong head": Attack(
        (
            "SELECT * FROM events_append(%(stream)s, %(version)s, ARRAY[%(wrong)s::bytea], '{}', '{}',"
            " NULL, NULL, NULL, NULL)",
        ),
        by=NOBODY,
        guards_off=False,
    ),
    "append in the middle": Attack(
        (
            "SELECT 1 / (status <> 'conflict')::int FROM events_append(%(stream)s, 20,"
            " ARRAY[%(wrong)s::bytea], '{}', '{}', NULL, NULL, NULL, NULL)",
        ),
        by=NOBODY,
        guards_off=False,
    ),
    "take the safety catch off": Attack(
        (
            "SET LOCAL events.appending = 'on'",
            "DELETE FROM events_event WHERE stream = %(stream)s AND position = %(version)s",
        ),
        by=NOBODY,
        guards_off=False,
    ),
    "be in a session of replication": Attack(
        (
            "SET LOCAL session_replication_role = replica",
            "DELETE FROM events_event WHERE stream = %(stream)s AND position = %(version)s",
        ),
        by=NOBODY,
        guards_off=False,
    ),
    "act as the owner": Attack(("SET LOCAL ROLE posta_owner",), guards_off=False),
    "act as the eraser": Attack(
        (
            "SET LOCAL ROLE posta_eraser",
            "DELETE FROM events_secret WHERE stream = %(stream)s AND position = %(shuffled)s",
        ),
        found=("integrity",),
        guards_off=False,
    ),
    "act as a superuser": Attack(("SET LOCAL ROLE postgres",), by=SUPERUSER, guards_off=False),
    "drop a trigger": Attack(
        ("DROP TRIGGER events_event_keep ON events_event",),
        audited="events_event_keep on events_event is missing",
        guards_off=False,
    ),
    "switch a trigger off": Attack(
        ("ALTER TABLE events_event DISABLE TRIGGER events_event_keep",),
        audited="events_event_keep does not fire always",
        guards_off=False,
    ),
    "replace the append function": Attack(
        (
            "CREATE OR REPLACE FUNCTION events_append(p_stream text, p_expected integer, p_headers bytea[],"
            " p_salts bytea[], p_payloads bytea[], p_position integer, p_code text, p_state bytea,"
            " p_checksum bytea) RETURNS TABLE (status text, version integer, hash bytea, at bigint)"
            " LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp"
            " AS 'BEGIN RETURN; END'",
        ),
        audited="is not the migration's",
        guards_off=False,
    ),
    "give oneself the right to insert": Attack(
        (
            "GRANT INSERT ON events_event TO posta_app",  # without the right to, a warning alone
            "SELECT 1 / has_table_privilege('posta_app', 'events_event', 'INSERT')::int",
        ),
        audited="posta_app has INSERT on events_event",
        guards_off=False,
    ),
    "shadow the log by a temporary table": Attack(
        ("CREATE TEMP TABLE events_event AS SELECT * FROM public.events_event LIMIT 0",),
        by=OWNER,
        guards_off=False,
    ),
}
