"""The texts of trials' steps and why versions may not play, as sentences: codes and parameters.

An old text becomes the sentence `written`.
"""

from django.db import migrations, models

FORWARDS = """
UPDATE games_botversion SET reasons =
  jsonb_build_array(jsonb_build_array('written', jsonb_build_object('text', reason)))
WHERE reason <> '';

UPDATE games_trial SET steps = (
  SELECT coalesce(jsonb_agg(
    (step - 'sentence') || jsonb_build_object('sentences', jsonb_build_array(
      jsonb_build_array('written', jsonb_build_object('text', coalesce(step ->> 'sentence', '')))))
    ORDER BY place), '[]')
  FROM jsonb_array_elements(steps) WITH ORDINALITY AS numbered (step, place));
"""


class Migration(migrations.Migration):

    dependencies = [
        ("games", "0001_initial"),
    ]

    operations = [
        migrations.AddField(
            model_name="botversion",
            name="reasons",
            field=models.JSONField(
                blank=True, default=list, help_text="Why it was refused or may not play: codes and their parameters."
            ),
        ),
        migrations.RunSQL(FORWARDS, elidable=True),
        migrations.RemoveField(model_name="botversion", name="reason"),
    ]
