"""The rows behind games. The truth of a game is its stream of events; everything on `Game` and `Seat` that could be
folded from it is kept there for lists and queries, written in the same transaction as the events."""

from __future__ import annotations

import secrets
from typing import Any

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy

from games.accounts.models import AccessToken, Notice, Profile, Session
from games.bots.models import Ask, Bot, BotSource, BotVersion, Fault, Trial
from games.engines.chance import SALT_BYTES, SEED_BYTES
from games.gamelog.events import GENESIS
from games.lobby.models import Chair, OpenTable
from games.moderation.models import HeldName, Measure, Report, SupportLook, SupportView
from games.operations.models import AdminAction, Day, House, Job

# Of games.accounts, games.bots, games.operations, games.lobby and games.moderation, brought in for Django to find them.
__all__ = [
    "AccessToken",
    "AdminAction",
    "Ask",
    "Bot",
    "BotSource",
    "BotVersion",
    "Chair",
    "Day",
    "Fault",
    "HeldName",
    "House",
    "Job",
    "Measure",
    "Notice",
    "OpenTable",
    "Profile",
    "Report",
    "Session",
    "SupportLook",
    "SupportView",
    "Trial",
]

# Crockford's letters and digits: nothing that is read aloud or copied by hand is mistaken for another.
PUBLIC_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


def public_id() -> str:
    """A name for a game that tells nothing about how many there are."""
    return "".join(secrets.choice(PUBLIC_ALPHABET) for _ in range(8))


def new_seed() -> bytes:
    return secrets.token_bytes(SEED_BYTES)


def new_salt() -> bytes:
    return secrets.token_bytes(SALT_BYTES)


class Player(models.Model):
    """Who sits in a seat: a person or one version of a bot. Logs name players by id only."""

    user = models.OneToOneField(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="player")
    bot_version = models.OneToOneField(BotVersion, models.PROTECT, null=True, blank=True, related_name="player")
    name = models.CharField(max_length=40)
    key = models.CharField(
        max_length=200,
        unique=True,
        null=True,
        blank=True,
        help_text="games.accounts.names.name_key of a person's name.",
    )
    from_file = models.BooleanField(
        default=False, help_text="Nobody's account: a name in a season that was imported from a file."
    )
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["name", "id"]
        indexes = [models.Index(fields=["name"])]

    def __str__(self) -> str:
        return self.name

    @property
    def is_bot(self) -> bool:
        return self.bot_version_id is not None


class Stream(models.Model):
    """One append-only log: of a game, a season or a rating pool. Written by `games.eventlog.store` alone."""

    class Subject(models.TextChoices):
        GAME = "game"
        SEASON = "season"
        RATING_POOL = "rating_pool"

    subject = models.CharField(max_length=12, choices=Subject)
    version = models.PositiveIntegerField(default=0, help_text="How many events the stream has.")
    head = models.BinaryField(default=GENESIS, help_text="The hash chain's end. As secret as the log itself.")
    created = models.DateTimeField()

    class Meta:
        db_table = "stream"

    def __str__(self) -> str:
        return f"{self.subject} stream {self.pk}"


class Batch(models.Model):
    """Some events of a stream, appended together; never changed, never deleted (triggers hold it)."""

    pk = models.CompositePrimaryKey("stream_id", "seq")
    stream = models.ForeignKey(Stream, models.PROTECT, related_name="batches")
    seq = models.PositiveIntegerField(help_text="The version of the stream before this batch.")
    count = models.PositiveIntegerField()
    times = ArrayField(models.PositiveBigIntegerField(), help_text="Of each event, in ms since the stream was opened.")
    at = models.DateTimeField()
    body = models.BinaryField(help_text="games.gamelog.events.encode_batch of the events.")

    class Meta:
        db_table = "batch"

    def __str__(self) -> str:
        return f"{self.stream_id}:{self.seq}+{self.count}"


class Deal(models.Model):
    """The secret that decides a game's chance. Several games may share one; none of it is ever in a view, a message or
    an error until `revealed_at`, when the last of them was over."""

    seed = models.BinaryField(default=new_seed)
    revealed_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"deal {self.pk}"


class Game(models.Model):
    """One play of one kind: one log."""

    class Status(models.TextChoices):
        PLAYING = "playing"
        FINISHED = "finished"
        ABORTED = "aborted"

    public_id = models.CharField(max_length=8, unique=True, default=public_id)
    kind = models.CharField(max_length=20)
    rules_version = models.PositiveSmallIntegerField()
    options = models.JSONField(default=dict)
    terms = models.JSONField(default=dict)
    stream = models.OneToOneField(Stream, models.PROTECT, related_name="game")
    deal = models.ForeignKey(Deal, models.PROTECT, related_name="games")
    salt = models.BinaryField(default=new_salt)

    continued_from = models.ForeignKey("self", models.PROTECT, null=True, blank=True, related_name="continuations")
    continued_at = models.PositiveIntegerField(null=True, blank=True, help_text="The version that it goes on from.")

    status = models.CharField(max_length=10, choices=Status, default=Status.PLAYING)
    version = models.PositiveIntegerField(default=0)
    to_act = ArrayField(models.PositiveSmallIntegerField(), default=list, help_text="Whom the game waits for.")
    awaited_since = ArrayField(
        models.PositiveIntegerField(), default=list, help_text="For each of `to_act` the version at which that began."
    )
    deadline = models.DateTimeField(null=True, blank=True, help_text="When the clock of who is to act runs out.")
    outcome = models.JSONField(null=True, blank=True)
    opened_at = models.DateTimeField()
    begins_at = models.DateTimeField(
        null=True, blank=True, help_text="Until GO, where people check in: when it begins."
    )
    moved_at = models.DateTimeField()
    rematch_of = models.OneToOneField("self", models.SET_NULL, null=True, blank=True, related_name="rematch")
    finished_at = models.DateTimeField(null=True, blank=True)

    local = models.BooleanField(default=False, help_text="Every seat is played by a program in the worker itself.")
    awaits_program = models.BooleanField(default=False, help_text="A seat that may act is played by such a program.")
    caged = models.BooleanField(
        default=False, help_text="An uploaded bot sits in it: played in a sandbox or not at all."
    )
    circle = models.PositiveBigIntegerField(
        null=True, blank=True, help_text="Whose it is: see games.visibility.audience."
    )
    trial = models.ForeignKey(Trial, models.CASCADE, null=True, blank=True, related_name="games")
    part = models.CharField(max_length=40, blank=True, help_text="Which of the trial's steps it belongs to.")
    attempt = models.PositiveIntegerField(default=0, help_text="How often a worker has claimed the game: the fence.")
    leased_by = models.CharField(max_length=80, blank=True)
    leased_until = models.DateTimeField(null=True, blank=True)
    failures = models.PositiveSmallIntegerField(default=0, help_text="Claims in a row that ended without an event.")
    retry_at = models.DateTimeField(null=True, blank=True, help_text="Not claimed before this time.")

    class Meta:
        indexes = [
            models.Index(
                fields=["failures", "id"], condition=Q(status="playing", awaits_program=True), name="game_claimable"
            ),
            models.Index(fields=["deadline"], condition=Q(status="playing"), name="game_deadline"),
            models.Index(fields=["begins_at"], condition=Q(begins_at__isnull=False), name="game_appointed"),
            models.Index(fields=["-finished_at"], name="game_finished"),
            models.Index(fields=["status", "-opened_at"], name="game_by_status"),
            models.Index(fields=["kind", "-id"], name="game_by_kind"),
            models.Index(fields=["finished_at"], condition=Q(terms__watch_delay__gt=0), name="game_delayed"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.public_id}"


# The seats of remote bots, which play over the API as people do.
REMOTE = Q(player__bot_version__transport=BotVersion.Transport.REMOTE)


class Seat(models.Model):
    """Who sits where in a game, and what came of it."""

    game = models.ForeignKey(Game, models.CASCADE, related_name="seats")
    seat = models.PositiveSmallIntegerField()
    player = models.ForeignKey(Player, models.PROTECT, related_name="seats")
    score = models.IntegerField(null=True, blank=True)
    placing = models.PositiveSmallIntegerField(null=True, blank=True)
    left = models.CharField(max_length=10, blank=True, help_text="resigned or forfeited, if its player left.")

    class Meta:
        ordering = ["seat"]
        constraints = [models.UniqueConstraint(fields=["game", "seat"], name="one_player_a_seat")]
        indexes = [models.Index(fields=["player", "-game"], name="seat_by_player")]

    def __str__(self) -> str:
        return f"seat {self.seat} of {self.game_id}"


class SentMove(models.Model):
    """An idempotency key of a move that was taken, with the answer that it got: a repeated POST gets the same one."""

    game = models.ForeignKey(Game, models.CASCADE)
    seat = models.PositiveSmallIntegerField()
    key = models.CharField(max_length=64)
    move = models.CharField(max_length=200)
    version = models.PositiveIntegerField(help_text="Of the game after the move.")
    created = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["game", "seat", "key"], name="one_answer_a_key")]

    def __str__(self) -> str:
        return self.key


class PendingBundle(models.Model):
    """The moves that a seat has given for the next beat: for nobody's eyes, and replaceable until the beat is taken."""

    game = models.ForeignKey(Game, models.CASCADE)
    beat = models.PositiveIntegerField()
    seat = models.PositiveSmallIntegerField()
    moves = ArrayField(models.CharField(max_length=200))
    at = models.DateTimeField(help_text="When the seat gave the first bundle for this beat: its turn ended then.")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["game", "beat", "seat"], name="one_bundle_a_beat")]

    def __str__(self) -> str:
        return f"bundle of seat {self.seat} for beat {self.beat} of {self.game_id}"


class SentRequest(models.Model):
    """An idempotency key of a request that was carried out, with the answer: when it is repeated it gets the same."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE)
    key = models.CharField(max_length=64)
    request = models.TextField(help_text="What was asked for: the address, and the body as JSON.")
    status = models.PositiveSmallIntegerField(default=0)
    answer = models.JSONField(null=True)
    created = models.DateTimeField(db_index=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "key"], name="one_request_a_key")]

    def __str__(self) -> str:
        return self.key


class Allowance(models.Model):
    """How much somebody has asked of the API lately (`games.common.rate_limits`): when the bucket of that `key` is
    empty again."""

    key = models.CharField(max_length=80, primary_key=True)
    empty_at = models.DateTimeField()

    class Meta:
        db_table = "allowance"

    def __str__(self) -> str:
        return self.key


class RematchWish(models.Model):
    """Whether who sat in a seat of a game that is over wants another one like it."""

    game = models.ForeignKey(Game, models.CASCADE, related_name="rematch_wishes")
    seat = models.PositiveSmallIntegerField()
    wanted = models.BooleanField()
    at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "rematch wishes"
        constraints = [models.UniqueConstraint(fields=["game", "seat"], name="one_rematch_wish_a_seat")]

    def __str__(self) -> str:
        return f"rematch of {self.game_id} for seat {self.seat}"


class Vacation(models.Model):
    """Whole days on which a person does not play: clocks of games by correspondence stand still that allow it."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="vacations")
    start = models.DateField(help_text="The first day.")
    end = models.DateField(help_text="The last day.")
    zone = models.CharField(max_length=60, help_text="Whose days these are: where the person lived when announcing it.")
    announced_at = models.DateTimeField()

    class Meta:
        ordering = ["start"]
        constraints = [models.CheckConstraint(condition=Q(start__lte=models.F("end")), name="vacation_has_a_day")]

    def __str__(self) -> str:
        return f"vacation of {self.user_id}, {self.start} to {self.end}"


class LifeSign(models.Model):
    """When a part of the platform last said that it runs: "web", which takes moves, "beat", which looks at clocks.

    Besides "beat_sent", when beat last asked for that; whether a worker came to it is another thing.
    """

    part = models.CharField(max_length=10, unique=True)
    at = models.DateTimeField()

    def __str__(self) -> str:
        return self.part


class Outage(models.Model):
    """A time in which a part of the platform did not run: it counts on nobody's clock."""

    part = models.CharField(max_length=10)
    start = models.DateTimeField()
    end = models.DateTimeField(db_index=True)
    settled = models.BooleanField(default=False, help_text="The deadlines of the games have been set anew.")

    class Meta:
        ordering = ["start"]

    def __str__(self) -> str:
        return f"{self.part} was away from {self.start} to {self.end}"


class Presence(models.Model):
    """A seat whose player has the game's stream open in some web process, and when that process last said so."""

    game = models.ForeignKey(Game, models.CASCADE)
    seat = models.PositiveSmallIntegerField()
    process = models.UUIDField()
    seen_at = models.DateTimeField(db_index=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["game", "seat", "process"], name="one_presence_a_process")]

    def __str__(self) -> str:
        return f"seat {self.seat} at {self.game_id}"


class Worker(models.Model):
    """A process that plays games, and when it last said so."""

    name = models.CharField(max_length=80, unique=True)
    started_at = models.DateTimeField()
    heartbeat_at = models.DateTimeField(db_index=True)
    games_played = models.PositiveIntegerField(default=0)
    stopped_at = models.DateTimeField(null=True, blank=True)
    queues = ArrayField(models.CharField(max_length=40), default=list, blank=True, help_text="That it takes work from.")
    tier = models.CharField(max_length=4, blank=True, help_text="Of its sandbox: A, none, or empty if it has none.")
    tier_reason = models.TextField(blank=True)
    policy_hash = models.CharField(max_length=64, blank=True)
    attacks = models.PositiveSmallIntegerField(default=0, help_text="That were made on its sandbox at its start.")
    attacks_held = models.PositiveSmallIntegerField(default=0)

    def __str__(self) -> str:
        return self.name


class Incident(models.Model):
    """Something that went wrong around a game or in the house, told in a sentence; the admin's list of errors."""

    class Cause(models.TextChoices):
        WORKER_LOST = "worker_lost", gettext_lazy("Worker lost")
        BOT_CRASHED = "crashed", gettext_lazy("Crashed")
        ILLEGAL_MOVE = "illegal_move", gettext_lazy("Illegal move")
        INFRASTRUCTURE = "infrastructure", gettext_lazy("Infrastructure")
        DISK_FULL = "disk_full", gettext_lazy("Disk full")

    at = models.DateTimeField(db_index=True)
    cause = models.CharField(max_length=20, choices=Cause)
    game = models.ForeignKey(Game, models.CASCADE, null=True, blank=True, related_name="incidents")
    player = models.ForeignKey(Player, models.SET_NULL, null=True, blank=True)
    sentence = models.TextField()
    detail = models.TextField(blank=True, help_text="Traceback or other evidence; for admins only.")
    times = models.PositiveIntegerField(default=1, help_text="How often it came, the last time at that moment.")

    class Meta:
        ordering = ["-at", "-id"]

    def __str__(self) -> str:
        return self.sentence

    def plain(self) -> dict[str, Any]:
        return {"at": self.at, "cause": self.cause, "sentence": self.sentence}
