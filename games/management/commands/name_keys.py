"""`name_keys` computes the keys of all names again, and lists the names that look like others."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from games.accounts.name_keys import renew_keys


class Command(BaseCommand):
    help = "Compute the keys by which names are compared again, and list the names that look like older ones."

    def handle(self, **_options: Any) -> None:
        """Renew the keys and print the names that an admin should look at."""
        for name in renew_keys():
            self.stdout.write(f"{name} looks like an older name.")
        self.stdout.write("The keys are up to date.")
