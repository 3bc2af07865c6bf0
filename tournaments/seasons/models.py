"""The rows of a competition: league > season > division > round > match > game, in a club.

A season's stream is the truth; the rows of matches and results are for pages and can be rebuilt from it
(`tournaments.maintenance.rebuild`). `OrganiserAction` records which of its events an organiser caused.
"""

from __future__ import annotations

import hashlib
import secrets
from typing import Any

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy

from games.common.table_source import Primary, Projection
from games.eventlog.models import Stream
from games.models import Game, Player
from scorebook_games.presentation.coded_text import text
from tournaments.formats import FORMATS
from tournaments.formats.format import Format
from tournaments.seasons.settings import SeasonSettings


def new_salt() -> str:
    """Return 16 random bytes, in hex."""
    return secrets.token_hex(16)


class League(models.Model):
    """A series of seasons of one kind, in a club."""

    table_source = Primary("What organisers entered: a name is in no log.")

    club = models.ForeignKey("clubs.Club", models.CASCADE, related_name="leagues")
    name = models.CharField(max_length=60)
    slug = models.SlugField(max_length=60)

    class Meta:
        ordering = ["name"]
        constraints = [models.UniqueConstraint(fields=["club", "slug"], name="one_league_a_slug")]

    def __str__(self) -> str:
        return self.name


class Season(models.Model):
    """One competition of a league, with its kind, format and all other settings."""

    table_source = Projection(
        "the season's stream",
        {
            "league, name, slug": "what organisers entered: a name is in no log",
            "stream": "which log is its",
            "starts_at, repeats": "what organisers entered for the calendar",
            "successor": "which season follows",
        },
        imported=("paused_at", "finished_at"),
    )

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
        help_text="All settings of the season. Some columns below repeat a part.",
    )
    kind = models.CharField(max_length=20)
    options = models.JSONField(default=dict, blank=True, help_text="The game's options, complete.")
    terms = models.JSONField(default=dict, blank=True, help_text="The terms of every game, such as clocks, complete.")
    format = models.CharField(max_length=30, help_text="The code of the format.")
    table_size = models.PositiveSmallIntegerField(default=2, help_text="Entrants per table.")
    games_a_match = models.PositiveSmallIntegerField(default=2, help_text="Games per match; seats rotate.")
    points = models.JSONField(default=dict, help_text="The points of a match, by its result.")
    tie_breaks = models.JSONField(default=list, help_text="Codes of the tie-breaks, in order.")
    pool = models.CharField(
        max_length=10, blank=True, help_text="Rating pool by the entrants at the start: people, bots or mixed."
    )

    status = models.CharField(max_length=10, choices=Status, default=Status.OPEN)
    starts_at = models.DateTimeField()
    delay_seconds = models.PositiveIntegerField(
        default=0, help_text="Delay of the remaining rounds behind the calendar, caused by pauses."
    )
    paused_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    imported_at = models.DateTimeField(
        null=True, blank=True, help_text="When its first results were imported; empty if all games were played here."
    )
    repeats = models.BooleanField(
        default=False, help_text="When it has finished, open the next season with the same settings and entrants."
    )
    successor = models.OneToOneField(
        "self",
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="predecessor",
        help_text="The next season that was opened this way.",
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
    def competition(self) -> Format:
        """The class of the season's format: its words, what it needs, who meets whom."""
        return FORMATS[self.format]

    @property
    def path(self) -> str:
        """The season's name in logs and commands, as lantern-street/plates/winter."""
        return f"{self.league.club.slug}/{self.league.slug}/{self.slug}"

    def rules(self) -> SeasonSettings:
        """Return the settings as they were checked when the season was set up."""
        return SeasonSettings.read(self.settings)


# In a paused season, open rounds are still played and counted.
GOING_ON = (Season.Status.RUNNING, Season.Status.PAUSED)


class Note(models.Model):
    """The reason that somebody wrote for an action. The season's stream has only its id and `digest`, so the text can
    be blanked, and the event still proves what it was."""

    table_source = Primary("What people wrote. Events have its id and hash only, so that it can be blanked.")

    season = models.ForeignKey(Season, models.CASCADE, related_name="notes")
    author = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    text = models.TextField(blank=True, help_text="To remove the text, blank it; never change it.")
    salt = models.CharField(max_length=32, default=new_salt, editable=False)
    created = models.DateTimeField()

    class Meta:
        ordering = ["created", "id"]

    def __str__(self) -> str:
        return self.text[:60]

    @property
    def digest(self) -> str:
        """SHA-256 of salt and text, in hex."""
        return hashlib.sha256(f"{self.salt}{self.text}".encode()).hexdigest()


class Division(models.Model):
    """Entrants who play against one another. Number 1 is the highest; play-offs have higher numbers (`is_playoff`)."""

    table_source = Projection(
        "the season's stream",
        {
            "name": "what organisers entered: a name is in no log",
            "wakes_at, waited_at": "when the director asks the format again; without them it asks at once",
        },
        imported=("finished_at",),
    )

    season = models.ForeignKey(Season, models.CASCADE, related_name="divisions")
    number = models.PositiveSmallIntegerField(default=1)
    name = models.CharField(max_length=60)
    rounds_opened = models.PositiveSmallIntegerField(
        default=0, help_text="Paired rounds, without those that were undone."
    )
    wakes_at = models.DateTimeField(
        null=True, blank=True, help_text="When the format is asked again, without a new event."
    )
    waited_at = models.PositiveIntegerField(
        null=True, blank=True, help_text="Version of the season's stream at which the format had nothing to pair."
    )
    finished_at = models.DateTimeField(null=True, blank=True)
    is_playoff = models.BooleanField(
        default=False, help_text="Whether it is a play-off for places between two divisions."
    )
    on_hold = models.BooleanField(
        default=False, help_text="The last round was undone; an organiser must allow the next pairing."
    )

    class Meta:
        ordering = ["number"]
        constraints = [models.UniqueConstraint(fields=["season", "number"], name="one_division_a_number")]

    def __str__(self) -> str:
        return self.name


class Entrant(models.Model):
    """A player in a season. `number` is the order of asking to enter, 1 …, and is never reused: events name entrants by
    it. Before the start all are in the first division."""

    table_source = Projection("the season's stream", imported=("joined_at",))

    class Status(models.TextChoices):
        INVITED = "invited", gettext_lazy("invited, no answer yet")
        ASKED = "asked", gettext_lazy("waits for approval")
        WAITING = "waiting", gettext_lazy("on the waiting list")
        IN = "in", gettext_lazy("entered")
        ALTERNATE = "alternate", gettext_lazy("waits for a free place")
        WITHDRAWN = "withdrawn", gettext_lazy("Withdrawn")
        OUT = "out", gettext_lazy("not in the season")

    season = models.ForeignKey(Season, models.CASCADE, related_name="entries")
    division = models.ForeignKey(Division, models.CASCADE, related_name="entrants")
    player = models.ForeignKey(Player, models.PROTECT, related_name="entries")
    number = models.PositiveSmallIntegerField()
    status = models.CharField(max_length=10, choices=Status, default=Status.IN)
    joined_at = models.DateTimeField()
    checked_in_at = models.DateTimeField(null=True, blank=True)
    away = ArrayField(
        models.PositiveSmallIntegerField(), default=list, blank=True, help_text="Rounds that the entrant asked to miss."
    )
    promised = ArrayField(
        models.PositiveSmallIntegerField(),
        default=list,
        blank=True,
        help_text="Rounds in which the entrant has promised to play.",
    )
    called = ArrayField(
        models.PositiveSmallIntegerField(),
        default=list,
        blank=True,
        help_text="Of an alternate who stands in for absent entrants: the rounds that they were called for.",
    )
    since = models.PositiveSmallIntegerField(default=1, help_text="The first round in which the entrant can be paired.")

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
        """Whether they count among the division's entrants, even if they have withdrawn."""
        return self.status in PLAYING


PLAYING = (Entrant.Status.IN, Entrant.Status.WITHDRAWN)
# The teams with a captain who is a person; with further conditions on `members` in one `filter`, of this captain.
WITH_CAPTAIN = Q(members__is_captain=True, members__player__user__isnull=False)


class TeamMember(models.Model):
    """A player of a team, which is the entrant. Who has left it keeps the row, without `order`."""

    table_source = Projection("the season's stream")

    entrant = models.ForeignKey(Entrant, models.CASCADE, related_name="members")
    player = models.ForeignKey(Player, models.PROTECT, related_name="teams")
    order = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text="Place in the team's order, from 1; empty for a player who has left."
    )
    is_captain = models.BooleanField(default=False)

    class Meta:
        ordering = ["order", "id"]
        constraints = [models.UniqueConstraint(fields=["entrant", "player"], name="one_member_a_player")]

    def __str__(self) -> str:
        return f"{self.player} of {self.entrant}"


class StandingRounds(models.Manager["Round"]):
    """The rounds that were not undone."""

    def get_queryset(self) -> models.QuerySet[Round]:
        return super().get_queryset().exclude(status=Round.Status.UNDONE)


class Round(models.Model):
    """A round of a division. One that was undone is kept with its matches, and the next one paired has its number;
    `objects` and `division.rounds` leave it out."""

    table_source = Projection("the season's stream", imported=("opened_at", "closed_at"))

    class Status(models.TextChoices):
        OPEN = "open"
        CLOSED = "closed"
        UNDONE = "undone"

    division = models.ForeignKey(Division, models.CASCADE, related_name="rounds")
    number = models.PositiveSmallIntegerField()
    status = models.CharField(max_length=10, choices=Status, default=Status.OPEN)
    opened_at = models.DateTimeField()
    closes_at = models.DateTimeField(
        null=True,
        blank=True,
        help_text="End of the round, including extensions; empty if the round waits for its games.",
    )
    overdue_at = models.DateTimeField(
        null=True, blank=True, help_text="When the round ended with unplayed games and the season's rule was applied."
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
    """A series of games between the same entrants. `reason` says why they meet (`formats.reasons`), `timing` how its
    time was found."""

    table_source = Projection("the season's stream", imported=("reason", "timing", "timed_at", "finished_at"))

    class Timing(models.TextChoices):
        OPEN = "open", "immediately, or at any time"
        FIXED = "fixed", "set by the calendar"
        FALLBACK = "fallback", "unless the players agree on another time"
        AGREED = "agreed", "agreed by the players"
        NIGHT = "night", "at night, between bots"
        WALKOVER = "walkover", "at once, because a player has withdrawn"

    round = models.ForeignKey(Round, models.CASCADE, related_name="matches")
    table = models.PositiveSmallIntegerField()
    reason = models.JSONField(help_text="Sentences: each a code with its parameters.")
    slot = models.CharField(max_length=20, blank=True, help_text="Position in a bracket or group.")
    begins_at = models.DateTimeField(
        null=True, blank=True, help_text="Start of the first game; empty if no time is set."
    )
    timing = models.CharField(max_length=10, choices=Timing, default=Timing.OPEN)
    timed_at = models.DateTimeField(null=True, blank=True, help_text="When the start time was set.")
    opens_at = models.DateTimeField(
        null=True, blank=True, help_text="When the first games are to be opened; empty afterwards."
    )
    lineups_due = models.DateTimeField(
        null=True, blank=True, help_text="Until when captains name line-ups; empty once both are known."
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
        return f"match {self.pk}, table {self.table}"

    @property
    def reason_text(self) -> str:
        """The reason in the reader's language."""
        return text(self.reason)


class MatchEntrant(models.Model):
    """An entrant of a match. `points` are the match points, set when the last game is recorded."""

    table_source = Projection("the season's stream")

    match = models.ForeignKey(Match, models.CASCADE, related_name="entrants", db_index=False)
    entrant = models.ForeignKey(Entrant, models.CASCADE, related_name="matches")
    order = models.PositiveSmallIntegerField(help_text="Order from 0; entrant 0 has seat 0 in the first game.")
    points = models.FloatField(null=True, blank=True)

    class Meta:
        ordering = ["order"]
        constraints = [models.UniqueConstraint(fields=["match", "entrant"], name="once_a_match")]

    def __str__(self) -> str:
        return f"{self.entrant} in match {self.match_id}"


class BoardPlayer(models.Model):
    """Who plays for a team at a board of a match, once both line-ups are known; without a player if nobody does."""

    table_source = Projection("the season's stream")

    class How(models.TextChoices):
        SUBMITTED = "submitted", gettext_lazy("named by the captain")
        STANDING = "standing", gettext_lazy("the team’s order")

    match = models.ForeignKey(Match, models.CASCADE, related_name="boards")
    entrant = models.ForeignKey(Entrant, models.CASCADE, related_name="boards")
    board = models.PositiveSmallIntegerField(help_text="From 1, the highest.")
    player = models.ForeignKey(Player, models.PROTECT, null=True, blank=True, related_name="boards")
    how = models.CharField(max_length=10, choices=How, default=How.STANDING)

    class Meta:
        ordering = ["board"]
        constraints = [models.UniqueConstraint(fields=["match", "entrant", "board"], name="one_player_a_board")]

    def __str__(self) -> str:
        return f"board {self.board} of {self.entrant} in match {self.match_id}"


class EmptyBoard(models.Model):
    """A game of a match that is not played, because a team has nobody for it. `result` is as of a recorded game."""

    table_source = Projection("the season's stream")

    match = models.ForeignKey(Match, models.CASCADE, related_name="empty_boards")
    number = models.PositiveSmallIntegerField(help_text="Number of the game within the match, from 1.")
    result = models.JSONField()

    class Meta:
        ordering = ["number"]
        constraints = [models.UniqueConstraint(fields=["match", "number"], name="one_empty_board_a_number")]

    def __str__(self) -> str:
        return f"game {self.number} of match {self.match_id}, not played"


class SealedLineup(models.Model):
    """The line-up that a captain has handed in. Until both are in or the time is over, only the team may see it, and
    the season's stream has only its `digest`."""

    table_source = Primary("What captains hand in is secret, so the stream has its hash only until it is revealed.")

    match = models.ForeignKey(Match, models.CASCADE, related_name="sealed_lineups")
    entrant = models.ForeignKey(Entrant, models.CASCADE, related_name="sealed_lineups")
    players = models.JSONField(help_text="Ids of the players by board, null where nobody sits.")
    salt = models.CharField(max_length=32, default=new_salt, editable=False)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["match", "entrant"], name="one_lineup_a_team")]

    def __str__(self) -> str:
        return f"line-up of {self.entrant} for match {self.match_id}"

    @property
    def digest(self) -> str:
        """SHA-256 of salt and players, in hex."""
        named = ",".join(str(player or 0) for player in self.players)
        return hashlib.sha256(f"{self.salt}{named}".encode()).hexdigest()


class Bye(models.Model):
    """An entrant without a match in a round, with the reason. A walkover counts as a win, because the `missing`
    opponent has withdrawn."""

    table_source = Projection("the season's stream", imported=("reason",))

    class Kind(models.TextChoices):
        BYE = "bye", "rests"
        AWAY = "away", "is absent"
        UNPAID = "unpaid", "is absent, without points"
        WALKOVER = "walkover"

    round = models.ForeignKey(Round, models.CASCADE, related_name="byes")
    entrant = models.ForeignKey(Entrant, models.CASCADE, related_name="byes")
    reason = models.JSONField(help_text="Sentences: each a code with its parameters.")
    kind = models.CharField(max_length=10, choices=Kind, default=Kind.BYE)
    missing = models.ForeignKey(Entrant, models.SET_NULL, null=True, blank=True, related_name="+")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["round", "entrant"], name="one_bye_a_round")]

    def __str__(self) -> str:
        return f"bye of {self.entrant} in {self.round}"

    @property
    def is_absence(self) -> bool:
        """Whether the entrant asked to miss the round."""
        return self.kind in (Bye.Kind.AWAY, Bye.Kind.UNPAID)

    @property
    def reason_text(self) -> str:
        """The reason in the reader's language."""
        return text(self.reason)


class MatchGame(models.Model):
    """A game of a match. `recorded_at` is set in the transaction that adds its result to the season's stream.

    An aborted game is recorded and kept; a new game with the same `number` and the next `replay` replaces it. The last
    `replay` of a number counts, as `ruling` says; `result` is what an organiser decided.
    """

    table_source = Projection("the season's stream")

    class Ruling(models.TextChoices):
        NONE = "", "as played"
        ADJUDICATED = "adjudicated", "decided"
        ANNULLED = "annulled", "does not count"
        REPLACED = "replaced", "is replayed"

    match = models.ForeignKey(Match, models.CASCADE, related_name="games", db_index=False)
    number = models.PositiveSmallIntegerField(help_text="Number within the match, from 1.")
    replay = models.PositiveSmallIntegerField(
        default=0, help_text="Attempt, from 1; higher after aborted games and ordered replays."
    )
    game = models.OneToOneField(Game, models.PROTECT, related_name="match_game")
    recorded_at = models.DateTimeField(null=True, blank=True)
    ruling = models.CharField(max_length=12, choices=Ruling, default=Ruling.NONE, blank=True)
    result = models.JSONField(null=True, blank=True, help_text="{scores, placings} by seat, if adjudicated.")

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
        """{"scores", "placings"} by seat as they count for the match; None if the game has no result that counts."""
        if self.ruling == MatchGame.Ruling.ADJUDICATED:
            return dict(self.result or {})
        if self.ruling or self.game.status != Game.Status.FINISHED:
            return None
        return self.game.outcome


class ImportedGame(models.Model):
    """A game of a match that was imported from a file. It has no log, deal or replay here, and is never rated.

    The season's stream has all of `result` (docs/reference/events.md). As with `MatchGame`, the last `replay` of a
    number counts, as `ruling` says.
    """

    table_source = Projection("the season's stream")

    class Ruling(models.TextChoices):
        PLAYED = "played", "as played"
        ADJUDICATED = "adjudicated", "decided"
        ANNULLED = "annulled", "does not count"
        REPLACED = "replaced", "was replayed"
        ABORTED = "aborted", "was aborted"

    match = models.ForeignKey(Match, models.CASCADE, related_name="imported")
    number = models.PositiveSmallIntegerField(help_text="Number within the match, from 1.")
    replay = models.PositiveSmallIntegerField(default=0)
    ruling = models.CharField(max_length=12, choices=Ruling)
    result = models.JSONField(help_text="As in the event: seats, scores, placings …")

    class Meta:
        ordering = ["number", "replay"]
        constraints = [models.UniqueConstraint(fields=["match", "number", "replay"], name="one_imported_game_a_number")]

    def __str__(self) -> str:
        return f"game {self.number} of match {self.match_id}, imported"

    @property
    def counts(self) -> dict[str, Any] | None:
        """{"scores", "placings", …} by seat as they count for the match; None if the game has no result that counts."""
        return dict(self.result) if self.ruling in (self.Ruling.PLAYED, self.Ruling.ADJUDICATED) else None


class OrganiserAction(models.Model):
    """An action by which a person ran a season: one event of its stream, or several of one decision.

    `version` is the stream's version after the first of `events`, `what` the type of that event, `match` the match that
    it is about, if any. `key` is the idempotency key. Rows are never changed or deleted (database triggers prevent it).
    `by` is None when the account is gone, but its id is kept; select it with the row.
    """

    table_source = Projection(
        "the season's stream", {"key": "the idempotency key of the request; rows are added and never changed"}
    )

    stream = models.ForeignKey(Stream, models.PROTECT, related_name="organiser_actions")
    version = models.PositiveIntegerField()
    what = models.CharField(max_length=30)
    events = models.JSONField()
    match = models.ForeignKey(Match, models.PROTECT, null=True, related_name="organiser_actions")
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.DO_NOTHING, null=True, related_name="+", db_constraint=False
    )
    key = models.CharField(max_length=64, blank=True, help_text="Idempotency key of the request.")
    at = models.DateTimeField()

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(fields=["stream", "version"], name="one_act_an_event"),
            models.UniqueConstraint(fields=["stream", "key"], condition=~Q(key=""), name="one_act_a_key"),
        ]

    def __str__(self) -> str:
        return f"{self.what} in stream {self.stream_id}"
