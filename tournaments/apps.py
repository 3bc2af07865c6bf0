from django.apps import AppConfig


class TournamentsConfig(AppConfig):
    """Leagues: what their packages put together, and the tasks that run them."""

    name = "tournaments"

    def ready(self) -> None:
        """Let the end of a game hurry the league."""
        # Imported here: models exist only now.
        from games.play.signals import game_over
        from tournaments.tasks import request_advance

        game_over.connect(request_advance, dispatch_uid="tournaments.hurry")
