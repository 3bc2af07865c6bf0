"""The rows that several packages of games share: players and games. Rows of one package are in its own `models`.

The stream of events is the truth of a game. What `Game` and `Seat` have of it serves lists and queries, and is written
in the same transaction as the events.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import connection, models
from django.db.models import Q
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from games.common.table_source import Primary, Projection
from games.eventlog.models import Stream
from scorebook_games.chance import SALT_BYTES, SEED_BYTES
from scorebook_games.presentation.coded_text import text

# Crockford's letters and digits, of which none is mistaken for another when read aloud or copied by hand.
PUBLIC_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


def public_id() -> str:
    """Return a name for a game that does not reveal how many games there are."""
    return "".join(secrets.choice(PUBLIC_ALPHABET) for _ in range(8))


def new_seed() -> bytes:
    return secrets.token_bytes(SEED_BYTES)


def new_salt() -> bytes:
    return secrets.token_bytes(SALT_BYTES)


class Bot(models.Model):
    """A program that plays. `owner` is None for a built-in bot, and for a bot whose author has left.

    `plays` is the version that its author has chosen to play, in challenges and when it enters a season.
    """

    table_source = Primary("What an author said of a bot, and what admins decided.")

    class Visibility(models.TextChoices):
        PUBLIC = "public"
        PRIVATE = "private"

    class Stopped(models.TextChoices):
        TAKEN_DOWN = "taken_down", gettext_lazy("taken down by an admin")
        BAN = "ban", gettext_lazy("author is banned")

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="bots")
    name = models.CharField(max_length=40, unique=True)
    key = models.CharField(
        max_length=200,
        unique=True,
        null=True,
        blank=True,
        help_text="The name of an author's bot without what only a second look notices, such as case.",
    )
    description = models.TextField(max_length=2000, blank=True)
    visibility = models.CharField(max_length=10, choices=Visibility, default=Visibility.PUBLIC)
    source_published = models.BooleanField(
        default=False, help_text="Whether everybody who sees the bot may read the sources of its admitted versions."
    )
    plays = models.OneToOneField("BotVersion", models.SET_NULL, null=True, blank=True, related_name="+")
    stopped = models.CharField(
        max_length=10, choices=Stopped, blank=True, help_text="Why none of its versions may play."
    )
    stop_reason = models.TextField(blank=True, help_text="The reason that its author is shown.")
    created = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.name


class BotVersion(models.Model):
    """One immutable version of a bot. Versions play and are rated.

    `state` and `reasons` are the result of admission, or say why the version no longer plays.
    """

    table_source = Primary("A version and the result of its admission.")

    class Transport(models.TextChoices):
        BUILT_IN = "built_in", gettext_lazy("in the worker’s process")
        UPLOAD = "upload", gettext_lazy("in a sandbox")
        REMOTE = "remote", gettext_lazy("on its author’s machine")

    class State(models.TextChoices):
        ADMISSION = "admission", gettext_lazy("in admission")
        PASSED = "passed", gettext_lazy("admitted")
        REFUSED = "refused", gettext_lazy("refused")
        QUARANTINED = "quarantined", gettext_lazy("quarantined")
        RETIRED = "retired", gettext_lazy("retired")
        TAKEN_DOWN = "taken_down", gettext_lazy("taken down")

    AGENT = "agent"  # the program of a remote bot whose moves a language model chooses

    bot = models.ForeignKey(Bot, models.CASCADE, related_name="versions")
    number = models.PositiveIntegerField()
    transport = models.CharField(max_length=10, choices=Transport)
    program = models.CharField(
        max_length=40, help_text="Of a built-in bot its name, otherwise “upload”, “remote” or “agent”."
    )
    created = models.DateTimeField(auto_now_add=True)

    sha256 = models.CharField(max_length=64, blank=True, help_text="SHA-256 of the source, in hex.")
    size = models.PositiveIntegerField(default=0, help_text="Size of the source in bytes.")
    state = models.CharField(max_length=12, choices=State, default=State.PASSED)
    reasons = models.JSONField(
        default=list, blank=True, help_text="Why it was refused or may not play: codes and their parameters."
    )
    kinds = ArrayField(
        models.CharField(max_length=20), default=list, blank=True, help_text="Games that the bot declares."
    )
    quarantines = models.PositiveSmallIntegerField(default=0, help_text="How many times it was put into quarantine.")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["bot", "number"], name="one_bot_version_a_number"),
            models.UniqueConstraint(fields=["bot", "sha256"], condition=~Q(sha256=""), name="same_bytes_once"),
        ]

    def __str__(self) -> str:
        return f"{self.bot.name} v{self.number}"

    @property
    def reason(self) -> str:
        """Why it was refused or may not play, in the reader's language."""
        return text(self.reasons)

    @property
    def source(self) -> str:
        """Return the uploaded source, unchanged; empty if there was none, or once its author has left."""
        stored = getattr(self, "stored_source", None)
        return stored.text if stored else ""

    @property
    def is_upload(self) -> bool:
        return self.transport == self.Transport.UPLOAD

    @property
    def is_built_in(self) -> bool:
        return self.transport == self.Transport.BUILT_IN

    @property
    def is_remote(self) -> bool:
        """Whether it plays by itself over the API, as people do, and no worker asks it."""
        return self.transport == self.Transport.REMOTE

    @property
    def is_agent(self) -> bool:
        """Whether a language model chooses the moves of this remote bot, as its author says."""
        return self.program == self.AGENT

    @property
    def standing(self) -> str:
        """Return why it does not play, or that it has passed."""
        return str(self.bot.get_stopped_display() or self.get_state_display())

    @property
    def may_play(self) -> bool:
        """Whether it may sit in games: an upload must have passed admission, and no bot may be stopped."""
        return self.state == self.State.PASSED and not self.bot.stopped


class Player(models.Model):
    """Who sits in a seat: a person or one version of a bot. Logs name players only by id.

    A team of a season is one, too (`is_team`). It sits in no seat: players of its own do."""

    table_source = Primary("The names behind the ids in logs. A log never has a name.")

    user = models.OneToOneField(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="player")
    bot_version = models.OneToOneField(BotVersion, models.PROTECT, null=True, blank=True, related_name="player")
    name = models.CharField(max_length=40)
    key = models.CharField(
        max_length=200,
        unique=True,
        null=True,
        blank=True,
        help_text="The person's name without what only a second look notices, such as case.",
    )
    from_file = models.BooleanField(default=False, help_text="Has no account: a name in a season imported from a file.")
    is_team = models.BooleanField(default=False, help_text="A team of seasons, which has players of its own.")
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["name", "id"]
        indexes = [models.Index(fields=["name"])]

    def __str__(self) -> str:
        return self.name

    @property
    def is_bot(self) -> bool:
        return self.bot_version_id is not None


class Trial(models.Model):
    """What a version plays outside leagues, in slices by workers: an admission or a comparison.

    `steps` are what pages show, each with its state and sentences; `result` is the outcome. A trial is claimed like a
    game: by a lease, with an `attempt` that grows. If the platform fails at it repeatedly, it is given up until
    somebody restarts it (`games.bots.admission.trials.restart_trial`).
    """

    table_source = Primary("The state of an admission or comparison. Its games have logs.")

    class What(models.TextChoices):
        ADMISSION = "admission", gettext_lazy("admission")
        COMPARISON = "comparison", gettext_lazy("comparison")

    class State(models.TextChoices):
        WAITING = "waiting", gettext_lazy("waiting")
        RUNNING = "running", gettext_lazy("running")
        DONE = "done", gettext_lazy("done")
        GIVEN_UP = "given_up", gettext_lazy("given up")

    what = models.CharField(max_length=12, choices=What)
    version = models.ForeignKey(BotVersion, models.CASCADE, related_name="trials")
    against = models.ForeignKey(BotVersion, models.CASCADE, null=True, blank=True, related_name="+")
    kind = models.CharField(max_length=20, blank=True, help_text="For comparisons only.")
    elo0 = models.SmallIntegerField(
        default=0, help_text="Of a comparison: accepted is a version that is better by more Elo points."
    )
    elo1 = models.SmallIntegerField(
        default=20, help_text="Of a comparison: rejected is a version that is better by fewer."
    )
    promote = models.BooleanField(default=False, help_text="Whether the version plays for its bot once it is accepted.")
    plays_before = models.PositiveBigIntegerField(
        null=True, blank=True, help_text="Of a comparison: the id of the version that played when it was requested."
    )
    state = models.CharField(max_length=10, choices=State, default=State.WAITING)
    steps = models.JSONField(default=list)
    result = models.JSONField(default=dict)
    created = models.DateTimeField()
    finished_at = models.DateTimeField(null=True, blank=True)

    served_at = models.DateTimeField(help_text="When a worker last ran it. The trial that has waited longest is next.")
    attempt = models.PositiveIntegerField(default=0)
    leased_by = models.CharField(max_length=80, blank=True)
    leased_until = models.DateTimeField(null=True, blank=True)
    failures = models.PositiveSmallIntegerField(
        default=0, help_text="Consecutive attempts that failed because of the platform."
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["version"], condition=Q(what="admission"), name="one_admission_a_version"),
            models.UniqueConstraint(
                fields=["version", "against", "kind", "elo0", "elo1"],
                condition=Q(what="comparison"),
                name="one_comparison_a_pair",
            ),
        ]
        indexes = [
            models.Index(fields=["served_at"], condition=Q(state__in=["waiting", "running"]), name="trial_waiting")
        ]

    def __str__(self) -> str:
        return f"{self.get_what_display()} of {self.version}"

    @property
    def shown_steps(self) -> list[dict[str, Any]]:
        """Its steps, each with a `sentence` in the reader's language."""
        return [{**step, "sentence": text(step.get("sentences", []))} for step in self.steps]

    @property
    def is_over(self) -> bool:
        """Whether no worker goes on with it."""
        return self.state not in GOING

    @property
    def title(self) -> str:
        """Return its title, such as "the admission of Gannet v1" or "the comparison of Gannet v2 with v1"."""
        if self.against:
            return _("comparison of {version} with v{number}").format(version=self.version, number=self.against.number)
        return _("admission of {version}").format(version=self.version)


GOING: Final = (Trial.State.WAITING, Trial.State.RUNNING)


class Deal(models.Model):
    """The secret that decides a game's chance. Several games may share one.

    It is in no view, message or error until `revealed_at`, when the last of its games was over.
    """

    table_source = Primary("The secret seed of a deal. No log that people read during the game may hold it.")

    seed = models.BinaryField(default=new_seed)
    revealed_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"deal {self.pk}"


class Game(models.Model):
    """One play of one kind, with its log."""

    table_source = Projection(
        "the game's stream",
        {
            "public_id, kind, rules_version, options, terms": "the first event repeats them",
            "deal, salt": "secrets, which no log may hold",
            "audience_club_id, trial, part, continued_from, continued_at, rematch_of": "why the game was opened",
            "attempt, leased_by, leased_until, failures, retry_at": "who works on it now",
        },
    )

    class Status(models.TextChoices):
        PLAYING = "playing"
        FINISHED = "finished"
        ABORTED = "aborted"

    public_id = models.CharField(max_length=8, default=public_id)
    kind = models.CharField(max_length=20)
    rules_version = models.PositiveSmallIntegerField()
    options = models.JSONField(default=dict)
    terms = models.JSONField(default=dict)
    stream = models.OneToOneField(Stream, models.PROTECT, related_name="game")
    deal = models.ForeignKey(Deal, models.PROTECT, related_name="games")
    salt = models.BinaryField(default=new_salt)

    continued_from = models.ForeignKey(
        "self", models.PROTECT, null=True, blank=True, related_name="continuations", db_index=False
    )
    continued_at = models.PositiveIntegerField(
        null=True, blank=True, help_text="The event from which this game was continued."
    )

    status = models.CharField(max_length=10, choices=Status, default=Status.PLAYING)
    version = models.PositiveIntegerField(default=0)
    to_act = ArrayField(models.PositiveSmallIntegerField(), default=list, help_text="Seats that the game waits for.")
    awaited_since = ArrayField(
        models.PositiveIntegerField(),
        default=list,
        help_text="For each seat of `to_act`, the version at which its turn began.",
    )
    deadline = models.DateTimeField(null=True, blank=True, help_text="When the next clock runs out.")
    outcome = models.JSONField(null=True, blank=True)
    opened_at = models.DateTimeField()
    begins_at = models.DateTimeField(
        null=True, blank=True, help_text="Start time of a game with check-in; empty after GO."
    )
    moved_at = models.DateTimeField()
    rematch_of = models.OneToOneField("self", models.SET_NULL, null=True, blank=True, related_name="rematch")
    finished_at = models.DateTimeField(null=True, blank=True)

    played_by_workers = models.BooleanField(
        default=False, help_text="Workers play all seats: only built-in and uploaded bots."
    )
    awaits_worker = models.BooleanField(default=False, help_text="A worker plays a seat that may move now.")
    sandboxed = models.BooleanField(
        default=False, help_text="An uploaded bot has a seat, so only a worker with a sandbox plays the game."
    )
    audience_club_id = models.PositiveBigIntegerField(
        null=True, blank=True, help_text="Only members of this club and the players may see the game; empty: everybody."
    )
    trial = models.ForeignKey(Trial, models.CASCADE, null=True, blank=True, related_name="games", db_index=False)
    part = models.CharField(max_length=40, blank=True, help_text="The step of the trial that the game belongs to.")
    attempt = models.PositiveIntegerField(
        default=0, help_text="How often workers have claimed the game; used as a fencing token."
    )
    leased_by = models.CharField(max_length=80, blank=True)
    leased_until = models.DateTimeField(null=True, blank=True)
    failures = models.PositiveSmallIntegerField(default=0, help_text="Consecutive attempts that stored no event.")
    retry_at = models.DateTimeField(null=True, blank=True, help_text="No worker claims it before this time.")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["public_id"], name="one_game_a_public_id")]
        indexes = [
            models.Index(
                fields=["failures", "id"], condition=Q(status="playing", awaits_worker=True), name="game_claimable"
            ),
            models.Index(fields=["deadline"], condition=Q(status="playing"), name="game_deadline"),
            models.Index(fields=["begins_at"], condition=Q(begins_at__isnull=False), name="game_appointed"),
            models.Index(fields=["-finished_at"], name="game_finished"),
            models.Index(fields=["status", "-opened_at"], name="game_by_status"),
            models.Index(fields=["kind", "-id"], name="game_by_kind"),
            models.Index(fields=["finished_at"], condition=Q(terms__watch_delay__gt=0), name="game_delayed"),
            models.Index(fields=["trial"], condition=Q(trial__isnull=False), name="game_of_trial"),
            models.Index(fields=["continued_from"], condition=Q(continued_from__isnull=False), name="game_continued"),
        ]

    def __str__(self) -> str:
        return f"game {self.public_id}"


# Written out, because each move asks this twice, and Django takes longer to compose it than the database to answer.
_GAME: Final = """
    SELECT game.*, deal.seed AS deal_seed, deal.revealed_at AS deal_revealed_at
    FROM games_game game JOIN games_deal deal ON deal.id = game.deal_id
"""
_BY_ID: Final = f"{_GAME} WHERE game.id = %s"
_BY_PUBLIC_ID: Final = f"{_GAME} WHERE game.public_id = %s"


def game_by_id(pk: int) -> Game:
    """Return a game with its deal. Raises `Game.DoesNotExist`."""
    return _first(_BY_ID, pk)


def game_by_public_id(public_id: str) -> Game:
    """Return a game with its deal. Raises `Game.DoesNotExist`."""
    return _first(_BY_PUBLIC_ID, public_id)


def _first(statement: str, key: int | str) -> Game:
    for game in Game.objects.raw(statement, [key]):
        found = vars(game)
        seed, revealed_at = found.pop("deal_seed"), found.pop("deal_revealed_at")
        game.deal = Deal(pk=game.deal_id, seed=seed, revealed_at=revealed_at)
        game.deal._state.adding, game.deal._state.db = False, game._state.db
        return game
    raise Game.DoesNotExist


# The seats of remote bots, which play over the API as people do.
REMOTE = Q(player__bot_version__transport=BotVersion.Transport.REMOTE)


class Seat(models.Model):
    """Who sits where in a game, with their result."""

    table_source = Projection("the game's stream", {"player": "the first event repeats it"})

    game = models.ForeignKey(Game, models.CASCADE, related_name="seats", db_index=False)
    seat = models.PositiveSmallIntegerField()
    player = models.ForeignKey(Player, models.PROTECT, related_name="seats", db_index=False)
    score = models.IntegerField(null=True, blank=True)
    placing = models.PositiveSmallIntegerField(null=True, blank=True)
    left = models.CharField(max_length=10, blank=True, help_text="resigned or forfeited, if the player has left.")

    class Meta:
        ordering = ["seat"]
        constraints = [models.UniqueConstraint(fields=["game", "seat"], name="one_player_a_seat")]
        indexes = [models.Index(fields=["player", "-game"], name="seat_by_player")]

    def __str__(self) -> str:
        return f"seat {self.seat} of {self.game}"


class SeatPlayer(NamedTuple):
    """Who sits in a seat, as far as a change of the game must know it. `user` is None for programs."""

    seat: int
    name: str
    user: int | None
    transport: str | None
    program: str | None

    @property
    def is_ours(self) -> bool:
        """Whether the platform's workers play the seat: a built-in or an uploaded bot."""
        return self.transport not in (None, BotVersion.Transport.REMOTE)


_SEAT_PLAYERS: Final = """
    SELECT seat.seat, player.name, player.user_id, version.transport, version.program
    FROM games_seat seat
    JOIN games_player player ON player.id = seat.player_id
    LEFT JOIN games_botversion version ON version.id = player.bot_version_id
    WHERE seat.game_id = %s ORDER BY seat.seat
"""


def seat_players(game: Game) -> list[SeatPlayer]:
    """Return who sits at the game, in the order of the seats. They stay the same for the whole game."""
    with connection.cursor() as cursor:
        cursor.execute(_SEAT_PLAYERS, [game.pk])
        return [SeatPlayer(*row) for row in cursor.fetchall()]


def seated_programs(games: Sequence[Game]) -> dict[int, dict[int, str]]:
    """Return the programs that sat down in these games, by game and seat, in one query."""
    programs: dict[int, dict[int, str]] = {game.pk: {} for game in games}
    seats = Seat.objects.filter(game__in=games, player__bot_version__isnull=False).exclude(REMOTE)
    for game_id, seat, program in seats.values_list("game", "seat", "player__bot_version__program"):
        programs[game_id][seat] = program
    return programs


class PendingBundle(models.Model):
    """The moves that a seat has given for the next beat. They are secret, and replaceable until the beat is taken."""

    table_source = Primary("Secret moves of a beat that is not played yet. They become events with the beat.")

    game = models.ForeignKey(Game, models.CASCADE)
    beat = models.PositiveIntegerField()
    seat = models.PositiveSmallIntegerField()
    moves = ArrayField(models.CharField(max_length=200))
    at = models.DateTimeField(help_text="When the seat submitted its first bundle of this beat, which ended its turn.")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["game", "beat", "seat"], name="one_bundle_a_beat")]

    def __str__(self) -> str:
        return f"bundle of seat {self.seat} for beat {self.beat} of {self.game_id}"
