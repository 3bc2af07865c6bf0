from importlib import import_module

from django.apps import AppConfig


class ReviewConfig(AppConfig):
    """The app for what is computed about finished games."""

    name = "replays.review"

    def ready(self) -> None:
        """Register the admin actions for ledgers."""
        import_module(f"{self.name}.admin_actions")
