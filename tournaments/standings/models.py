"""The rows of standings, which are for pages and can be rebuilt from a season's stream."""

from __future__ import annotations

from django.db import models

from games.common.table_source import Projection
from scorebook_games.presentation.coded_text import text
from tournaments.seasons import row_writer
from tournaments.seasons.models import Division, Entrant
from tournaments.standings.rows import standing_rows


class Standing(models.Model):
    """An entrant's row after the last closed round: place, points and their arithmetic, as pages show it. `division`
    repeats the entrant's own, so that an index has a division's table in its order."""

    table_source = Projection("the season's stream")

    entrant = models.OneToOneField(Entrant, models.CASCADE, related_name="standing")
    division = models.ForeignKey(Division, models.CASCADE, related_name="standings", db_index=False)
    position = models.PositiveSmallIntegerField(help_text="Row in the division's table, from 1; each is used once.")
    place = models.PositiveSmallIntegerField()
    points = models.FloatField()
    row = models.JSONField(help_text="What the standings show of the entrant.")

    class Meta:
        ordering = ["position"]
        indexes = [models.Index(fields=["division", "position"], name="standing_table")]

    def __str__(self) -> str:
        return f"{self.place}. {self.entrant}"

    @property
    def still_in(self) -> bool:
        """Whether the place is the best of those that the entrant can still reach in a cup or its groups."""
        return bool(self.row.get("still_in"))

    @property
    def why(self) -> str:
        """What decided against the neighbour, in the reader's language, with NEIGHBOUR for the neighbour's name."""
        return text(self.row["why"])


row_writer.project(
    row_writer.ProjectedTable(
        Standing,
        standing_rows,
        "entrant__season",
        ("entrant",),
        lambda part: {"entrant__division__number__in": part.results | part.orders},
        {"entrant": Entrant, "division": Division},
        whole=True,
    )
)
