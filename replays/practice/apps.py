from django.apps import AppConfig


class PracticeConfig(AppConfig):
    """The app for exercises and puzzles, which are made from finished games."""

    name = "replays.practice"

    def ready(self) -> None:
        """Connect the receivers."""
        from games.play import signals
        from replays.practice import receivers
        from replays.review.signals import review_made

        review_made.connect(receivers.make_exercises, dispatch_uid="replays.practice.reviews")
        signals.stopped_playing.connect(receivers.forget, dispatch_uid="replays.practice.stopped_playing")
        signals.exporting.connect(receivers.data_of, dispatch_uid="replays.practice.exporting")
