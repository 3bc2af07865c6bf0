"""`install_queue` installs the message queue's schema. The database's owner runs it; running it again changes
nothing."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError
from pgmq.install import PGMQInstallError

from config.broker.pgmq_schema import install_queue


class Command(BaseCommand):
    help = "Install the message queue (schema pgmq) in the database. Does nothing if it is already installed."

    def handle(self, *_args: Any, **_options: Any) -> None:
        try:
            version = install_queue()
        except PGMQInstallError as error:
            raise CommandError(
                f"The queue could not be installed: {error} Run this as the database's owner."
            ) from error
        self.stdout.write(f"Queue {version} was installed." if version else "The queue is already installed.")
