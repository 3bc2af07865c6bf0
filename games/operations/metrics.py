"""Metrics of the platform for Prometheus, in few queries. docs/reference/metrics.md has a row for each.

`games.operations.status` has the same with reasons and names.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from datetime import datetime
from typing import Final

from django.db import connection
from django.db.models import Case, CharField, Count, Max, OuterRef, Q, Subquery, Value, When
from django.db.models.functions import Coalesce
from prometheus_client.core import GaugeMetricFamily

from games.clocks.models import Heartbeat
from games.common import disk_full
from games.common.models import Incident
from games.models import Game
from games.operations import daily_counts, failures
from games.operations import status as system_status
from games.operations.queues import served
from games.workers import waiting_reasons
from scorebook_games.registry import KINDS

PLAYING_STATE: Final = "playing"
STUCK_STATE: Final = "stuck"


def families(now: datetime, queues: Collection[str]) -> Iterator[GaugeMetricFamily]:
    """Return all metrics except those of leagues and of open cases.

    `queues` are those that workers can take work from.
    """
    yield from _games(now)
    yield from _workers(now, queues)
    yield from _failures(now)
    yield from _mails(now)
    yield from _sizes()
    yield gauge("scorebook_broken_kinds", "Kinds of game that are broken, missing or doubled.", len(KINDS.broken))
    signs = Heartbeat.objects.values_list("part", "at")
    ages = {part: age(at, now) for part, at in signs}
    yield labelled_gauge("scorebook_sign_age_seconds", "Seconds since the part last reported.", "part", ages)


def gauge(name: str, words: str, value: float) -> GaugeMetricFamily:
    """Return one metric without labels."""
    return GaugeMetricFamily(name, words, value=value)


def labelled_gauge(name: str, words: str, label: str, values: Mapping[str, float]) -> GaugeMetricFamily:
    """Return a metric with one value for each value of a label."""
    family = GaugeMetricFamily(name, words, labels=[label])
    for each, value in values.items():
        family.add_metric([each], value)
    return family


def age(since: datetime | None, now: datetime) -> float:
    """Return the age in seconds, never negative; 0 if there is nothing."""
    return max((now - since).total_seconds(), 0.0) if since else 0.0


def _games(now: datetime) -> Iterator[GaugeMetricFamily]:
    state = Case(
        When(leased_until__gt=now, then=Value(PLAYING_STATE)),
        When(system_status.is_stuck(now), then=Value(STUCK_STATE)),
        default=waiting_reasons.wait_reason(now),
        output_field=CharField(),
    )
    on = Game.objects.filter(status=Game.Status.PLAYING).order_by().values(state=state)
    rows = on.annotate(n=Count("pk"), again=Count("pk", Q(attempt__gt=1)), attempts=Max("attempt"))
    found = {row["state"]: row for row in rows}
    playing, stuck = (found.pop(name, {"n": 0, "again": 0, "attempts": 0}) for name in (PLAYING_STATE, STUCK_STATE))
    waiting = dict.fromkeys(dict(waiting_reasons.WAIT_REASONS), 0) | {code: row["n"] for code, row in found.items()}
    states = {PLAYING_STATE: playing["n"], "waiting": sum(waiting.values()), STUCK_STATE: stuck["n"]}
    yield labelled_gauge(
        "scorebook_games", "Unfinished games by state: being played, waiting, stopped.", "state", states
    )
    yield labelled_gauge("scorebook_games_waiting", "Waiting games, by reason.", "reason", waiting)
    yield gauge("scorebook_games_resumed", "Games that were taken over from a lost worker.", playing["again"])
    yield gauge("scorebook_stuck_attempts", "The most attempts at any of the stopped games.", stuck["attempts"])


def _workers(now: datetime, queues: Collection[str]) -> Iterator[GaugeMetricFamily]:
    mine = Game.objects.filter(status=Game.Status.PLAYING, leased_by=OuterRef("name")).order_by()
    holds = Coalesce(Subquery(mine.values("leased_by").annotate(n=Count("pk")).values("n")), 0)
    known = list(system_status.known_workers(now).annotate(holds=holds))
    alive = [worker for worker in known if system_status.is_alive(worker, now)]
    states = {"alive": len(alive), "silent": len(known) - len(alive)}
    leased = sum(worker.holds for worker in alive)
    leases = {"alive": leased, "silent": sum(worker.holds for worker in known) - leased}
    tiers = {waiting_reasons.REQUIRED_TIER: 0, "none": 0} | Counter(worker.tier for worker in alive if worker.tier)
    serving = served([worker.queues for worker in alive], queues)
    yield labelled_gauge(
        "scorebook_workers", 'Worker processes by state; "silent" ones ended without being stopped.', "state", states
    )
    yield labelled_gauge("scorebook_queue_workers", "Live workers, by queue.", "queue", serving)
    yield labelled_gauge("scorebook_leases", "Games leased by these workers.", "state", leases)
    yield labelled_gauge("scorebook_sandbox_workers", "Live workers with a sandbox, by tier.", "tier", tiers)


def _failures(now: datetime) -> Iterator[GaugeMetricFamily]:
    trials = system_status.failing_trial_rows(now).count()
    yield gauge("scorebook_trials_failing", "Admissions and comparisons that the platform fails to run.", trials)
    causes = failures.of_the_platform(now)
    incidents = dict.fromkeys(Incident.Cause.values, 0) | {cause: times for cause, (times, _last) in causes.items()}
    yield labelled_gauge("scorebook_incidents", "Incidents of the platform within 24 hours.", "cause", incidents)
    _times, full_at = causes.get(Incident.Cause.DISK_FULL, (0, None))
    full = disk_full.last_full_at(full_at, now) is not None
    yield gauge("scorebook_disk_full", "1 while the database refuses writes because its disk is full.", full)
    faults = failures.of_bots(now)
    kinds: Counter[str] = Counter()
    for fault in faults:
        kinds[fault.kind] += fault.times
    yield labelled_gauge("scorebook_bot_faults", "Faults of uploaded bots within 24 hours.", "kind", kinds)
    failing = len(failures.failing(faults))
    yield gauge("scorebook_bots_failing", "Versions that fail repeatedly and still play.", failing)


def _mails(now: datetime) -> Iterator[GaugeMetricFamily]:
    mails = failures.count_mails()
    yield labelled_gauge("scorebook_mails", "Unsent emails, by state.", "state", failures.by_state(mails))
    oldest = age(mails["waiting_since"], now)
    yield gauge("scorebook_mail_age_seconds", "Age of the oldest waiting item, in seconds.", oldest)


_SIZES: Final = """
    SELECT pg_total_relation_size('batch') + pg_total_relation_size('stream'), pg_database_size(current_database()),
        EXISTS (SELECT FROM accounts_sitestate WHERE id = 1 AND signup_closed_at IS NOT NULL)
"""


def _sizes() -> Iterator[GaugeMetricFamily]:
    with connection.cursor() as cursor:
        cursor.execute(_SIZES)
        log, database, closed = cursor.fetchone()
    yield gauge("scorebook_log_bytes", "Size of the game log on disk.", log)
    yield gauge("scorebook_database_bytes", "Size of the database on disk.", database)
    used = daily_counts.disk_used()
    yield gauge("scorebook_disk_used_ratio", "Free share of the web server's disk, 0 to 1.", used)
    yield gauge("scorebook_sign_up_closed", "1 while admins have closed sign-up.", closed)
