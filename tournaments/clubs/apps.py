from django.apps import AppConfig


class ClubsConfig(AppConfig):
    """The part of leagues about clubs, their members and permissions."""

    name = "tournaments.clubs"

    def ready(self) -> None:
        """Register which games a person may not see, what may be said in games, and what happens in clubs when an
        account is deleted."""
        # Imported here: models exist only now.
        from django.contrib.auth.models import User
        from django.db.models.signals import pre_delete

        from games.play.signals import leaving
        from games.talk import rooms
        from games.visibility import audience
        from tournaments.clubs import receivers
        from tournaments.clubs.permissions import closed_to
        from tournaments.clubs.talk import rules_of_club

        leaving.connect(receivers.check_owns_no_club, dispatch_uid="tournaments.clubs.leaving")
        pre_delete.connect(receivers.forget_reasons, User, dispatch_uid="tournaments.clubs.gone")
        audience.register_hidden_audiences(closed_to)
        rooms.register_club_rules(rules_of_club)
