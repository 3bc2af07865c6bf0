"""Writes docs/reference/options.md from the options of games and formats."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from config.docs import options_table


class Command(BaseCommand):
    help = "Write docs/reference/options.md from the code."

    def handle(self, *_args: Any, **_options: Any) -> None:
        options_table.FILE.write_text(options_table.text(), encoding="utf-8")
        self.stdout.write(f"Wrote {options_table.FILE}.")
