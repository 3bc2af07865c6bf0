"""The bounds of a comparison's test. Finished comparisons get the verdict that their former rule gave."""

from django.db import migrations, models

FORWARDS = """
UPDATE games_trial SET result = result - 'sure' || jsonb_build_object('verdict', CASE
  WHEN state <> 'done' THEN NULL
  WHEN NOT coalesce((result ->> 'sure')::boolean, false) THEN 'undecided'
  WHEN (result ->> 'share')::float > 0.5 THEN 'accepted'
  ELSE 'rejected' END)
WHERE what = 'comparison';
"""


class Migration(migrations.Migration):
    dependencies = [
        ("games", "0002_sentences"),
    ]

    operations = [
        migrations.AddField(
            model_name="trial",
            name="elo0",
            field=models.SmallIntegerField(
                default=0, help_text="Of a comparison: better by this many Elo points is rejected."
            ),
        ),
        migrations.AddField(
            model_name="trial",
            name="elo1",
            field=models.SmallIntegerField(default=20, help_text="Of a comparison: better by this many is accepted."),
        ),
        migrations.AddField(
            model_name="trial",
            name="promote",
            field=models.BooleanField(
                default=False, help_text="Whether the version plays for its bot once it is accepted."
            ),
        ),
        migrations.AddField(
            model_name="trial",
            name="plays_before",
            field=models.PositiveBigIntegerField(
                blank=True,
                help_text="Of a comparison: the id of the version that played when it was requested.",
                null=True,
            ),
        ),
        migrations.RemoveConstraint(
            model_name="trial",
            name="one_comparison_a_pair",
        ),
        migrations.AddConstraint(
            model_name="trial",
            constraint=models.UniqueConstraint(
                condition=models.Q(("what", "comparison")),
                fields=("version", "against", "kind", "elo0", "elo1"),
                name="one_comparison_a_pair",
            ),
        ),
        migrations.RunSQL(FORWARDS, migrations.RunSQL.noop),
    ]
