from importlib import import_module

from django.apps import AppConfig


class ModerationConfig(AppConfig):
    """Reports, sanctions, bots taken down, looking on in support."""

    name = "games.moderation"

    def ready(self) -> None:
        """Register what admins do to people, and answer who is turned away or exports their data."""
        # Imported here: models exist only now.
        from games.moderation import receivers
        from games.play import signals

        for name in ("account_actions", "actions"):
            import_module(f"{self.name}.{name}")
        signals.exporting.connect(receivers.data_of, dispatch_uid="games.moderation.exporting")
        signals.turned_away.connect(receivers.page_of_ban, dispatch_uid="games.moderation.turned_away")
