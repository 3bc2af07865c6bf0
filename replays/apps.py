from importlib import import_module

from django.apps import AppConfig


class ReplaysConfig(AppConfig):
    name = "replays"

    def ready(self) -> None:
        """Register the admin actions for the dataset."""
        import_module("replays.dataset.admin_actions")
