"""The island's own words (`frontend/src`): what of its source is to be translated, and the translations for a page."""

from __future__ import annotations

import re
from typing import Any, Final

from django.utils.translation import get_language
from django.utils.translation.trans_real import DjangoTranslation
from django.views.i18n import JSONCatalog

TEXT: Final = r"""(?:"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')"""
GETTEXT_CALL: Final = re.compile(rf"\b(?:_\(\s*{TEXT}|ngettext\(\s*{TEXT}\s*,\s*{TEXT})")
# Every plural rule that gettext knows goes by the count itself, or for greater ones by its last two digits.
PLURAL_COUNTS: Final = 200


def calls_alone(source: str) -> str:
    """`source` with nothing left but its calls of gettext, each in its line."""
    lines, at = [""], 0
    for match in GETTEXT_CALL.finditer(source):
        lines += [""] * source.count("\n", at, match.start())
        lines[-1] += f"{match[0]}, 0); ".replace("\n", " ")
        lines += [""] * match[0].count("\n")
        at = match.end()
    return "\n".join(lines)


def catalogue() -> dict[str, Any] | None:
    """The island's words in the reader's language: `words` by the English text, `plurals` with the place of the form
    for the counts from 0. None where there are none: the island is written in English."""
    view = JSONCatalog()
    view.translation = DjangoTranslation(get_language(), domain="djangojs")
    words = view.get_catalog()
    if not words:
        return None
    return {"words": words, "plurals": [int(view.translation.plural(count)) for count in range(PLURAL_COUNTS)]}
