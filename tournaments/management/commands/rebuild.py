"""`rebuild` computes standings, match points and ratings again from the logs and compares them with the rows."""

from __future__ import annotations

import sys
import time
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from tournaments.maintenance import rebuild

PROGRESS_INTERVAL_SECONDS = 2


class Command(BaseCommand):
    help = (
        "Compute all standings, match points and ratings again from the logs, and print each difference from "
        "the stored rows. Unreadable logs are reported and skipped. The last line is `no differences`; "
        "otherwise the command exits with 1."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--write", action="store_true", help="Correct the rows. Leagues wait meanwhile.")

    def handle(self, **options: Any) -> None:
        """Print a line for each difference; progress goes to the error stream."""
        self.told_at = time.monotonic()
        differences = unread = 0
        for sentence in rebuild.find_differences(write=options["write"], progress=self.progress):
            self.stdout.write(sentence)
            differences += 1
            unread += isinstance(sentence, rebuild.UnreadableLog)
        repaired = (
            "; the rows were corrected, run it again to see what is left" if differences and options["write"] else ""
        )
        self.stdout.write(rebuild.summary(differences, unread) + repaired)
        if differences:
            sys.exit(1)

    def progress(self, what: str) -> None:
        """Print the progress every few seconds."""
        if time.monotonic() - self.told_at >= PROGRESS_INTERVAL_SECONDS:
            self.told_at = time.monotonic()
            self.stderr.write(f"… {what}")
