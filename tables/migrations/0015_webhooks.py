"""Webhooks: where they go, and what was sent."""

import uuid

import django.contrib.postgres.fields
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

GRANTS = """
DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'posta_app') AND current_user <> 'posta_app' THEN
        GRANT SELECT, INSERT, UPDATE, DELETE ON tables_webhookendpoint, tables_webhookdelivery TO posta_app;
        GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO posta_app;
    END IF;
END $$;
"""


class Migration(migrations.Migration):
    """Two tables, and what the application may do with them."""

    dependencies = [("tables", "0014_accounts")]
    operations = [
        migrations.CreateModel(
            name="WebhookEndpoint",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("label", models.CharField(blank=True, max_length=80)),
                ("url", models.CharField(max_length=1000)),
                (
                    "types",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=40), size=None
                    ),
                ),
                ("status", models.CharField(default="unverified", max_length=10)),
                ("reason", models.CharField(blank=True, max_length=10)),
                ("salt", models.BinaryField(max_length=32)),
                ("old_salt", models.BinaryField(max_length=32, null=True)),
                ("old_until", models.DateTimeField(null=True)),
                ("created_at", models.DateTimeField()),
                ("failing_since", models.DateTimeField(null=True)),
                ("failures", models.SmallIntegerField(default=0)),
                ("busy_until", models.DateTimeField(null=True)),
                (
                    "player",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="webhook_endpoints",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="WebhookDelivery",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("message", models.UUIDField(unique=True)),
                ("position", models.IntegerField(null=True)),
                ("type", models.CharField(max_length=40)),
                ("occurred_at", models.DateTimeField()),
                ("status", models.CharField(default="pending", max_length=10)),
                ("attempts", models.IntegerField(default=0)),
                ("again", models.BooleanField(default=False)),
                ("next_attempt_at", models.DateTimeField(null=True)),
                ("attempted_at", models.DateTimeField(null=True)),
                ("duration_ms", models.IntegerField(null=True)),
                ("response_status", models.SmallIntegerField(null=True)),
                ("error", models.CharField(blank=True, max_length=20)),
                (
                    "endpoint",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="deliveries",
                        to="tables.webhookendpoint",
                    ),
                ),
                (
                    "table",
                    models.ForeignKey(
                        db_constraint=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        to="tables.table",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(fields=["endpoint", "-id"], name="webhook_log"),
                    models.Index(
                        condition=models.Q(("status", "pending")),
                        fields=["endpoint", "table", "id"],
                        name="webhook_pending",
                    ),
                ],
            },
        ),
        migrations.RunSQL(GRANTS, migrations.RunSQL.noop),
    ]
