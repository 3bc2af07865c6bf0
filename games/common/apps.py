from importlib import import_module

from django.apps import AppConfig


class CommonConfig(AppConfig):
    """What every package uses: clock, errors, policy of views, limits, incidents."""

    name = "games.common"

    def ready(self) -> None:
        """Register the checks of what views state."""
        import_module(f"{self.name}.policy_checks")
