"""The rows of disputes."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from games.common.table_source import Projection
from tournaments.seasons import projection, row_writer
from tournaments.seasons.models import Entrant, Match, Note


class Dispute(models.Model):
    """A request by an entrant of a match that the organisers check its result."""

    table_source = Projection("the season's stream")

    class Status(models.TextChoices):
        OPEN = "open", "waiting for an answer"
        UPHELD = "upheld", "the result was corrected"
        DECLINED = "declined", "declined"

    match = models.ForeignKey(Match, models.CASCADE, related_name="disputes")
    entrant = models.ForeignKey(Entrant, models.CASCADE, related_name="disputes")
    status = models.CharField(max_length=10, choices=Status, default=Status.OPEN)
    note = models.ForeignKey(Note, models.PROTECT, related_name="+")
    answer = models.ForeignKey(Note, models.PROTECT, null=True, related_name="+")
    raised_at = models.DateTimeField()
    settled_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-raised_at", "-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["match", "entrant"], condition=Q(status="open"), name="one_open_dispute_an_entrant"
            )
        ]
        indexes = [models.Index(fields=["match"], condition=Q(status="open"), name="dispute_open")]

    def __str__(self) -> str:
        return f"dispute of {self.entrant} about match {self.match_id}"


row_writer.project(
    row_writer.ProjectedTable(
        Dispute,
        projection.dispute_rows,
        "match__round__division__season",
        ("match_id", "entrant"),
        lambda part: {"match__in": part.disputed},
        {"entrant": Entrant},
        repeated=True,
    )
)
