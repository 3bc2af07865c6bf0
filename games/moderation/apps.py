from importlib import import_module

from django.apps import AppConfig


class ModerationConfig(AppConfig):
    """Reports, sanctions, bots taken down, looking on in support."""

    name = "games.moderation"

    def ready(self) -> None:
        """Register the admins' actions on people and their notices; connect the receivers for bans and data exports."""
        # imported here, because models exist only now
        from games.accounts.subjects import ACCOUNT_AND_ADMINS, add_subjects
        from games.moderation import receivers, subjects
        from games.play import signals

        add_subjects(subjects.SUBJECTS, after="abort_offered", group=ACCOUNT_AND_ADMINS)
        for name in ("account_actions", "actions"):
            import_module(f"{self.name}.{name}")
        signals.exporting.connect(receivers.data_of, dispatch_uid="games.moderation.exporting")
        signals.turned_away.connect(receivers.page_of_ban, dispatch_uid="games.moderation.turned_away")
