"""Who plays which game, and until when: leases with a fencing token (docs/adr/0003-leases-and-fencing.md).

Work is found by a query and claimed under a row lock. Every claim raises the game's `attempt`, and a runner's results
are stored only while it is unchanged (`games.play.unit_of_work.commit`). So a worker that was silent for too long
stores nothing when it wakes. Leases use the database's clock, the only one that all workers share.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import timedelta
from math import ceil
from typing import Any, Final, NamedTuple

from django.conf import settings
from django.db import Error, connection, transaction
from django.db.models import Count, F, Q, QuerySet
from django.db.models.functions import Coalesce, Now
from django.utils.translation import gettext as _

from games.common import clock, disk_full, incidents
from games.common.errors import DomainError
from games.common.models import Incident
from games.models import Game, Trial
from games.play.wake_up import wake_players, wake_sandboxes
from games.workers.models import Worker
from scorebook_games.presentation.coded_text import Sentence, plain
from scorebook_games.registry import KINDS

logger = logging.getLogger(__name__)

MAX_FAILED_CLAIMS: Final = 8  # claims in a row without a rule event; then the game waits for an admin (`retry_game`)
PARKED: Final = MAX_FAILED_CLAIMS + 1  # in place of these claims: the rules of the game's kind hang (`park_kind`)
MAX_GAMES_PER_BOT: Final = 4  # games of one bot that all workers together play at a time
MAX_GAMES_PER_TRIAL: Final = 8
PLAY_QUEUE: Final = "play"  # of the workers that play games of built-in bots
SHARING_LOCK: Final = 0x5C0BE  # the lock for distributing games of uploaded bots
MAX_PAUSE_SECONDS: Final = 300  # seconds before a failed game is tried again
LOCK_TIMEOUT: Final = "SET LOCAL lock_timeout = '1s'"
FAILED_GAME_DELAY: Final = timedelta(seconds=15)  # how long other games come before a failed one
HEARTBEAT_TIMEOUT: Final = timedelta(seconds=30)
WORKER_RETENTION: Final = timedelta(days=1)


class LeaseLost(DomainError):
    """Another worker plays the game by now, or it is over."""

    def __init__(self, game: Game, attempt: int | None) -> None:
        sentence = f"Attempt {attempt} at game {game.public_id} has ended: another worker has the game, or it is over."
        super().__init__(409, "lease_lost", sentence, attempt=attempt)


class Claim(NamedTuple):
    """A game that this worker may play now.

    `lost_games` names the worker that had it and fell silent, if there was one.
    """

    game: Game
    lost: str


def lease() -> timedelta:
    """Return how long a worker may be silent."""
    return timedelta(seconds=settings.SCOREBOOK_LEASE_SECONDS)


def due_games(*, sandboxed: bool | None = False) -> QuerySet[Game]:
    """Return the games that a worker may claim now: a program is to act, and nobody plays them.

    Games with an uploaded bot (`sandboxed`) are for workers with a sandbox; None means both sorts. Games of trials are
    left out, because trials play them.
    """
    games = due_anywhere().filter(trial=None)
    return games if sandboxed is None else games.filter(sandboxed=sandboxed)


def due_anywhere() -> QuerySet[Game]:
    """Return `due_games` with the games of trials."""
    return Game.objects.filter(
        Q(leased_until=None) | Q(leased_until__lte=Now()),
        Q(retry_at=None) | Q(retry_at__lte=Now()),
        status=Game.Status.PLAYING,
        awaits_worker=True,
        kind__in=KINDS,
        failures__lt=MAX_FAILED_CLAIMS,
    )


def given_up_games() -> QuerySet[Game]:
    """Return the games that workers have given up."""
    return Game.objects.filter(status=Game.Status.PLAYING, awaits_worker=True, failures__gte=MAX_FAILED_CLAIMS)


def lost_games() -> QuerySet[Game]:
    """Return the games whose worker has fallen silent."""
    return due_games(sandboxed=None).filter(leased_until__lte=Now())


def claim_games(worker: str, limit: int) -> list[Claim]:
    """Claim the share of `worker` of the due games, up to `limit`. No other live worker may have the same name.

    A game that failed before is claimed alone, so that a game that kills its workers harms no others.
    """
    failed = _claim(_delayed_failed_games(), worker, 1)
    return failed or _claim(due_games().order_by("failures", "id"), worker, fair_share(worker, limit))


def claim_more(worker: str, limit: int) -> list[Claim]:
    """Do `claim_games` for a worker that already has games.

    It gets none that failed before. While such a game has waited too long, it gets none at all, so that the worker
    finishes its games and takes that one.
    """
    if not limit or _delayed_failed_games().exists():
        return []
    share = fair_share(worker, limit)
    return _claim(due_games().filter(failures=0).order_by("id"), worker, share) if share else []


def fair_share(worker: str, limit: int) -> int:
    """Return how many more games `worker` may take, up to `limit`, to hold no more than its share of all due and played
    games.

    Workers count that are alive and take work from the same queue. A worker without a sign for the time of a lease has
    no share. Nothing is reserved: a new worker gets what waits when it comes.
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
    """Return the games that failed before and whose next try was delayed, because other games were due as well."""
    since = Coalesce("retry_at", "leased_until", "moved_at")
    failed = due_games().filter(failures__gt=0).annotate(since=since)
    return failed.filter(since__lte=Now() - FAILED_GAME_DELAY).order_by("since", "id")


def claim_sandboxed_games(worker: str, limit: int) -> list[Claim]:
    """Claim up to `limit` games with uploaded bots, those of each bot in turn.

    No bot has more than `MAX_GAMES_PER_BOT` at a time, so a bot that is slow or has many games does not delay others.
    """
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [SHARING_LOCK])
        cursor.execute(_IN_TURN, [MAX_FAILED_CLAIMS, MAX_GAMES_PER_BOT])
        ids = [row[0] for row in cursor.fetchall()]
        share = min(limit, sandbox_share(len(ids)))
        waiting = due_games(sandboxed=True).filter(pk__in=ids[:share]).order_by("failures", "moved_at", "id")
        return _claim(waiting, worker, share) if ids else []


def sandbox_share(waiting: int) -> int:
    """Return how many of this many waiting games one worker with a sandbox takes.

    It becomes fewer, so that towards the end no worker has a handful while others have nothing to do.
    """
    workers = Worker.objects.filter(stopped_at=None, tier="A").count()
    return ceil(waiting / max(1, 2 * workers - 1))


def claim_of_trial(trial: Trial, worker: str) -> list[Claim]:
    """Claim games of a trial that this worker has, in the same way."""
    return _claim(due_anywhere().filter(trial=trial).order_by("failures", "id"), worker, MAX_GAMES_PER_TRIAL)


# Waiting games, numbered for each bot from the one that has waited longest, after those of it that are being played.
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
    sentence = incidents.worker_lost(
        game.leased_by, game.version, game.public_id, game.to_act, worker=worker, attempt=game.attempt + 1
    )
    return Incident(at=clock.now(), cause=Incident.Cause.WORKER_LOST, game=game, sentences=plain([sentence]))


def renew(held: Mapping[int, int]) -> None:
    """Renew the leases of `held` (game id → attempt) that still belong to this worker.

    Locked rows are skipped: somebody is storing something there, and that renews the lease too.
    """
    with transaction.atomic():
        rows = Game.objects.select_for_update(skip_locked=True).filter(pk__in=held, status=Game.Status.PLAYING)
        rows = rows.exclude(leased_by="")  # which was released a moment ago
        mine = [pk for pk, attempt in rows.values_list("pk", "attempt") if attempt == held[pk]]
        Game.objects.filter(pk__in=mine).update(leased_until=Now() + lease())


def renew_trial(trial: Trial) -> None:
    """Renew the lease of a trial if it still belongs to this worker."""
    mine = Trial.objects.filter(pk=trial.pk, attempt=trial.attempt).exclude(leased_by="")
    mine.update(leased_until=Now() + lease())


def release_leases(held: Mapping[int, int]) -> None:
    """Release games (id → attempt) that this worker still holds. So the next claim does not count as a lost worker."""
    for pk, attempt in held.items():
        Game.objects.filter(pk=pk, attempt=attempt).update(leased_until=None, leased_by="")


def clamp_future_leases() -> int:
    """Free games and trials whose lease or pause ends further ahead than possible; return how many.

    That happens if the database's clock was set back after it began. A living worker renews its own before that.
    """
    longest = max(2 * timedelta(seconds=MAX_PAUSE_SECONDS), 4 * lease())
    going = Game.objects.filter(status=Game.Status.PLAYING)
    leased = going.filter(leased_until__gt=Now() + longest).update(leased_until=Now())
    paused = going.filter(retry_at__gt=Now() + longest).update(retry_at=Now())
    return leased + paused + Trial.objects.filter(leased_until__gt=Now() + longest).update(leased_until=Now())


_unreleased: dict[int, int] = {}  # games that this process could not release and will, id → attempt


def remember_unreleased(held: Mapping[int, int]) -> None:
    """Remember games (id → attempt) that could not be released, because the database took nothing."""
    _unreleased.update(held)


def release_remembered() -> None:
    """Release the remembered games, so that their worker does not seem lost. Raises Django's `Error`."""
    for pk, attempt in list(_unreleased.items()):
        release_leases({pk: attempt})
        if _unreleased.get(pk) == attempt:
            del _unreleased[pk]


def revoke_lease(game: Game) -> str:
    """Take the game from its worker at once, so that another one may play it; return whose lease it was.

    The attempt grows, so a worker that is alive after all can store nothing. Raises `DomainError` no_lease (409).
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
    """Leave a game alone until something happens in it: its programs could move and have passed."""
    Game.objects.filter(pk=game.pk, attempt=attempt, version=version).update(awaits_worker=False)


def fail(game: Game, attempt: int, cause: Incident.Cause, sentence: Sentence, detail: str) -> None:
    """Release a game at which its runner failed. It is tried again after growing pauses, and given up in the end.

    A game has one incident for each cause, with the last sentence and the number of times.
    """
    with transaction.atomic():
        locked = Game.objects.select_for_update().filter(pk=game.pk, attempt=attempt).first()
        if locked is None:
            return
        failures = locked.failures + 1
        pause = min(2**failures, MAX_PAUSE_SECONDS)
        again = failures < MAX_FAILED_CLAIMS
        outlook = incidents.next_attempt(pause) if again else incidents.game_waits_for_admin()
        Game.objects.filter(pk=game.pk).update(
            failures=failures, retry_at=Now() + timedelta(seconds=pause), leased_until=None, leased_by=""
        )
        failure = {"at": clock.now(), "sentences": plain([sentence, outlook]), "detail": detail}
        known = Incident.objects.filter(game=game, cause=cause).first()
        if known:
            Incident.objects.filter(pk=known.pk).update(times=F("times") + 1, **failure)
        else:
            Incident.objects.create(game=game, cause=cause, **failure)


def park_kind(game: Game, sentence: Sentence, detail: str) -> None:
    """Give up `game`, whose rules do not come to an end, and all games of its kind that wait for a worker.

    An admin starts each again (`retry_game`). Games that other workers hold are left to them.
    """
    with transaction.atomic():
        free = Q(leased_until=None) | Q(leased_until__lte=Now()) | Q(leased_by=game.leased_by)
        waiting = Game.objects.filter(free, kind=game.kind, status=Game.Status.PLAYING, awaits_worker=True)
        parked = waiting.update(failures=PARKED, attempt=F("attempt") + 1, leased_until=None, leased_by="")
        cause, sentences = Incident.Cause.INFRASTRUCTURE, plain([sentence, incidents.games_wait_for_admin(parked)])
        Incident.objects.create(at=clock.now(), cause=cause, game=game, sentences=sentences, detail=detail)


class WorkerHeartbeat:
    """The heartbeat of one worker: a thread that keeps its row and the leases of its games fresh.

    It stops renewing leases at the end of the time for which they were to be held. So a worker whose main thread hangs
    loses them like one that died.
    """

    def __init__(self, worker: str, queues: Sequence[str] = ()) -> None:
        self.worker = worker
        self._started_at = clock.now()
        self._facts: dict[str, Any] = {"queues": list(queues)}
        self._listed = False
        self._held: Mapping[int, int] = {}
        self._trial: Trial | None = None
        self._hold_until = 0.0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._beat, name=f"pulse of {worker}", daemon=True)

    def start(self) -> None:
        """Report that the worker is alive, and go on reporting; also if the database does not answer now."""
        self._say()
        self._thread.start()

    def describe(self, **facts: Any) -> None:
        """Report these columns of the worker's row now, and with each beat."""
        self._facts = {**self._facts, **facts}
        self._say()

    def stop(self) -> None:
        """Stop, and report that."""
        self._stop.set()
        self._thread.join()
        with suppress(Error):  # a database that is gone gets no report
            Worker.objects.filter(name=self.worker).update(stopped_at=clock.now())

    def hold(self, held: Mapping[int, int], seconds: float, trial: Trial | None = None) -> None:
        """Renew the leases of `held` (game id → attempt) and of `trial`, and of no others, for up to `seconds`."""
        self._hold_until = time.monotonic() + seconds
        self._held = held
        self._trial = trial

    def _beat(self) -> None:
        try:
            while not self._stop.wait(settings.SCOREBOOK_LEASE_SECONDS / 3):
                self._say()
        finally:
            connection.close()

    def _report(self, facts: Mapping[str, Any]) -> None:
        """Write the worker's row. An earlier process may have had the same name. The row of a worker that was suspended
        for a day has been deleted, and is made again."""
        if self._listed and Worker.objects.filter(name=self.worker).update(**facts):
            return
        of_its_own = not connection.in_atomic_block
        with transaction.atomic():
            if of_its_own:  # an open transaction that made the same row, as in tests, must not stop the heartbeat
                with connection.cursor() as cursor:
                    cursor.execute(LOCK_TIMEOUT)
            Worker.objects.bulk_create(
                [Worker(name=self.worker, started_at=self._started_at, **facts)],
                update_conflicts=True,
                unique_fields=["name"],
                update_fields=list(facts),
            )
        self._listed = True

    def _say(self) -> None:
        try:
            attempts, trial = self._held, self._trial
            if time.monotonic() < self._hold_until:
                if attempts:
                    renew(attempts)
                if trial:
                    renew_trial(trial)
            release_remembered()
            disk_full.record_incident()
            self._report({**self._facts, "heartbeat_at": clock.now(), "stopped_at": None})
        except Error as error:
            disk_full.remember_disk_full(error)
            logger.warning("Worker %s could not report that it is alive.", self.worker, exc_info=True)
            connection.close()


_heartbeats: dict[str, WorkerHeartbeat] = {}


@contextmanager
def heartbeat_of(worker: str, queues: Sequence[str] = ()) -> Iterator[WorkerHeartbeat]:
    """Return the heartbeat of `worker`: the one that already runs in this process, else one for the block.

    It says that the worker takes work from `queues`.
    """
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
    """Record which workers have fallen silent, each once, and delete those of long ago."""
    now = clock.now()
    Worker.objects.filter(stopped_at__lt=now - WORKER_RETENTION).delete()
    silent = 0
    for worker in Worker.objects.filter(stopped_at=None, heartbeat_at__lt=now - HEARTBEAT_TIMEOUT):
        with transaction.atomic():
            if Worker.objects.filter(pk=worker.pk, stopped_at=None, heartbeat_at=worker.heartbeat_at).update(
                stopped_at=now
            ):
                silent += 1
                sentence = plain([incidents.worker_silent(worker.name, worker.heartbeat_at.isoformat())])
                Incident.objects.create(at=now, cause=Incident.Cause.WORKER_LOST, sentences=sentence)
    return silent
