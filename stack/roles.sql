-- The roles of a Posta database and their limits.  Run by a superuser, connected to the database,
-- as often as you like.  It gives no role a password: `ALTER ROLE ... PASSWORD` is the operator's.
-- The owner migrates, the application plays, the reader serves what is public, the eraser forgets people.
-- What each may do with a table is granted by the migration that makes the table.

DO $$
DECLARE
    role text;
BEGIN
    FOREACH role IN ARRAY ARRAY['posta_owner', 'posta_app', 'posta_reader', 'posta_eraser'] LOOP
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = role) THEN
            EXECUTE format('CREATE ROLE %I', role);
        END IF;
        EXECUTE format('ALTER ROLE %I LOGIN NOSUPERUSER NOCREATEROLE NOREPLICATION NOBYPASSRLS', role);
        EXECUTE format('ALTER ROLE %I SET synchronous_commit = on', role);
        EXECUTE format('ALTER ROLE %I SET lock_timeout = %L', role, '2s');
        EXECUTE format('ALTER ROLE %I SET statement_timeout = %L', role, '30s');
        EXECUTE format('ALTER ROLE %I SET idle_in_transaction_session_timeout = %L', role, '15s');
        -- DETAIL lines and statements hold names: the server's log would remember who is erased.
        EXECUTE format('ALTER ROLE %I SET log_error_verbosity = terse', role);
        EXECUTE format('ALTER ROLE %I SET log_min_error_statement = panic', role);
    END LOOP;
END $$;

-- Migrations and tests: they may wait, and make databases of their own.
ALTER ROLE posta_owner CREATEDB;
ALTER ROLE posta_owner SET lock_timeout = '10s';
ALTER ROLE posta_owner SET statement_timeout = '10min';
ALTER ROLE posta_owner SET idle_in_transaction_session_timeout = '10min';

DO $$
BEGIN
    EXECUTE format('ALTER DATABASE %I OWNER TO posta_owner', current_database());
    EXECUTE format('REVOKE ALL ON DATABASE %I FROM PUBLIC', current_database());
    EXECUTE format('GRANT CONNECT ON DATABASE %I TO posta_app, posta_reader, posta_eraser', current_database());
END $$;

-- Texts are erased over a connection of the owner, which acts as the eraser for the one statement.
GRANT posta_eraser TO posta_owner;

REVOKE CONNECT ON DATABASE postgres, template1 FROM PUBLIC;

ALTER SCHEMA public OWNER TO posta_owner;
REVOKE ALL ON SCHEMA public FROM PUBLIC;
GRANT USAGE ON SCHEMA public TO posta_app, posta_reader, posta_eraser;
ALTER DEFAULT PRIVILEGES FOR ROLE posta_owner REVOKE ALL ON TABLES FROM PUBLIC;
ALTER DEFAULT PRIVILEGES FOR ROLE posta_owner REVOKE ALL ON FUNCTIONS FROM PUBLIC;
