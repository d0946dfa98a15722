"""Who has a part in the chance of a table's game."""

from django.db import migrations, models


class Migration(migrations.Migration):
    """Tables that were opened before have the server's chance alone."""

    dependencies = [("tables", "0008_keys")]
    operations = [
        migrations.AddField(
            model_name="table",
            name="fairness",
            field=models.CharField(default="server", max_length=20),
        ),
    ]
