"""The files of uploaded bots. Bots, their versions and trials are in `games.models`."""

from __future__ import annotations

from django.db import models

from games.models import BotVersion


class BotSource(models.Model):
    """What was uploaded as a version, up to 256 KiB: in a row of its own, since every list of players brings their
    versions along."""

    version = models.OneToOneField(BotVersion, models.CASCADE, primary_key=True, related_name="stored_source")
    text = models.TextField()

    def __str__(self) -> str:
        return f"source of {self.version}"
