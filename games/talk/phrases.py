"""Quick phrases: what people say most at a table. Each reader sees them in their own language."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

# A code is stored with each message, so none is ever renamed or removed.
PHRASES: Final[Mapping[str, str | Promise]] = {
    "hello": gettext_lazy("Hello!"),
    "good_luck": gettext_lazy("Good luck!"),
    "have_fun": gettext_lazy("Have fun!"),
    "nice_move": gettext_lazy("Nice move!"),
    "bad_luck": gettext_lazy("Bad luck!"),
    "oops": gettext_lazy("Oops!"),
    "sorry": gettext_lazy("Sorry!"),
    "one_moment": gettext_lazy("One moment, please."),
    "thanks": gettext_lazy("Thank you!"),
    "well_played": gettext_lazy("Well played!"),
    "good_game": gettext_lazy("Good game!"),
    "goodbye": gettext_lazy("Goodbye!"),
}
