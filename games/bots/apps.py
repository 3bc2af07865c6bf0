from django.apps import AppConfig


class BotsConfig(AppConfig):
    """Uploaded and remote bots: their sources, admission, comparison, challenges."""

    name = "games.bots"

    def ready(self) -> None:
        """Stop the bots of who is banned, and keep those of who is gone."""
        # Imported here: models exist only now.
        from django.contrib.auth.models import User
        from django.db.models.signals import pre_delete

        from games.bots import uploads
        from games.play import signals

        pre_delete.connect(uploads.on_user_deleted, User, dispatch_uid="games.bots.gone")
        signals.banned.connect(uploads.on_banned, dispatch_uid="games.bots.banned")
        signals.unbanned.connect(uploads.on_unbanned, dispatch_uid="games.bots.unbanned")
