from importlib import import_module

from django.apps import AppConfig


class WebhooksConfig(AppConfig):
    """The app for webhooks."""

    name = "tournaments.webhooks"

    def ready(self) -> None:
        """Register the admin actions for webhooks."""
        import_module(f"{self.name}.admin_actions")
