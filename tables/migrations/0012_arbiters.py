"""Who arbitrates a table."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

GRANTS = """
DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'posta_app') AND current_user <> 'posta_app' THEN
        GRANT SELECT, INSERT, UPDATE, DELETE ON tables_arbiter TO posta_app;
        GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO posta_app;
    END IF;
END $$;
"""


class Migration(migrations.Migration):
    """A table, and what the application may do with it."""

    dependencies = [("tables", "0011_fork")]
    operations = [
        migrations.CreateModel(
            name="Arbiter",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("pseudonym", models.CharField(blank=True, max_length=32)),
                ("since", models.IntegerField(null=True)),
                ("until", models.IntegerField(null=True)),
                (
                    "player",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="arbitrates",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "table",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="arbiters",
                        to="tables.table",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("until__isnull", True)), fields=("table",), name="arbiter_once"
                    )
                ],
            },
        ),
        migrations.RunSQL(GRANTS, migrations.RunSQL.noop),
    ]
