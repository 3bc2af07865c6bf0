"""In the settings and terms of seasons, `house_bot` is `built_in_bot`. Logs keep what they say."""

from django.db import migrations

FORWARDS = """
UPDATE seasons_season SET settings = replace(settings::text, '"house_bot"', '"built_in_bot"')::jsonb,
  terms = replace(terms::text, '"house_bot"', '"built_in_bot"')::jsonb
WHERE settings::text LIKE '%"house_bot"%' OR terms::text LIKE '%"house_bot"%';
"""


class Migration(migrations.Migration):

    dependencies = [
        ("seasons", "0004_noted_tables"),
    ]

    operations = [
        migrations.RunSQL(FORWARDS, migrations.RunSQL.noop, elidable=True),
    ]
