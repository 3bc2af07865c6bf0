"""`front_end_schema` writes frontend/openapi.json."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from config import api_router
from config.docs import front_end_schema


class Command(BaseCommand):
    help = "Write frontend/openapi.json, from which `npm run types` makes the types of the front end."

    def handle(self, *_args: Any, **_options: Any) -> None:
        text = front_end_schema.text(api_router.schema_document())
        front_end_schema.FILE.write_text(text, encoding="utf-8")
        self.stdout.write(f"Wrote {front_end_schema.FILE}.")
