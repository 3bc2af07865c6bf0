"""In the terms of tables, `house_bot` is `built_in_bot`. Logs keep what they say."""

from django.db import migrations

FORWARDS = """
UPDATE lobby_opentable SET terms = replace(terms::text, '"house_bot"', '"built_in_bot"')::jsonb
WHERE terms::text LIKE '%"house_bot"%';
"""


class Migration(migrations.Migration):

    dependencies = [
        ("lobby", "0001_initial"),
    ]

    operations = [
        migrations.RunSQL(FORWARDS, migrations.RunSQL.noop, elidable=True),
    ]
