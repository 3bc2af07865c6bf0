from importlib import import_module
from typing import Final

from django.apps import AppConfig

# Modules whose import registers admin actions.
SELF_REGISTERING: Final = ("tournaments.admin_actions", "tournaments.webhooks.actions")


class TournamentsConfig(AppConfig):
    name = "tournaments"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Let the end of a game hurry the league, and leagues answer for people."""
        from django.db.models.signals import pre_delete

        from games.play.signals import exporting, game_over, leaving, listing, looking_ahead
        from games.visibility import audience
        from tournaments import ladder_sheet, moderation, mygames, people
        from tournaments.dates import ahead
        from tournaments.roles import closed_to
        from tournaments.tasks import hurry

        for name in SELF_REGISTERING:
            import_module(name)

        audience.tell(closed_to)
        moderation.register()
        pre_delete.connect(people.forget_reasons, sender="auth.User", dispatch_uid="tournaments.people.forgetting")

        leaving.connect(people.hand_over_first, dispatch_uid="tournaments.people.leaving")
        exporting.connect(people.data_of, dispatch_uid="tournaments.people.exporting")
        looking_ahead.connect(ahead.of_player, dispatch_uid="tournaments.dates.ahead")
        looking_ahead.connect(ladder_sheet.of_player, dispatch_uid="tournaments.ladder_sheet")
        listing.connect(mygames.of_player, dispatch_uid="tournaments.mygames")
        game_over.connect(hurry, dispatch_uid="tournaments.hurry")
