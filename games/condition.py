"""How the house is doing: what is played, what waits, what is stuck and why. One account of it for the admin's
dashboard, the API and whoever else asks."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from games import build, clock, leases
from games.bots.models import GOING
from games.models import Game, Incident, Trial, Worker

SILENT_AFTER = timedelta(seconds=30)  # a worker that has not said anything for so long is taken for lost
STUCK_AFTER = timedelta(minutes=2)  # a game that a program should move, and that has not moved for so long
GIVEN_UP_SHOWN = timedelta(days=7)
STUCK_FAILURES = 3  # a game that failed so often in a row needs somebody
LISTED = 20
RECENT = timedelta(minutes=5)
TIER = "A"  # of the sandbox that uploaded bots need


@dataclass(frozen=True)
class Concern:
    """A game that does not go on: since when and why, in a sentence."""

    game: str
    kind: str
    since: datetime
    reason: str


@dataclass(frozen=True)
class TrialConcern:
    """A gate or a comparison at which the platform has failed: of which version, since when, and what follows."""

    title: str
    bot: str
    version: int
    since: datetime
    given_up: bool
    reason: str


@dataclass(frozen=True)
class Condition:
    """The whole account, taken at `at`. Lists hold the oldest `LISTED`; the counts count all. `trials` are those at
    which the platform fails, or which were given up within days.

    `engines` is the build of the engines in the process that gives it (`games.build.which`).
    """

    at: datetime
    engines: str
    playing: int
    waiting: int
    stuck: int
    waiting_games: list[Concern]
    stuck_games: list[Concern]
    trials: list[TrialConcern]
    workers: list[dict[str, Any]]
    incidents: list[dict[str, Any]]

    @property
    def workers_alive(self) -> int:
        return sum(worker["alive"] for worker in self.workers)

    @property
    def workers_lost(self) -> int:
        return len(self.workers) - self.workers_alive

    def plain(self) -> dict[str, Any]:
        """As JSON data."""
        return asdict(self)


def take() -> Condition:
    """Ask the database how things stand now."""
    now = clock.now()
    going = Game.objects.filter(status=Game.Status.PLAYING)
    leased = Q(leased_until__gt=now)
    idle = going.exclude(leased)
    stuck = idle.filter(
        Q(awaits_program=True, caged=False, moved_at__lt=now - STUCK_AFTER)
        | Q(failures__gte=STUCK_FAILURES)
        | Q(deadline__lte=now)
    )
    waiting = idle.exclude(pk__in=stuck.values("pk"))
    return Condition(
        at=now,
        engines=build.which(),
        playing=going.filter(leased).count(),
        waiting=waiting.count(),
        stuck=stuck.count(),
        waiting_games=concerns(waiting, now),
        stuck_games=concerns(stuck, now),
        trials=trial_concerns(now),
        workers=[worker_facts(worker, now) for worker in Worker.objects.filter(stopped_at=None).order_by("name")],
        incidents=[incident_facts(incident) for incident in Incident.objects.select_related("game")[:LISTED]],
    )


def concerns(games: QuerySet[Game], now: datetime) -> list[Concern]:
    """The games that have waited longest, each with its reason."""
    oldest = games.select_related("trial__version__bot", "trial__against").order_by("moved_at")[:LISTED]
    return [Concern(game.public_id, game.kind, game.moved_at, why_in_full(game, now)) for game in oldest]


def trial_concerns(now: datetime) -> list[TrialConcern]:
    """The trials at which the platform fails, and those that it has lately given up."""
    failing = Q(state__in=GOING) & (Q(failures__gt=0) | Exists(failed_games()))
    given_up = Q(state=Trial.State.GIVEN_UP, finished_at__gt=now - GIVEN_UP_SHOWN)
    found = Trial.objects.filter(failing | given_up).select_related("version__bot", "against").order_by("created")
    return [
        TrialConcern(
            trial.title,
            trial.version.bot.name,
            trial.version.number,
            trial.created,
            trial.state == Trial.State.GIVEN_UP,
            why_trial_waits(trial, now),
        )
        for trial in found[:LISTED]
    ]


def failed_games() -> QuerySet[Game]:
    """The games of a trial (`OuterRef`) that failed and are to be tried again."""
    return Game.objects.filter(trial=OuterRef("pk"), status=Game.Status.PLAYING, failures__gt=0)


def why_trial_waits(trial: Trial, now: datetime) -> str:
    """What became of a trial at which the platform failed, for its author and for admins."""
    if trial.state == Trial.State.GIVEN_UP:
        return _("It was given up: the platform failed time and again. Its author can run it again.")
    if trial.failures:
        failed = ngettext(
            "The platform failed at it once;", "The platform failed at it {n} times in a row;", trial.failures
        )
        return f"{failed.format(n=trial.failures)} {_next_try(trial.leased_until, now)}"
    game = Game.objects.filter(trial=trial, status=Game.Status.PLAYING).order_by("-failures").first()
    return why_not_played(game, now) if game and game.failures else ""


def _next_try(at: datetime | None, now: datetime) -> str:
    if at and at > now:
        return _("the next try is at {time} UTC.").format(time=f"{at:%H:%M:%S}")
    return _("it is tried again as soon as a worker is free.")


def why_in_full(game: Game, now: datetime) -> str:
    """`why_not_played`, with what the game is for where it is no game of its own."""
    why = why_not_played(game, now)
    if game.trial is None:
        return why
    return _("{why} It belongs to the {trial}.").format(why=why, trial=game.trial.title)


def why_cages_wait() -> str:
    """Why games of uploaded bots are not played now, in a sentence; "" where a worker with a sandbox is alive."""
    now = clock.now()
    alive = Worker.objects.filter(stopped_at=None, heartbeat_at__gt=now - SILENT_AFTER)
    if alive.filter(tier=TIER).exists():
        return ""
    without = alive.exclude(tier="").order_by("-heartbeat_at").first()
    if without:
        return _("No worker's sandbox is of tier A: {reason}").format(reason=without.tier_reason)
    return _("No worker with a sandbox (queue cage) is running.")


def why_waits(game: Game) -> str:
    """Why uploaded bots of `game` may have to wait now, for everybody to know; "" where none of them does.

    It does not tell whether one is to move: that may be its seat's secret.
    """
    return cages_wait() if game.caged and game.status == Game.Status.PLAYING else ""


def cages_wait() -> str:
    """For what games of uploaded bots wait at this moment, and about how long; "" where none does."""
    if reason := why_cages_wait():
        return _("Uploaded bots do not play at this moment: {reason}").format(reason=reason)
    count = leases.due(caged=True).count()
    return _("{games} of uploaded bots wait for their turn.").format(games=queue_words(count)) if count > 1 else ""


def queue_words(games: int) -> str:
    """So many games, and how long they take by what was played in the last minutes."""
    since = clock.now() - RECENT
    played = Game.objects.filter(caged=True, trial=None, finished_at__gt=since).count()
    words = ngettext("{n} game", "{n} games", games).format(n=games)
    if not played:
        return words
    seconds = round(games * RECENT.total_seconds() / played)
    return _("{games} (about {seconds} s)").format(games=words, seconds=seconds)


def why_not_played(game: Game, now: datetime) -> str:
    """What a game that nobody plays at this moment waits for."""
    if game.failures:
        failed = ngettext("It failed once at event {n};", "It failed {times} times at event {n};", game.failures)
        failed = failed.format(times=game.failures, n=game.version)
        if game.failures >= leases.GIVE_UP_AFTER:
            return f"{failed} {_('nobody tries it again before an admin does.')}"
        return f"{failed} {_next_try(game.retry_at, now)}"
    if game.leased_until and game.leased_until <= now and game.leased_by:
        sentence = _("Worker {worker} was lost; another one goes on as soon as it is free.")
        return sentence.format(worker=game.leased_by)
    if game.deadline and game.deadline <= now:
        return _("A clock has run out and nobody has taken note; is a worker for the queue `short` running?")
    if not game.awaits_program:
        return _("It waits for a person's move.")
    if game.caged and (reason := why_cages_wait()):
        return _("An uploaded bot is to move. {reason}").format(reason=reason)
    if game.caged and game.trial_id is not None:
        return _("An uploaded bot is to move; a worker goes on with its trial in turn.")
    if game.caged:
        first = leases.due(caged=True).filter(moved_at__lt=game.moved_at).count()
        sentence = _("An uploaded bot is to move; its turn comes after {games} of others.")
        return sentence.format(games=queue_words(first))
    return _("It waits for a free worker.")


def worker_facts(worker: Worker, now: datetime) -> dict[str, Any]:
    """One worker, and whether it is alive."""
    return {
        "name": worker.name,
        "alive": worker.heartbeat_at > now - SILENT_AFTER,
        "started_at": worker.started_at,
        "heartbeat_at": worker.heartbeat_at,
        "games_played": worker.games_played,
        "tier": worker.tier,
        "tier_reason": worker.tier_reason,
        "policy_hash": worker.policy_hash,
    }


def incident_facts(incident: Incident) -> dict[str, Any]:
    """One thing that went wrong, as it is told to admins."""
    return {
        "at": incident.at,
        "cause": incident.cause,
        "label": incident.get_cause_display(),
        "game": incident.game.public_id if incident.game else None,
        "sentence": incident.sentence,
    }
