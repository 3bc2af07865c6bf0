"""Writes docs/reference/tables.md: the source of every table's rows."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from config.docs import tables_page


class Command(BaseCommand):
    help = "Write docs/reference/tables.md: which tables are logs, projections or primary data."

    def handle(self, *_args: Any, **_options: Any) -> None:
        tables_page.FILE.write_text(tables_page.text(), encoding="utf-8")
        self.stdout.write(f"{tables_page.FILE} is written.")
