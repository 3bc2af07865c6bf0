"""The ladder of a competition: club > league > season > division > round > match > game.

The truth of a season is its stream and that of ratings each pool's stream; the rows of results, standings and ratings
are kept for pages and rebuilt from them (`tournaments.rebuild`)."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

from games.models import Game, Player, Stream


class Club(models.Model):
    name = models.CharField(max_length=60, unique=True)
    slug = models.SlugField(max_length=60, unique=True)
    about = models.TextField(blank=True)
    zone = models.CharField(max_length=40, default="UTC", help_text="The club's time zone, as Europe/Dublin.")
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="clubs")
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name


class Membership(models.Model):
    """Who belongs to a club, and what they may do there (`tournaments.roles`)."""

    class Role(models.TextChoices):
        OWNER = "owner"
        ORGANISER = "organiser"
        MEMBER = "member"

    club = models.ForeignKey(Club, models.CASCADE, related_name="memberships")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=10, choices=Role, default=Role.MEMBER)
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["created", "id"]
        constraints = [models.UniqueConstraint(fields=["club", "user"], name="one_role_a_club")]

    def __str__(self) -> str:
        return f"{self.user}, {self.role} of {self.club}"


class League(models.Model):
    club = models.ForeignKey(Club, models.CASCADE, related_name="leagues")
    name = models.CharField(max_length=60)
    slug = models.SlugField(max_length=60)

    class Meta:
        ordering = ["name"]
        constraints = [models.UniqueConstraint(fields=["club", "slug"], name="one_league_a_slug")]

    def __str__(self) -> str:
        return self.name


class Season(models.Model):
    """One running of a league: a kind of game, a format, and everything that both need to know."""

    class Status(models.TextChoices):
        OPEN = "open", "open for entries"
        RUNNING = "running"
        FINISHED = "finished"

    league = models.ForeignKey(League, models.CASCADE, related_name="seasons")
    name = models.CharField(max_length=60)
    slug = models.SlugField(max_length=60)
    stream = models.OneToOneField(Stream, models.PROTECT, related_name="season")

    kind = models.CharField(max_length=20)
    options = models.JSONField(default=dict, blank=True, help_text="The game's options, complete.")
    terms = models.JSONField(default=dict, blank=True, help_text="games.terms.Terms of every game, complete.")
    format = models.CharField(max_length=30, help_text="round_robin or double_round_robin.")
    table_size = models.PositiveSmallIntegerField(default=2, help_text="Entrants at a table.")
    games_a_match = models.PositiveSmallIntegerField(default=2, help_text="Games a match; seats are rotated.")
    points = models.JSONField(default=dict, help_text="tournaments.standings.PointsSystem as data.")
    tie_breaks = models.JSONField(default=list, help_text="Names of tournaments.standings.TIE_BREAKS, in order.")
    pool = models.CharField(
        max_length=10, blank=True, help_text="Rating pool: people, bots or mixed, as the entrants are at the start."
    )

    status = models.CharField(max_length=10, choices=Status, default=Status.OPEN)
    starts_at = models.DateTimeField()
    round_seconds = models.PositiveIntegerField(default=86400, help_text="From one round's opening to the next.")
    finished_at = models.DateTimeField(null=True, blank=True)
    repeats = models.BooleanField(
        default=False, help_text="Once it is finished, open the next season with the same settings and entrants."
    )
    successor = models.OneToOneField(
        "self", models.SET_NULL, null=True, blank=True, related_name="predecessor", help_text="The season opened so."
    )

    class Meta:
        ordering = ["-starts_at"]
        constraints = [models.UniqueConstraint(fields=["league", "slug"], name="one_season_a_slug")]
        indexes = [
            models.Index(fields=["id"], condition=Q(status="running"), name="season_running"),
            models.Index(fields=["id"], condition=Q(repeats=True, successor=None), name="season_to_repeat"),
        ]

    def __str__(self) -> str:
        return f"{self.league.name}, {self.name}"


class Division(models.Model):
    season = models.ForeignKey(Season, models.CASCADE, related_name="divisions")
    number = models.PositiveSmallIntegerField(default=1)
    name = models.CharField(max_length=60)
    rounds_opened = models.PositiveSmallIntegerField(default=0, help_text="Opening a round is claimed by counting up.")

    class Meta:
        ordering = ["number"]
        constraints = [models.UniqueConstraint(fields=["season", "number"], name="one_division_a_number")]

    def __str__(self) -> str:
        return self.name


class Entrant(models.Model):
    """A player in a season. `number` is the order of joining in the division, 1 …: pairing starts from it."""

    division = models.ForeignKey(Division, models.CASCADE, related_name="entrants")
    player = models.ForeignKey(Player, models.PROTECT, related_name="entries")
    number = models.PositiveSmallIntegerField()
    joined_at = models.DateTimeField()

    class Meta:
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(fields=["division", "player"], name="one_entry_a_player"),
            models.UniqueConstraint(fields=["division", "number"], name="one_entrant_a_number"),
        ]

    def __str__(self) -> str:
        return self.player.name


class Round(models.Model):
    """A round of a division. Each step is claimed by compare-and-set on `status`."""

    class Status(models.TextChoices):
        OPEN = "open"
        CLOSED = "closed"

    division = models.ForeignKey(Division, models.CASCADE, related_name="rounds")
    number = models.PositiveSmallIntegerField()
    status = models.CharField(max_length=10, choices=Status, default=Status.OPEN)
    opened_at = models.DateTimeField()
    closed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["number"]
        constraints = [models.UniqueConstraint(fields=["division", "number"], name="one_round_a_number")]
        indexes = [models.Index(fields=["id"], condition=Q(status="open"), name="round_open")]

    def __str__(self) -> str:
        return f"round {self.number}"


class Match(models.Model):
    """A series of games between the same entrants; `reason` says why they meet."""

    round = models.ForeignKey(Round, models.CASCADE, related_name="matches")
    table = models.PositiveSmallIntegerField()
    reason = models.TextField()
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name_plural = "matches"
        ordering = ["table"]
        constraints = [models.UniqueConstraint(fields=["round", "table"], name="one_match_a_table")]

    def __str__(self) -> str:
        return f"match {self.table} of {self.round_id}"


class MatchEntrant(models.Model):
    """Who plays a match. `points` are the match points, set when the last of its games is recorded."""

    match = models.ForeignKey(Match, models.CASCADE, related_name="entrants")
    entrant = models.ForeignKey(Entrant, models.CASCADE, related_name="matches")
    order = models.PositiveSmallIntegerField(help_text="0 …: who sits in seat 0 in the first game.")
    points = models.FloatField(null=True, blank=True)

    class Meta:
        ordering = ["order"]
        constraints = [models.UniqueConstraint(fields=["match", "entrant"], name="once_a_match")]

    def __str__(self) -> str:
        return f"{self.entrant_id} in match {self.match_id}"


class Bye(models.Model):
    """An entrant who has no match in a round, with the reason."""

    round = models.ForeignKey(Round, models.CASCADE, related_name="byes")
    entrant = models.ForeignKey(Entrant, models.CASCADE, related_name="byes")
    reason = models.TextField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["round", "entrant"], name="one_bye_a_round")]

    def __str__(self) -> str:
        return f"bye of {self.entrant_id} in {self.round_id}"


class MatchGame(models.Model):
    """One game of a match. `recorded_at` is set in the transaction that puts its result into the season's stream.

    A game that was aborted is recorded as such and stays; a new one with the same `number` and the next `replay` is
    played for it. The last `replay` of a number counts.
    """

    match = models.ForeignKey(Match, models.CASCADE, related_name="games")
    number = models.PositiveSmallIntegerField(help_text="1 … within the match.")
    replay = models.PositiveSmallIntegerField(default=0, help_text="1 … if the ones before were aborted.")
    game = models.OneToOneField(Game, models.PROTECT, related_name="match_game")
    recorded_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["number", "replay"]
        constraints = [models.UniqueConstraint(fields=["match", "number", "replay"], name="one_game_a_number")]
        indexes = [models.Index(fields=["game"], condition=Q(recorded_at=None), name="game_unrecorded")]

    def __str__(self) -> str:
        return f"game {self.number} of match {self.match_id}"


class Standing(models.Model):
    """An entrant's row after the last closed round: place, points and the arithmetic behind them, as pages show it."""

    entrant = models.OneToOneField(Entrant, models.CASCADE, related_name="standing")
    place = models.PositiveSmallIntegerField()
    points = models.FloatField()
    row = models.JSONField(help_text="tournaments.standings.Row as data.")

    class Meta:
        ordering = ["place", "entrant__number"]

    def __str__(self) -> str:
        return f"{self.place}. {self.entrant_id}"


class RatingPool(models.Model):
    """The ratings of one kind of game among people, bots or both."""

    kind = models.CharField(max_length=20)
    pool = models.CharField(max_length=10)
    stream = models.OneToOneField(Stream, models.PROTECT, related_name="rating_pool")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["kind", "pool"], name="one_pool_a_kind")]

    def __str__(self) -> str:
        return f"{self.kind}, {self.pool}"


class Rating(models.Model):
    """A player's Elo now, folded from the pool's stream."""

    pool = models.ForeignKey(RatingPool, models.CASCADE, related_name="ratings")
    player = models.ForeignKey(Player, models.CASCADE, related_name="ratings")
    rating = models.FloatField()
    games = models.PositiveIntegerField()

    class Meta:
        ordering = ["-rating"]
        constraints = [models.UniqueConstraint(fields=["pool", "player"], name="one_rating_a_pool")]
        indexes = [models.Index(fields=["pool", "-rating"], name="rating_by_pool")]

    def __str__(self) -> str:
        return f"{self.player_id}: {self.rating:.0f}"


class RatingChange(models.Model):
    """What one game did to one player's rating; chained by `before` and `after`, in the order of the pool's stream."""

    pool = models.ForeignKey(RatingPool, models.CASCADE, related_name="changes")
    player = models.ForeignKey(Player, models.CASCADE, related_name="rating_changes")
    game = models.ForeignKey(Game, models.CASCADE, related_name="rating_changes")
    position = models.PositiveIntegerField(help_text="Of the event in the pool's stream.")
    before = models.FloatField()
    after = models.FloatField()

    class Meta:
        ordering = ["position"]
        constraints = [models.UniqueConstraint(fields=["pool", "player", "position"], name="one_change_an_event")]

    def __str__(self) -> str:
        return f"{self.player_id}: {self.before:.0f} → {self.after:.0f}"
