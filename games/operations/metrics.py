"""The account of the house in bare figures, for machines that ask every few seconds: what `games.operations.status`
tells with reasons and names, in a handful of queries."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db import connection
from django.db.models import Case, CharField, Count, Max, OuterRef, Q, Subquery, Value, When
from django.db.models.functions import Coalesce

from games.common import clock, disk_full
from games.models import Game, Incident, LifeSign
from games.operations import daily_counts, failures
from games.operations import queues as operations_queues
from games.operations import status as system_status
from games.operations.queues import Queue


@dataclass(frozen=True)
class SiteMetrics:
    """The house at `at`. `games`, `waiting_for`, `workers`, `leases`, `tiers`, `causes`, `faults` and `mails` are
    counts by the names that `/metrics` gives them; `serves` are the queues of each living worker, and `failing` the
    uploaded versions that fail again and again. Sizes are in bytes, and of the disk a part of 1."""

    at: datetime
    games: dict[str, int]
    waiting_for: dict[str, int]
    resumed: int
    attempts: int
    trials: int
    queues: list[Queue]
    workers: dict[str, int]
    leases: dict[str, int]
    tiers: dict[str, int]
    serves: list[list[str]]
    causes: dict[str, int]
    faults: dict[str, int]
    failing: int
    mails: dict[str, int]
    mail_since: datetime | None
    log_bytes: int
    database_bytes: int
    disk_used: float
    disk_full: bool
    signs: dict[str, datetime]
    sign_up_closed: bool


PLAYING_STATE: Final = "playing"
STUCK_STATE: Final = "stuck"


def collect_metrics() -> SiteMetrics:
    """Ask the database how things stand now."""
    now = clock.now()
    games, waiting_for, resumed, attempts = _games(now)
    workers, held, tiers, serves = _workers(now)
    causes = failures.of_the_platform(now)
    bot_faults = failures.of_bots(now)
    faults: Counter[str] = Counter()
    for each in bot_faults:
        faults[each.kind] += each.times
    mails, mail_since = failures.count_mails()
    singles = _singles()
    _times, full_told = causes.get(Incident.Cause.DISK_FULL, (0, None))
    return SiteMetrics(
        at=now,
        games=games,
        waiting_for=waiting_for,
        resumed=resumed,
        attempts=attempts,
        trials=system_status.failing_trial_rows(now).count(),
        queues=[*operations_queues.messages(), *operations_queues.due_work(now)],
        workers=workers,
        leases=held,
        tiers=tiers,
        serves=serves,
        causes=dict.fromkeys(Incident.Cause.values, 0) | {cause: times for cause, (times, _last) in causes.items()},
        faults=dict(faults),
        failing=len(failures.failing(bot_faults)),
        mails=mails,
        mail_since=mail_since,
        log_bytes=singles[0],
        database_bytes=singles[1],
        disk_used=daily_counts.disk_used(),
        disk_full=disk_full.last_full_at(full_told, now) is not None,
        signs=dict(LifeSign.objects.values_list("part", "at")),
        sign_up_closed=singles[2],
    )


def _games(now: datetime) -> tuple[dict[str, int], dict[str, int], int, int]:
    """Those that are on by state, those that wait by reason, how many were resumed, and the most attempts at one that
    is stuck."""
    state = Case(
        When(leased_until__gt=now, then=Value(PLAYING_STATE)),
        When(system_status.is_stuck(now), then=Value(STUCK_STATE)),
        default=system_status.wait_reason(now),
        output_field=CharField(),
    )
    on = Game.objects.filter(status=Game.Status.PLAYING).order_by().values(state=state)
    rows = on.annotate(n=Count("pk"), again=Count("pk", Q(attempt__gt=1)), attempts=Max("attempt"))
    found = {row["state"]: row for row in rows}
    playing, stuck = (found.pop(name, {"n": 0, "again": 0, "attempts": 0}) for name in (PLAYING_STATE, STUCK_STATE))
    waiting = {code: 0 for code, _words in system_status.WAIT_REASONS} | {code: row["n"] for code, row in found.items()}
    games = {PLAYING_STATE: playing["n"], "waiting": sum(waiting.values()), STUCK_STATE: stuck["n"]}
    return games, waiting, playing["again"], stuck["attempts"]


def _workers(now: datetime) -> tuple[dict[str, int], dict[str, int], dict[str, int], list[list[str]]]:
    """Processes and the games that they hold, by whether they are alive; of the living, sandboxes by tier, and the
    queues of each."""
    mine = Game.objects.filter(status=Game.Status.PLAYING, leased_by=OuterRef("name")).order_by()
    holds = Coalesce(Subquery(mine.values("leased_by").annotate(n=Count("pk")).values("n")), 0)
    states, held = Counter(alive=0, silent=0), Counter(alive=0, silent=0)
    tiers, serves = Counter({system_status.REQUIRED_TIER: 0, "none": 0}), []
    for worker in system_status.known_workers(now).annotate(holds=holds):
        state = "alive" if system_status.is_alive(worker, now) else "silent"
        states[state] += 1
        held[state] += worker.holds
        if state == "alive":
            serves.append(worker.queues)
            tiers.update([worker.tier] if worker.tier else [])
    return dict(states), dict(held), dict(tiers), serves


_SINGLES: Final = """
    SELECT pg_total_relation_size('batch') + pg_total_relation_size('stream'), pg_database_size(current_database()),
        EXISTS (SELECT FROM games_house WHERE id = 1 AND signup_closed_at IS NOT NULL)
"""


def _singles() -> tuple[int, int, bool]:
    """The sizes of log and database, and whether sign-up is closed."""
    with connection.cursor() as cursor:
        cursor.execute(_SINGLES)
        log, database, closed = cursor.fetchone()
        return log, database, closed
