"""Streams of events."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models

from games.common.table_source import Log
from scorebook_games.gamelog.events import GENESIS


class Stream(models.Model):
    """An append-only log of a game, a season or a rating pool. Only `games.eventlog.store` writes it."""

    table_source = Log("A stream: its number of events, and the end of its hash chain.")

    class Subject(models.TextChoices):
        GAME = "game"
        SEASON = "season"
        RATING_POOL = "rating_pool"

    subject = models.CharField(max_length=12, choices=Subject)
    version = models.PositiveIntegerField(default=0, help_text="Number of events in the stream.")
    head = models.BinaryField(default=GENESIS, help_text="Head of the hash chain; as secret as the log itself.")
    created = models.DateTimeField()

    class Meta:
        db_table = "stream"

    def __str__(self) -> str:
        return f"{self.subject} stream {self.pk}"


class Batch(models.Model):
    """Some events of a stream that were appended together. Triggers prevent that it is changed or deleted."""

    table_source = Log("The events. Triggers prevent that a row is changed or deleted.")

    pk = models.CompositePrimaryKey("stream_id", "seq")
    stream = models.ForeignKey(Stream, models.PROTECT, related_name="batches", db_index=False)
    seq = models.PositiveIntegerField(help_text="The version of the stream before this batch.")
    count = models.PositiveIntegerField()
    times = ArrayField(
        models.PositiveBigIntegerField(), help_text="Time of each event, in ms since the stream was opened."
    )
    at = models.DateTimeField()
    body = models.BinaryField(help_text="The events, encoded.")

    class Meta:
        db_table = "batch"

    def __str__(self) -> str:
        return f"{self.stream_id}:{self.seq}+{self.count}"
