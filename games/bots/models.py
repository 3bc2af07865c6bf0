"""The files of uploaded bots. Bots, their versions and trials are in `games.models`."""

from __future__ import annotations

from django.db import models

from games.common.table_source import Primary
from games.models import BotVersion


class BotSource(models.Model):
    """The uploaded file of a version, up to 256 KiB.

    It has its own row, because every list of players loads versions.
    """

    table_source = Primary("What an author uploaded.")

    version = models.OneToOneField(BotVersion, models.CASCADE, primary_key=True, related_name="stored_source")
    text = models.TextField()

    def __str__(self) -> str:
        return f"source of {self.version}"
