"""Writes docs/reference/events.md: the events of seasons and rating pools."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from config.docs import events_table


class Command(BaseCommand):
    help = "Write the events of seasons and rating pools in docs/reference/events.md."

    def handle(self, *_args: Any, **_options: Any) -> None:
        events_table.FILE.write_text(events_table.text(), encoding="utf-8")
        self.stdout.write(f"{events_table.FILE} is written.")
