"""`admin_action` runs an admin action: `manage.py admin_action abort_game 8RT31K0W --reason "…" --by ambrose`."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError, CommandParser

from config.http.errors import error_data
from games.admin_actions import registry as admin_actions


class Command(BaseCommand):
    help = "Run an admin action. A reason is required and logged. The admin pages and the API use the same actions."

    def add_arguments(self, parser: CommandParser) -> None:
        codes = ", ".join(
            f"{each.code} ({each.target_type or 'the platform'})" for each in admin_actions.every_action()
        )
        parser.add_argument("action", help=codes)
        parser.add_argument("target", nargs="?", default="", help="the target's public name or id")
        parser.add_argument("--reason", required=True, help="the reason, kept in the log")
        parser.add_argument("--by", required=True, metavar="USER", help="the responsible admin")
        parser.add_argument("--key", default="", help="an idempotency key: with the same key the action runs once")
        parser.add_argument(
            "--field", action="append", default=[], metavar="NAME=VALUE", help="further fields of the action"
        )

    def handle(self, *_args: Any, **wish: Any) -> None:
        by = User.objects.filter(username=wish["by"]).first()
        if by is None:
            raise CommandError(f"There is no user {wish['by']}.")
        fields = dict(each.split("=", 1) if "=" in each else (each, "") for each in wish["field"])
        try:
            done = admin_actions.perform_sent(
                wish["action"], wish["target"], reason=wish["reason"], by=by, key=wish["key"], fields=fields
            )
        except Exception as error:
            described = error_data(error)
            if described is None:
                raise
            raise CommandError(described["error"]["sentence"]) from error
        self.stdout.write(done.outcome)
