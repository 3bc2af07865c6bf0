from django.apps import AppConfig


class GamesConfig(AppConfig):
    name = "games"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Let people be told when games move on."""
        from allauth.account.signals import password_changed, password_reset, password_set
        from allauth.mfa.signals import authenticator_added
        from django.contrib.auth.models import User
        from django.contrib.auth.signals import user_logged_in
        from django.db.models.signals import pre_delete

        import games.checks
        import games.house.actions
        import games.moderation.account_actions
        import games.moderation.actions  # noqa: F401  they register themselves
        from games.accounts import access, devices, notices, people
        from games.signals import game_over, moved_on

        moved_on.connect(notices.on_moved, dispatch_uid="games.accounts.moved")
        game_over.connect(notices.on_over, dispatch_uid="games.accounts.over")
        pre_delete.connect(people.forget_who_goes, User, dispatch_uid="games.accounts.gone")
        for changed in (password_changed, password_reset, password_set):
            changed.connect(access.on_new_password, dispatch_uid="games.accounts.password")
        authenticator_added.connect(access.on_second_factor, dispatch_uid="games.accounts.second_factor")
        user_logged_in.connect(people.remember_zone, dispatch_uid="games.accounts.zone")
        for proof in (user_logged_in, password_changed, password_set):
            proof.connect(devices.on_new_proof, dispatch_uid="games.accounts.device")
