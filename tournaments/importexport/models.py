"""Rows of what was played elsewhere, and came into the house in a file."""

from __future__ import annotations

from typing import Any

from django.db import models


class ImportedGame(models.Model):
    """One game of a match as a file told it: no log, no deal and no replay of it exist here, and it is never rated.

    The season's stream has all of `result` (docs/events.md). As of `MatchGame`, the last `replay` of a number is the
    one that counts, as `ruling` says.
    """

    class Ruling(models.TextChoices):
        PLAYED = "played", "as it was played"
        ADJUDICATED = "adjudicated", "decided"
        ANNULLED = "annulled", "counts for nobody"
        REPLACED = "replaced", "was played again"
        ABORTED = "aborted", "was given up"

    match = models.ForeignKey("tournaments.Match", models.CASCADE, related_name="imported")
    number = models.PositiveSmallIntegerField(help_text="1 … within the match.")
    replay = models.PositiveSmallIntegerField(default=0)
    ruling = models.CharField(max_length=12, choices=Ruling)
    result = models.JSONField(help_text="As the event has it: seats, scores, placings …")

    class Meta:
        ordering = ["number", "replay"]
        constraints = [models.UniqueConstraint(fields=["match", "number", "replay"], name="one_imported_game_a_number")]

    def __str__(self) -> str:
        return f"game {self.number} of match {self.match_id}, imported"

    @property
    def counts(self) -> dict[str, Any] | None:
        """{"scores", "placings", …} by seat as they count for the match, or None if it has no result that does."""
        return dict(self.result) if self.ruling in (self.Ruling.PLAYED, self.Ruling.ADJUDICATED) else None
