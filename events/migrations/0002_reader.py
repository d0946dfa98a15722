"""The openings that everybody holds, for the reader."""

from pathlib import Path

from django.db import migrations


class Migration(migrations.Migration):
    """A function and its grant."""

    dependencies = [("events", "0001_initial")]
    operations = [
        migrations.RunSQL(
            Path(__file__).with_suffix(".sql").read_text(encoding="utf-8"), "DROP FUNCTION events_opened(text)"
        )
    ]
