"""Results of actions as sentences: codes and parameters. Rows are never changed, so old ones keep their text."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ("admin_actions", "0001_initial"),
    ]

    operations = [
        migrations.AddField(
            model_name="adminaction",
            name="sentences",
            field=models.JSONField(default=list, help_text="The result: codes and their parameters."),
        ),
        migrations.RenameField(model_name="adminaction", old_name="outcome", new_name="old_outcome"),
        migrations.AlterField(
            model_name="adminaction",
            name="old_outcome",
            field=models.TextField(
                blank=True,
                db_column="outcome",
                default="",
                help_text="The result of an action from before `sentences`.",
            ),
        ),
    ]
