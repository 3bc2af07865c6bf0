from importlib import import_module

from django.apps import AppConfig

from games.play.signals import asking_frames


class ReplaysConfig(AppConfig):
    name = "replays"

    def ready(self) -> None:
        """Register the admin actions for the dataset, and make frames for those who move."""
        import_module("replays.dataset.admin_actions")
        frames_after_move = import_module("replays.frames.payload").frames_after_move
        asking_frames.connect(frames_after_move, dispatch_uid="replays.frames.after_move")
