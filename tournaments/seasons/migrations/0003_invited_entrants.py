"""Lets an entrant be invited, and a match be a walkover before its time. The tables stay as they are."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ("seasons", "0002_rounds_opened"),
    ]

    operations = [
        migrations.AlterField(
            model_name="entrant",
            name="status",
            field=models.CharField(
                choices=[
                    ("invited", "invited, no answer yet"),
                    ("asked", "waits for approval"),
                    ("waiting", "on the waiting list"),
                    ("in", "entered"),
                    ("alternate", "waits for a free place"),
                    ("withdrawn", "Withdrawn"),
                    ("out", "not in the season"),
                ],
                default="in",
                max_length=10,
            ),
        ),
        migrations.AlterField(
            model_name="match",
            name="timing",
            field=models.CharField(
                choices=[
                    ("open", "immediately, or at any time"),
                    ("fixed", "set by the calendar"),
                    ("fallback", "unless the players agree on another time"),
                    ("agreed", "agreed by the players"),
                    ("night", "at night, between bots"),
                    ("walkover", "at once, because a player has withdrawn"),
                ],
                default="open",
                max_length=10,
            ),
        ),
    ]
