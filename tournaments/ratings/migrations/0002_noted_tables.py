"""Changes of official strengths are noted, for rendered pages."""

from django.db import migrations

from games.common.table_changes import noted


class Migration(migrations.Migration):

    dependencies = [
        ("common", "0003_table_changes"),
        ("ratings", "0001_initial"),
    ]

    operations = [
        noted("ratings_strength"),
    ]
