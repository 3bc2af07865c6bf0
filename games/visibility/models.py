"""Who has a game open."""

from __future__ import annotations

from django.db import models

from games.common.table_source import Primary
from games.models import Game


class Presence(models.Model):
    """A seat whose player has the game's stream open in a web process, and when this process last confirmed that."""

    table_source = Primary("Who has a page open now. Web processes write it again.")

    game = models.ForeignKey(Game, models.CASCADE)
    seat = models.PositiveSmallIntegerField()
    process = models.UUIDField()
    seen_at = models.DateTimeField(db_index=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["game", "seat", "process"], name="one_presence_a_process")]

    def __str__(self) -> str:
        return f"seat {self.seat} of {self.game}"
