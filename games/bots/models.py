"""Bots, their versions, what went wrong with them, and the trials that they are put to."""

from __future__ import annotations

from typing import Final

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy


class Bot(models.Model):
    """A program that plays. `owner` is None for a house bot, which comes with Scorebook, and for one whose author went.

    `plays` is the version that its author lets play: in challenges, and where a season is entered.
    """

    class Visibility(models.TextChoices):
        PUBLIC = "public"
        PRIVATE = "private"

    class Stopped(models.TextChoices):
        TAKEN_DOWN = "taken_down", gettext_lazy("taken down by an admin")
        BAN = "ban", gettext_lazy("its author is banned")

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="bots")
    name = models.CharField(max_length=40, unique=True)
    key = models.CharField(
        max_length=200,
        unique=True,
        null=True,
        blank=True,
        help_text="games.accounts.names.name_key of an author's bot.",
    )
    description = models.TextField(max_length=2000, blank=True)
    visibility = models.CharField(max_length=10, choices=Visibility, default=Visibility.PUBLIC)
    plays = models.OneToOneField("BotVersion", models.SET_NULL, null=True, blank=True, related_name="+")
    stopped = models.CharField(max_length=10, choices=Stopped, blank=True, help_text="Why no version of it plays.")
    stop_reason = models.TextField(blank=True, help_text="What its author is told of that.")
    created = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.name


class BotVersion(models.Model):
    """One immutable version of a bot: versions are what plays and what is rated.

    `state` and `reason` are what the gate came to, or why the version plays no more.
    """

    class Transport(models.TextChoices):
        HOUSE = "house", gettext_lazy("in process")
        UPLOAD = "upload", gettext_lazy("in a sandbox")
        REMOTE = "remote", gettext_lazy("on its author’s machine")

    class State(models.TextChoices):
        GATE = "gate", gettext_lazy("at the gate")
        PASSED = "passed", gettext_lazy("passed")
        REFUSED = "refused", gettext_lazy("refused")
        QUARANTINED = "quarantined", gettext_lazy("quarantined")
        RETIRED = "retired", gettext_lazy("retired")
        TAKEN_DOWN = "taken_down", gettext_lazy("taken down")

    bot = models.ForeignKey(Bot, models.CASCADE, related_name="versions")
    number = models.PositiveIntegerField()
    transport = models.CharField(max_length=10, choices=Transport)
    program = models.CharField(
        max_length=40, help_text="For a house bot its name in games.programs.builtin; else upload."
    )
    created = models.DateTimeField(auto_now_add=True)

    sha256 = models.CharField(max_length=64, blank=True, help_text="Of the source's bytes, in hex.")
    size = models.PositiveIntegerField(default=0, help_text="Bytes of the source.")
    state = models.CharField(max_length=12, choices=State, default=State.PASSED)
    reason = models.TextField(blank=True)
    kinds = ArrayField(models.CharField(max_length=20), default=list, blank=True, help_text="As the bot said itself.")
    quarantines = models.PositiveSmallIntegerField(default=0, help_text="How often it was put into quarantine.")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["bot", "number"], name="one_bot_version_a_number"),
            models.UniqueConstraint(fields=["bot", "sha256"], condition=~Q(sha256=""), name="same_bytes_once"),
        ]

    def __str__(self) -> str:
        return f"{self.bot.name} v{self.number}"

    @property
    def source(self) -> str:
        """What was uploaded, to the letter; empty where nothing was, or once its author has gone."""
        kept = getattr(self, "kept", None)
        return kept.text if kept else ""

    @property
    def is_upload(self) -> bool:
        return self.transport == self.Transport.UPLOAD

    @property
    def is_house(self) -> bool:
        return self.transport == self.Transport.HOUSE

    @property
    def is_remote(self) -> bool:
        """Whether it plays by itself over the API, as people do, and no worker ever asks it."""
        return self.transport == self.Transport.REMOTE

    @property
    def standing(self) -> str:
        """Why it does not play, or that it has passed."""
        return str(self.bot.get_stopped_display() or self.get_state_display())

    @property
    def may_play(self) -> bool:
        """Whether it may be seated in games: of an upload, once the gate has let it in; of no bot that is stopped."""
        return self.state == self.State.PASSED and not self.bot.stopped


class BotSource(models.Model):
    """What was uploaded as a version, up to 256 KiB: in a row of its own, since every list of players brings their
    versions along."""

    version = models.OneToOneField(BotVersion, models.CASCADE, primary_key=True, related_name="kept")
    text = models.TextField()

    def __str__(self) -> str:
        return f"source of {self.version}"


class Trial(models.Model):
    """Something that a version is put to outside leagues, played by workers bit by bit: the gate, or a comparison.

    `steps` are what the pages show, each with its state and a sentence; `result` is what came out. It is claimed like a
    game: by a lease, with an `attempt` that grows. Where the platform failed at it again and again it is given up,
    until somebody asks for it anew (`games.bots.admission.trials.restart_trial`).
    """

    class What(models.TextChoices):
        GATE = "gate", gettext_lazy("gate")
        COMPARISON = "comparison", gettext_lazy("comparison")

    class State(models.TextChoices):
        WAITING = "waiting", gettext_lazy("waiting")
        RUNNING = "running", gettext_lazy("running")
        DONE = "done", gettext_lazy("done")
        GIVEN_UP = "given_up", gettext_lazy("given up")

    what = models.CharField(max_length=12, choices=What)
    version = models.ForeignKey(BotVersion, models.CASCADE, related_name="trials")
    against = models.ForeignKey(BotVersion, models.CASCADE, null=True, blank=True, related_name="+")
    kind = models.CharField(max_length=20, blank=True, help_text="Of a comparison.")
    state = models.CharField(max_length=10, choices=State, default=State.WAITING)
    steps = models.JSONField(default=list)
    result = models.JSONField(default=dict)
    created = models.DateTimeField()
    finished_at = models.DateTimeField(null=True, blank=True)

    served_at = models.DateTimeField(help_text="When a worker had it last: who waited longest is next.")
    attempt = models.PositiveIntegerField(default=0)
    leased_by = models.CharField(max_length=80, blank=True)
    leased_until = models.DateTimeField(null=True, blank=True)
    failures = models.PositiveSmallIntegerField(default=0, help_text="Claims in a row that ended in an error of ours.")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["version"], condition=Q(what="gate"), name="one_gate_a_version"),
            models.UniqueConstraint(
                fields=["version", "against", "kind"], condition=Q(what="comparison"), name="one_comparison_a_pair"
            ),
        ]
        indexes = [
            models.Index(fields=["served_at"], condition=Q(state__in=["waiting", "running"]), name="trial_waiting")
        ]

    def __str__(self) -> str:
        return f"{self.what} of {self.version_id}"

    @property
    def is_over(self) -> bool:
        """Whether no worker goes on with it."""
        return self.state not in GOING

    @property
    def title(self) -> str:
        """The gate of Gannet v1, the comparison of Gannet v2 with v1."""
        if self.against:
            return _("comparison of {version} with v{number}").format(version=self.version, number=self.against.number)
        return _("gate of {version}").format(version=self.version)


GOING: Final = (Trial.State.WAITING, Trial.State.RUNNING)


class Fault(models.Model):
    """Why a bot, or the platform under it, failed where the game stood at `position`; the log's `@fault` has no more
    than seat and kind.

    `evidence` holds what its author needs to see why: the legal moves, what was answered, the times and limits.
    """

    class Kind(models.TextChoices):
        START_TIMEOUT = "start_timeout", gettext_lazy("started too slowly")
        START_CRASHED = "start_crashed", gettext_lazy("did not start")
        CRASHED = "crashed", gettext_lazy("crashed")
        TIMEOUT = "timeout", gettext_lazy("took too long")
        CPU_LIMIT = "cpu_limit", gettext_lazy("used too much processor time")
        VIOLATION = "violation", gettext_lazy("did what the sandbox forbids")
        BAD_REPLY = "bad_reply", gettext_lazy("bad reply")
        RESTART_LIMIT = "restart_limit", gettext_lazy("ended its process too often")
        ILLEGAL_MOVE = "illegal_move", gettext_lazy("illegal move")
        INFRASTRUCTURE = "infrastructure", gettext_lazy("the platform’s own")

    class Cost(models.TextChoices):
        NONE = "none", gettext_lazy("nothing")
        RANDOM_MOVE = "random_move", gettext_lazy("a legal move was drawn by lot")
        FORFEIT = "forfeit", gettext_lazy("the game was forfeited")
        REFUSED = "refused", gettext_lazy("the gate refused the version")

    at = models.DateTimeField()
    bot_version = models.ForeignKey(BotVersion, models.CASCADE, related_name="faults")
    game = models.ForeignKey("games.Game", models.CASCADE, null=True, blank=True, related_name="faults")
    seat = models.PositiveSmallIntegerField(null=True, blank=True)
    position = models.PositiveIntegerField(
        null=True, blank=True, help_text="The version of the game that was asked at."
    )
    kind = models.CharField(max_length=16, choices=Kind)
    cost = models.CharField(max_length=12, choices=Cost)
    sentence = models.TextField(help_text="What happened, for the author.")
    evidence = models.JSONField(default=dict)
    stderr = models.TextField(blank=True, help_text="The end of what the bot wrote there; for its author alone.")

    class Meta:
        ordering = ["-at", "-id"]
        indexes = [
            models.Index(fields=["bot_version", "-at"], name="fault_by_version"),
            models.Index(fields=["-at"], name="fault_by_time"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} of {self.bot_version_id}"


class Ask(models.Model):
    """How long a version's answers took in one game, as one worker had it: how many, and each one's wall time in ms."""

    bot_version = models.ForeignKey(BotVersion, models.CASCADE, related_name="asks")
    game = models.ForeignKey("games.Game", models.CASCADE)
    seat = models.PositiveSmallIntegerField()
    at = models.DateTimeField()
    times = ArrayField(models.FloatField(), help_text="ms of wall time of each answer.")
    cpu_ms = models.PositiveIntegerField(default=0, help_text="ms of processor time of all of them.")

    class Meta:
        indexes = [models.Index(fields=["bot_version", "-at"], name="ask_by_version")]

    def __str__(self) -> str:
        return f"{len(self.times)} answers of {self.bot_version_id}"
