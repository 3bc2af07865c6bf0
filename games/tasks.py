"""Celery's tasks of games. A message only wakes a worker up; the work is found by queries."""

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
from games.bots.admission import notifications as author_notifications
from games.bots.admission import time_slices, trials
from games.clocks import outages
from games.clocks import services as clocks
from games.common import clock, disk_full, idempotency, rate_limits
from games.lobby import services as lobby
from games.moderation import impersonation, sanctions
from games.operations import daily_counts
from games.play import services as play_services
from games.play.wake_up import send, send_caged
from games.workers import leases, runner

PLAY_SECONDS = 60  # less than the broker's visibility timeout, so that no message comes twice

CAGE = "cage"  # the queue of those that hold uploaded bots

_queues: set[str] = set()
_life = ExitStack()
_watch = outages.Watch()
# Celery's main process is told that it is to end; those that play are its children and share this byte with it.
_ending = multiprocessing.RawValue("b", 0)


def worker_name() -> str:
    """The name of this process among all that play."""
    return f"{socket.gethostname()}:{os.getpid()}"


@celeryd_after_setup.connect  # type: ignore[untyped-decorator]
def know_queues(instance: Any = None, **_signal: Any) -> None:
    """Keep, before the worker's processes are made, what they will be asked to do."""
    _queues.update(instance.app.amqp.queues.consume_from)


@worker_process_init.connect  # type: ignore[untyped-decorator]
def begin_life(**_signal: Any) -> None:
    """Let a worker's process give life signs between its tasks too; if it is to hold bots, try its sandbox."""
    _life.enter_context(leases.pulse_of(worker_name(), sorted(_queues)))
    if CAGE in _queues:
        time_slices.note_tier(worker_name())


@task_failure.connect  # type: ignore[untyped-decorator]
def note_refusal(exception: BaseException, **_signal: Any) -> None:
    """Remember that the disk was full, for the dashboard; the process's pulse tells it."""
    disk_full.note(exception)


@worker_process_shutdown.connect  # type: ignore[untyped-decorator]
def end_life(**_signal: Any) -> None:
    """Say that the process ends by intention."""
    _life.close()


@worker_shutting_down.connect  # type: ignore[untyped-decorator]
def give_back_soon(**_signal: Any) -> None:
    """Let the worker end within moments, its games given back for others to play on."""
    _ending.value = 1


# A process that hangs is killed and replaced.
@shared_task(name="games.play", time_limit=2 * PLAY_SECONDS)  # type: ignore[untyped-decorator]
def play() -> None:
    """Play what is due."""
    runner.play_due(worker_name(), PLAY_SECONDS, stop=lambda: bool(_ending.value))


@shared_task(name="games.play_caged", time_limit=PLAY_SECONDS + trials.LONGEST_SLICE)  # type: ignore[untyped-decorator]
def play_caged() -> None:
    """Go on with trials and games of uploaded bots."""
    time_slices.play_due(worker_name(), PLAY_SECONDS, stop=lambda: bool(_ending.value))


@shared_task(name="games.tick")  # type: ignore[untyped-decorator]
def tick() -> None:
    """Say that clocks are looked at, and look at them."""
    now = clock.now()
    outages.sign(outages.BEAT, now)
    _watch.look(now, time.monotonic())
    clocks.settle_outages()
    play_services.expire_due()


@shared_task(name="games.sweep")  # type: ignore[untyped-decorator]
def sweep() -> None:
    """Find what has been waiting for too long: games whose worker is lost, clocks that have run out, silent workers."""
    lost = leases.lost()
    if lost.filter(caged=False).exists():
        send()
    if lost.filter(caged=True).exists() or trials.waiting().exists():
        send_caged()
    play_services.expire_due()
    lobby.expire_due()
    leases.note_silent_workers()
    leases.shorten()
    idempotency.forget_old()


@shared_task(name="games.count_days")  # type: ignore[untyped-decorator]
def count_days() -> int:
    """Count the days that are over, for the dashboard."""
    return daily_counts.count_those_over()


@shared_task(name="games.send_mails", time_limit=240)  # type: ignore[untyped-decorator]
def send_mails() -> int:
    """Send the e-mails that are due."""
    return mail.send_due()


@shared_task(name="games.tell_people")  # type: ignore[untyped-decorator]
def tell_people() -> None:
    """Tell of turns, of games that begin and of games that are over where a word was lost, and authors of their bots;
    remind of clocks that run out; end the mutes and bans whose time is over; send what is due."""
    sanctions.end_due()
    sanctions.follow()
    notices.tell_turns()
    notices.tell_appointed()
    notices.tell_over()
    author_notifications.tell_due()
    reminders.tell_clocks()
    mail.send_due()


@shared_task(name="games.forget_guests")  # type: ignore[untyped-decorator]
def forget_guests() -> int:
    """Delete guests who have not come to stay."""
    return people.forget_guests()


@shared_task(name="games.forget_tokens")  # type: ignore[untyped-decorator]
def forget_tokens() -> int:
    """Delete access tokens that have been over for a while, what was looked at in support a year ago, and counts of who
    asked how often."""
    rate_limits.forget_old()
    return tokens.forget_old() + impersonation.forget_old()
