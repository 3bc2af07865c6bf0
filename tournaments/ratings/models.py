"""Ratings and the official table of bots as rows for pages. They can be rebuilt from the streams of pools and
seasons."""

from __future__ import annotations

from django.db import models

from games.common.table_source import Primary, Projection
from games.eventlog.models import Stream
from games.models import Game, Player
from scorebook_games.registry import KINDS
from tournaments.ratings.official_fit import nearly_equal, strength_rows
from tournaments.seasons import row_writer
from tournaments.seasons.models import Entrant


class Strength(models.Model):
    """A bot's official rating in a season of bots after the last closed round, on Elo's scale with a mean of 1500.

    `scorebook_games.analysis.plackett_luce` computes it. `half` is half the width of the 95 % interval.
    """

    table_source = Projection("the season's stream")

    entrant = models.OneToOneField(Entrant, models.CASCADE, related_name="strength")
    rating = models.FloatField()
    half = models.FloatField()
    place = models.PositiveSmallIntegerField()
    low = models.PositiveSmallIntegerField(help_text="The best place in the interval.")
    high = models.PositiveSmallIntegerField(help_text="The worst place in the interval.")
    games = models.PositiveIntegerField()
    won = models.BooleanField(help_text="Whether it ever finished ahead of another entrant or level with one.")
    lost = models.BooleanField(help_text="Whether it ever finished behind another entrant or level with one.")
    connected = models.BooleanField(help_text="Whether the season's results connect all bots.")
    chances = models.JSONField(
        default=list,
        help_text="[entrant, probability to finish ahead of it, lower bound, upper bound] by place; only with few "
        "bots.",
    )

    class Meta:
        verbose_name_plural = "strengths"
        ordering = ["place", "entrant__number"]

    def __str__(self) -> str:
        return f"{self.entrant}: {self.rating:.0f} ± {self.half:.0f}"


row_writer.project(
    row_writer.ProjectedTable(
        Strength,
        strength_rows,
        "entrant__season",
        ("entrant",),
        lambda part: {"entrant__division__number__in": part.results},
        {"entrant": Entrant},
        whole=True,
        same=nearly_equal,
    )
)


class RatingPool(models.Model):
    """The ratings of one kind in seasons of people, of bots or of both, or in casual games."""

    table_source = Primary("The names of a pool, and which stream is its.")

    kind = models.CharField(max_length=20)
    pool = models.CharField(max_length=10)
    stream = models.OneToOneField(Stream, models.PROTECT, related_name="rating_pool")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["kind", "pool"], name="one_pool_a_kind")]

    def __str__(self) -> str:
        title = KINDS[self.kind].spec.title if self.kind in KINDS else self.kind
        return f"{title}: {self.pool}"

    @property
    def slug(self) -> str:
        """The pool's name in addresses, as `plates-bots`."""
        return f"{self.kind}-{self.pool}"


class Rating(models.Model):
    """A player's present Elo rating, folded from the pool's stream."""

    table_source = Projection("the pool's stream")

    pool = models.ForeignKey(RatingPool, models.CASCADE, related_name="ratings")
    player = models.ForeignKey(Player, models.CASCADE, related_name="ratings")
    rating = models.FloatField()
    games = models.PositiveIntegerField()

    class Meta:
        ordering = ["-rating"]
        constraints = [models.UniqueConstraint(fields=["pool", "player"], name="one_rating_a_pool")]
        indexes = [models.Index(fields=["pool", "-rating"], name="rating_by_pool")]

    def __str__(self) -> str:
        return f"{self.player}: {self.rating:.0f}"


class RatingChange(models.Model):
    """How one game, or its correction, changed one player's rating. A change's `before` is the `after` of the player's
    change before it in the pool's stream."""

    table_source = Projection("the pool's stream")

    pool = models.ForeignKey(RatingPool, models.CASCADE, related_name="changes")
    player = models.ForeignKey(Player, models.CASCADE, related_name="rating_changes")
    game = models.ForeignKey(Game, models.CASCADE, related_name="rating_changes")
    position = models.PositiveIntegerField(help_text="Position of the event in the pool's stream.")
    before = models.FloatField()
    after = models.FloatField()
    games = models.PositiveIntegerField(help_text="The player's rated games before this one.")
    counted = models.SmallIntegerField(
        help_text="1: the game begins to count; −1: it stops counting; 0: it counts differently."
    )

    class Meta:
        ordering = ["position"]
        constraints = [models.UniqueConstraint(fields=["pool", "player", "position"], name="one_change_an_event")]

    def __str__(self) -> str:
        return f"{self.player}: {self.before:.0f} → {self.after:.0f}"
