"""Writes the table of addresses in docs/reference/api.md from the OpenAPI document."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand
from django.utils.translation import get_language

from config import api_router
from config.docs import api_table


class Command(BaseCommand):
    help = "Write the table of addresses in docs/reference/api.md from the OpenAPI document."

    def handle(self, *_args: Any, **_options: Any) -> None:
        text = api_table.FILE.read_text(encoding="utf-8")
        api_table.FILE.write_text(api_table.written(text, api_router.schema_document(get_language())), encoding="utf-8")
        self.stdout.write(f"The addresses in {api_table.FILE} are written.")
