from importlib import import_module

from django.apps import AppConfig


class OperationsConfig(AppConfig):
    """How the platform is doing, and what admins do about it."""

    name = "games.operations"

    def ready(self) -> None:
        """Register what admins do around games, and Django's checks."""
        for name in ("actions", "checks"):
            import_module(f"{self.name}.{name}")
