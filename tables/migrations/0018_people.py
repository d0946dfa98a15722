"""Sandboxes."""

import django.db.models.deletion
from django.db import migrations, models

GRANTS = """
DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'posta_app') AND current_user <> 'posta_app' THEN
        GRANT SELECT, INSERT ON tables_sandbox TO posta_app;
        GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO posta_app;
    END IF;
END $$;
"""


class Migration(migrations.Migration):
    """Tables, and what the application may do with them."""

    dependencies = [("tables", "0013_guests")]
    operations = [
        migrations.CreateModel(
            name="Sandbox",
            fields=[
                (
                    "table",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        primary_key=True,
                        related_name="plan",
                        serialize=False,
                        to="tables.table",
                    ),
                ),
                ("root", models.BinaryField(max_length=32)),
                ("script", models.JSONField()),
            ],
        ),
        migrations.RunSQL(GRANTS, migrations.RunSQL.noop),
    ]
