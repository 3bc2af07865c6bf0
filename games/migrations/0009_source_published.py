from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("games", "0008_agents"),
    ]

    operations = [
        migrations.AddField(
            model_name="bot",
            name="source_published",
            field=models.BooleanField(
                default=False,
                help_text="Whether everybody who sees the bot may read the sources of its admitted versions.",
            ),
        ),
    ]
