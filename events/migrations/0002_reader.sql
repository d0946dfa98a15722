-- What everybody holds of a stream (ttx v1, "Who holds an opening"): items that an event has opened, and
-- all of an epoch whose seed is revealed.  Talk is never opened.  The reader, who may not look into
-- events_secret, sees openings through this alone.

CREATE FUNCTION events_opened(p_stream text) RETURNS TABLE (
    "position" integer, slot integer, "to" text, salt bytea, payload bytea
)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
#variable_conflict use_column
BEGIN
    IF p_stream NOT LIKE 'table-%' THEN
        RETURN;
    END IF;
    RETURN QUERY
        WITH headers AS (
            SELECT e.position AS seq, e.type, convert_from(e.header, 'UTF8')::jsonb AS header
            FROM events_event e WHERE e.stream = p_stream
        ), opens AS (
            SELECT (ref->>0)::integer AS seq, (ref->>1)::integer AS slot
            FROM headers h, jsonb_array_elements(h.header->'opens') ref
        ), revealed AS (
            SELECT (h.header->'public'->>'epoch')::bigint AS epoch
            FROM headers h WHERE h.type = 'table.seed_revealed'
        ), epochs AS (
            SELECT h.seq, count(*) FILTER (WHERE h.type = 'table.epoch_opened') OVER (ORDER BY h.seq) AS epoch
            FROM headers h
        )
        SELECT s.position, s.slot, s.to, s.salt, s.payload
        FROM events_secret s JOIN epochs ON epochs.seq = s.position
        WHERE s.stream = p_stream AND (
            epochs.epoch IN (SELECT r.epoch FROM revealed r)
            OR (s.position, s.slot) IN (SELECT o.seq, o.slot FROM opens o))
        ORDER BY s.position, s.slot;
END $$;

REVOKE ALL ON FUNCTION events_opened(text) FROM PUBLIC;

DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'posta_reader') AND current_user <> 'posta_reader' THEN
        GRANT EXECUTE ON FUNCTION events_opened(text) TO posta_reader;
    END IF;
END $$;
