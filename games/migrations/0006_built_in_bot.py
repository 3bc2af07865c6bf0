"""In the terms of games, `house_bot` is `built_in_bot`. Logs keep what they say."""

from django.db import migrations

FORWARDS = """
UPDATE games_game SET terms = replace(terms::text, '"house_bot"', '"built_in_bot"')::jsonb
WHERE terms::text LIKE '%"house_bot"%';
"""


class Migration(migrations.Migration):

    dependencies = [
        ("games", "0005_noted_tables"),
    ]

    operations = [
        migrations.RunSQL(FORWARDS, migrations.RunSQL.noop, elidable=True),
    ]
