from django.apps import AppConfig


class AccountsConfig(AppConfig):
    """People: sign-up, login, profile, tokens, notices."""

    name = "games.accounts"

    def ready(self) -> None:
        """Notify people of what happens in their games, and follow what happens to accounts."""
        # imported here, because models exist only now
        from allauth.account.signals import password_changed, password_reset, password_set
        from allauth.mfa.signals import authenticator_added
        from django.contrib.auth.models import User
        from django.contrib.auth.signals import user_logged_in, user_logged_out
        from django.db.models.signals import pre_delete

        from games.accounts import access, context, devices, languages, notices, people, tokens
        from games.accounts.push import services as push
        from games.common.page_cache import register_reader_facts, register_rights
        from games.play import signals

        User.add_to_class("__str__", people.shown_name)

        signals.moved_on.connect(notices.on_moved, dispatch_uid="games.accounts.moved")
        signals.game_over.connect(notices.on_over, dispatch_uid="games.accounts.over")
        signals.offered.connect(notices.on_offer, dispatch_uid="games.accounts.offered")
        signals.banned.connect(tokens.on_banned, dispatch_uid="games.accounts.banned")
        register_reader_facts(context.reader_facts)
        register_rights(context.rights_of)
        pre_delete.connect(people.anonymise_deleted_user, User, dispatch_uid="games.accounts.gone")

        for changed in (password_changed, password_reset, password_set, authenticator_added):
            changed.connect(access.on_new_credentials, dispatch_uid="games.accounts.credentials")
        user_logged_out.connect(push.on_logged_out, dispatch_uid="games.accounts.push_logged_out")
        user_logged_in.connect(people.remember_zone, dispatch_uid="games.accounts.zone")
        user_logged_in.connect(languages.remember_language, dispatch_uid="games.accounts.language")
        for proof in (user_logged_in, password_changed, password_set):
            proof.connect(devices.on_login_or_new_password, dispatch_uid="games.accounts.device")
