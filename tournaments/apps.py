from importlib import import_module
from typing import Final

from django.apps import AppConfig

# Modules whose import registers admin actions.
SELF_REGISTERING: Final = ("tournaments.maintenance.admin_actions", "tournaments.webhooks.admin_actions")


class TournamentsConfig(AppConfig):
    name = "tournaments"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Let the end of a game hurry the league, and leagues answer for people."""
        # Imported here: what these modules import has models, which exist only now.
        from django.db.models.signals import pre_delete

        from games.play.signals import exporting, game_over, leaving, listing, looking_ahead
        from games.visibility import audience
        from tournaments.calendar import upcoming
        from tournaments.clubs.permissions import closed_to
        from tournaments.entries import ladder_selectors
        from tournaments.maintenance import moderation as league_moderation
        from tournaments.maintenance import personal_data
        from tournaments.matches import my_games
        from tournaments.tasks import request_advance

        for name in SELF_REGISTERING:
            import_module(name)

        audience.register_hidden_audiences(closed_to)
        league_moderation.register_subjects()
        pre_delete.connect(
            personal_data.forget_reasons,
            sender="auth.User",
            dispatch_uid="tournaments.maintenance.personal_data.forgetting",
        )

        leaving.connect(personal_data.check_owns_no_club, dispatch_uid="tournaments.maintenance.personal_data.leaving")
        exporting.connect(personal_data.league_data_of, dispatch_uid="tournaments.maintenance.personal_data.exporting")
        looking_ahead.connect(upcoming.list_upcoming_matches, dispatch_uid="tournaments.calendar.upcoming")
        looking_ahead.connect(
            ladder_selectors.list_received_challenges, dispatch_uid="tournaments.entries.ladder_selectors"
        )
        listing.connect(my_games.list_match_places, dispatch_uid="tournaments.matches.my_games")
        game_over.connect(request_advance, dispatch_uid="tournaments.hurry")
