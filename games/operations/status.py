"""How the house is doing: what is played, what waits, what is stuck and why. One account of it for the admin's
dashboard, the API and whoever else asks."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any, Final

from django.db.models import Case, Count, Exists, F, Min, OuterRef, Q, QuerySet, Subquery, Value, When
from django.db.models.functions import Coalesce
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from games import build
from games.admin_actions import audit
from games.bots.models import GOING
from games.clocks import outages
from games.common import clock, disk_full
from games.models import AdminAction, Game, House, Incident, Job, LifeSign, Trial, Worker
from games.moderation import waiting as undecided
from games.moderation.waiting import OpenCases
from games.operations import daily_counts, failures
from games.operations import queues as operations_queues
from games.operations.daily_counts import DayCount
from games.operations.failures import BotFaults, MailFailures, Quarantined
from games.operations.queues import Queue
from games.workers import leases

WORKER_LOST_AFTER = timedelta(seconds=30)  # a worker that has not said anything for so long is taken for lost
STUCK_AFTER = timedelta(minutes=2)  # a game that a program should move, and that has not moved for so long
GIVEN_UP_SHOWN_FOR = timedelta(days=7)
STUCK_AFTER_FAILURES = 3  # a game that failed so often in a row needs somebody
MAX_LISTED = 20
LOST_WORKERS_SHOWN_FOR = timedelta(minutes=10)
JOBS_SHOWN = 3
ACTIONS_SHOWN = 8
RECENT = timedelta(minutes=5)
REQUIRED_TIER = "A"  # of the sandbox that uploaded bots need


@dataclass(frozen=True)
class StuckGame:
    """A game that does not go on: since when and why, in a sentence. `suspects` are the uploaded bots that it waits
    for, where it failed; `worker` holds it, or did until it was lost; `place` is where in a league it is played."""

    game: str
    kind: str
    since: datetime
    reason: str
    failures: int = 0
    attempt: int = 0
    worker: str = ""
    suspects: list[str] = field(default_factory=list)
    place: str = ""


@dataclass(frozen=True)
class WaitingGames:
    """How many games wait for the same thing, and since when the first of them does."""

    code: str
    label: str
    games: int
    oldest: datetime


@dataclass(frozen=True)
class FailingTrial:
    """A gate or a comparison at which the platform has failed: of which version, since when, and what follows."""

    title: str
    bot: str
    version: int
    since: datetime
    given_up: bool
    reason: str
    trial: int = 0


@dataclass(frozen=True)
class SystemStatus:
    """The whole account, taken at `at`. Lists hold the oldest `MAX_LISTED`; the counts count all. `trials` are those at
    which the platform fails, or which were given up within days.

    `engines` is the build of the engines in the process that gives it (`games.build.current_build`); `ticked_at` when
    beat's last tick was done, `web_at` when a web process last said that it takes moves. `resumed` are games being
    played on that a lost worker had. `disk_full_at` is when the database last refused to write for want of room, if
    that was minutes ago. Sizes are bytes, of the log and of the whole database; the disk is that of this web process's
    machine.
    """

    at: datetime
    engines: str
    playing: int
    waiting: int
    stuck: int
    waiting_games: list[StuckGame]
    stuck_games: list[StuckGame]
    trials: list[FailingTrial]
    workers: list[dict[str, Any]]
    incidents: list[dict[str, Any]]
    waiting_for: list[WaitingGames]
    resumed: int
    ticked_at: datetime | None
    tick_sent_at: datetime | None
    web_at: datetime | None
    queues: list[Queue]
    faults: list[BotFaults]
    causes: dict[str, int]
    mails: MailFailures
    days: list[DayCount]
    log_bytes: int
    database_bytes: int
    disk_used: float
    disk_full_at: datetime | None
    signup_closed_at: datetime | None
    signup_reason: str
    jobs: list[dict[str, Any]]
    actions: list[dict[str, Any]]
    undecided: OpenCases
    quarantined: list[Quarantined]

    @property
    def workers_alive(self) -> int:
        return sum(worker["alive"] for worker in self.workers)

    @property
    def workers_lost(self) -> int:
        return len(self.workers) - self.workers_alive

    def plain(self) -> dict[str, Any]:
        """As JSON data."""
        return asdict(self)


def collect_status() -> SystemStatus:
    """Ask the database how things stand now, in a number of queries that does not grow with what is wrong."""
    now = clock.now()
    known = SharedFacts()
    going = Game.objects.filter(status=Game.Status.PLAYING)
    leased = Q(leased_until__gt=now)
    idle = going.exclude(leased)
    stuck = idle.filter(is_stuck(now))
    waiting = idle.exclude(pk__in=stuck.values("pk"))
    lost = Exists(Incident.objects.filter(game=OuterRef("pk"), cause=Incident.Cause.WORKER_LOST))
    held = going.aggregate(playing=Count("pk", leased), resumed=Count("pk", leased & Q(lost)))
    waiting_for = waiting_by_reason(waiting, now)
    signs = dict(LifeSign.objects.values_list("part", "at"))
    house = House.objects.filter(pk=1).first()
    sizes = daily_counts.disk_sizes()
    causes = failures.of_the_platform(now)
    _times, full_told = causes.get(Incident.Cause.DISK_FULL, (0, None))
    return SystemStatus(
        at=now,
        engines=build.current_build(),
        playing=held["playing"],
        resumed=held["resumed"],
        waiting=sum(each.games for each in waiting_for),
        stuck=stuck.count(),
        waiting_for=waiting_for,
        waiting_games=stuck_game_details(waiting, now, known),
        stuck_games=stuck_game_details(stuck, now, known),
        trials=failing_trials(now),
        workers=workers(now),
        incidents=[incident_facts(incident) for incident in Incident.objects.select_related("game")[:MAX_LISTED]],
        ticked_at=signs.get(outages.BEAT_PART),
        tick_sent_at=signs.get(outages.BEAT_SENT),
        web_at=signs.get("web"),
        queues=[*operations_queues.messages(), *operations_queues.due_work(now)],
        faults=failures.of_bots(now),
        causes={cause: times for cause, (times, _last) in causes.items()},
        mails=failures.of_mail(now),
        days=daily_counts.last(now, sizes.log),
        log_bytes=sizes.log,
        database_bytes=sizes.database,
        disk_used=daily_counts.disk_used(),
        disk_full_at=disk_full.last_full_at(full_told, now),
        signup_closed_at=house.signup_closed_at if house else None,
        signup_reason=house.signup_reason if house else "",
        jobs=[job_facts(job) for job in Job.objects.select_related("by")[:JOBS_SHOWN]],
        actions=[action_facts(done) for done in audit.with_targets(AdminAction.objects.all())[:ACTIONS_SHOWN]],
        undecided=undecided.collect_open_cases(),
        quarantined=failures.in_quarantine(),
    )


def is_stuck(now: datetime) -> Q:
    """Whether a game that nobody holds does not go on by itself."""
    unmoved = Q(awaits_program=True, caged=False, moved_at__lt=now - STUCK_AFTER)
    return unmoved | Q(failures__gte=STUCK_AFTER_FAILURES) | Q(deadline__lte=now)


class SharedFacts:
    """What several reasons need to know, asked for once."""

    @cached_property
    def cages(self) -> str:
        """`why_sandboxes_wait`."""
        return why_sandboxes_wait()

    @cached_property
    def played(self) -> int:
        """How many games of uploaded bots were played in the last minutes."""
        return played_lately()


# For what games wait, the first that fits: (code, which, in words).
WAIT_REASONS: Final[tuple[tuple[str, str | Promise], ...]] = (
    ("retry", gettext_lazy("Another try after a failure")),
    ("lost", gettext_lazy("A worker in the place of one that was lost")),
    ("start", gettext_lazy("People to check in, or its time to begin")),
    ("person", gettext_lazy("A person's move")),
    ("trial", gettext_lazy("The turn of its gate or comparison")),
    ("cage", gettext_lazy("The turn of an uploaded bot")),
    ("worker", gettext_lazy("A free worker")),
)


def waiting_by_reason(waiting: QuerySet[Game], now: datetime) -> list[WaitingGames]:
    """For what how many games wait, the commonest first."""
    rows = waiting.order_by().values(code=wait_reason(now)).annotate(games=Count("pk"), oldest=Min("moved_at"))
    words = dict(WAIT_REASONS)
    found = [WaitingGames(row["code"], str(words[row["code"]]), row["games"], row["oldest"]) for row in rows]
    return sorted(found, key=lambda each: -each.games)


def wait_reason(now: datetime) -> Case:
    """For what a game waits, as a code of `WAIT_REASONS`."""
    return Case(
        When(failures__gt=0, then=Value("retry")),
        When(Q(leased_until__lte=now) & ~Q(leased_by=""), then=Value("lost")),
        When(begins_at__isnull=False, then=Value("start")),
        When(awaits_program=False, then=Value("person")),
        When(caged=True, trial__isnull=False, then=Value("trial")),
        When(caged=True, then=Value("cage")),
        default=Value("worker"),
    )


def stuck_game_details(games: QuerySet[Game], now: datetime, known: SharedFacts) -> list[StuckGame]:
    """The games that have waited longest, each with its reason and, if it failed, who may be to blame."""
    before = leases.due_games(caged=True).filter(moved_at__lt=OuterRef("moved_at")).order_by()
    ahead = Coalesce(Subquery(before.values("caged").annotate(n=Count("pk")).values("n")), 0)
    oldest = games.select_related("trial__version__bot", "trial__against").annotate(ahead=ahead)
    seats = "seats__player__bot_version__bot"
    return [
        StuckGame(
            game.public_id,
            game.kind,
            game.moved_at,
            why_in_full(game, now, known),
            game.failures,
            game.attempt,
            game.leased_by,
            suspects_in(game),
        )
        for game in oldest.order_by("moved_at", "pk").prefetch_related(seats)[:MAX_LISTED]
    ]


def suspects_in(game: Game) -> list[str]:
    """The uploaded bots that a game which failed waits for, and which still play."""
    if not (game.failures and game.caged):
        return []
    versions = [seat.player.bot_version for seat in game.seats.all() if seat.seat in game.to_act]
    return [str(version) for version in versions if version and version.is_upload and version.may_play]


def failing_trials(now: datetime) -> list[FailingTrial]:
    """The trials at which the platform fails, and those that it has lately given up."""
    found = failing_trial_rows(now).select_related("version__bot", "against").order_by("created")
    listed = list(found[:MAX_LISTED])
    games = Game.objects.filter(trial__in=listed, status=Game.Status.PLAYING, failures__gt=0).order_by("failures")
    worst = {game.trial_id: game for game in games}
    return [
        FailingTrial(
            trial.title,
            trial.version.bot.name,
            trial.version.number,
            trial.created,
            trial.state == Trial.State.GIVEN_UP,
            _why_trial_waits(trial, worst.get(trial.pk), now),
            trial.pk,
        )
        for trial in listed
    ]


def failing_trial_rows(now: datetime) -> QuerySet[Trial]:
    """Those at which the platform fails, or which were given up within days."""
    failing = Q(state__in=GOING) & (Q(failures__gt=0) | Exists(failed_games()))
    given_up = Q(state=Trial.State.GIVEN_UP, finished_at__gt=now - GIVEN_UP_SHOWN_FOR)
    return Trial.objects.filter(failing | given_up)


def failed_games() -> QuerySet[Game]:
    """The games of a trial (`OuterRef`) that failed and are to be tried again."""
    return Game.objects.filter(trial=OuterRef("pk"), status=Game.Status.PLAYING, failures__gt=0)


def why_trial_waits(trial: Trial, now: datetime) -> str:
    """What became of a trial at which the platform failed, for its author and for admins."""
    games = Game.objects.filter(trial=trial, status=Game.Status.PLAYING)
    return _why_trial_waits(trial, games.order_by("-failures").first(), now)


def _why_trial_waits(trial: Trial, game: Game | None, now: datetime) -> str:
    if trial.state == Trial.State.GIVEN_UP:
        return _("It was given up: the platform failed time and again. Its author can run it again.")
    if trial.failures:
        failed = ngettext(
            "The platform failed at it once;", "The platform failed at it {n} times in a row;", trial.failures
        )
        return f"{failed.format(n=trial.failures)} {_next_try(trial.leased_until, now)}"
    return why_not_played(game, now) if game and game.failures else ""


def _next_try(at: datetime | None, now: datetime) -> str:
    if at and at > now:
        return _("the next try is at {time} UTC.").format(time=f"{at:%H:%M:%S}")
    return _("it is tried again as soon as a worker is free.")


def why_in_full(game: Game, now: datetime, known: SharedFacts) -> str:
    """`why_not_played`, with what the game is for where it is no game of its own."""
    why = why_not_played(game, now, known)
    if game.trial is None:
        return why
    return _("{why} It belongs to the {trial}.").format(why=why, trial=game.trial.title)


def why_sandboxes_wait() -> str:
    """Why games of uploaded bots are not played now, in a sentence; "" where a worker with a sandbox is alive."""
    now = clock.now()
    alive = Worker.objects.filter(stopped_at=None, heartbeat_at__gt=now - WORKER_LOST_AFTER)
    if alive.filter(tier=REQUIRED_TIER).exists():
        return ""
    without = alive.exclude(tier="").order_by("-heartbeat_at").first()
    if without:
        return _("No worker's sandbox is of tier A: {reason}").format(reason=without.tier_reason)
    return _("No worker with a sandbox (queue cage) is running.")


def why_waits(game: Game) -> str:
    """Why uploaded bots of `game` may have to wait now, for everybody to know; "" where none of them does.

    It does not tell whether one is to move: that may be its seat's secret.
    """
    return sandbox_wait_text() if game.caged and game.status == Game.Status.PLAYING else ""


def sandbox_wait_text() -> str:
    """For what games of uploaded bots wait at this moment, and about how long; "" where none does."""
    if reason := why_sandboxes_wait():
        return _("Uploaded bots do not play at this moment: {reason}").format(reason=reason)
    count = leases.due_games(caged=True).count()
    return _("{games} of uploaded bots wait for their turn.").format(games=queue_text(count)) if count > 1 else ""


def played_lately() -> int:
    """How many games of uploaded bots were played in the last minutes."""
    return Game.objects.filter(caged=True, trial=None, finished_at__gt=clock.now() - RECENT).count()


def queue_text(games: int, played: int | None = None) -> str:
    """So many games, and how long they take by what was played in the last minutes."""
    played = played_lately() if played is None else played
    words = ngettext("{n} game", "{n} games", games).format(n=games)
    if not played:
        return words
    seconds = round(games * RECENT.total_seconds() / played)
    return _("{games} (about {seconds} s)").format(games=words, seconds=seconds)


def why_not_played(game: Game, now: datetime, known: SharedFacts | None = None) -> str:
    """What a game that nobody plays at this moment waits for."""
    known = known or SharedFacts()
    if game.failures:
        failed = ngettext("It failed once at event {n};", "It failed {times} times at event {n};", game.failures)
        failed = failed.format(times=game.failures, n=game.version)
        if game.failures >= leases.MAX_FAILED_CLAIMS:
            return f"{failed} {_('nobody tries it again before an admin does.')}"
        return f"{failed} {_next_try(game.retry_at, now)}"
    if game.leased_until and game.leased_until <= now and game.leased_by:
        sentence = _("Worker {worker} was lost; another one goes on as soon as it is free.")
        return sentence.format(worker=game.leased_by)
    if game.deadline and game.deadline <= now:
        return _("A clock has run out and nobody has taken note; is a worker for the queue `short` running?")
    if not game.awaits_program:
        return _("It waits for a person's move.")
    if game.caged and (reason := known.cages):
        return _("An uploaded bot is to move. {reason}").format(reason=reason)
    if game.caged and game.trial_id is not None:
        return _("An uploaded bot is to move; a worker goes on with its trial in turn.")
    if game.caged:
        ahead = getattr(game, "ahead", None)  # where the query counted them
        first = leases.due_games(caged=True).filter(moved_at__lt=game.moved_at).count() if ahead is None else ahead
        sentence = _("An uploaded bot is to move; its turn comes after {games} of others.")
        return sentence.format(games=queue_text(first, known.played))
    return _("It waits for a free worker.")


def workers(now: datetime) -> list[dict[str, Any]]:
    """The workers that run, those that are silent, and those that were lost within minutes."""
    held = Game.objects.filter(status=Game.Status.PLAYING).exclude(leased_by="").order_by()
    counts = {row["leased_by"]: row["n"] for row in held.values("leased_by").annotate(n=Count("pk"))}
    return [worker_facts(worker, counts.get(worker.name, 0), now) for worker in known_workers(now)]


def known_workers(now: datetime) -> QuerySet[Worker]:
    """The rows of those."""
    lately = Q(stopped_at__gt=now - LOST_WORKERS_SHOWN_FOR, stopped_at__gte=F("heartbeat_at") + WORKER_LOST_AFTER)
    return Worker.objects.filter(Q(stopped_at=None) | lately).order_by("name")


def is_alive(worker: Worker, now: datetime) -> bool:
    """Whether it has not stopped, nor been silent for long."""
    return worker.stopped_at is None and worker.heartbeat_at > now - WORKER_LOST_AFTER


def worker_facts(worker: Worker, holds: int, now: datetime) -> dict[str, Any]:
    """One worker, whether it is alive, and how many games it holds or did when it was lost."""
    hours = max((worker.heartbeat_at - worker.started_at).total_seconds(), 60) / 3600
    return {
        "name": worker.name,
        "alive": is_alive(worker, now),
        "started_at": worker.started_at,
        "heartbeat_at": worker.heartbeat_at,
        "stopped_at": worker.stopped_at,
        "queues": worker.queues,
        "holds": holds,
        "games_played": worker.games_played,
        "games_an_hour": round(worker.games_played / hours) if is_alive(worker, now) else 0,
        "tier": worker.tier,
        "tier_reason": worker.tier_reason,
        "policy_hash": worker.policy_hash,
        "attacks": worker.attacks,
        "attacks_held": worker.attacks_held,
    }


def job_facts(job: Job) -> dict[str, Any]:
    """Something long that an admin asked for: how far it is, or its result's last line."""
    return {
        "what": job.what,
        "state": job.state,
        "label": job.get_state_display(),
        "by": job.by.get_username() if job.by else None,
        "asked_at": job.asked_at,
        "finished_at": job.finished_at,
        "heard_at": job.heard_at,
        "progress": job.progress,
        "result": job.result.rpartition("\n")[2],
        "job": job.pk,
    }


def action_facts(done: Any) -> dict[str, Any]:
    """What an admin did: a row of `with_targets`."""
    return {
        "at": done.at,
        "by": done.by.get_username() if done.by else None,
        "action": done.action,
        "target_type": done.target_type,
        "target_id": done.target_id,
        "target": done.target,
        "reason": done.reason,
        "outcome": done.outcome,
    }


def incident_facts(incident: Incident) -> dict[str, Any]:
    """One thing that went wrong, as it is told to admins."""
    return {
        "at": incident.at,
        "cause": incident.cause,
        "label": incident.get_cause_display(),
        "game": incident.game.public_id if incident.game else None,
        "sentence": incident.sentence,
        "times": incident.times,
    }
