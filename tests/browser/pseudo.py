"""The platform in a language of which every text stands in ⟦…⟧, so that what is not translated shows: `uvicorn
tests.browser.pseudo:application`."""

from __future__ import annotations

import re
from typing import Any

from django.conf import settings
from django.utils.translation import trans_real
from django.views.i18n import JavaScriptCatalog

from config.asgi import application
from replays.management.commands import makemessages

__all__ = ["application"]

PLURAL = re.compile(rf"ngettext\(\s*({makemessages.TEXT})\s*,\s*({makemessages.TEXT})")
SINGLE = re.compile(rf"_\(\s*({makemessages.TEXT})")


class Pseudo(trans_real.DjangoTranslation):
    """English within brackets, under the name of Esperanto."""

    def to_language(self) -> str:
        return "eo"

    def gettext(self, message: str) -> str:
        context, _separator, text = message.rpartition(trans_real.CONTEXT_SEPARATOR)
        return f"⟦{text}⟧" if text else super().gettext(context)

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        return self.gettext(msgid1 if n == 1 else msgid2)


def catalogue(_view: JavaScriptCatalog) -> dict[str, Any]:
    """Every word of the front end that stands in a call of gettext."""
    words: dict[str, Any] = {}
    for path in (settings.BASE_DIR / "frontend" / "src").rglob("*.*"):
        calls = "\n".join(makemessages.GETTEXT_CALL.findall(path.read_text()))
        words |= {read(text): f"⟦{read(text)}⟧" for text in SINGLE.findall(calls)}
        words |= {read(one): [f"⟦{read(one)}⟧", f"⟦{read(many)}⟧"] for one, many in PLURAL.findall(calls)}
    return words


def read(literal: str) -> str:
    return literal[1:-1].replace('\\"', '"')


PSEUDO = Pseudo("en")


def translation(language: str) -> trans_real.DjangoTranslation:
    """The language of brackets, whichever was asked for."""
    del language
    return PSEUDO


trans_real.translation = translation
JavaScriptCatalog.get_catalog = catalogue  # type: ignore[method-assign, assignment]
