from importlib import import_module
from typing import Final

from django.apps import AppConfig

# The packages with models of their own, beside those of `games.models`.
WITH_MODELS: Final = (
    "accounts",
    "admin_actions",
    "bots",
    "clocks",
    "common",
    "eventlog",
    "lobby",
    "moderation",
    "operations",
    "play",
    "visibility",
    "workers",
)
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
        """Load all models of games: Django looks into `games.models` only."""
        super().import_models()
        for package in WITH_MODELS:
            import_module(f"games.{package}.models")

    def ready(self) -> None:
        """Let people be told when games move on."""
        from allauth.account.signals import password_changed, password_reset, password_set
        from allauth.mfa.signals import authenticator_added
        from django.contrib.auth.models import User
        from django.contrib.auth.signals import user_logged_in
        from django.db.models.signals import pre_delete

        from games.accounts import access, devices, notices, people
        from games.play.signals import game_over, moved_on

        for name in SELF_REGISTERING:
            import_module(name)

        moved_on.connect(notices.on_moved, dispatch_uid="games.accounts.moved")
        game_over.connect(notices.on_over, dispatch_uid="games.accounts.over")
        pre_delete.connect(people.anonymise_deleted_user, User, dispatch_uid="games.accounts.gone")
        for changed in (password_changed, password_reset, password_set):
            changed.connect(access.on_new_password, dispatch_uid="games.accounts.password")
        authenticator_added.connect(access.on_second_factor, dispatch_uid="games.accounts.second_factor")
        user_logged_in.connect(people.remember_zone, dispatch_uid="games.accounts.zone")
        for proof in (user_logged_in, password_changed, password_set):
            proof.connect(devices.on_login_or_new_password, dispatch_uid="games.accounts.device")
