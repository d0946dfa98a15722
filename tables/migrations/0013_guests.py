"""Guests are looked for by their age."""

from django.db import migrations, models


class Migration(migrations.Migration):
    """One index."""

    dependencies = [("tables", "0012_arbiters")]
    operations = [
        migrations.AddIndex(
            model_name="player",
            index=models.Index(
                condition=models.Q(("password__startswith", "!")),
                fields=["created_at"],
                name="player_guests",
            ),
        ),
    ]
