"""`scorebook_games.text` under the name by which kinds of other packages know it."""

from scorebook_games.text import Translations, gettext, gettext_noop, join_with_and, ngettext, use_translations

__all__ = ["Translations", "gettext", "gettext_noop", "join_with_and", "ngettext", "use_translations"]
