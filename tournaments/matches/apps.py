from django.apps import AppConfig


class MatchesConfig(AppConfig):
    """The app for rows of matches and games in pages and lists."""

    name = "tournaments.matches"

    def ready(self) -> None:
        """Register what names the match of each of a person's games, and what a game counted for."""
        # Imported here: models exist only now.
        from games.play.signals import asking_stakes, asking_version, listing
        from tournaments.matches import my_games

        listing.connect(my_games.list_match_places, dispatch_uid="tournaments.matches.my_games")
        asking_stakes.connect(my_games.stakes_of_game, dispatch_uid="tournaments.matches.stakes")
        asking_version.connect(my_games.version_of_game, dispatch_uid="tournaments.matches.version")
