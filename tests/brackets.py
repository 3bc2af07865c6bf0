"""A test language that puts every text into ⟦…⟧, so that untranslated texts show. It uses the dates of English."""

from __future__ import annotations

import re
import sys
from typing import Final

from django.utils.translation import trans_real

from config.formats.en import formats
from scorebook_games.registry import KINDS

sys.modules["config.formats.eo.formats"] = formats

TRANSLATED: Final = re.compile("⟦[^⟦⟧]*⟧")
WORD: Final = re.compile(r"[^\W\d_]{2,}")


class Brackets(trans_real.DjangoTranslation):
    """English within brackets, under the name of Esperanto."""

    def to_language(self) -> str:
        return "eo"

    def gettext(self, message: str) -> str:
        context, _separator, text = message.rpartition(trans_real.CONTEXT_SEPARATOR)
        return f"⟦{text}⟧" if text else super().gettext(context)

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        return self.gettext(msgid1 if n == 1 else msgid2)


BRACKETS: Final = Brackets("en")


def translation(language: str) -> trans_real.DjangoTranslation:
    """Return the translation with brackets, whatever the language."""
    del language
    return BRACKETS


def left_over(text: str, names: list[str]) -> list[str]:
    """Return the parts of a text that did not go through gettext. Names are not translated."""
    for name in sorted([*names, *(rules.spec.title for rules in KINDS.values())], key=len, reverse=True):
        text = text.replace(name, "")
    while TRANSLATED.search(text):  # a sentence may contain other texts
        text = TRANSLATED.sub("\n", text)
    return sorted({line.strip() for line in text.splitlines() if WORD.search(line)})
