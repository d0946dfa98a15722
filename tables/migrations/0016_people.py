"""Sandboxes, blocks, and reports of players."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

GRANTS = """
DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'posta_app') AND current_user <> 'posta_app' THEN
        GRANT SELECT, INSERT ON tables_sandbox TO posta_app;
        GRANT SELECT, INSERT, DELETE ON tables_block, tables_playerreport TO posta_app;
        GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO posta_app;
    END IF;
END $$;
"""


def _player(related_name: str) -> models.ForeignKey:  # type: ignore[type-arg]
    return models.ForeignKey(
        on_delete=django.db.models.deletion.CASCADE,
        related_name=related_name,
        to=settings.AUTH_USER_MODEL,
    )


class Migration(migrations.Migration):
    """Tables, and what the application may do with them."""

    dependencies = [("tables", "0015_webhooks")]
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
        *(
            migrations.CreateModel(
                name=name,
                fields=[
                    (
                        "id",
                        models.BigAutoField(
                            auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                        ),
                    ),
                    *more,
                    ("created_at", models.DateTimeField(auto_now_add=True)),
                    (other, _player(by)),
                    ("player", _player(own)),
                ],
                options={
                    "constraints": [models.UniqueConstraint(fields=("player", other), name=once)],
                },
            )
            for name, own, other, by, once, more in (
                ("Block", "blocks", "blocked", "blocked_by", "block_once", []),
                (
                    "PlayerReport",
                    "reports",
                    "reported",
                    "reported_by",
                    "player_reported_once",
                    [("reason", models.CharField(max_length=500))],
                ),
            )
        ),
        migrations.RunSQL(GRANTS, migrations.RunSQL.noop),
    ]
