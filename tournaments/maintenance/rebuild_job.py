"""The rebuild as a job of a worker: asked for by an admin, done once, with its progress and result kept.

Whoever does it holds a lock of the database as long as it lives, so that a message that comes twice, or a worker that
is killed, neither does it twice nor leaves it undone.
"""

from __future__ import annotations

import logging
import threading
from datetime import timedelta
from typing import Final

from celery import current_app
from django.contrib.auth.models import User
from django.db import DatabaseError, IntegrityError, connection, transaction
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from games.common import clock
from games.common.errors import DomainError
from games.operations.models import AdminJob
from tournaments.maintenance import rebuild

JOB_TYPE: Final = "rebuild"
LOCK_KEY: Final = 0x4EB111D
PROGRESS_INTERVAL_SECONDS: Final = 1.0
MAX_LINES: Final = 200
LOST_AFTER: Final = timedelta(minutes=1)
UNFINISHED_STATES: Final = (AdminJob.State.WAITING, AdminJob.State.RUNNING)

logger = logging.getLogger(__name__)


def request_rebuild(*, by: User, write: bool) -> AdminJob:
    """Have it done. Raises `DomainError` job_going (409)."""
    try:
        with transaction.atomic():
            job = AdminJob.objects.create(what=JOB_TYPE, fields={"write": write}, by=by, asked_at=clock.now())
    except IntegrityError as going:
        sentence = _("A rebuild is already waiting or running. The dashboard shows its progress.")
        raise DomainError(409, "job_going", sentence) from going
    transaction.on_commit(send_message, robust=True)
    return job


def send_message() -> None:
    """A word to the workers."""
    current_app.send_task("tournaments.rebuild", queue="short", retry=False)


def resend_if_waiting() -> None:
    """Say it again while there is one that nobody does: the word, or who took it up, was lost."""
    silent = clock.now() - LOST_AFTER
    if AdminJob.objects.filter(what=JOB_TYPE, state__in=UNFINISHED_STATES).exclude(heard_at__gt=silent).exists():
        send_message()


def run_rebuild() -> AdminJob | None:
    """Do the one that waits, or that somebody began who is gone; None where there is none, or somebody does it."""
    voice = ProgressReporter()
    if not voice.start():
        return None
    try:
        job = AdminJob.objects.filter(what=JOB_TYPE, state__in=UNFINISHED_STATES).order_by("pk").first()
        if job is None:
            return None
        AdminJob.objects.filter(pk=job.pk).update(
            state=AdminJob.State.RUNNING, begun_at=clock.now(), progress="", result=""
        )
        voice.job = job.pk
        try:
            _finish_job(job, AdminJob.State.DONE, *_compute(job, voice))
        except DatabaseError as error:
            logger.exception("The rebuild failed.")
            _finish_job(
                job, AdminJob.State.FAILED, [], _("The rebuild failed: {error}").format(error=type(error).__name__)
            )
        job.refresh_from_db()
        return job
    finally:
        voice.stop()


def _compute(job: AdminJob, voice: ProgressReporter) -> tuple[list[str], str]:
    """The first differences, and what came of it in short."""
    lines, count, unread = [], 0, 0
    for sentence in rebuild.find_differences(write=bool(job.fields.get("write")), progress=voice.say):
        count += 1
        unread += isinstance(sentence, rebuild.UnreadableLog)
        if count <= MAX_LINES:
            lines.append(sentence)
    if not count:
        return lines, _("no differences")
    words = ngettext("{n} difference", "{n} differences", count).format(n=count)
    if unread:
        words += ngettext("; {n} log can't be read", "; {n} logs can't be read", unread).format(n=unread)
    return lines, _("{words}; the rows were corrected").format(words=words) if job.fields.get("write") else words


def _finish_job(job: AdminJob, state: str, lines: list[str], last: str) -> None:
    now = clock.now()
    text = "\n".join([*lines, last])
    AdminJob.objects.filter(pk=job.pk).update(state=state, finished_at=now, heard_at=now, progress="", result=text)


class ProgressReporter:
    """Tells from a thread with a connection of its own, which holds the lock, how far the rebuild is: it is one
    transaction, of which nobody else sees anything before its end."""

    def __init__(self) -> None:
        self.job = 0
        self._words = ""
        self._stop = threading.Event()
        self._begun = threading.Event()
        self._holds = False
        self._thread = threading.Thread(target=self._report, name="voice of the rebuild", daemon=True)

    def start(self) -> bool:
        """Take the lock; whether nobody else has it."""
        self._thread.start()
        self._begun.wait()
        return self._holds

    def say(self, words: str) -> None:
        """How far it is."""
        self._words = words

    def stop(self) -> None:
        """Give the lock back."""
        self._stop.set()
        self._thread.join()

    def _report(self) -> None:
        try:
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_try_advisory_lock(%s)", [LOCK_KEY])
                self._holds = bool(cursor.fetchone()[0])
            self._begun.set()
            while self._holds and not self._stop.wait(PROGRESS_INTERVAL_SECONDS):
                AdminJob.objects.filter(pk=self.job, state=AdminJob.State.RUNNING).update(
                    progress=self._words[:200], heard_at=clock.now()
                )
        finally:
            self._begun.set()
            connection.close()
