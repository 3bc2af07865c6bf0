"""Celery's tasks of games. A message only wakes a worker; the work is found by queries."""

from __future__ import annotations

import multiprocessing
import os
import socket
import time
from contextlib import ExitStack
from typing import Any

from celery import shared_task
from celery.signals import (
    celeryd_after_setup,
    task_failure,
    worker_process_init,
    worker_process_shutdown,
    worker_shutting_down,
)

from games.accounts import mail, notices, people, reminders, tokens
from games.accounts.push import delivery as push_delivery
from games.bots import time_slices
from games.bots.admission import notifications as author_notifications
from games.bots.admission import trials
from games.clocks import outages
from games.clocks import services as clocks
from games.common import clock, disk_full, rate_limits, table_changes
from games.common.models import SentRequest
from games.lobby import seekers
from games.lobby import services as lobby
from games.moderation import impersonation, sanctions
from games.operations import daily_counts
from games.play import services as play_services
from games.play.wake_up import send_play, send_play_sandboxed
from games.workers import leases, runner

PLAY_SECONDS = 60  # less than the broker's visibility timeout, so that no message comes twice

SANDBOX_QUEUE = "sandbox"  # the queue of workers that run uploaded bots

_queues: set[str] = set()
_heartbeat = ExitStack()
_watch = outages.ClockWatch()
# A byte shared by Celery's main process, which is told to end, and its children, which play.
_ending = multiprocessing.RawValue("b", 0)


def worker_name() -> str:
    """Return the name of this process among all that play."""
    return f"{socket.gethostname()}:{os.getpid()}"


@celeryd_after_setup.connect  # type: ignore[untyped-decorator]
def remember_queues(instance: Any = None, **_signal: Any) -> None:
    """Remember, before the worker's processes are made, from which queues they will take work."""
    _queues.update(instance.app.amqp.queues.consume_from)


@worker_process_init.connect  # type: ignore[untyped-decorator]
def start_heartbeat(**_signal: Any) -> None:
    """Let a worker's process report between its tasks too; if it runs uploaded bots, test its sandbox."""
    pulse = _heartbeat.enter_context(leases.heartbeat_of(worker_name(), sorted(_queues)))
    if SANDBOX_QUEUE in _queues:
        time_slices.record_tier(pulse)


@task_failure.connect  # type: ignore[untyped-decorator]
def note_full_disk(exception: BaseException, **_signal: Any) -> None:
    """Remember that the disk was full, for the dashboard; the process's heartbeat reports it."""
    disk_full.remember_disk_full(exception)


@worker_process_shutdown.connect  # type: ignore[untyped-decorator]
def stop_heartbeat(**_signal: Any) -> None:
    """Report that the process ends on purpose."""
    _heartbeat.close()


@worker_shutting_down.connect  # type: ignore[untyped-decorator]
def request_stop(**_signal: Any) -> None:
    """Let the worker end within moments, with its games released for others."""
    _ending.value = 1


# A process that hangs is killed and replaced.
@shared_task(name="games.play", time_limit=2 * PLAY_SECONDS)  # type: ignore[untyped-decorator]
def play() -> None:
    """Play what is due."""
    runner.play_due_games(worker_name(), PLAY_SECONDS, stop=lambda: bool(_ending.value))


@shared_task(name="games.play_sandboxed", time_limit=PLAY_SECONDS + trials.MAX_SLICE_SECONDS)  # type: ignore[untyped-decorator]
def play_sandboxed() -> None:
    """Go on with trials and games of uploaded bots."""
    time_slices.play_time_slices(worker_name(), PLAY_SECONDS, stop=lambda: bool(_ending.value))


@shared_task(name="games.tick")  # type: ignore[untyped-decorator]
def tick() -> None:
    """Report that clocks are checked, and check them."""
    now = clock.now()
    outages.record_heartbeat(outages.BEAT_PART, now)
    _watch.look(now, time.monotonic())
    clocks.settle_outages()
    play_services.expire_due_games()


@shared_task(name="games.sweep")  # type: ignore[untyped-decorator]
def sweep() -> None:
    """Find what has waited for too long: games whose worker is lost, trials, clocks and tables whose time is over,
    silent workers, leases in the future. Delete old records of requests."""
    lost = leases.lost_games()
    if lost.filter(sandboxed=False).exists():
        send_play()
    if lost.filter(sandboxed=True).exists() or trials.due_trials().exists():
        send_play_sandboxed()
    play_services.expire_due_games()
    lobby.expire_due_tables()
    seekers.delete_gone()
    leases.note_silent_workers()
    leases.clamp_future_leases()
    SentRequest.delete_old()


@shared_task(name="games.count_days")  # type: ignore[untyped-decorator]
def count_days() -> int:
    """Count the finished days, for the dashboard."""
    return daily_counts.count_finished_days()


@shared_task(name="games.send_mails", time_limit=240)  # type: ignore[untyped-decorator]
def send_mails() -> int:
    """Send the emails that are due."""
    return mail.NOTICE_MAILS.send_due()


@shared_task(name="games.send_pushes", time_limit=120)  # type: ignore[untyped-decorator]
def send_pushes() -> int:
    """Send the messages to devices that are due."""
    push_delivery.delete_old_messages()
    return push_delivery.PUSH_MESSAGES.send_due()


@shared_task(name="games.notify_people")  # type: ignore[untyped-decorator]
def notify_people() -> None:
    """Send all notices, reminders and emails that are due, and withdraw those that are not.

    These are notices of turns, of games that begin or are over, to authors of bots, and reminders of clocks that run
    out. First, mutes and bans whose time is over end, and banned people leave their games.
    """
    sanctions.end_expired()
    sanctions.remove_from_games()
    notices.notify_turns()
    notices.withdraw_abort_notices()
    notices.notify_check_in()
    notices.notify_game_over()
    author_notifications.notify_due()
    reminders.notify_low_clocks()
    mail.NOTICE_MAILS.send_due()


@shared_task(name="games.delete_guests")  # type: ignore[untyped-decorator]
def delete_guests() -> int:
    """Delete guests who have not created an account."""
    return people.delete_old_guests()


@shared_task(name="games.delete_tokens")  # type: ignore[untyped-decorator]
def delete_tokens() -> int:
    """Delete old access tokens, impersonation records of a year ago, empty counts of rate limits, and old notes of
    changed tables."""
    rate_limits.delete_empty_counts()
    table_changes.delete_old_changes()
    return tokens.delete_old_tokens() + impersonation.delete_old_impersonations()
