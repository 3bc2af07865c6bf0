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
        from django.db.models.signals import pre_delete

        from games.play.signals import exporting, game_over, leaving, listing, looking_ahead
        from games.visibility import audience
        from tournaments.calendar import upcoming
        from tournaments.clubs.permissions import closed_to
        from tournaments.entries import ladder_selectors
        from tournaments.maintenance import moderation as league_moderation
        from tournaments.maintenance import personal_data
        from tournaments.matches import my_games
        from tournaments.tasks import hurry

        for name in SELF_REGISTERING:
            import_module(name)

        audience.tell(closed_to)
        league_moderation.register()
        pre_delete.connect(
            personal_data.forget_reasons,
            sender="auth.User",
            dispatch_uid="tournaments.maintenance.personal_data.forgetting",
        )

        leaving.connect(personal_data.hand_over_first, dispatch_uid="tournaments.maintenance.personal_data.leaving")
        exporting.connect(personal_data.data_of, dispatch_uid="tournaments.maintenance.personal_data.exporting")
        looking_ahead.connect(upcoming.of_player, dispatch_uid="tournaments.calendar.upcoming")
        looking_ahead.connect(ladder_selectors.of_player, dispatch_uid="tournaments.entries.ladder_selectors")
        listing.connect(my_games.of_player, dispatch_uid="tournaments.matches.my_games")
        game_over.connect(hurry, dispatch_uid="tournaments.hurry")
