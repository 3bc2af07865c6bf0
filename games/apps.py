from django.apps import AppConfig


class GamesConfig(AppConfig):
    """Players, bots and games: the rows that all other packages of games share."""

    name = "games"
