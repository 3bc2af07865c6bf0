from importlib import import_module

from django.apps import AppConfig


class CommonConfig(AppConfig):
    """Modules that every package uses: clock, errors, policy of views, rate limits, incidents."""

    name = "games.common"

    def ready(self) -> None:
        """Register the checks of the views' policies and the sentences of incidents, and how times are read."""
        for name in ("policy_checks", "incidents"):
            import_module(f"{self.name}.{name}")
        import_module(f"{self.name}.timestamps").use_timestamp_loader()
