"""The text of an incident as sentences: codes and parameters. An old text becomes the sentence `written`."""

from django.db import migrations, models

FORWARDS = """
UPDATE common_incident SET sentences =
  jsonb_build_array(jsonb_build_array('written', jsonb_build_object('text', sentence)));
"""


class Migration(migrations.Migration):

    dependencies = [
        ("common", "0001_initial"),
    ]

    operations = [
        migrations.AddField(
            model_name="incident",
            name="sentences",
            field=models.JSONField(default=list, help_text="What happened: codes and their parameters."),
        ),
        migrations.RunSQL(FORWARDS, elidable=True),
        migrations.RemoveField(model_name="incident", name="sentence"),
    ]
