"""`rebuild` makes the rows of games, seasons and ratings again from their logs; with `--check` it only compares."""

from __future__ import annotations

import sys
import time
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from games.common import parallel
from tournaments.maintenance import rebuild

PROGRESS_INTERVAL_SECONDS = 2


class Command(BaseCommand):
    help = (
        "Make all rows of games, seasons and rating pools again from the logs, and print what was different. Each "
        "season is one transaction, so the platform may run. With --check nothing is written, and logs are compared "
        "with one another too; the last line is `no differences`, otherwise the command exits with 1. Unreadable logs "
        "are reported and skipped."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--check", action="store_true", help="Compare only, and write nothing.")
        parallel.add_argument(parser)

    def handle(self, **options: Any) -> None:
        """Print a line for each difference; progress goes to the error stream."""
        self.told_at = time.monotonic()
        differences = unread = 0
        write, processes = not options["check"], options["processes"]
        for sentence in rebuild.find_differences(write=write, progress=self.progress, processes=processes):
            self.stdout.write(sentence)
            differences += not isinstance(sentence, rebuild.NotCompared)
            unread += isinstance(sentence, rebuild.UnreadableLog)
        repaired = "; the rows are corrected" if differences > unread and not options["check"] else ""
        self.stdout.write(rebuild.summary(differences, unread) + repaired)
        if unread or (differences and options["check"]):
            sys.exit(1)

    def progress(self, what: str) -> None:
        """Print the progress every few seconds."""
        if time.monotonic() - self.told_at >= PROGRESS_INTERVAL_SECONDS:
            self.told_at = time.monotonic()
            self.stderr.write(f"… {what}")
