"""Writes docs/reference/api-addresses.md from the OpenAPI document."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from config import api_router
from config.docs import api_table


class Command(BaseCommand):
    help = "Write docs/reference/api-addresses.md from the OpenAPI document."

    def handle(self, *_args: Any, **_options: Any) -> None:
        text = api_table.text(api_router.schema_document())
        api_table.FILE.write_text(text, encoding="utf-8")
        self.stdout.write(f"Wrote {api_table.FILE}.")
