"""The event store's tables, guards, functions and grants.  Without a way back: the log only grows."""

from pathlib import Path

from django.db import migrations, models


class Migration(migrations.Migration):
    """Models as state only; the SQL beside this file is the schema."""

    initial = True
    dependencies = []
    operations = [
        migrations.RunSQL(Path(__file__).with_suffix(".sql").read_text(encoding="utf-8")),
        migrations.CreateModel(
            name="Head",
            fields=[
                ("stream", models.TextField(primary_key=True, serialize=False)),
                ("version", models.IntegerField()),
                ("hash", models.BinaryField()),
                ("at", models.BigIntegerField()),
            ],
            options={"db_table": "events_head", "managed": False},
        ),
        migrations.CreateModel(
            name="Event",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "stream", "position", blank=True, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("stream", models.TextField()),
                ("position", models.IntegerField()),
                ("type", models.TextField()),
                ("at", models.BigIntegerField()),
                ("batch", models.IntegerField()),
                ("header", models.BinaryField()),
                ("hash", models.BinaryField()),
            ],
            options={"db_table": "events_event", "managed": False},
        ),
        migrations.CreateModel(
            name="Secret",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "stream", "position", "slot", blank=True, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("stream", models.TextField()),
                ("position", models.IntegerField()),
                ("slot", models.IntegerField()),
                ("to", models.TextField()),
                ("salt", models.BinaryField()),
                ("payload", models.BinaryField()),
            ],
            options={"db_table": "events_secret", "managed": False},
        ),
        migrations.CreateModel(
            name="Snapshot",
            fields=[
                ("stream", models.TextField(primary_key=True, serialize=False)),
                ("position", models.IntegerField()),
                ("code", models.TextField()),
                ("state", models.BinaryField()),
                ("checksum", models.BinaryField()),
            ],
            options={"db_table": "events_snapshot", "managed": False},
        ),
    ]
