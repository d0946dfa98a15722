"""Where a token comes from and what it may be used for; applications and consents; codes for another password."""

import uuid

import django.contrib.postgres.fields
import django.db.models.deletion
import django.db.models.functions.text
from django.conf import settings
from django.db import migrations, models

GRANTS = """
DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'posta_app') AND current_user <> 'posta_app' THEN
        GRANT SELECT, INSERT, UPDATE, DELETE ON tables_application, tables_consent, tables_refreshtoken
            TO posta_app;
    END IF;
END $$;
"""
SESSIONS = "UPDATE tables_token SET kind = 'session' WHERE label IN ('sign-up', 'sign-in', 'guest')"


class Migration(migrations.Migration):
    """Three tables, six columns, two indexes."""

    dependencies = [("tables", "0013_guests")]
    operations = [
        migrations.CreateModel(
            name="Application",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("name", models.CharField(max_length=80)),
                ("redirect_uris", django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=500))),
                ("created_at", models.DateTimeField(auto_now_add=True)),
            ],
        ),
        migrations.CreateModel(
            name="Consent",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("scopes", django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=40))),
                ("code_digest", models.BinaryField(max_length=32, unique=True)),
                ("code_expires_at", models.DateTimeField()),
                ("code_used_at", models.DateTimeField(null=True)),
                ("redirect_uri", models.CharField(max_length=500)),
                ("challenge", models.CharField(max_length=43)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("used_on", models.DateField(null=True)),
                ("application", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="consents", to="tables.application")),
                ("player", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="consents", to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.CreateModel(
            name="RefreshToken",
            fields=[
                ("digest", models.BinaryField(max_length=32, primary_key=True, serialize=False)),
                ("expires_at", models.DateTimeField()),
                ("used_at", models.DateTimeField(null=True)),
                ("consent", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="refreshes", to="tables.consent")),
            ],
        ),
        migrations.AddField(
            model_name="token",
            name="kind",
            field=models.CharField(default="personal", max_length=10),
        ),
        migrations.AddField(
            model_name="token",
            name="scopes",
            field=django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=40), null=True),
        ),
        migrations.AddField(
            model_name="token",
            name="consent",
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name="tokens", to="tables.consent"),
        ),
        migrations.AddField(model_name="mailbox", name="reset_at", field=models.DateTimeField(null=True)),
        migrations.AddField(model_name="mailbox", name="reset_mail_at", field=models.DateTimeField(null=True)),
        migrations.AddField(model_name="mailbox", name="reset_used", field=models.BooleanField(default=False)),
        migrations.AddIndex(
            model_name="mailbox",
            index=models.Index(
                condition=models.Q(("reset_mail_at__isnull", False)),
                fields=["reset_mail_at"],
                name="mailbox_resets",
            ),
        ),
        migrations.AddIndex(
            model_name="mailbox",
            index=models.Index(django.db.models.functions.text.Lower("address"), name="mailbox_addresses"),
        ),
        migrations.RunSQL(SESSIONS, migrations.RunSQL.noop),
        migrations.RunSQL(GRANTS, migrations.RunSQL.noop),
    ]
