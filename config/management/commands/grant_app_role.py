"""`grant_app_role` creates the database role of the running parts and grants its rights. The owner runs it after every
migration."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connection

from config.env.database_url import parse_database_url
from config.env.variables import read_secret
from games.operations.database_roles import APP_ROLE, WrongRole, grant_app_role


class Command(BaseCommand):
    help = (
        "Create or update the database role of web, worker and beat. The role can append to the log but not change it."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--name", help=f"default: the user in DATABASE_APP_URL, or {APP_ROLE}")
        parser.add_argument(
            "--password", help="default: the password in DATABASE_APP_URL; without one it is not changed"
        )

    def handle(self, *_args: Any, name: str | None, password: str | None, **_options: Any) -> None:
        address = read_secret("DATABASE_APP_URL")
        app = parse_database_url(address) if address else {}
        role = name or str(app.get("USER") or APP_ROLE)
        become_owner()
        try:
            new = grant_app_role(name=role, password=password or str(app.get("PASSWORD") or "") or None)
        except WrongRole as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"Role {role} was created." if new else f"Role {role} is up to date.")


def become_owner() -> None:
    """Connect as the user of DATABASE_URL, because the settings prefer DATABASE_APP_URL."""
    address = read_secret("DATABASE_URL")
    owner = parse_database_url(address) if address else {}
    if owner and owner["USER"] != connection.settings_dict["USER"]:
        connection.close()
        connection.settings_dict.update(USER=owner["USER"], PASSWORD=owner["PASSWORD"])
