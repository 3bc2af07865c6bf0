"""Alert conditions about the platform itself: beat, workers, queues, the disk. Each finds its cases in the status."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from config.broker.pgmq_schema import QUEUES
from config.monitoring.alert_types import AlertAction, AlertCase
from games.operations.queues import served
from games.operations.status import WorkerFacts
from games.workers.waiting_reasons import REQUIRED_TIER
from tournaments.maintenance.status import LeagueStatus

TICK_LATE_AFTER: Final = timedelta(seconds=30)
QUEUE_LATE_SECONDS: Final = 120  # beat's messages expire long before
DISK_FULL_PERCENT: Final = 90
# Beat's messages pile up there if no worker plays uploaded bots; see `uploaded_bots_wait`.
SANDBOX_QUEUES: Final = ("sandbox", "trials")


def workers_by_queue(status: LeagueStatus) -> dict[str, int]:
    """Return queue → number of living workers that serve it; {} if a worker has not reported its queues."""
    return served([worker.queues for worker in status.workers if worker.alive], QUEUES)


def not_served(status: LeagueStatus) -> dict[str, str]:
    """Return queue → what does not happen because no worker serves it, while other workers are alive."""
    if not status.workers_alive:
        return {}
    follows = {
        "play": _("Games of built-in bots are not played."),
        "short": _("No rounds open, no results are recorded, no clocks are checked, and no email is sent."),
    }
    if status.hooks.on:
        follows["hooks"] = _("No webhook messages are sent.")
    return {
        queue: follows[queue] for queue, count in workers_by_queue(status).items() if not count and queue in follows
    }


# -- beat


def beat_is_away(status: LeagueStatus) -> Iterator[AlertCase]:
    """Yield a case if beat sends no ticks, or no worker runs that could handle them."""
    if (since := _tick_missing_since(status)) and not _tick_is_sent(status):
        beat_only = _("Beat is not running, so clocks are not checked and rounds do not open. Start it.")
        yield AlertCase(since, sentence=beat_only if workers_by_queue(status).get("short") else None)


def ticks_are_late(status: LeagueStatus) -> Iterator[AlertCase]:
    """Yield a case if beat sends ticks and no worker handles them."""
    if (since := _tick_missing_since(status)) and _tick_is_sent(status):
        yield AlertCase(since, {"time": f"{status.tick_sent_at:%H:%M:%S}"})


def _tick_missing_since(status: LeagueStatus) -> datetime | None:
    """Return when the last late tick was handled; None if ticks are in time, or if no worker serves their queue, which
    has its own alert."""
    late = status.ticked_at and status.at - status.ticked_at > TICK_LATE_AFTER
    return status.ticked_at if late and "short" not in not_served(status) else None


def _tick_is_sent(status: LeagueStatus) -> bool:
    return bool(status.tick_sent_at and status.at - status.tick_sent_at <= TICK_LATE_AFTER and status.workers_alive)


# -- workers and queues


def no_worker_runs(status: LeagueStatus) -> Iterator[AlertCase]:
    """Yield a case if games wait and no worker is alive."""
    waits = [queue for queue in status.queues if queue.name == "play" and queue.place == "due" and queue.waiting]
    if waits and not status.workers_alive:
        yield AlertCase(status.at - timedelta(seconds=waits[0].oldest or 0))


def queues_are_not_served(status: LeagueStatus) -> Iterator[AlertCase]:
    """Yield each queue without a worker. If a lost worker served it, that worker's alert says so."""
    lost = {queue for worker in status.workers if not worker.alive for queue in worker.queues}
    for name, follows in not_served(status).items():
        if name not in lost:
            yield AlertCase(_oldest_message_at(status, name), {"name": name, "follows": follows})


def _oldest_message_at(status: LeagueStatus, name: str) -> datetime:
    """Return since when a message waits in a queue; the present time if none waits."""
    ages = [queue.oldest or 0 for queue in status.queues if queue.place == "messages" and queue.name == name]
    return status.at - timedelta(seconds=max(ages, default=0))


def uploaded_bots_wait(status: LeagueStatus) -> Iterator[AlertCase]:
    """Yield a case if uploaded bots have to play and no worker has a sandbox of the required tier."""
    wanted = [
        queue for queue in status.queues if queue.place == "due" and queue.name in SANDBOX_QUEUES and queue.waiting
    ]
    if not wanted or any(worker.alive and worker.tier == REQUIRED_TIER for worker in status.workers):
        return
    below = [worker for worker in status.workers if worker.alive and worker.tier]
    since = status.at - timedelta(seconds=max(each.oldest or 0 for each in wanted))
    yield AlertCase(since, sentence=below[0].tier_reason if below else None)


def queues_are_late(status: LeagueStatus) -> Iterator[AlertCase]:
    """Yield each queue whose messages wait for long, although a worker serves it."""
    alerted_elsewhere = (*SANDBOX_QUEUES, *not_served(status))
    for queue in status.queues:
        age = queue.oldest or 0
        if queue.place == "messages" and queue.name not in alerted_elsewhere and age > QUEUE_LATE_SECONDS:
            yield AlertCase(status.at - timedelta(seconds=age), {"name": queue.name, "n": queue.waiting})


def workers_are_silent(status: LeagueStatus) -> Iterator[AlertCase]:
    """Yield each silent worker that holds games, and one case for all silent workers of the same queues without
    games."""
    unserved, idle = not_served(status), dict[tuple[str, ...], list[WorkerFacts]]()
    for worker in status.workers:
        if worker.alive or (worker.stopped_at and not worker.holds and not unserved.keys() & worker.queues):
            continue
        if worker.holds:
            yield _lost_worker([worker], unserved)
        else:
            idle.setdefault(tuple(worker.queues), []).append(worker)
    for workers in idle.values():
        yield _lost_worker(workers, unserved)


def _lost_worker(workers: list[WorkerFacts], unserved: dict[str, str]) -> AlertCase:
    """Return the case of a worker with games, or of several without any."""
    first, names = workers[0], ", ".join(worker.name for worker in workers)
    leases, queues = first.holds, ", ".join(first.queues)
    words = ngettext("It has one game,", "It has {n} games,", leases).format(n=leases)
    parts = [
        _("Its queue: {queues}.").format(queues=queues) if queues else "",
        f"{words} {_('which others continue when its lease expires. Nothing is lost.')}" if leases else "",
        "" if leases else _("It has no games. Nothing is lost.") if len(workers) == 1 else _("They have no games."),
        *(
            _("No other worker serves this queue: {follows}").format(follows=unserved[queue])
            for queue in first.queues
            if queue in unserved
        ),
        _("The process supervisor starts a new one."),
    ]
    title = ngettext("Worker {names} is silent", "Workers {names} are silent", len(workers)).format(names=names)
    actions = (
        [AlertAction("release_leases", first.name, _("Release all leases"), _("The worker is gone."))] if leases else []
    )
    since = min(worker.heartbeat_at for worker in workers)
    return AlertCase(since, title=title, sentence=" ".join(part for part in parts if part), actions=actions)


# -- the disk


def writes_are_refused(status: LeagueStatus) -> Iterator[AlertCase]:
    """Yield a case if the database recently refused to write."""
    if status.disk_full_at:
        yield AlertCase(status.disk_full_at)


def disk_is_nearly_full(status: LeagueStatus) -> Iterator[AlertCase]:
    """Yield a case if the disk of this web process's machine is nearly full."""
    if 100 * status.disk_used >= DISK_FULL_PERCENT:
        yield AlertCase(status.at, {"percent": round(100 * status.disk_used)})
