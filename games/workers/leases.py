"""Who plays which game, and until when: leases with a fence (docs/adr/0003-leases-and-fencing.md).

Work is found by a query and claimed under a row lock. Every claim raises the game's `attempt`, and what a runner stores
is conditional on it (`games.play.unit_of_work.commit`): a worker that was silent for too long and wakes stores nothing.
Leases go by the database's clock, the only one that all workers share.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import timedelta
from math import ceil
from typing import Final, NamedTuple

from django.conf import settings
from django.db import Error, connection, transaction
from django.db.models import Count, F, Q, QuerySet
from django.db.models.functions import Coalesce, Now
from django.utils.translation import gettext as _

from games.common import clock, disk_full
from games.common.errors import DomainError
from games.common.models import Incident
from games.models import Game, Trial
from games.play.wake_up import wake_players, wake_sandboxes
from games.workers.models import Worker

logger = logging.getLogger(__name__)

MAX_FAILED_CLAIMS: Final = 8  # claims in a row without a rule event; then the game waits for an admin (`retry_game`)
MAX_GAMES_PER_BOT: Final = 4  # games of one bot that are played at the same time, by all workers together
MAX_GAMES_PER_TRIAL: Final = 8
PLAY_QUEUE: Final = "play"  # from which those take work that play games of built-in bots
SHARING_LOCK: Final = 0x5C0BE  # the lock under which games of uploaded bots are shared out
MAX_PAUSE_SECONDS: Final = 300  # seconds before a game that failed is tried again
FAILED_GAME_DELAY: Final = timedelta(seconds=15)  # how long others come before a game that failed
HEARTBEAT_TIMEOUT: Final = timedelta(seconds=30)
WORKER_RETENTION: Final = timedelta(days=1)


class LeaseLost(DomainError):
    """Another worker plays the game by now, or it is over."""

    def __init__(self, game: Game, attempt: int | None) -> None:
        sentence = f"Attempt {attempt} at game {game.public_id} has ended: another worker has the game, or it is over."
        super().__init__(409, "lease_lost", sentence, attempt=attempt)


class Claim(NamedTuple):
    """A game that this worker may play now. `lost_games` names the worker that had it and fell silent, if one did."""

    game: Game
    lost: str


def lease() -> timedelta:
    """For how long a worker may be silent."""
    return timedelta(seconds=settings.SCOREBOOK_LEASE_SECONDS)


def due_games(*, sandboxed: bool | None = False) -> QuerySet[Game]:
    """The games that a worker may claim now: a program is to act, and nobody plays them.

    Those with an uploaded bot (`sandboxed`) are for workers with a sandbox; None is both. Trials have theirs played.
    """
    games = due_anywhere().filter(trial=None)
    return games if sandboxed is None else games.filter(sandboxed=sandboxed)


def due_anywhere() -> QuerySet[Game]:
    """Those of trials too."""
    return Game.objects.filter(
        Q(leased_until=None) | Q(leased_until__lte=Now()),
        Q(retry_at=None) | Q(retry_at__lte=Now()),
        status=Game.Status.PLAYING,
        awaits_worker=True,
        failures__lt=MAX_FAILED_CLAIMS,
    )


def stuck_games() -> QuerySet[Game]:
    """The games at which workers have given up."""
    return Game.objects.filter(status=Game.Status.PLAYING, awaits_worker=True, failures__gte=MAX_FAILED_CLAIMS)


def lost_games() -> QuerySet[Game]:
    """The games whose worker has fallen silent."""
    return due_games(sandboxed=None).filter(leased_until__lte=Now())


def claim_games(worker: str, limit: int) -> list[Claim]:
    """Its share of the games that are due, up to `limit`, from now on played by `worker`, which must be no other live
    worker's name.

    A game that failed before comes alone, so that one that kills its workers takes no others along.
    """
    failed = _claim(_delayed_failed_games(), worker, 1)
    return failed or _claim(due_games().order_by("failures", "id"), worker, fair_share(worker, limit))


def claim_more(worker: str, limit: int) -> list[Claim]:
    """Likewise, for a worker that has others in hand already: none that failed before, and none at all while one of
    those has been kept waiting, so that the worker comes to the end of what it has and takes that."""
    if not limit or _delayed_failed_games().exists():
        return []
    share = fair_share(worker, limit)
    return _claim(due_games().filter(failures=0).order_by("id"), worker, share) if share else []


def fair_share(worker: str, limit: int) -> int:
    """How many more games `worker` may take, up to `limit`, so that it holds no more than its share of all that are
    played and that wait.

    Others count that are alive and take work from the same queue. One that has given no sign for the time of a lease
    has no share, and nothing is set aside for anybody: who comes finds what waits then.
    """
    sign = clock.now() - lease()
    alive = Worker.objects.filter(stopped_at=None, heartbeat_at__gt=sign, queues__contains=[PLAY_QUEUE])
    workers = 1 + alive.exclude(name=worker).count()
    if workers == 1:
        return limit
    leased = Game.objects.filter(status=Game.Status.PLAYING, sandboxed=False, trial=None, leased_until__gt=Now())
    holds: dict[str, int] = dict(leased.order_by().values_list("leased_by").annotate(Count("pk")))
    waiting = due_games()[: limit * workers].count()
    share = ceil((waiting + sum(holds.values())) / workers)
    return max(0, min(limit, share - holds.get(worker, 0)))


def _delayed_failed_games() -> QuerySet[Game]:
    """The games that failed before and for whose next try no worker has had time, since others were due as well."""
    since = Coalesce("retry_at", "leased_until", "moved_at")
    failed = due_games().filter(failures__gt=0).annotate(since=since)
    return failed.filter(since__lte=Now() - FAILED_GAME_DELAY).order_by("since", "id")


def claim_sandboxed_games(worker: str, limit: int) -> list[Claim]:
    """Up to `limit` of the games with uploaded bots: those of each bot in turn, and no more than `MAX_GAMES_PER_BOT` at
    once of any, so that one that is slow or has many games keeps nobody else's waiting."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [SHARING_LOCK])
        cursor.execute(_IN_TURN, [MAX_FAILED_CLAIMS, MAX_GAMES_PER_BOT])
        ids = [row[0] for row in cursor.fetchall()]
        share = min(limit, sandbox_share(len(ids)))
        waiting = due_games(sandboxed=True).filter(pk__in=ids[:share]).order_by("failures", "moved_at", "id")
        return _claim(waiting, worker, share) if ids else []


def sandbox_share(waiting: int) -> int:
    """How many of so many waiting games one worker with a sandbox takes: fewer and fewer, so that towards the end none
    has a handful while others have nothing to do."""
    workers = Worker.objects.filter(stopped_at=None, tier="A").count()
    return ceil(waiting / max(1, 2 * workers - 1))


def claim_of_trial(trial: Trial, worker: str) -> list[Claim]:
    """Likewise of the games of a trial that this worker has."""
    return _claim(due_anywhere().filter(trial=trial).order_by("failures", "id"), worker, MAX_GAMES_PER_TRIAL)


# Waiting games, numbered for each bot from the one that has waited longest, behind those of it that are being played.
_IN_TURN: Final = """
    WITH sits AS (
        SELECT DISTINCT game.id, game.moved_at, version.bot_id, game.leased_until > clock_timestamp() AS held,
            game.failures, game.retry_at
        FROM games_game game
        JOIN games_seat seat ON seat.game_id = game.id
        JOIN games_player player ON player.id = seat.player_id
        JOIN games_botversion version ON version.id = player.bot_version_id
        WHERE game.status = 'playing' AND game.awaits_worker AND game.sandboxed AND game.trial_id IS NULL
            AND version.transport = 'upload'
    ), held AS (
        SELECT bot_id, count(*) AS games FROM sits WHERE held GROUP BY bot_id
    ), queue AS (
        SELECT id, moved_at, bot_id, row_number() OVER (PARTITION BY bot_id ORDER BY moved_at, id) AS turn
        FROM sits WHERE held IS NOT TRUE AND failures < %s AND (retry_at IS NULL OR retry_at <= clock_timestamp())
    )
    SELECT id FROM queue LEFT JOIN held USING (bot_id) GROUP BY id, moved_at
    HAVING max(turn + coalesce(held.games, 0)) <= %s ORDER BY max(turn), moved_at, id
"""


def _claim(waiting: QuerySet[Game], worker: str, limit: int) -> list[Claim]:
    with transaction.atomic():
        waiting = waiting.select_for_update(skip_locked=True, of=("self",)).select_related("deal")
        games = list(waiting[:limit])
        sound = [game for game in games if not game.failures]
        games = sound or games[:1]
        claims = [Claim(game, game.leased_by if game.leased_until else "") for game in games]
        overdue = [game for game, lost_worker in claims if lost_worker]
        Game.objects.filter(pk__in=[game.pk for game in games]).update(
            attempt=F("attempt") + 1, leased_by=worker, leased_until=Now() + lease()
        )
        if overdue:
            Game.objects.filter(pk__in=[game.pk for game in overdue]).update(failures=F("failures") + 1)
            Incident.objects.bulk_create([_loss(game, worker) for game in overdue])
    for game in games:
        game.attempt += 1
        game.leased_by = worker
    return claims


def _loss(game: Game, worker: str) -> Incident:
    sentence = _(
        "Worker {lost} was lost at event {n} of game {game}, with {seats} to act. Worker {worker} continues "
        "(attempt {attempt})."
    ).format(
        lost=game.leased_by,
        n=game.version,
        game=game.public_id,
        seats=_(" and ").join(_("seat {seat}").format(seat=seat + 1) for seat in game.to_act),
        worker=worker,
        attempt=game.attempt + 1,
    )
    return Incident(at=clock.now(), cause=Incident.Cause.WORKER_LOST, game=game, sentence=sentence)


def renew(held: Mapping[int, int]) -> None:
    """Prolong the leases of `held` (game id → attempt) that are still this worker's.

    Rows that are locked are passed over: somebody is just storing something there, and that renews the lease too.
    """
    with transaction.atomic():
        rows = Game.objects.select_for_update(skip_locked=True).filter(pk__in=held, status=Game.Status.PLAYING)
        rows = rows.exclude(leased_by="")  # which was given back a moment ago
        mine = [pk for pk, attempt in rows.values_list("pk", "attempt") if attempt == held[pk]]
        Game.objects.filter(pk__in=mine).update(leased_until=Now() + lease())


def renew_trial(trial: Trial) -> None:
    """Prolong the lease of a trial that is still this worker's."""
    mine = Trial.objects.filter(pk=trial.pk, attempt=trial.attempt).exclude(leased_by="")
    mine.update(leased_until=Now() + lease())


def release_leases(held: Mapping[int, int]) -> None:
    """Give games (id → attempt) back that this worker still holds; the next claim is no sign of a lost worker then."""
    for pk, attempt in held.items():
        Game.objects.filter(pk=pk, attempt=attempt).update(leased_until=None, leased_by="")


def clamp_future_leases() -> int:
    """Let games and trials be taken whose lease or pause ends further ahead than any can: the database's clock was put
    back after it began. How many there were. A worker that is alive renews its own before that."""
    longest = max(2 * timedelta(seconds=MAX_PAUSE_SECONDS), 4 * lease())
    going = Game.objects.filter(status=Game.Status.PLAYING)
    leased = going.filter(leased_until__gt=Now() + longest).update(leased_until=Now())
    paused = going.filter(retry_at__gt=Now() + longest).update(retry_at=Now())
    return leased + paused + Trial.objects.filter(leased_until__gt=Now() + longest).update(leased_until=Now())


_unreleased: dict[int, int] = {}  # what this process could not give back, and will: id → attempt


def remember_unreleased(held: Mapping[int, int]) -> None:
    """Remember games (id → attempt) that could not be given back, since the database took nothing."""
    _unreleased.update(held)


def release_remembered() -> None:
    """Give back what is owed, so that no worker seems lost that only could not write. Raises Django's `Error`."""
    for pk, attempt in list(_unreleased.items()):
        release_leases({pk: attempt})
        if _unreleased.get(pk) == attempt:
            del _unreleased[pk]


def revoke_lease(game: Game) -> str:
    """Let whoever plays the game play it no more, and another worker at once; whose lease it was.

    The attempt grows, so that a worker that is alive after all stores nothing more. Raises `DomainError` no_lease
    (409).
    """
    with transaction.atomic():
        locked = Game.objects.select_for_update(no_key=True).get(pk=game.pk)
        if locked.status != Game.Status.PLAYING or not locked.leased_by:
            sentence = _("No worker has game {game}.").format(game=game.public_id)
            raise DomainError(409, "no_lease", sentence)
        Game.objects.filter(pk=game.pk).update(attempt=F("attempt") + 1, leased_by="", leased_until=None)
        (wake_sandboxes if locked.sandboxed else wake_players)()
    return locked.leased_by


def rest(game: Game, attempt: int, version: int) -> None:
    """Leave a game alone, until something happens in it, whose programs could move and have passed."""
    Game.objects.filter(pk=game.pk, attempt=attempt, version=version).update(awaits_worker=False)


def fail(game: Game, attempt: int, cause: Incident.Cause, sentence: str, detail: str) -> None:
    """Give a game back at which its runner failed: it is tried again after a pause that grows, and then no more.

    A game has one incident of a cause, with its last sentence and how many times it came.
    """
    with transaction.atomic():
        locked = Game.objects.select_for_update().filter(pk=game.pk, attempt=attempt).first()
        if locked is None:
            return
        failures = locked.failures + 1
        pause = min(2**failures, MAX_PAUSE_SECONDS)
        again = _("The next attempt is in {pause} s.").format(pause=pause)
        outlook = again if failures < MAX_FAILED_CLAIMS else _("The game waits for an admin.")
        Game.objects.filter(pk=game.pk).update(
            failures=failures, retry_at=Now() + timedelta(seconds=pause), leased_until=None, leased_by=""
        )
        failure = {"at": clock.now(), "sentence": f"{sentence} {outlook}", "detail": detail}
        known = Incident.objects.filter(game=game, cause=cause).first()
        if known:
            Incident.objects.filter(pk=known.pk).update(times=F("times") + 1, **failure)
        else:
            Incident.objects.create(game=game, cause=cause, **failure)


class WorkerHeartbeat:
    """The life sign of one worker: a thread that keeps its row and the leases of the games that it holds fresh.

    It stops renewing leases at the end of the time for which they were to be held, so that a worker whose main thread
    hangs loses them like one that died.
    """

    def __init__(self, worker: str, queues: Sequence[str] = ()) -> None:
        self.worker = worker
        self.queues = list(queues)
        self._held: Mapping[int, int] = {}
        self._trial: Trial | None = None
        self._hold_until = 0.0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._beat, name=f"pulse of {worker}", daemon=True)

    def start(self) -> None:
        """Say that the worker is there, and go on saying it."""
        now = clock.now()
        Worker.objects.bulk_create(
            [Worker(name=self.worker, started_at=now, heartbeat_at=now, queues=self.queues)],
            update_conflicts=True,
            unique_fields=["name"],
            update_fields=["heartbeat_at", "stopped_at", "queues"],
        )
        self._thread.start()

    def stop(self) -> None:
        """Fall silent, and say so."""
        self._stop.set()
        self._thread.join()
        with suppress(Error):  # a database that is gone is told nothing
            Worker.objects.filter(name=self.worker).update(stopped_at=clock.now())

    def hold(self, held: Mapping[int, int], seconds: float, trial: Trial | None = None) -> None:
        """Renew the leases of `held` (game id → attempt), of `trial`, and of no others, for up to `seconds`."""
        self._hold_until = time.monotonic() + seconds
        self._held = held
        self._trial = trial

    def _beat(self) -> None:
        try:
            while not self._stop.wait(settings.SCOREBOOK_LEASE_SECONDS / 3):
                self._say()
        finally:
            connection.close()

    def _say(self) -> None:
        try:
            Worker.objects.filter(name=self.worker).update(heartbeat_at=clock.now(), stopped_at=None)
            held, trial = self._held, self._trial
            if time.monotonic() < self._hold_until:
                if held:
                    renew(held)
                if trial:
                    renew_trial(trial)
            release_remembered()
            disk_full.record_incident()
        except Error as error:
            disk_full.remember_disk_full(error)
            logger.warning("Worker %s could not report that it is alive.", self.worker, exc_info=True)
            connection.close()


_heartbeats: dict[str, WorkerHeartbeat] = {}


@contextmanager
def heartbeat_of(worker: str, queues: Sequence[str] = ()) -> Iterator[WorkerHeartbeat]:
    """The pulse of `worker`: the one that beats already in this process, else one for as long as the block lasts, which
    says that it takes work from `queues`."""
    release_remembered()
    if beating := _heartbeats.get(worker):
        yield beating
        return
    pulse = WorkerHeartbeat(worker, queues)
    pulse.start()
    _heartbeats[worker] = pulse
    try:
        yield pulse
    finally:
        _heartbeats.pop(worker)
        pulse.stop()


def note_silent_workers() -> int:
    """Write down which workers have fallen silent, each once, and forget those of long ago."""
    now = clock.now()
    Worker.objects.filter(stopped_at__lt=now - WORKER_RETENTION).delete()
    silent = 0
    for worker in Worker.objects.filter(stopped_at=None, heartbeat_at__lt=now - HEARTBEAT_TIMEOUT):
        with transaction.atomic():
            if Worker.objects.filter(pk=worker.pk, stopped_at=None, heartbeat_at=worker.heartbeat_at).update(
                stopped_at=now
            ):
                silent += 1
                sentence = _("Worker {worker} has not reported since {time} UTC.")
                sentence = sentence.format(worker=worker.name, time=f"{worker.heartbeat_at:%H:%M:%S}")
                Incident.objects.create(at=now, cause=Incident.Cause.WORKER_LOST, sentence=sentence)
    return silent
