from importlib import import_module
from pathlib import Path
from typing import Final

from django.apps import AppConfig

# Modules whose import registers admin actions and checks; the first of them defines the targets of the others.
SELF_REGISTERING: Final = (
    "games.operations.actions",
    "games.common.policy_checks",
    "games.operations.checks",
    "games.moderation.account_actions",
    "games.moderation.actions",
)


class GamesConfig(AppConfig):
    name = "games"
    default_auto_field = "django.db.models.BigAutoField"

    def import_models(self) -> None:
        """Load the models of all packages, too: Django itself looks into `games.models` only."""
        super().import_models()
        for path in sorted(Path(self.path).glob("*/models.py")):
            import_module(f"{self.name}.{path.parent.name}.models")

    def ready(self) -> None:
        """Register what registers itself, and connect those who listen, in the order in which they are to answer.

        The imports stand here since models can be imported only after `import_models`.
        """
        from allauth.account.signals import password_changed, password_reset, password_set
        from allauth.mfa.signals import authenticator_added
        from django.contrib.auth.models import User
        from django.contrib.auth.signals import user_logged_in
        from django.db.models.signals import pre_delete

        from games.accounts import access, devices, notices, people, tokens
        from games.bots import uploads
        from games.lobby import receivers as lobby
        from games.moderation import receivers as moderation
        from games.play import signals
        from games.workers import waiting_reasons

        for name in SELF_REGISTERING:
            import_module(name)

        signals.moved_on.connect(notices.on_moved, dispatch_uid="games.accounts.moved")
        signals.game_over.connect(notices.on_over, dispatch_uid="games.accounts.over")
        signals.offered.connect(notices.on_offer, dispatch_uid="games.accounts.offered")
        signals.asking_why_bots_wait.connect(
            waiting_reasons.sandbox_wait_on_request, dispatch_uid="games.workers.cages"
        )

        # A user's row is deleted: the bots lose their author, then nobody waits for the player, who loses the name.
        pre_delete.connect(uploads.on_user_deleted, User, dispatch_uid="games.bots.gone")
        pre_delete.connect(people.anonymise_deleted_user, User, dispatch_uid="games.accounts.gone")
        signals.stopped_playing.connect(lobby.withdraw, dispatch_uid="games.lobby.stopped_playing")
        signals.banned.connect(tokens.on_banned, dispatch_uid="games.accounts.banned")
        signals.banned.connect(uploads.on_banned, dispatch_uid="games.bots.banned")
        signals.unbanned.connect(uploads.on_unbanned, dispatch_uid="games.bots.unbanned")
        signals.exporting.connect(moderation.data_of, dispatch_uid="games.moderation.exporting")
        signals.exporting.connect(lobby.data_of, dispatch_uid="games.lobby.exporting")
        signals.turned_away.connect(moderation.page_of_ban, dispatch_uid="games.moderation.turned_away")

        for changed in (password_changed, password_reset, password_set):
            changed.connect(access.on_new_password, dispatch_uid="games.accounts.password")
        authenticator_added.connect(access.on_second_factor, dispatch_uid="games.accounts.second_factor")
        user_logged_in.connect(people.remember_zone, dispatch_uid="games.accounts.zone")
        for proof in (user_logged_in, password_changed, password_set):
            proof.connect(devices.on_login_or_new_password, dispatch_uid="games.accounts.device")
