"""`export_dataset` writes the dataset of finished games, or compares a file with the logs."""

from __future__ import annotations

import os
import random
import time
from argparse import ArgumentParser
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
from django.core.management.base import BaseCommand, CommandError

from replays.dataset import check, export

PROGRESS_INTERVAL_SECONDS: Final = 2


class Command(BaseCommand):
    help = (
        "Write the decisions of all finished games that are open to everybody into a Parquet file "
        "(docs/reference/dataset.md). People are in it only if they have consented. With --check, derive rows of "
        "such a file again from the logs and compare."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, help="where to write, such as dataset.parquet")
        parser.add_argument(
            "--processes", type=int, default=os.cpu_count() or 1, help="processes that work on it; the file is the same"
        )
        parser.add_argument("--check", type=int, metavar="ROWS", help="derive so many random rows of the file again")

    def handle(self, *_args: Any, file: Path, processes: int, **options: Any) -> None:
        """Export or compare; progress goes to the error stream."""
        if options["check"] is not None:
            self.compare(file, options["check"])
            return
        if processes < 1:
            raise CommandError("Use one process or more: --processes 2.", returncode=2)
        self.shown_at = time.monotonic()
        begun = time.monotonic()
        try:
            summary = export.write_dataset(file, processes=processes, progress=self.progress)
        except (export.Withdrawn, OSError) as error:
            raise CommandError(f"{file} was not written: {error}") from error
        for sentence in summary.faults:
            self.stderr.write(sentence)
        seconds = time.monotonic() - begun
        self.stdout.write(
            f"Wrote {summary.rows:,} decisions of {summary.games:,} games to {file}: "
            f"{file.stat().st_size:,} bytes in {seconds:,.1f} s, {summary.games / seconds:,.0f} games/s."
        )
        if summary.faults:
            raise CommandError(f"{len(summary.faults)} games were left out because their logs can't be read.")

    def compare(self, file: Path, count: int) -> None:
        """Compare random rows of a file with the logs."""
        try:
            drawn, differ = check.rows_that_differ(file, count=count, chance=random.Random())
        except (OSError, pa.ArrowException) as error:
            reason = "There is no such file." if isinstance(error, FileNotFoundError) else error
            raise CommandError(f"{file} can't be read: {reason}") from error
        for row in differ:
            self.stdout.write(
                f"Game {row['game']}, version {row['version']}, seat {row['seat']}: not what the log gives."
            )
        if differ:
            raise CommandError(f"{len(differ)} of {drawn:,} rows differ.")
        self.stdout.write(f"{drawn:,} random rows were derived again from their logs; all are equal.")

    def progress(self, words: str) -> None:
        """Print the progress every few seconds."""
        if time.monotonic() - self.shown_at >= PROGRESS_INTERVAL_SECONDS:
            self.shown_at = time.monotonic()
            self.stderr.write(f"… {words}")
