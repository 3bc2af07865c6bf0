"""`scorebook_games.text`, beside the other parts of a presentation. Whoever makes words may import it from here."""

from scorebook_games.text import (
    Translations,
    gettext,
    gettext_noop,
    join_with_and,
    join_with_or,
    ngettext,
    use_translations,
)

__all__ = ["Translations", "gettext", "gettext_noop", "join_with_and", "join_with_or", "ngettext", "use_translations"]
