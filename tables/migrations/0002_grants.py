"""What the application may do with the tables of this package, as the owner grants it."""

from django.db import migrations

GRANTS = """
DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'posta_app') AND current_user <> 'posta_app' THEN
        GRANT SELECT, INSERT, UPDATE, DELETE ON tables_player, tables_token, tables_tenure, tables_outbox,
            tables_idempotencyrecord, tables_heartbeat TO posta_app;
        GRANT SELECT, INSERT, UPDATE ON tables_table TO posta_app;
        GRANT SELECT, INSERT ON tables_seed TO posta_app;
        GRANT SELECT ON django_migrations TO posta_app;
        GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO posta_app;
    END IF;
END $$;
"""


class Migration(migrations.Migration):
    """Grants; without a way back."""

    dependencies = [("tables", "0001_initial"), ("events", "0001_initial")]
    operations = [migrations.RunSQL(GRANTS, migrations.RunSQL.noop)]
