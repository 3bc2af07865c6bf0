"""The text of a fault as sentences: codes and parameters. An old text becomes the sentence `written`."""

from django.db import migrations, models

FORWARDS = """
UPDATE play_fault SET sentences =
  jsonb_build_array(jsonb_build_array('written', jsonb_build_object('text', sentence)))
WHERE sentence <> '';
"""


class Migration(migrations.Migration):

    dependencies = [
        ("play", "0001_initial"),
    ]

    operations = [
        migrations.AddField(
            model_name="fault",
            name="sentences",
            field=models.JSONField(
                default=list, help_text="What happened, for the author: codes and their parameters."
            ),
        ),
        migrations.RunSQL(FORWARDS, elidable=True),
        migrations.RemoveField(model_name="fault", name="sentence"),
    ]
