"""`demo`: a club whose league is being played. Safe to run again and again."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from tournaments import demo


class Command(BaseCommand):
    help = (
        "Make the demo club with its leagues, bots and two logins, as far as they are missing. Passwords come from "
        "SCOREBOOK_ORGANISER_PASSWORD and SCOREBOOK_ADMIN_PASSWORD or are made up, and are printed once."
    )

    def handle(self, **_: Any) -> None:
        """Print what was made."""
        for sentence in demo.build():
            self.stdout.write(sentence)
