from importlib import import_module

from django.apps import AppConfig


class TalkConfig(AppConfig):
    """Messages, private notes, and whose messages somebody does not read."""

    name = "games.talk"

    def ready(self) -> None:
        """Let messages be reported and removed by admins, and export people's data."""
        # imported here, because models exist only now
        from games.play import signals
        from games.talk import receivers, reported

        import_module(f"{self.name}.actions")
        reported.register_target()
        signals.exporting.connect(receivers.data_of, dispatch_uid="games.talk.exporting")
