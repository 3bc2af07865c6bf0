"""The rows of commentators' addresses."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from games.common.table_source import Primary


class CommentaryAddress(models.Model):
    """The secret part of the address of a season's commentators. The secret is shown once and kept as its SHA-256; a
    new one replaces the old one."""

    table_source = Primary("A secret of a season, as its hash.")

    season = models.OneToOneField("seasons.Season", models.CASCADE, related_name="commentary_address")
    digest = models.BinaryField(unique=True)
    created = models.DateTimeField()
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.SET_NULL,
        null=True,
        related_name="+",
        help_text="The organiser who created it.",
    )

    class Meta:
        verbose_name_plural = "commentary addresses"

    def __str__(self) -> str:
        return f"commentary address of {self.season}"
