"""The ladder of a competition: club > league > season > division > round > match > game.

The truth of a season is its stream and that of ratings each pool's stream; the rows of results, standings and ratings
are kept for pages and rebuilt from them (`tournaments.maintenance.rebuild`)."""

from __future__ import annotations

import hashlib
import secrets
from typing import Any

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models, transaction
from django.db.models import Q

from games.models import Game, Player, Stream
from tournaments.seasons.settings import SeasonSettings


def new_salt() -> str:
    """16 random bytes, in hex."""
    return secrets.token_hex(16)


class Club(models.Model):
    """A club. `tournaments.clubs.permissions` says who sees it; an archived one is read, and nothing in it changes."""

    class Visibility(models.TextChoices):
        PUBLIC = "public"
        PRIVATE = "private"

    class Joining(models.TextChoices):
        OPEN = "open"
        ASK = "ask"
        INVITED = "invited"

    name = models.CharField(max_length=60, unique=True)
    slug = models.SlugField(max_length=60, unique=True)
    about = models.TextField(blank=True)
    rules = models.TextField(blank=True, help_text="What the club asks of its members, in its own words.")
    zone = models.CharField(max_length=40, default="UTC", help_text="The club's time zone, as Europe/Dublin.")
    visibility = models.CharField(max_length=10, choices=Visibility, default=Visibility.PUBLIC)
    joining = models.CharField(max_length=10, choices=Joining, default=Joining.ASK, help_text="How people get in.")
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="clubs")
    offered_to = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+", help_text="The next owner."
    )
    created = models.DateTimeField(auto_now_add=True)
    archived_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name

    def save(self, *args: Any, **kwargs: Any) -> None:
        """With its owner among the members; who owned it before organises it."""
        with transaction.atomic():
            super().save(*args, **kwargs)
            Membership.objects.filter(club=self, role=Membership.Role.OWNER).exclude(user=self.owner_id).update(
                role=Membership.Role.ORGANISER
            )
            Membership.objects.update_or_create(
                club=self, user_id=self.owner_id, defaults={"role": Membership.Role.OWNER}
            )

    @property
    def is_private(self) -> bool:
        return self.visibility == self.Visibility.PRIVATE


class Membership(models.Model):
    """Who belongs to a club, and what they may do there (`tournaments.clubs.permissions`)."""

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
        constraints = [
            models.UniqueConstraint(fields=["club", "user"], name="one_role_a_club"),
            models.UniqueConstraint(fields=["club"], condition=Q(role="owner"), name="one_owner_a_club"),
        ]

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
        PAUSED = "paused"
        FINISHED = "finished"
        ABANDONED = "abandoned"

    league = models.ForeignKey(League, models.CASCADE, related_name="seasons")
    name = models.CharField(max_length=60)
    slug = models.SlugField(max_length=60)
    stream = models.OneToOneField(Stream, models.PROTECT, related_name="season")

    settings = models.JSONField(
        default=dict,
        help_text="tournaments.seasons.settings.SeasonSettings as data, complete; the columns below repeat some of it.",
    )
    kind = models.CharField(max_length=20)
    options = models.JSONField(default=dict, blank=True, help_text="The game's options, complete.")
    terms = models.JSONField(default=dict, blank=True, help_text="games.gamelog.terms.Terms of every game, complete.")
    format = models.CharField(max_length=30, help_text="A name of tournaments.formats.FORMATS.")
    table_size = models.PositiveSmallIntegerField(default=2, help_text="Entrants at a table.")
    games_a_match = models.PositiveSmallIntegerField(default=2, help_text="Games a match; seats are rotated.")
    points = models.JSONField(default=dict, help_text="tournaments.scoring.standings.PointsSystem as data.")
    tie_breaks = models.JSONField(
        default=list, help_text="Names of tournaments.scoring.standings.TIE_BREAKS, in order."
    )
    pool = models.CharField(
        max_length=10, blank=True, help_text="Rating pool: people, bots or mixed, as the entrants are at the start."
    )

    status = models.CharField(max_length=10, choices=Status, default=Status.OPEN)
    starts_at = models.DateTimeField()
    delay_seconds = models.PositiveIntegerField(
        default=0, help_text="By how much pauses have moved the rounds to come behind the calendar."
    )
    paused_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    imported_at = models.DateTimeField(
        null=True, blank=True, help_text="When its first results came from a file; empty where all was played here."
    )
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
            models.Index(fields=["id"], condition=Q(status__in=["running", "paused"]), name="season_running"),
            models.Index(fields=["id"], condition=Q(repeats=True, successor=None), name="season_to_repeat"),
        ]

    def __str__(self) -> str:
        return f"{self.league.name}, {self.name}"

    @property
    def path(self) -> str:
        """How logs and commands name it: lantern-street/plates/winter."""
        return f"{self.league.club.slug}/{self.league.slug}/{self.slug}"

    def rules(self) -> SeasonSettings:
        """The settings as they were checked when it was set up."""
        return SeasonSettings.read(self.settings)


# What was begun is played and counted while it is paused.
GOING_ON = (Season.Status.RUNNING, Season.Status.PAUSED)


class Note(models.Model):
    """What somebody wrote as the reason of a step. The season's stream holds its id and `digest` alone, so the words
    can be blanked and the event still shows that they were these."""

    season = models.ForeignKey(Season, models.CASCADE, related_name="notes")
    author = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    text = models.TextField(blank=True, help_text="Blank it to take the words back; never change them.")
    salt = models.CharField(max_length=32, default=new_salt, editable=False)
    created = models.DateTimeField()

    class Meta:
        ordering = ["created", "id"]

    def __str__(self) -> str:
        return self.text[:60]

    @property
    def digest(self) -> str:
        """SHA-256 of salt and words, in hex."""
        return hashlib.sha256(f"{self.salt}{self.text}".encode()).hexdigest()


class Division(models.Model):
    """Entrants who play among themselves. Number 1 is the highest; a play-off stands behind them (`is_playoff`)."""

    season = models.ForeignKey(Season, models.CASCADE, related_name="divisions")
    number = models.PositiveSmallIntegerField(default=1)
    name = models.CharField(max_length=60)
    rounds_opened = models.PositiveSmallIntegerField(default=0, help_text="Opening a round is claimed by counting up.")
    wakes_at = models.DateTimeField(
        null=True, blank=True, help_text="When the format is to be asked again, though nothing has happened."
    )
    waited_at = models.PositiveIntegerField(
        null=True, blank=True, help_text="The version of the season's stream at which its format had nothing to pair."
    )
    finished_at = models.DateTimeField(null=True, blank=True)
    is_playoff = models.BooleanField(default=False, help_text="Whether it plays for places between two divisions.")
    on_hold = models.BooleanField(
        default=False, help_text="Its last round was undone; nothing is paired until an organiser says so."
    )

    class Meta:
        ordering = ["number"]
        constraints = [models.UniqueConstraint(fields=["season", "number"], name="one_division_a_number")]

    def __str__(self) -> str:
        return self.name


class Entrant(models.Model):
    """A player in a season. `number` is the order of asking to enter the season, 1 …, never used again: events name
    entrants by it. Before the start everybody is in the first division."""

    class Status(models.TextChoices):
        ASKED = "asked", "asks to be let in"
        WAITING = "waiting", "on the waiting list"
        IN = "in", "in"
        ALTERNATE = "alternate", "waits for a place in the running season"
        WITHDRAWN = "withdrawn"
        OUT = "out", "left before it played, or was not let in"

    season = models.ForeignKey(Season, models.CASCADE, related_name="entries")
    division = models.ForeignKey(Division, models.CASCADE, related_name="entrants")
    player = models.ForeignKey(Player, models.PROTECT, related_name="entries")
    number = models.PositiveSmallIntegerField()
    status = models.CharField(max_length=10, choices=Status, default=Status.IN)
    joined_at = models.DateTimeField()
    checked_in_at = models.DateTimeField(null=True, blank=True)
    away = ArrayField(
        models.PositiveSmallIntegerField(), default=list, blank=True, help_text="Rounds without them, as they said."
    )
    since = models.PositiveSmallIntegerField(default=1, help_text="The first round that they could be paired in.")

    class Meta:
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(fields=["season", "player"], condition=~Q(status="out"), name="one_entry_a_player"),
            models.UniqueConstraint(fields=["season", "number"], name="one_entrant_a_number"),
        ]

    def __str__(self) -> str:
        return self.player.name

    @property
    def plays(self) -> bool:
        """Whether they count among the entrants of the division, be it that they have withdrawn since."""
        return self.status in PLAYING


PLAYING = (Entrant.Status.IN, Entrant.Status.WITHDRAWN)


class StandingRounds(models.Manager["Round"]):
    """The rounds that were not undone."""

    def get_queryset(self) -> models.QuerySet[Round]:
        return super().get_queryset().exclude(status=Round.Status.UNDONE)


class Round(models.Model):
    """A round of a division. Each step is claimed by compare-and-set on `status`. One that was undone stays, with its
    matches, and the next one paired has its number: `objects` and `division.rounds` are without it."""

    class Status(models.TextChoices):
        OPEN = "open"
        CLOSED = "closed"
        UNDONE = "undone"

    division = models.ForeignKey(Division, models.CASCADE, related_name="rounds")
    number = models.PositiveSmallIntegerField()
    status = models.CharField(max_length=10, choices=Status, default=Status.OPEN)
    opened_at = models.DateTimeField()
    closes_at = models.DateTimeField(
        null=True, blank=True, help_text="When its games are to be over, as extended; empty where it waits for them."
    )
    overdue_at = models.DateTimeField(
        null=True, blank=True, help_text="When its time was up with games unplayed; what the season says was done then."
    )
    closed_at = models.DateTimeField(null=True, blank=True)

    with_undone = models.Manager()
    objects = StandingRounds()

    class Meta:
        default_manager_name = "objects"
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(
                fields=["division", "number"], condition=~Q(status="undone"), name="one_round_a_number"
            )
        ]
        indexes = [
            models.Index(fields=["id"], condition=Q(status="open"), name="round_open"),
            models.Index(fields=["opened_at"], name="round_opened"),
        ]

    def __str__(self) -> str:
        return f"round {self.number}"


class Match(models.Model):
    """A series of games between the same entrants; `reason` says why they meet, `timing` how its time was found."""

    class Timing(models.TextChoices):
        OPEN = "open", "at once, or whenever one likes"
        FIXED = "fixed", "by the calendar"
        OTHERWISE = "otherwise", "unless another time is agreed on"
        AGREED = "agreed", "as was agreed"
        NIGHT = "night", "at night, by bots alone"

    round = models.ForeignKey(Round, models.CASCADE, related_name="matches")
    table = models.PositiveSmallIntegerField()
    reason = models.TextField()
    slot = models.CharField(max_length=20, blank=True, help_text="Its place in a bracket or group.")
    begins_at = models.DateTimeField(null=True, blank=True, help_text="Of its first game; empty for no time.")
    timing = models.CharField(max_length=10, choices=Timing, default=Timing.OPEN)
    timed_at = models.DateTimeField(null=True, blank=True, help_text="When that time was set.")
    opens_at = models.DateTimeField(
        null=True, blank=True, help_text="When its first games are to be opened; empty once they are."
    )
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name_plural = "matches"
        ordering = ["table"]
        constraints = [models.UniqueConstraint(fields=["round", "table"], name="one_match_a_table")]
        indexes = [
            models.Index(fields=["opens_at"], condition=Q(opens_at__isnull=False), name="match_to_open"),
            models.Index(fields=["-finished_at"], condition=Q(finished_at__isnull=False), name="match_finished"),
            models.Index(fields=["round"], condition=Q(finished_at=None), name="match_unfinished"),
        ]

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
    """An entrant who has no match in a round, with the reason. A walkover counts as won, since who is `missing` has
    withdrawn."""

    class Kind(models.TextChoices):
        BYE = "bye", "rests"
        AWAY = "away", "is away"
        WALKOVER = "walkover"

    round = models.ForeignKey(Round, models.CASCADE, related_name="byes")
    entrant = models.ForeignKey(Entrant, models.CASCADE, related_name="byes")
    reason = models.TextField()
    kind = models.CharField(max_length=10, choices=Kind, default=Kind.BYE)
    missing = models.ForeignKey(Entrant, models.SET_NULL, null=True, blank=True, related_name="+")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["round", "entrant"], name="one_bye_a_round")]

    def __str__(self) -> str:
        return f"bye of {self.entrant_id} in {self.round_id}"


class MatchGame(models.Model):
    """One game of a match. `recorded_at` is set in the transaction that puts its result into the season's stream.

    A game that was aborted is recorded as such and stays; a new one with the same `number` and the next `replay` is
    played for it. The last `replay` of a number counts, as `ruling` says; `result` is what was decided about it.
    """

    class Ruling(models.TextChoices):
        NONE = "", "as it was played"
        ADJUDICATED = "adjudicated", "decided"
        ANNULLED = "annulled", "counts for nobody"
        REPLACED = "replaced", "is played again"

    match = models.ForeignKey(Match, models.CASCADE, related_name="games")
    number = models.PositiveSmallIntegerField(help_text="1 … within the match.")
    replay = models.PositiveSmallIntegerField(default=0, help_text="1 … if those before were aborted or ordered anew.")
    game = models.OneToOneField(Game, models.PROTECT, related_name="match_game")
    recorded_at = models.DateTimeField(null=True, blank=True)
    ruling = models.CharField(max_length=12, choices=Ruling, default=Ruling.NONE, blank=True)
    result = models.JSONField(null=True, blank=True, help_text="{scores, placings} by seat, if it was decided.")

    class Meta:
        ordering = ["number", "replay"]
        constraints = [models.UniqueConstraint(fields=["match", "number", "replay"], name="one_game_a_number")]
        indexes = [
            models.Index(fields=["game"], condition=Q(recorded_at=None), name="game_unrecorded"),
            models.Index(fields=["recorded_at"], name="game_recorded"),
        ]

    def __str__(self) -> str:
        return f"game {self.number} of match {self.match_id}"

    @property
    def counts(self) -> dict[str, Any] | None:
        """{"scores", "placings"} by seat as they count for the match, or None if it has no result that does."""
        if self.ruling == MatchGame.Ruling.ADJUDICATED:
            return dict(self.result or {})
        if self.ruling or self.game.status != Game.Status.FINISHED:
            return None
        return self.game.outcome


class Dispute(models.Model):
    """An entrant of a match who asks the organisers to look at it."""

    class Status(models.TextChoices):
        OPEN = "open", "waits for an answer"
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
        return f"dispute of {self.entrant_id} about match {self.match_id}"


class Standing(models.Model):
    """An entrant's row after the last closed round: place, points and the arithmetic behind them, as pages show it.
    `division` is the entrant's own, so that an index has a division's table in its order."""

    entrant = models.OneToOneField(Entrant, models.CASCADE, related_name="standing")
    division = models.ForeignKey(Division, models.CASCADE, related_name="standings", db_index=False)
    position = models.PositiveSmallIntegerField(help_text="1 … in the division's table; no two share one.")
    place = models.PositiveSmallIntegerField()
    points = models.FloatField()
    row = models.JSONField(help_text="tournaments.scoring.standings.EntrantStanding as data.")

    class Meta:
        ordering = ["position"]
        indexes = [models.Index(fields=["division", "position"], name="standing_table")]

    def __str__(self) -> str:
        return f"{self.place}. {self.entrant_id}"


class Strength(models.Model):
    """A bot's official figure in a season of bots after the last closed round (`tournaments.ratings.plackett_luce`):
    Elo's scale about the season's mean, half the width of the 95 % interval, and the places it may have."""

    entrant = models.OneToOneField(Entrant, models.CASCADE, related_name="strength")
    rating = models.FloatField()
    half = models.FloatField()
    place = models.PositiveSmallIntegerField()
    low = models.PositiveSmallIntegerField(help_text="The best place that it may have.")
    high = models.PositiveSmallIntegerField(help_text="The worst one.")
    games = models.PositiveIntegerField()
    won = models.BooleanField(help_text="Whether it ever came in before another, or level with one.")
    lost = models.BooleanField(help_text="Whether it ever came in behind another, or level with one.")
    connected = models.BooleanField(help_text="Whether the season's results tie all bots together.")
    chances = models.JSONField(
        default=list,
        help_text="[entrant, chance to come in before it, lowest, highest] by place; where there are few bots.",
    )

    class Meta:
        verbose_name_plural = "strengths"
        ordering = ["place", "entrant__number"]

    def __str__(self) -> str:
        return f"{self.place}. {self.entrant_id}: {self.rating:.0f} ± {self.half:.0f}"


class RatingPool(models.Model):
    """The ratings of one kind of game among people, bots or both."""

    kind = models.CharField(max_length=20)
    pool = models.CharField(max_length=10)
    stream = models.OneToOneField(Stream, models.PROTECT, related_name="rating_pool")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["kind", "pool"], name="one_pool_a_kind")]

    def __str__(self) -> str:
        return f"{self.kind}, {self.pool}"

    @property
    def slug(self) -> str:
        """Its name in addresses."""
        return f"{self.kind}-{self.pool}"


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
    """What one game, or its correction, did to one player's rating; chained by `before` and `after`, in the order of
    the pool's stream."""

    pool = models.ForeignKey(RatingPool, models.CASCADE, related_name="changes")
    player = models.ForeignKey(Player, models.CASCADE, related_name="rating_changes")
    game = models.ForeignKey(Game, models.CASCADE, related_name="rating_changes")
    position = models.PositiveIntegerField(help_text="Of the event in the pool's stream.")
    before = models.FloatField()
    after = models.FloatField()
    games = models.PositiveIntegerField(help_text="Rated games that the player had before it.")
    counted = models.SmallIntegerField(
        help_text="1: the game counts from now on; −1: no more; 0: otherwise than before."
    )

    class Meta:
        ordering = ["position"]
        constraints = [models.UniqueConstraint(fields=["pool", "player", "position"], name="one_change_an_event")]

    def __str__(self) -> str:
        return f"{self.player_id}: {self.before:.0f} → {self.after:.0f}"


from tournaments.activity.models import Act as Act  # noqa: E402  it stands beside the rows above
from tournaments.calendar.models import Answer as Answer  # noqa: E402
from tournaments.calendar.models import CalendarAddress as CalendarAddress  # noqa: E402
from tournaments.calendar.models import CalendarEntry as CalendarEntry  # noqa: E402
from tournaments.calendar.models import CalendarState as CalendarState  # noqa: E402
from tournaments.calendar.models import Proposal as Proposal  # noqa: E402
from tournaments.clubs.models import ClubEvent as ClubEvent  # noqa: E402  they point to the rows above
from tournaments.clubs.models import ClubPost as ClubPost  # noqa: E402
from tournaments.clubs.models import Invitation as Invitation  # noqa: E402
from tournaments.clubs.models import JoinRequest as JoinRequest  # noqa: E402
from tournaments.importexport.models import ImportedGame as ImportedGame  # noqa: E402
from tournaments.webhooks.models import Delivery as Delivery  # noqa: E402
from tournaments.webhooks.models import Webhook as Webhook  # noqa: E402
