"""The platform in a language of which every text stands in ⟦…⟧, so that what is not translated shows: `uvicorn
tests.browser.pseudo:application`."""

from __future__ import annotations

import re
from typing import Any

from django.conf import settings
from django.utils.translation import trans_real

from config.asgi import application
from replays import island

__all__ = ["application"]

PLURAL = re.compile(rf"ngettext\(\s*({island.TEXT})\s*,\s*({island.TEXT})")
SINGLE = re.compile(rf"_\(\s*({island.TEXT})")


class Pseudo(trans_real.DjangoTranslation):
    """English within brackets."""

    def gettext(self, message: str) -> str:
        context, _separator, text = message.rpartition(trans_real.CONTEXT_SEPARATOR)
        return f"⟦{text}⟧" if text else super().gettext(context)

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        return self.gettext(msgid1 if n == 1 else msgid2)


def catalogue() -> dict[str, Any]:
    """Every word of the island that stands in a call of gettext."""
    words: dict[str, Any] = {}
    for path in (settings.BASE_DIR / "frontend" / "src").rglob("*.*"):
        calls = "\n".join(island.GETTEXT_CALL.findall(path.read_text()))
        words |= {read(text): f"⟦{read(text)}⟧" for text in SINGLE.findall(calls)}
        words |= {read(one): [f"⟦{read(one)}⟧", f"⟦{read(many)}⟧"] for one, many in PLURAL.findall(calls)}
    return {"words": words, "plurals": [int(count != 1) for count in range(island.PLURAL_COUNTS)]}


def read(literal: str) -> str:
    return literal[1:-1].replace('\\"', '"')


PSEUDO = Pseudo("en")


def translation(language: str) -> trans_real.DjangoTranslation:
    """The language of brackets, whichever was asked for."""
    del language
    return PSEUDO


trans_real.translation = translation
island.catalogue = catalogue
