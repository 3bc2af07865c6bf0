"""Comparisons are tested by bets. Finished ones keep the verdict of the former rule, without its path."""

from django.db import migrations, models

FORWARDS = """
UPDATE games_trial SET result = result - 'llr' - 'llr_limit' - 'values' - 'value_hash' || jsonb_build_object(
  'path', '[]'::jsonb, 'evidence_limit', 20.0, 'evidence', jsonb_build_object('better', 1.0, 'worse', 1.0))
WHERE what = 'comparison';
"""


class Migration(migrations.Migration):
    dependencies = [
        ("games", "0003_bounds"),
    ]

    operations = [
        migrations.AlterField(
            model_name="trial",
            name="elo0",
            field=models.SmallIntegerField(
                default=0, help_text="Of a comparison: accepted is a version that is better by more Elo points."
            ),
        ),
        migrations.AlterField(
            model_name="trial",
            name="elo1",
            field=models.SmallIntegerField(
                default=20, help_text="Of a comparison: rejected is a version that is better by fewer."
            ),
        ),
        migrations.RunSQL(FORWARDS, migrations.RunSQL.noop),
    ]
