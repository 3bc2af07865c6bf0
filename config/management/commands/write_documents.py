"""Writes the documents that are made from the code."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, Final

from django.core.management.base import BaseCommand, CommandParser

from config import api_router
from config.docs import (
    actions_table,
    api_table,
    events_table,
    front_end_schema,
    observations_table,
    options_table,
    season_file_page,
    settings_table,
    tables_page,
)
from config.monitoring import alert_rules

schema = cache(api_router.schema_document)
WRITERS: Final[dict[Path, Callable[[], str]]] = {
    actions_table.FILE: actions_table.text,
    alert_rules.FILE: alert_rules.text,
    api_table.FILE: lambda: api_table.text(schema()),
    events_table.FILE: events_table.text,
    front_end_schema.FILE: lambda: front_end_schema.text(schema()),
    observations_table.FILE: observations_table.text,
    options_table.FILE: options_table.text,
    season_file_page.FILE: season_file_page.text,
    settings_table.FILE: settings_table.text,
    tables_page.FILE: tables_page.text,
}


class Command(BaseCommand):
    help = "Write the documents that are made from the code, or those that are named, such as events.md."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", nargs="*", choices=[[], *(file.name for file in WRITERS)])

    def handle(self, *_args: Any, **options: Any) -> None:
        for file, text in WRITERS.items():
            if not options["name"] or file.name in options["name"]:
                file.write_text(text(), encoding="utf-8")
                self.stdout.write(f"Wrote {file}.")
