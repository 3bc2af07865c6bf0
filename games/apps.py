import logging

from django.apps import AppConfig
from django.utils.translation import gettext, ngettext

from scorebook_games.presentation import text
from scorebook_games.registry import KINDS

logger = logging.getLogger(__name__)


class GamesConfig(AppConfig):
    """Players, bots and games: the rows that all other packages of games share."""

    name = "games"

    def ready(self) -> None:
        """Have the texts of all kinds translated into the reader's language, and log which kinds are left out."""
        text.use_translations(text.Translations(gettext, ngettext))
        for sentence in KINDS.broken.values():
            logger.error("%s", sentence)
