"""The names that people may have. Nobody can have a name that looks like another's.

Two names are the same if their keys are: what remains without case, accents, spaces and differences between similar
letters. The letters of a name come from one script, so that no Cyrillic а hides among Latin ones. A whole name in
another script that looks Latin has the Latin key.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import Final

from django.utils.translation import gettext as _

NAME_MIN_LENGTH: Final = 2
NAME_MAX_LENGTH: Final = 40
NAME_KEY_MAX_LENGTH: Final = 120  # a few letters are ligatures of many
MARKS_IN_A_ROW: Final = 2
ALLOWED_PUNCTUATION: Final = frozenset(" -_.'’·")
# Reserved for the platform and for its names of people.
RESERVED_NAME_PATTERN: Final = re.compile(
    r"(guest|former player)\s*\d+|scorebook|admin|administrator|organiser|system|bot|built-in bot|built-in bot", re.I
)
# Letters and digits that look like Latin ones in common fonts, without case and accents.
LOOKALIKE_LETTERS: Final = str.maketrans(
    "аверсԁеһіјкӏмногпԛстуԝхѕьαβγεικνορτυχω01ıłđøħl",
    "abepcdehijkimhorhqctywxsbabyeikvoptuxwoiiidohi",
    "",
)
LOOKALIKE_PAIRS: Final = (("rn", "m"), ("vv", "w"))


class BadName(ValueError):
    """A name that nobody can have. The text says why."""


def clean_name(text: str) -> str:
    """Return `text` in the form in which it is stored: composed, with single spaces. Raises `BadName`."""
    name = " ".join(unicodedata.normalize("NFC", text).split(" ")).strip()
    name = re.sub(" +", " ", name)
    if not NAME_MIN_LENGTH <= len(name) <= NAME_MAX_LENGTH:
        raise BadName(
            _("A name must have {least} to {most} characters.").format(least=NAME_MIN_LENGTH, most=NAME_MAX_LENGTH)
        )
    for letter in name:
        if letter not in ALLOWED_PUNCTUATION and unicodedata.category(letter)[0] not in "LMN":
            raise BadName(_("A name may contain letters, digits, spaces and - _ . ' ·"))
    if not any(unicodedata.category(letter)[0] in "LN" for letter in name) or not name_key(name):
        raise BadName(_("A name must contain a letter or a digit."))
    if len(name_key(name)) > NAME_KEY_MAX_LENGTH:
        raise BadName(
            _("A name must have {least} to {most} characters.").format(least=NAME_MIN_LENGTH, most=NAME_MAX_LENGTH)
        )
    if _piled(name):
        raise BadName(_("One letter has too many accents."))
    if len({script(letter) for letter in name if letter.isalpha()} - SCRIPTS_TOGETHER) > 1:
        raise BadName(_("All letters of a name must come from one alphabet."))
    if RESERVED_NAME_PATTERN.fullmatch(name):
        raise BadName(_("This name is reserved. Choose another."))
    return name


# Japanese is written in three scripts at once, and so is Korean with Chinese characters.
SCRIPTS_TOGETHER: Final = frozenset({"CJK", "HIRAGANA", "KATAKANA", "HANGUL", "KATAKANA-HIRAGANA"})


def _piled(name: str) -> bool:
    row = 0
    for letter in unicodedata.normalize("NFD", name):
        row = row + 1 if unicodedata.category(letter) == "Mn" else 0
        if row > MARKS_IN_A_ROW:
            return True
    return False


@cache
def script(letter: str) -> str:
    """Return the script of a letter, which is the first word of its Unicode name: LATIN, GREEK, CYRILLIC …"""
    return unicodedata.name(letter, "UNKNOWN").split()[0]


def name_key(name: str) -> str:
    """Return a name's key: what remains without everything that only a second look would notice."""
    plain = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", name).casefold())
    letters = "".join(each for each in plain if unicodedata.category(each)[0] in "LN").translate(LOOKALIKE_LETTERS)
    for pair, one in LOOKALIKE_PAIRS:
        letters = letters.replace(pair, one)
    return letters
