from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("workers", "0001_initial"),
    ]

    operations = [
        migrations.AddField(
            model_name="botresponsetimes",
            name="slowest_at",
            field=models.PositiveIntegerField(
                help_text="The version of the game at which the slowest answer was asked for.", null=True
            ),
        ),
    ]
