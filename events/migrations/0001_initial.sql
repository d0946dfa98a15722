-- The event store: tables, guards, functions, grants.  The owner runs this.
-- Layers of protection, the first that holds wins: privileges (the application has no INSERT,
-- UPDATE, DELETE or TRUNCATE), triggers (they hold the owner too), the hash chain (it shows what a
-- superuser did).

CREATE FUNCTION now_ms() RETURNS bigint
LANGUAGE sql VOLATILE AS
$$ SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint $$;

-- A head is updated by every append: room on its page keeps that update away from the index.
CREATE TABLE events_head (
    stream text PRIMARY KEY
        CHECK (stream ~ '^(table|talk)-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'),
    version integer NOT NULL,
    hash bytea NOT NULL,
    at bigint NOT NULL
) WITH (fillfactor = 50);

CREATE TABLE events_event (
    stream text NOT NULL REFERENCES events_head (stream) ON UPDATE RESTRICT ON DELETE RESTRICT,
    position integer NOT NULL,
    type text NOT NULL,
    at bigint NOT NULL,
    batch integer NOT NULL,
    header bytea NOT NULL,
    hash bytea NOT NULL,
    PRIMARY KEY (stream, position)
);

CREATE TABLE events_secret (
    stream text NOT NULL,
    position integer NOT NULL,
    slot integer NOT NULL,
    "to" text NOT NULL,
    salt bytea NOT NULL CHECK (octet_length(salt) = 32),
    payload bytea NOT NULL,
    PRIMARY KEY (stream, position, slot),
    FOREIGN KEY (stream, position) REFERENCES events_event (stream, position)
        ON UPDATE RESTRICT ON DELETE RESTRICT
);

CREATE TABLE events_snapshot (
    stream text PRIMARY KEY REFERENCES events_head (stream) ON UPDATE RESTRICT ON DELETE RESTRICT,
    position integer NOT NULL,
    code text NOT NULL,
    state bytea NOT NULL,
    checksum bytea NOT NULL
) WITH (fillfactor = 50);

-- Guards.  "events.appending" is on only inside events_append; it is a safety catch for the owner
-- (others lack the privilege anyway), who could as well drop the trigger.

CREATE FUNCTION events_refuse() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% on % is refused: the log only grows, through events_append', TG_OP, TG_TABLE_NAME
        USING ERRCODE = 'integrity_constraint_violation';
END $$;

CREATE TRIGGER events_event_keep BEFORE UPDATE OR DELETE ON events_event
    FOR EACH ROW EXECUTE FUNCTION events_refuse();
CREATE TRIGGER events_event_keep_all BEFORE TRUNCATE ON events_event
    FOR EACH STATEMENT EXECUTE FUNCTION events_refuse();
CREATE TRIGGER events_event_append BEFORE INSERT ON events_event
    FOR EACH STATEMENT WHEN (current_setting('events.appending', true) IS DISTINCT FROM 'on')
    EXECUTE FUNCTION events_refuse();

CREATE TRIGGER events_head_keep BEFORE DELETE ON events_head
    FOR EACH ROW EXECUTE FUNCTION events_refuse();
CREATE TRIGGER events_head_keep_all BEFORE TRUNCATE ON events_head
    FOR EACH STATEMENT EXECUTE FUNCTION events_refuse();
CREATE TRIGGER events_head_append BEFORE INSERT OR UPDATE ON events_head
    FOR EACH STATEMENT WHEN (current_setting('events.appending', true) IS DISTINCT FROM 'on')
    EXECUTE FUNCTION events_refuse();

CREATE TRIGGER events_secret_keep BEFORE UPDATE ON events_secret
    FOR EACH ROW EXECUTE FUNCTION events_refuse();
CREATE TRIGGER events_secret_keep_all BEFORE TRUNCATE ON events_secret
    FOR EACH STATEMENT EXECUTE FUNCTION events_refuse();
CREATE TRIGGER events_secret_erase BEFORE DELETE ON events_secret
    FOR EACH ROW WHEN (current_user IS DISTINCT FROM 'posta_eraser')
    EXECUTE FUNCTION events_refuse();
CREATE TRIGGER events_secret_append BEFORE INSERT ON events_secret
    FOR EACH STATEMENT WHEN (current_setting('events.appending', true) IS DISTINCT FROM 'on')
    EXECUTE FUNCTION events_refuse();

ALTER TABLE events_event ENABLE ALWAYS TRIGGER events_event_keep;
ALTER TABLE events_event ENABLE ALWAYS TRIGGER events_event_keep_all;
ALTER TABLE events_event ENABLE ALWAYS TRIGGER events_event_append;
ALTER TABLE events_head ENABLE ALWAYS TRIGGER events_head_keep;
ALTER TABLE events_head ENABLE ALWAYS TRIGGER events_head_keep_all;
ALTER TABLE events_head ENABLE ALWAYS TRIGGER events_head_append;
ALTER TABLE events_secret ENABLE ALWAYS TRIGGER events_secret_keep;
ALTER TABLE events_secret ENABLE ALWAYS TRIGGER events_secret_keep_all;
ALTER TABLE events_secret ENABLE ALWAYS TRIGGER events_secret_erase;
ALTER TABLE events_secret ENABLE ALWAYS TRIGGER events_secret_append;

-- Append p_headers (canonical bytes, oldest first) after version p_expected, 0 for a new stream.
-- p_salts and p_payloads hold the openings of all their slots, in order.  p_code is null when no
-- snapshot comes along.  A version mismatch is a value, 'conflict' with the version found, for an
-- exception would end the caller's transaction.  A header that does not continue the chain is a
-- bug of the caller: an exception.

CREATE FUNCTION events_append(
    p_stream text, p_expected integer, p_headers bytea[], p_salts bytea[], p_payloads bytea[],
    p_position integer, p_code text, p_state bytea, p_checksum bytea
) RETURNS TABLE (status text, version integer, hash bytea, at bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    v_table text := replace(substr(p_stream, strpos(p_stream, '-') + 1), '-', '');
    v_version integer;
    v_hash bytea;
    v_at bigint;
    v_header jsonb;
    v_slots jsonb;
    v_hashes bytea[];
    v_types text[];
    v_ats bigint[];
    v_positions integer[] := '{}';
    v_numbers integer[] := '{}';
    v_to text[] := '{}';
BEGIN
    PERFORM set_config('events.appending', 'on', true);
    IF p_expected = 0 THEN
        INSERT INTO events_head VALUES (p_stream, 0, decode(repeat('00', 32), 'hex'), 0)
            ON CONFLICT DO NOTHING;
    END IF;
    SELECT h.version, h.hash, h.at INTO v_version, v_hash, v_at
        FROM events_head h WHERE h.stream = p_stream FOR UPDATE;
    IF v_version IS DISTINCT FROM p_expected THEN
        PERFORM set_config('events.appending', 'off', true);
        RETURN QUERY SELECT 'conflict', coalesce(v_version, 0), v_hash, v_at;
        RETURN;
    END IF;
    IF coalesce(cardinality(p_headers), 0) = 0 THEN
        RAISE EXCEPTION 'nothing to append to %', p_stream
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;

    FOR i IN 1 .. cardinality(p_headers) LOOP
        v_header := convert_from(p_headers[i], 'UTF8')::jsonb;
        v_version := v_version + 1;
        IF NOT v_header @> jsonb_build_object(
                'table', v_table, 'seq', v_version, 'prev', encode(v_hash, 'hex'))
            OR v_header->>'type' IS NULL OR (v_header->>'at')::bigint IS NULL
            OR (v_header->>'at')::bigint < v_at
        THEN
            RAISE EXCEPTION 'event % does not continue %', v_version, p_stream
                USING ERRCODE = 'integrity_constraint_violation';
        END IF;
        v_hash := sha256('\x7474782f6576656e742f763100'::bytea || p_headers[i]);  -- ttx/event/v1, zero
        v_at := (v_header->>'at')::bigint;
        v_hashes := v_hashes || v_hash;
        v_types := v_types || (v_header->>'type');
        v_ats := v_ats || v_at;
        v_slots := v_header->'slots';
        FOR j IN 0 .. coalesce(jsonb_array_length(v_slots), 0) - 1 LOOP
            v_positions := v_positions || v_version;
            v_numbers := v_numbers || j;
            v_to := v_to || (v_slots->j->>'to');
        END LOOP;
    END LOOP;
    IF cardinality(v_to) <> cardinality(p_salts) OR cardinality(v_to) <> cardinality(p_payloads) THEN
        RAISE EXCEPTION 'the events of % have % slots, and % openings came with them',
            p_stream, cardinality(v_to), cardinality(p_payloads)
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;

    INSERT INTO events_event (stream, position, type, at, batch, header, hash)
        SELECT p_stream, p_expected + n, e.type, e.at, p_expected + 1, e.header, e.hash
        FROM unnest(v_types, v_ats, p_headers, v_hashes)
            WITH ORDINALITY AS e (type, at, header, hash, n);
    IF cardinality(v_to) > 0 THEN
        INSERT INTO events_secret (stream, position, slot, "to", salt, payload)
            SELECT p_stream, s.* FROM unnest(v_positions, v_numbers, v_to, p_salts, p_payloads) s;
    END IF;
    UPDATE events_head SET version = v_version, hash = v_hash, at = v_at WHERE stream = p_stream;
    IF p_code IS NOT NULL THEN
        IF p_position > v_version THEN
            RAISE EXCEPTION 'the snapshot of % is ahead of it', p_stream
                USING ERRCODE = 'integrity_constraint_violation';
        END IF;
        INSERT INTO events_snapshot AS s VALUES (p_stream, p_position, p_code, p_state, p_checksum)
            ON CONFLICT (stream) DO UPDATE SET position = excluded.position, code = excluded.code,
                state = excluded.state, checksum = excluded.checksum;
    END IF;
    PERFORM set_config('events.appending', 'off', true);
    RETURN QUERY SELECT 'appended', v_version, v_hash, v_at;
END $$;

-- Head, database time and snapshot of a stream; no row when it does not exist.  p_lock keeps other
-- writers away until the transaction ends, and reads the time after the lock is held.

CREATE FUNCTION events_load(p_stream text, p_lock boolean) RETURNS TABLE (
    version integer, hash bytea, at bigint, now bigint,
    "position" integer, code text, state bytea, checksum bytea
)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
#variable_conflict use_column
BEGIN
    IF p_lock THEN
        PERFORM 1 FROM events_head h WHERE h.stream = p_stream FOR UPDATE;
    END IF;
    RETURN QUERY
        SELECT h.version, h.hash, h.at, now_ms(), s.position, s.code, s.state, s.checksum
        FROM events_head h LEFT JOIN events_snapshot s ON s.stream = h.stream
        WHERE h.stream = p_stream;
END $$;

-- Privileges.  Roles belong to the cluster and are made outside; those that exist are served.

REVOKE ALL ON events_head, events_event, events_secret, events_snapshot FROM PUBLIC;
REVOKE ALL ON FUNCTION now_ms(), events_refuse(), events_load(text, boolean),
    events_append(text, integer, bytea[], bytea[], bytea[], integer, text, bytea, bytea) FROM PUBLIC;

DO $$
DECLARE
    v_role text;
BEGIN
    FOR v_role IN SELECT rolname FROM pg_roles
        WHERE rolname IN ('posta_app', 'posta_reader', 'posta_eraser') AND rolname <> current_user
    LOOP
        EXECUTE format('REVOKE ALL ON events_head, events_event, events_secret, events_snapshot FROM %I', v_role);
        EXECUTE format('GRANT EXECUTE ON FUNCTION now_ms() TO %I', v_role);
        IF v_role = 'posta_app' THEN
            GRANT SELECT ON events_head, events_event, events_secret, events_snapshot TO posta_app;
            GRANT DELETE ON events_snapshot TO posta_app;
            GRANT EXECUTE ON FUNCTION events_load(text, boolean),
                events_append(text, integer, bytea[], bytea[], bytea[], integer, text, bytea, bytea) TO posta_app;
        ELSIF v_role = 'posta_reader' THEN
            GRANT SELECT ON events_head, events_event TO posta_reader;
        ELSE
            GRANT DELETE, SELECT (stream, position, slot) ON events_secret TO posta_eraser;
        END IF;
    END LOOP;
END $$;
