from django.apps import AppConfig


class TournamentsConfig(AppConfig):
    name = "tournaments"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Let the end of a game hurry the league."""
        from games.signals import game_over
        from tournaments.tasks import hurry

        game_over.connect(hurry, dispatch_uid="tournaments.hurry")
