"""Runs the rebuild as a worker's job (`games.operations.jobs`)."""

from __future__ import annotations

from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from games.operations.jobs import JobResult, JobType, Progress
from games.operations.models import AdminJob
from scorebook_games.presentation.coded_text import sentence
from tournaments.maintenance import rebuild

MAX_LINES: Final = 200


@sentence
def no_differences() -> str:
    return _("no differences")


@sentence
def differences(count: int, unread: int, corrected: bool) -> str:
    """`unread`: how many of them are logs that cannot be read."""
    words = ngettext("{n} difference", "{n} differences", count).format(n=count)
    if unread:
        words += ngettext("; {n} log can't be read", "; {n} logs can't be read", unread).format(n=unread)
    return _("{words}; the rows were corrected").format(words=words) if corrected else words


def find_differences(job: AdminJob, progress: Progress) -> JobResult:
    """Return the first differences and their number."""
    lines: list[str] = []
    count = unread = 0
    write = bool(job.fields.get("write"))
    for difference in rebuild.find_differences(write=write, progress=progress):
        count += not isinstance(difference, rebuild.NotCompared)
        unread += isinstance(difference, rebuild.UnreadableLog)
        if len(lines) < MAX_LINES:
            lines.append(difference)
    return JobResult(differences(count, unread, write) if count else no_differences(), lines)


REBUILD: Final = JobType("rebuild", "tournaments.rebuild", 0x4EB111D, find_differences)
