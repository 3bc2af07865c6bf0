"""Changes of leagues and seasons that are in no stream are noted, for rendered pages."""

from django.db import migrations

from games.common.table_changes import noted


class Migration(migrations.Migration):

    dependencies = [
        ("common", "0003_table_changes"),
        ("seasons", "0003_invited_entrants"),
    ]

    operations = [
        noted("seasons_league"),
        noted("seasons_season", ["name", "slug", "starts_at", "repeats", "successor_id"]),
        noted("seasons_division", ["name"]),
        noted("seasons_note"),
    ]
