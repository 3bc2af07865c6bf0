from django.apps import AppConfig


class MatchesConfig(AppConfig):
    """Lines of matches and games, for lists and pages."""

    name = "tournaments.matches"

    def ready(self) -> None:
        """Say which match a person's game belongs to."""
        # Imported here: models exist only now.
        from games.play.signals import listing
        from tournaments.matches import my_games

        listing.connect(my_games.list_match_places, dispatch_uid="tournaments.matches.my_games")
