from django.apps import AppConfig
from django.utils.translation import gettext, ngettext

from scorebook_games.presentation import text


class GamesConfig(AppConfig):
    """Players, bots and games: the rows that all other packages of games share."""

    name = "games"

    def ready(self) -> None:
        """Have the texts of all kinds translated into the reader's language."""
        text.use_translations(text.Translations(gettext, ngettext))
