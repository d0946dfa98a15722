"""The public halves of the keys that sign heads, and when each is valid."""

from django.db import migrations, models

GRANTS = """
DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'posta_app') AND current_user <> 'posta_app' THEN
        GRANT SELECT, INSERT, UPDATE (valid_from, valid_until) ON tables_serverkey TO posta_app;
    END IF;
END $$;
"""


class Migration(migrations.Migration):
    """A table; no row of it is ever deleted."""

    dependencies = [("tables", "0007_audit")]
    operations = [
        migrations.CreateModel(
            name="ServerKey",
            fields=[
                ("kid", models.CharField(max_length=16, primary_key=True, serialize=False)),
                ("public", models.BinaryField(max_length=32)),
                ("valid_from", models.BigIntegerField()),
                ("valid_until", models.BigIntegerField(null=True)),
            ],
        ),
        migrations.RunSQL(GRANTS, migrations.RunSQL.noop),
    ]
