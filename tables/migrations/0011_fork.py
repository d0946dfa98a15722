"""Tables that go on from a position of another one."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    """Two columns."""

    dependencies = [("tables", "0010_import")]
    operations = [
        migrations.AddField(
            "table",
            "forked_from",
            models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="forks",
                to="tables.table",
            ),
        ),
        migrations.AddField("table", "forked_at", models.IntegerField(null=True)),
    ]
