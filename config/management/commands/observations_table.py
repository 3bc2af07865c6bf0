"""Writes docs/reference/observations.md from what each kind says of its observations."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from config.docs import observations_table


class Command(BaseCommand):
    help = "Write docs/reference/observations.md from the code."

    def handle(self, *_args: Any, **_options: Any) -> None:
        observations_table.FILE.write_text(observations_table.text(), encoding="utf-8")
        self.stdout.write(f"Wrote {observations_table.FILE}.")
