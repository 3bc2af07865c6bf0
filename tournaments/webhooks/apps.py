from importlib import import_module

from django.apps import AppConfig


class WebhooksConfig(AppConfig):
    """What happens in leagues, told to programs elsewhere."""

    name = "tournaments.webhooks"

    def ready(self) -> None:
        """Register what admins do to webhooks."""
        import_module(f"{self.name}.admin_actions")
