"""Tables that were played on another server, with its receipts."""

import django.db.models.deletion
from django.db import migrations, models

GRANTS = """
DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'posta_app') AND current_user <> 'posta_app' THEN
        GRANT SELECT, INSERT ON tables_import TO posta_app;
    END IF;
END $$;
"""


class Migration(migrations.Migration):
    """A mark, and a table whose rows never change."""

    dependencies = [("tables", "0009_fairness")]
    operations = [
        migrations.AddField("table", "imported_from", models.CharField(max_length=16, null=True)),
        migrations.CreateModel(
            name="Import",
            fields=[
                (
                    "table",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        primary_key=True,
                        related_name="imported",
                        serialize=False,
                        to="tables.table",
                    ),
                ),
                ("receipts", models.JSONField()),
                ("keys", models.JSONField()),
                ("imported_at", models.DateTimeField(auto_now_add=True)),
            ],
        ),
        migrations.RunSQL(GRANTS, migrations.RunSQL.noop),
    ]
