from importlib import import_module

from django.apps import AppConfig


class PracticeConfig(AppConfig):
    """The app for exercises and puzzles, which are made from finished games."""

    name = "replays.practice"

    def ready(self) -> None:
        """Connect the receivers, and register the admin action for puzzles."""
        from games.play import signals
        from replays.practice import receivers
        from replays.review.signals import review_made

        import_module(f"{self.name}.admin_actions")
        review_made.connect(receivers.make_exercises, dispatch_uid="replays.practice.reviews")
        signals.stopped_playing.connect(receivers.forget, dispatch_uid="replays.practice.stopped_playing")
        signals.exporting.connect(receivers.data_of, dispatch_uid="replays.practice.exporting")
