from django.apps import AppConfig


class BotsConfig(AppConfig):
    """Uploaded and remote bots: their sources, admission, comparison, challenges."""

    name = "games.bots"

    def ready(self) -> None:
        """Register notices to authors and the sentences of trials; stop bots whose authors are banned or leave."""
        # imported here, because models exist only now
        from django.contrib.auth.models import User
        from django.db.models.signals import pre_delete

        from games.accounts.subjects import BOTS, add_subjects
        from games.bots import sentences, subjects, uploads  # noqa: F401
        from games.play import signals

        add_subjects(subjects.SUBJECTS, after="abort_offered", group=BOTS)
        pre_delete.connect(uploads.on_user_deleted, User, dispatch_uid="games.bots.gone")
        signals.banned.connect(uploads.on_banned, dispatch_uid="games.bots.banned")
        signals.unbanned.connect(uploads.on_unbanned, dispatch_uid="games.bots.unbanned")
