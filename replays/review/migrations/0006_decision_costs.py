"""What decisions of bots cost, by sort. `luck_ledgers` adds the rows of games that have a ledger already."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("games", "0008_agents"),
        ("review", "0005_usual_moves"),
    ]

    operations = [
        migrations.CreateModel(
            name="DecisionCost",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("seat", models.PositiveSmallIntegerField()),
                ("kind", models.CharField(max_length=20)),
                (
                    "sort",
                    models.CharField(
                        blank=True,
                        help_text="The first word of the moves’ notation; empty for turns without a move.",
                        max_length=20,
                    ),
                ),
                ("decisions", models.PositiveIntegerField(help_text="Those that were compared with usual moves.")),
                ("gain", models.IntegerField(help_text="Of all these decisions.")),
                ("worst_gain", models.IntegerField()),
                (
                    "worst_version",
                    models.PositiveIntegerField(help_text="The event of the decision with the smallest gain."),
                ),
                (
                    "game",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="decision_costs", to="games.game"
                    ),
                ),
                (
                    "player",
                    models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="+", to="games.player"),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["player", "-game"], name="cost_by_player")],
                "constraints": [models.UniqueConstraint(fields=("game", "seat", "sort"), name="one_cost_a_sort")],
            },
        ),
    ]
