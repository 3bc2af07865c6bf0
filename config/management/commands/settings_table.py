"""Writes docs/reference/settings.md from the list of variables."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from config.docs import settings_table


class Command(BaseCommand):
    help = "Write docs/reference/settings.md from the list of variables in config/env/registry.py."

    def handle(self, *_args: Any, **_options: Any) -> None:
        settings_table.FILE.write_text(settings_table.text(), encoding="utf-8")
        self.stdout.write(f"Wrote {settings_table.FILE}.")
