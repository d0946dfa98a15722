"""Verdicts of tables, who wrote a title, closed accounts; and what the reader may know of a table."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

GRANTS = """
DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'posta_reader') AND current_user <> 'posta_reader' THEN
        GRANT SELECT (id, game, status, visibility, version) ON tables_table TO posta_reader;
    END IF;
END $$;
"""
AUTHORS = "UPDATE tables_table SET author_id = host_id WHERE title <> ''"


class Migration(migrations.Migration):
    """Columns, an index, a grant; a title is taken to be its host's, so far."""

    dependencies = [("tables", "0006_notices")]
    operations = [
        migrations.AddField(
            model_name="table",
            name="author",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="titled",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="table", name="verified_at", field=models.DateTimeField(null=True)
        ),
        migrations.AddField(
            model_name="table", name="verified_upto", field=models.IntegerField(null=True)
        ),
        migrations.AddField(
            model_name="table", name="verdict", field=models.CharField(max_length=10, null=True)
        ),
        migrations.AddField(
            model_name="player", name="closed_at", field=models.DateTimeField(null=True)
        ),
        migrations.AlterField(
            model_name="outbox",
            name="table",
            field=models.ForeignKey(
                db_constraint=False,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                to="tables.table",
            ),
        ),
        migrations.AddIndex(
            model_name="table",
            index=models.Index(
                condition=models.Q(("verdict", "failed")), fields=["verdict"], name="table_not_proved"
            ),
        ),
        migrations.RunSQL(GRANTS, migrations.RunSQL.noop),
        migrations.RunSQL(AUTHORS, migrations.RunSQL.noop),
    ]
