from importlib import import_module

from django.apps import AppConfig


class OperationsConfig(AppConfig):
    """The state of the platform, and actions of admins on it."""

    name = "games.operations"

    def ready(self) -> None:
        """Register the admins' actions around games, and Django's checks."""
        for name in ("actions", "checks"):
            import_module(f"{self.name}.{name}")
