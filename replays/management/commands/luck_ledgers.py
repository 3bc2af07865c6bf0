"""`luck_ledgers` computes the luck ledgers of finished games, and compares ledgers with the games' logs."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from replays.review import ledgers


class Command(BaseCommand):
    help = (
        "Compute the luck ledgers that are missing, and make those again that differ from what their game's log gives. "
        "With --check nothing is written, and the command exits with 1 if one differs. With --renew, games whose "
        "ledger was made by another value function get one by the present value function beside it."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--check", action="store_true", help="Compare only, and write nothing.")
        parser.add_argument("--renew", action="store_true", help="Add ledgers by the present value functions.")

    def handle(self, **options: Any) -> None:
        """Print a line for each difference, and what was done."""
        check = options["check"]
        count = 0
        for count, line in enumerate(ledgers.differences(write=not check), 1):  # noqa: B007
            self.stdout.write(line)
        if check:
            self.stdout.write(f"differences: {count}" if count else "no differences")
            sys.exit(bool(count))
        ledgers.find_explained_again()
        found = computed = 0
        while some := ledgers.find_games(every=True) or (options["renew"] and ledgers.renew()):
            found += some
        while some := ledgers.compute_due():
            computed += some
        self.stdout.write(f"{found} games were found, {computed} ledgers computed, {count} corrected.")
