"""`demo` creates the demo club with its leagues. It is safe to run again."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from tournaments.maintenance import demo


class Command(BaseCommand):
    help = (
        "Create the demo club with its leagues, bots and two logins, unless they exist. Passwords are taken "
        "from SCOREBOOK_ORGANISER_PASSWORD and SCOREBOOK_ADMIN_PASSWORD, or generated, and are printed once."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--at-once", action="store_true", help="bots play as fast as they can, too fast to watch")
        parser.add_argument(
            "--bots-only", action="store_true", help="the leagues of built-in bots, without those of people"
        )

    def handle(self, **options: Any) -> None:
        """Print what was created."""
        for sentence in demo.build_demo(watchable=not options["at_once"], with_people=not options["bots_only"]):
            self.stdout.write(sentence)
