from django.apps import AppConfig


class TournamentsConfig(AppConfig):
    name = "tournaments"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Let the end of a game hurry the league, and leagues answer for people."""
        from django.db.models.signals import pre_delete

        import tournaments.admin_actions
        import tournaments.webhooks.actions  # noqa: F401  they register themselves
        from games import circles
        from games.signals import exporting, game_over, leaving, listing, looking_ahead
        from tournaments import ladder_sheet, moderation, mygames, people
        from tournaments.dates import ahead
        from tournaments.roles import closed_to
        from tournaments.tasks import hurry

        circles.tell(closed_to)
        moderation.register()
        pre_delete.connect(people.forget_reasons, sender="auth.User", dispatch_uid="tournaments.people.forgetting")

        leaving.connect(people.hand_over_first, dispatch_uid="tournaments.people.leaving")
        exporting.connect(people.data_of, dispatch_uid="tournaments.people.exporting")
        looking_ahead.connect(ahead.of_player, dispatch_uid="tournaments.dates.ahead")
        looking_ahead.connect(ladder_sheet.of_player, dispatch_uid="tournaments.ladder_sheet")
        listing.connect(mygames.of_player, dispatch_uid="tournaments.mygames")
        game_over.connect(hurry, dispatch_uid="tournaments.hurry")
