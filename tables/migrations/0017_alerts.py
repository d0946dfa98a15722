"""Alerts: what a confirmed address is told of its account."""

import uuid

from django.db import migrations, models

GRANTS = """
DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'posta_app') AND current_user <> 'posta_app' THEN
        GRANT SELECT, INSERT, UPDATE, DELETE ON tables_alert TO posta_app;
    END IF;
END $$;
"""


class Migration(migrations.Migration):
    """A table, and what the application may do with it."""

    dependencies = [("tables", "0016_people")]
    operations = [
        migrations.CreateModel(
            name="Alert",
            fields=[
                (
                    "id",
                    models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False),
                ),
                ("what", models.CharField(max_length=20)),
                ("address", models.CharField(max_length=254)),
                ("name", models.CharField(max_length=40)),
                ("locale", models.CharField(max_length=8)),
                ("created_at", models.DateTimeField()),
                ("mail_at", models.DateTimeField()),
            ],
        ),
        migrations.RunSQL(GRANTS, migrations.RunSQL.noop),
    ]
