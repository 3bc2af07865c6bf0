"""How the house is doing: what is played, what waits, what is stuck and why. One account of it for the admin's
dashboard, the API and whoever else asks."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Q, QuerySet

from games import build, clock, leases
from games.models import Game, Incident, Worker

SILENT_AFTER = timedelta(seconds=30)  # a worker that has not said anything for so long is taken for lost
STUCK_AFTER = timedelta(minutes=2)  # a game that a program should move, and that has not moved for so long
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
class Condition:
    """The whole account, taken at `at`. Lists hold the oldest `LISTED`; the counts count all.

    `engines` is the build of the engines in the process that gives it (`games.build.which`).
    """

    at: datetime
    engines: str
    playing: int
    waiting: int
    stuck: int
    waiting_games: list[Concern]
    stuck_games: list[Concern]
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
        workers=[worker_facts(worker, now) for worker in Worker.objects.filter(stopped_at=None).order_by("name")],
        incidents=[incident_facts(incident) for incident in Incident.objects.select_related("game")[:LISTED]],
    )


def concerns(games: QuerySet[Game], now: datetime) -> list[Concern]:
    """The games that have waited longest, each with its reason."""
    oldest = games.order_by("moved_at")[:LISTED]
    return [Concern(game.public_id, game.kind, game.moved_at, why_not_played(game, now)) for game in oldest]


def why_cages_wait() -> str:
    """Why games of uploaded bots are not played now, in a sentence; "" where a worker with a sandbox is alive."""
    now = clock.now()
    alive = Worker.objects.filter(stopped_at=None, heartbeat_at__gt=now - SILENT_AFTER)
    if alive.filter(tier=TIER).exists():
        return ""
    without = alive.exclude(tier="").order_by("-heartbeat_at").first()
    if without:
        return f"No worker's sandbox is of tier A: {without.tier_reason}"
    return "No worker with a sandbox (queue cage) is running."


def why_waits(game: Game) -> str:
    """Why uploaded bots of `game` may have to wait now, for everybody to know; "" where none of them does.

    It does not tell whether one is to move: that may be its seat's secret.
    """
    return cages_wait() if game.caged and game.status == Game.Status.PLAYING else ""


def cages_wait() -> str:
    """For what games of uploaded bots wait at this moment, and about how long; "" where none does."""
    if reason := why_cages_wait():
        return f"Uploaded bots do not play at this moment: {reason}"
    count = leases.due(caged=True).count()
    return f"{queue_words(count)} of uploaded bots wait for their turn." if count > 1 else ""


def queue_words(games: int) -> str:
    """So many games, and how long they take by what was played in the last minutes."""
    since = clock.now() - RECENT
    played = Game.objects.filter(caged=True, trial=None, finished_at__gt=since).count()
    seconds = round(games * RECENT.total_seconds() / played) if played else None
    return f"{games} games" + (f" (about {seconds} s)" if seconds is not None else "")


def why_not_played(game: Game, now: datetime) -> str:
    """What a game that nobody plays at this moment waits for."""
    if game.failures:
        times = "once" if game.failures == 1 else f"{game.failures} times"
        failed = f"It failed {times} at event {game.version}; "
        if game.retry_at and game.retry_at > now:
            return failed + f"the next try is at {game.retry_at:%H:%M:%S} UTC."
        return failed + "it is tried again as soon as a worker is free."
    if game.leased_until and game.leased_until <= now and game.leased_by:
        return f"Worker {game.leased_by} was lost; another one goes on as soon as it is free."
    if game.deadline and game.deadline <= now:
        return "A clock has run out and nobody has taken note; is a worker for the queue `short` running?"
    if not game.awaits_program:
        return "It waits for a person's move."
    if game.caged and (reason := why_cages_wait()):
        return f"An uploaded bot is to move. {reason}"
    if game.caged:
        first = leases.due(caged=True).filter(moved_at__lt=game.moved_at).count()
        return f"An uploaded bot is to move; its turn comes after {queue_words(first)} of others."
    return "It waits for a free worker."


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
