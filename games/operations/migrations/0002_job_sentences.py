"""The last line of a job's result as a sentence: a code and parameters. An old one becomes the sentence `written`."""

from django.db import migrations, models

FORWARDS = """
UPDATE operations_adminjob SET
  sentences = CASE WHEN what = 'rebuild' AND result = 'no differences'
    THEN jsonb_build_array(jsonb_build_array('no_differences', jsonb_build_object()))
    ELSE jsonb_build_array(jsonb_build_array(
      'written', jsonb_build_object('text', regexp_replace(result, E'^.*\\n', ''))))
  END,
  result = CASE WHEN strpos(result, E'\\n') = 0 THEN '' ELSE regexp_replace(result, E'\\n[^\\n]*$', '') END
WHERE result <> '';
"""


class Migration(migrations.Migration):

    dependencies = [
        ("operations", "0001_initial"),
    ]

    operations = [
        migrations.AddField(
            model_name="adminjob",
            name="sentences",
            field=models.JSONField(
                blank=True, default=list, help_text="The result in short: codes and their parameters."
            ),
        ),
        migrations.AlterField(
            model_name="adminjob",
            name="result",
            field=models.TextField(blank=True, help_text="What was found, line by line."),
        ),
        migrations.RunSQL(FORWARDS, elidable=True),
    ]
