"""Changes of players' names and of bots are noted, for rendered pages."""

from django.db import migrations

from games.common.table_changes import noted


class Migration(migrations.Migration):

    dependencies = [
        ("common", "0003_table_changes"),
        ("games", "0004_evidence"),
    ]

    operations = [
        noted("games_player", ["name", "user_id", "bot_version_id", "from_file"]),
        noted("games_bot"),
        noted("games_botversion"),
    ]
