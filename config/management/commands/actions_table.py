"""Writes docs/reference/admin-actions.md from the registry of admin actions."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from config.docs import actions_table


class Command(BaseCommand):
    help = "Write docs/reference/admin-actions.md from the registry."

    def handle(self, *_args: Any, **_options: Any) -> None:
        actions_table.FILE.write_text(actions_table.text(), encoding="utf-8")
        self.stdout.write(f"Wrote {actions_table.FILE}.")
