"""Runs the rebuild as a worker's job (`games.operations.jobs`)."""

from __future__ import annotations

from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from games.operations.jobs import JobType, Progress
from games.operations.models import AdminJob
from tournaments.maintenance import rebuild

MAX_LINES: Final = 200


def find_differences(job: AdminJob, progress: Progress) -> str:
    """Return the first differences and a summary."""
    lines, count, unread = [], 0, 0
    for sentence in rebuild.find_differences(write=bool(job.fields.get("write")), progress=progress):
        count += 1
        unread += isinstance(sentence, rebuild.UnreadableLog)
        if count <= MAX_LINES:
            lines.append(sentence)
    if not count:
        return _("no differences")
    words = ngettext("{n} difference", "{n} differences", count).format(n=count)
    if unread:
        words += ngettext("; {n} log can't be read", "; {n} logs can't be read", unread).format(n=unread)
    if job.fields.get("write"):
        words = _("{words}; the rows were corrected").format(words=words)
    return "\n".join([*lines, words])


REBUILD: Final = JobType("rebuild", "tournaments.rebuild", 0x4EB111D, find_differences)
