"""Long jobs that an admin requests. A worker does each once, and its progress and result are stored.

The worker holds a lock of the database as long as it lives. So a message that comes twice, or a worker that is killed,
neither repeats the job nor leaves it undone.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final, NamedTuple

from celery import current_app
from django.contrib.auth.models import User
from django.db import DatabaseError, IntegrityError, connection, transaction
from django.utils.translation import gettext as _

from games.common import clock
from games.common.errors import DomainError
from games.operations.models import AdminJob
from scorebook_games.presentation.coded_text import Sentence, plain, sentence

PROGRESS_INTERVAL_SECONDS: Final = 1.0
LOST_AFTER: Final = timedelta(minutes=1)
UNFINISHED_STATES: Final = (AdminJob.State.WAITING, AdminJob.State.RUNNING)

Progress = Callable[[str], None]
logger = logging.getLogger(__name__)


class JobResult(NamedTuple):
    """The result of a job in short, and line by line what it found."""

    summary: Sentence
    lines: Sequence[str] = ()


class JobFailed(Exception):
    """The job cannot be done. `why` tells the admin."""

    def __init__(self, why: Sentence) -> None:
        super().__init__(str(why))
        self.why = why


@dataclass(frozen=True, slots=True)
class JobType:
    """One sort of job: its `name` in rows, the Celery `task` that does it, the key of its lock, and the `work`
    function.

    `work` gets the job and a function that reports progress. It returns the job's result, or raises `JobFailed`.
    """

    name: str
    task: str
    lock_key: int
    work: Callable[[AdminJob, Progress], JobResult]

    def request(self, *, by: User | None, **fields: Any) -> AdminJob:
        """Request the job. Raises `DomainError` job_going (409)."""
        try:
            with transaction.atomic():
                job = AdminJob.objects.create(what=self.name, fields=fields, by=by, asked_at=clock.now())
        except IntegrityError as going:
            sentence = _("This job is already waiting or running. The dashboard shows its progress.")
            raise DomainError(409, "job_going", sentence) from going
        transaction.on_commit(self.send_message, robust=True)
        return job

    def send_message(self) -> None:
        """Wake a worker."""
        current_app.send_task(self.task, queue="short", retry=False)

    def resend_if_waiting(self) -> None:
        """Wake a worker again if a job waits and nobody does it, because the message or its worker was lost."""
        silent = clock.now() - LOST_AFTER
        if AdminJob.objects.filter(what=self.name, state__in=UNFINISHED_STATES).exclude(heard_at__gt=silent).exists():
            self.send_message()

    def run(self) -> AdminJob | None:
        """Do the waiting job, or one whose worker is gone; None if there is none, or somebody does it."""
        voice = ProgressReporter(self)
        if not voice.start():
            return None
        try:
            job = AdminJob.objects.filter(what=self.name, state__in=UNFINISHED_STATES).order_by("pk").first()
            if job is None:
                return None
            AdminJob.objects.filter(pk=job.pk).update(
                state=AdminJob.State.RUNNING, begun_at=clock.now(), progress="", sentences=[], result=""
            )
            voice.job = job.pk
            self._do(job, voice.say)
            job.refresh_from_db()
            return job
        finally:
            voice.stop()

    def _do(self, job: AdminJob, progress: Progress) -> None:
        state = AdminJob.State.FAILED
        try:
            result, state = self.work(job, progress), AdminJob.State.DONE
        except JobFailed as error:
            result = JobResult(error.why)
        except (DatabaseError, OSError) as error:
            logger.exception("The job %s failed.", self.name)
            result = JobResult(job_failed(type(error).__name__))
        now = clock.now()
        AdminJob.objects.filter(pk=job.pk).update(
            state=state,
            finished_at=now,
            heard_at=now,
            progress="",
            sentences=plain([result.summary]),
            result="\n".join(result.lines),
        )


class ProgressReporter:
    """Reports a job's progress from a thread with its own connection, which holds the lock.

    The job may be one transaction, of which nobody else sees anything before its end.
    """

    def __init__(self, job_type: JobType) -> None:
        self.job = 0
        self._lock_key = job_type.lock_key
        self._words = ""
        self._stop = threading.Event()
        self._begun = threading.Event()
        self._holds = False
        self._thread = threading.Thread(target=self._report, name=f"voice of {job_type.name}", daemon=True)

    def start(self) -> bool:
        """Take the lock; return False if somebody else has it."""
        self._thread.start()
        self._begun.wait()
        return self._holds

    def say(self, words: str) -> None:
        """Report the progress."""
        self._words = words

    def stop(self) -> None:
        """Release the lock."""
        self._stop.set()
        self._thread.join()

    def _report(self) -> None:
        try:
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_try_advisory_lock(%s)", [self._lock_key])
                self._holds = bool(cursor.fetchone()[0])
            self._begun.set()
            while self._holds and not self._stop.wait(PROGRESS_INTERVAL_SECONDS):
                AdminJob.objects.filter(pk=self.job, state=AdminJob.State.RUNNING).update(
                    progress=self._words[:200], heard_at=clock.now()
                )
        finally:
            self._begun.set()
            connection.close()


@sentence
def job_failed(error: str) -> str:
    """`error`: the name of its class."""
    return _("The job failed: {error}").format(error=error)
