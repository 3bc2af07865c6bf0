from importlib import import_module

from django.apps import AppConfig


class TalkConfig(AppConfig):
    """Messages, private notes, and whose messages somebody does not read."""

    name = "games.talk"

    def ready(self) -> None:
        """Let messages be reported and removed by admins, pair nobody with whom they have muted, and export people's
        data."""
        # imported here, because models exist only now
        from games.lobby.seekers import register_apart
        from games.play import signals
        from games.talk import receivers, reported
        from games.talk.selectors import players_apart

        import_module(f"{self.name}.actions")
        reported.register_target()
        register_apart(players_apart)
        signals.exporting.connect(receivers.data_of, dispatch_uid="games.talk.exporting")
