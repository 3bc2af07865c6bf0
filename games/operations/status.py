"""The state of the platform: what is played, what waits, what is stuck and why.

The admin's dashboard, the API and all others use this one account.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Annotated, Any, ClassVar

from django.db.models import Count, Exists, F, Min, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from games.accounts.models import SiteState
from games.admin_actions import audit
from games.admin_actions.models import AdminAction
from games.clocks import outages
from games.clocks.models import Heartbeat
from games.common import clock, disk_full
from games.common.dataclass_serializer import UNSENT
from games.common.models import Incident
from games.common.prepared import first_row, in_all, prepared
from games.models import GOING, Game, Trial
from games.moderation import waiting as undecided
from games.moderation.waiting import OpenCases
from games.operations import daily_counts, failures
from games.operations import queues as operations_queues
from games.operations.daily_counts import DayCount
from games.operations.failures import BotFaults, MailFailures, Quarantined
from games.operations.models import AdminJob
from games.operations.queues import Queue
from games.workers import leases, waiting_reasons
from games.workers.models import Worker
from scorebook_games import build
from scorebook_games.presentation.coded_text import Sentence
from scorebook_games.registry import KINDS

STUCK_AFTER = timedelta(minutes=2)  # after this time without a move, a game that a program should move is shown
GIVEN_UP_SHOWN_FOR = timedelta(days=7)
STUCK_AFTER_FAILURES = 3  # after this many failures in a row, a game needs an admin
MAX_LISTED = 20
LOST_WORKERS_SHOWN_FOR = timedelta(minutes=10)
JOBS_SHOWN = 3
ACTIONS_SHOWN = 8


@dataclass(frozen=True)
class StuckGame:
    """A game that has stopped.

    `suspects` are the uploaded bots that it waits for, where it failed; `worker` holds it, or did until it was lost.
    """

    game: str
    kind: str
    since: datetime
    reason: str
    failures: int = 0
    attempt: int = 0
    worker: str = ""
    suspects: list[str] = field(default_factory=list)
    place: Annotated[str, "Its league, season and round; may be empty."] = ""


@dataclass(frozen=True)
class WaitingGames:
    """The number of games that wait for the same reason."""

    component: ClassVar[str] = "Waiting"

    code: str
    label: str
    games: int
    oldest: datetime


@dataclass(frozen=True)
class FailingTrial:
    """An admission or comparison at which the platform failed."""

    component: ClassVar[str] = "StuckTrial"

    title: str
    bot: str
    version: int
    since: datetime
    given_up: bool
    reason: str
    trial: int = 0


@dataclass(frozen=True)
class WorkerFacts:
    """A worker: whether it is alive, how many games it has, and its sandbox."""

    component: ClassVar[str] = "Worker"

    name: str
    alive: bool
    started_at: datetime
    heartbeat_at: datetime
    stopped_at: datetime | None
    queues: Annotated[list[str], "The queues that it takes work from."]
    holds: Annotated[int, "Number of games it has leased."]
    games_played: int
    games_an_hour: int
    tier: Annotated[str, "Tier of its sandbox: A, none, or empty if it has no sandbox."]
    tier_reason: str
    policy_hash: str
    attacks: Annotated[int, "Checks of its sandbox, made at start."]
    attacks_held: int


@dataclass(frozen=True)
class IncidentFacts:
    """Something that went wrong."""

    component: ClassVar[str] = "Incident"

    at: datetime
    cause: str
    label: str
    game: str | None
    sentence: str
    sentences: list[Sentence]
    times: Annotated[int, "How often it occurred in that game; `at` is the last time."]


@dataclass(frozen=True)
class JobFacts:
    """A long task that an admin has started.

    `progress` is how far it is; `result` is its result in short.
    """

    component: ClassVar[str] = "Job"

    what: str
    state: str
    label: Annotated[str, UNSENT]
    by: str | None
    asked_at: datetime
    finished_at: datetime | None
    heard_at: datetime | None
    progress: str
    result: str
    code: Annotated[str, UNSENT]  # of the result
    job: int


@dataclass(frozen=True)
class ActionFacts:
    """What an admin did."""

    component: ClassVar[str] = "RecentAdminAction"

    at: datetime
    by: str | None
    action: str
    target_type: str
    target_id: str
    target: Annotated[str, "The name of the target."]
    reason: str
    outcome: str


@dataclass(frozen=True)
class SystemStatus:
    """How the platform is doing at `at`. Lists hold the oldest `MAX_LISTED`; the counts count all.

    `trials` are those at which the platform fails, or which were given up within days. Sizes are bytes.
    """

    at: datetime
    engines: Annotated[str, "Build of the engines in this web process: compiled or plain."]
    playing: int
    resumed: Annotated[int, "Games that were taken over from a lost worker."]
    waiting: int
    stuck: int
    waiting_for: list[WaitingGames]
    waiting_games: list[StuckGame]
    stuck_games: list[StuckGame]
    trials: list[FailingTrial]
    workers: list[WorkerFacts]
    incidents: list[IncidentFacts]
    ticked_at: Annotated[datetime | None, "When a worker last handled a tick of the scheduler (beat)."]
    tick_sent_at: Annotated[
        datetime | None,
        "When the scheduler last sent a tick. If it is old, the scheduler is down; otherwise the queue is late.",
    ]
    web_at: datetime | None
    queues: list[Queue]
    faults: list[BotFaults]
    causes: Annotated[dict[str, int], "Incidents within 24 hours, by cause."]
    mails: MailFailures
    undecided: OpenCases
    quarantined: Annotated[list[Quarantined], "The newest five."]
    days: list[DayCount]
    log_bytes: int
    database_bytes: int
    disk_used: Annotated[float, "Of the web server's disk, 0 to 1."]
    disk_full_at: Annotated[
        datetime | None,
        "When the database last refused a write because its disk was full; only if that was within minutes.",
    ]
    signup_closed_at: datetime | None
    signup_reason: str
    jobs: list[JobFacts]
    actions: list[ActionFacts]
    broken_kinds: Annotated[dict[str, str], "What is wrong with kinds of game in this web process, by kind."]

    @property
    def workers_alive(self) -> int:
        return sum(worker.alive for worker in self.workers)

    @property
    def workers_lost(self) -> int:
        return len(self.workers) - self.workers_alive


def collect_status() -> SystemStatus:
    """Return the present state. What there is nothing of costs one query, which counts it; the number of queries does
    not grow with the number of problems."""
    now = clock.now()
    return SystemStatus(
        at=now,
        engines=build.current_build(),
        **_games(now),
        trials=failing_trials(now),
        workers=workers(now),
        incidents=[incident_facts(incident) for incident in _incidents(MAX_LISTED)],
        **_signs_of_life(),
        queues=[*operations_queues.messages(), *operations_queues.due_work(now)],
        faults=failures.of_bots(now),
        **_causes(now),
        mails=failures.of_mail(),
        undecided=undecided.collect_open_cases(),
        quarantined=failures.in_quarantine(),
        **_sizes(now),
        **_sign_up(),
        jobs=[job_facts(job) for job in _jobs(JOBS_SHOWN)],
        actions=[action_facts(done) for done in _actions(ACTIONS_SHOWN)],
        broken_kinds=dict(KINDS.broken),
    )


@prepared
def _incidents(count: int) -> QuerySet[Incident]:
    return Incident.objects.select_related("game")[:count]


@prepared
def _jobs(count: int) -> QuerySet[AdminJob]:
    return AdminJob.objects.select_related("by")[:count]


@prepared
def _actions(count: int) -> QuerySet[AdminAction]:
    return audit.with_targets(AdminAction.objects.all())[:count]


def _games(now: datetime) -> dict[str, Any]:
    """Return the running games: played by a worker, waiting, stuck."""
    known = waiting_reasons.SharedFacts()
    counts = {"playing": 0, "resumed": 0, "stuck": 0, **(first_row(_game_counts(now=now)) or {})}
    waiting_for = waiting_by_reason(now)
    return {
        **counts,
        "waiting": sum(each.games for each in waiting_for),
        "waiting_for": waiting_for,
        "waiting_games": stuck_game_details(waiting_games(now), now, known) if waiting_for else [],
        "stuck_games": stuck_game_details(stuck_games(now), now, known) if counts["stuck"] else [],
    }


def going_games() -> QuerySet[Game]:
    return Game.objects.filter(status=Game.Status.PLAYING)


def stuck_games(now: datetime) -> QuerySet[Game]:
    """Return the games that nobody holds and that do not go on by themselves."""
    return going_games().exclude(leased_until__gt=now).filter(is_stuck(now))


def waiting_games(now: datetime) -> QuerySet[Game]:
    """Return the other games that nobody holds."""
    return going_games().exclude(leased_until__gt=now).exclude(pk__in=stuck_games(now).values("pk"))


@prepared
def _game_counts(*, now: datetime) -> QuerySet[Game, dict[str, int]]:
    leased = Q(leased_until__gt=now)
    lost = Exists(Incident.objects.filter(game=OuterRef("pk"), cause=Incident.Cause.WORKER_LOST))
    return in_all(
        going_games(),
        playing=Count("pk", leased),
        resumed=Count("pk", leased & Q(lost)),
        stuck=Count("pk", ~leased & is_stuck(now)),
    )


def _signs_of_life() -> dict[str, Any]:
    """Return when beat and a web process last reported."""
    signs = dict(Heartbeat.objects.values_list("part", "at"))
    return {
        "ticked_at": signs.get(outages.BEAT_PART),
        "tick_sent_at": signs.get(outages.BEAT_SENT),
        "web_at": signs.get("web"),
    }


def _causes(now: datetime) -> dict[str, Any]:
    """Return incidents by cause, and whether a full disk is among them."""
    causes = failures.of_the_platform(now)
    _times, full_at = causes.get(Incident.Cause.DISK_FULL, (0, None))
    return {
        "causes": {cause: times for cause, (times, _last) in causes.items()},
        "disk_full_at": disk_full.last_full_at(full_at, now),
    }


def _sizes(now: datetime) -> dict[str, Any]:
    """Return the sizes of log, database and disk, and how the log grew by day."""
    sizes = daily_counts.disk_sizes()
    return {
        "days": daily_counts.last(now, sizes.log),
        "log_bytes": sizes.log,
        "database_bytes": sizes.database,
        "disk_used": daily_counts.disk_used(),
    }


def _sign_up() -> dict[str, Any]:
    """Return since when sign-up is closed, and why."""
    site = SiteState.objects.filter(pk=1).first()
    return {
        "signup_closed_at": site.signup_closed_at if site else None,
        "signup_reason": site.signup_reason if site else "",
    }


def is_stuck(now: datetime) -> Q:
    """Return a filter for games that nobody holds and that do not go on by themselves."""
    unmoved = Q(awaits_worker=True, sandboxed=False, moved_at__lt=now - STUCK_AFTER)
    return unmoved | Q(failures__gte=STUCK_AFTER_FAILURES) | Q(deadline__lte=now)


def waiting_by_reason(now: datetime) -> list[WaitingGames]:
    """Return how many games wait for what, the most frequent first."""
    rows = _reasons(now=now)
    words = dict(waiting_reasons.WAIT_REASONS)
    found = [WaitingGames(row["code"], str(words[row["code"]]), row["games"], row["oldest"]) for row in rows]
    return sorted(found, key=lambda each: -each.games)


@prepared
def _reasons(*, now: datetime) -> QuerySet[Any, Any]:
    coded = waiting_games(now).order_by().values(code=waiting_reasons.wait_reason(now))
    return coded.annotate(games=Count("pk"), oldest=Min("moved_at"))


def stuck_game_details(games: QuerySet[Game], now: datetime, known: waiting_reasons.SharedFacts) -> list[StuckGame]:
    """Return the games that have waited longest, each with its reason and, if it failed, its suspects."""
    before = leases.due_games(sandboxed=True).filter(moved_at__lt=OuterRef("moved_at")).order_by()
    ahead = Coalesce(Subquery(before.values("sandboxed").annotate(n=Count("pk")).values("n")), 0)
    oldest = games.select_related("trial__version__bot", "trial__against").annotate(ahead=ahead)
    seats = "seats__player__bot_version__bot"
    return [
        StuckGame(
            game.public_id,
            game.kind,
            game.moved_at,
            waiting_reasons.why_in_full(game, now, known),
            game.failures,
            game.attempt,
            game.leased_by,
            suspects_in(game),
        )
        for game in oldest.order_by("moved_at", "pk").prefetch_related(seats)[:MAX_LISTED]
    ]


def suspects_in(game: Game) -> list[str]:
    """Return the uploaded bots that a failed game waits for and that still play."""
    if not (game.failures and game.sandboxed):
        return []
    versions = [seat.player.bot_version for seat in game.seats.all() if seat.seat in game.to_act]
    return [str(version) for version in versions if version and version.is_upload and version.may_play]


def failing_trials(now: datetime) -> list[FailingTrial]:
    """Return the trials at which the platform fails, and those that it has lately given up."""
    listed = list(_failing_trials(MAX_LISTED, now=now))
    worst = {game.trial_id: game for game in _failed_games_of(trials=[trial.pk for trial in listed])}
    return [
        FailingTrial(
            trial.title,
            trial.version.bot.name,
            trial.version.number,
            trial.created,
            trial.state == Trial.State.GIVEN_UP,
            waiting_reasons.trial_words(trial, worst.get(trial.pk), now),
            trial.pk,
        )
        for trial in listed
    ]


@prepared
def _failing_trials(count: int, *, now: datetime) -> QuerySet[Trial]:
    return failing_trial_rows(now).select_related("version__bot", "against").order_by("created")[:count]


@prepared
def _failed_games_of(*, trials: list[int]) -> QuerySet[Game]:
    return going_games().filter(trial__in=trials, failures__gt=0).order_by("failures")


def failing_trial_rows(now: datetime) -> QuerySet[Trial]:
    """Return the rows of the trials at which the platform fails, or which were given up within days."""
    failing = Q(state__in=GOING) & (Q(failures__gt=0) | Exists(failed_games()))
    given_up = Q(state=Trial.State.GIVEN_UP, finished_at__gt=now - GIVEN_UP_SHOWN_FOR)
    return Trial.objects.filter(failing | given_up)


def failed_games() -> QuerySet[Game]:
    """Return the games of a trial (`OuterRef`) that failed and will be tried again."""
    return Game.objects.filter(trial=OuterRef("pk"), status=Game.Status.PLAYING, failures__gt=0)


def workers(now: datetime) -> list[WorkerFacts]:
    """Return the workers that run, those that are silent, and those that were lost within minutes."""
    counts = {row["leased_by"]: row["n"] for row in _leases()}
    return [worker_facts(worker, counts.get(worker.name, 0), now) for worker in _known_workers(now=now)]


@prepared
def _leases() -> QuerySet[Any, Any]:
    return going_games().exclude(leased_by="").order_by().values("leased_by").annotate(n=Count("pk"))


@prepared
def _known_workers(*, now: datetime) -> QuerySet[Worker]:
    return known_workers(now)


def known_workers(now: datetime) -> QuerySet[Worker]:
    """Return the rows of these workers."""
    lately = Q(
        stopped_at__gt=now - LOST_WORKERS_SHOWN_FOR,
        stopped_at__gte=F("heartbeat_at") + waiting_reasons.WORKER_LOST_AFTER,
    )
    return Worker.objects.filter(Q(stopped_at=None) | lately).order_by("name")


def is_alive(worker: Worker, now: datetime) -> bool:
    """Return whether a worker has neither stopped nor been silent for long."""
    return worker.stopped_at is None and worker.heartbeat_at > now - waiting_reasons.WORKER_LOST_AFTER


def worker_facts(worker: Worker, holds: int, now: datetime) -> WorkerFacts:
    """Return one worker, whether it is alive, and how many games it holds, or held when it was lost."""
    hours = max((worker.heartbeat_at - worker.started_at).total_seconds(), 60) / 3600
    return WorkerFacts(
        name=worker.name,
        alive=is_alive(worker, now),
        started_at=worker.started_at,
        heartbeat_at=worker.heartbeat_at,
        stopped_at=worker.stopped_at,
        queues=worker.queues,
        holds=holds,
        games_played=worker.games_played,
        games_an_hour=round(worker.games_played / hours) if is_alive(worker, now) else 0,
        tier=worker.tier,
        tier_reason=worker.tier_reason,
        policy_hash=worker.policy_hash,
        attacks=worker.attacks,
        attacks_held=worker.attacks_held,
    )


def job_facts(job: AdminJob) -> JobFacts:
    """Return an admin's job: its progress, or its result in short."""
    return JobFacts(
        what=job.what,
        state=job.state,
        label=job.get_state_display(),
        by=job.by.get_username() if job.by else None,
        asked_at=job.asked_at,
        finished_at=job.finished_at,
        heard_at=job.heard_at,
        progress=job.progress,
        result=job.summary,
        code=job.sentences[0][0] if job.sentences else "",
        job=job.pk,
    )


def action_facts(done: Any) -> ActionFacts:
    """Return what an admin did, from a row of `with_targets`."""
    return ActionFacts(
        at=done.at,
        by=done.by.get_username() if done.by else None,
        action=done.action,
        target_type=done.target_type,
        target_id=done.target_id,
        target=done.target,
        reason=done.reason,
        outcome=done.outcome,
    )


def incident_facts(incident: Incident) -> IncidentFacts:
    """Return an incident as admins see it."""
    return IncidentFacts(
        at=incident.at,
        cause=incident.cause,
        label=incident.get_cause_display(),
        game=incident.game.public_id if incident.game else None,
        sentence=incident.sentence,
        sentences=[Sentence(*sentence) for sentence in incident.sentences],
        times=incident.times,
    )
