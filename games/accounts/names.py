"""The names that people may have. Nobody can have a name that looks like another's.

Two names are the same if their keys are: what remains without case, accents, spaces and differences between similar
letters. Unicode's data of confusable letters (UTS 39) say which letters are similar (ADR 28). The letters of a name
come from one script, so that no Cyrillic а hides among Latin ones. A whole name in another script that looks Latin has
the Latin key.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from functools import cache
from typing import Final

import idna
from confusable_homoglyphs import categories
from confusable_homoglyphs.utils import load
from django.utils.translation import gettext as _

NAME_MIN_LENGTH: Final = 2
NAME_MAX_LENGTH: Final = 40
NAME_KEY_MAX_LENGTH: Final = 120  # a few letters are ligatures of many
MARKS_IN_A_ROW: Final = 2
# Beside those on every keyboard: apostrophes, also in Hawaiian and Hebrew, and the dots of Catalan and Japanese names.
ALLOWED_PUNCTUATION: Final = frozenset(" -_.'’‘·‐׳״・")
# Reserved for the platform and for its names of people; with a number, and without.
NUMBERED_NAMES: Final = ("guest", "former player")
RESERVED_NAMES: Final = ("scorebook", "admin", "administrator", "organiser", "system", "bot", "built-in bot")
# Japanese and Korean are written in several scripts at once, and so is Chinese with its sound letters.
SCRIPTS_TOGETHER: Final = frozenset({"HAN", "HIRAGANA", "KATAKANA", "HANGUL", "BOPOMOFO"})
NO_SCRIPT: Final = frozenset({"COMMON", "INHERITED", "UNKNOWN"})
LEFT_TO_RIGHT_MARK: Final = "\u200e"  # the data have it around letters of scripts from right to left


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
    letters = [letter for letter in name if letter not in ALLOWED_PUNCTUATION]
    if not all(_is_letter(letter) and not is_invisible(letter) for letter in letters):
        raise BadName(_("A name may contain letters, digits, spaces and - _ . ' ·"))
    if not any(unicodedata.category(letter)[0] in "LN" for letter in name) or not name_key(name):
        raise BadName(_("A name must contain a letter or a digit."))
    if len(name_key(name)) > NAME_KEY_MAX_LENGTH:
        raise BadName(
            _("A name must have {least} to {most} characters.").format(least=NAME_MIN_LENGTH, most=NAME_MAX_LENGTH)
        )
    if _piled(name):
        raise BadName(_("One letter has too many accents."))
    if len({script(letter) for letter in unicodedata.normalize("NFKC", name)} - SCRIPTS_TOGETHER - {""}) > 1:
        raise BadName(_("All letters of a name must come from one alphabet."))
    if is_reserved(name):
        raise BadName(_("This name is reserved. Choose another."))
    return name


def is_reserved(name: str) -> bool:
    """Return whether only the platform may use a name, because it looks like one of its own."""
    key = name_key(name)
    return key in _reserved_keys() or any(
        key.startswith(start) and key != start and set(key.removeprefix(start)) <= _digit_keys()
        for start in map(name_key, NUMBERED_NAMES)
    )


@cache
def _reserved_keys() -> frozenset[str]:
    return frozenset(map(name_key, RESERVED_NAMES))


@cache
def _digit_keys() -> frozenset[str]:
    return frozenset(map(name_key, "0123456789"))


def _is_letter(letter: str) -> bool:
    return unicodedata.category(letter)[0] in "LMN"


def _piled(name: str) -> bool:
    row = 0
    for letter in unicodedata.normalize("NFD", name):
        row = row + 1 if unicodedata.category(letter) == "Mn" else 0
        if row > MARKS_IN_A_ROW:
            return True
    return False


@cache
def is_invisible(letter: str) -> bool:
    """Return whether a letter or mark is never drawn, such as U+3164 HANGUL FILLER: UTS 46 leaves it out."""
    try:
        return not idna.uts46_remap(letter, std3_rules=False)
    except idna.IDNAError:
        return False


@cache
def script(letter: str) -> str:
    """Return the script of a letter, such as LATIN; "" if several scripts use it.

    A letter that Unicode gives to several scripts has that of its Unicode name: KATAKANA-HIRAGANA PROLONGED SOUND MARK.
    """
    alias = str(categories.alias(letter))
    if alias not in NO_SCRIPT:
        return alias
    first = unicodedata.name(letter, "").partition(" ")[0].partition("-")[0]
    return first if first in categories.categories_data["iso_15924_aliases"] else ""


# -- keys


def name_key(name: str) -> str:
    """Return a name's key: what remains without everything that only a second look would notice.

    Letters of other scripts count as they look in small letters, unless the whole name is shown in letters that look
    Latin: ΝΟΑ looks like NOA, although the small letters are νοα.
    """
    letters = [letter for letter in unicodedata.normalize("NFD", name) if _counts(letter)]
    latin = any(script(letter) == "LATIN" for letter in letters)
    shown = "".join(_latin_look(letter) or letter for letter in letters)
    plain = unicodedata.normalize("NFKD", (shown if latin or shown.isascii() else "".join(letters)).casefold())
    return _shortest("".join(_small_look(letter, latin=latin) for letter in plain if _counts(letter)))


def _counts(letter: str) -> bool:
    """Return whether a letter is more than an accent: vowels of Indian scripts are marks, and count."""
    category = unicodedata.category(letter)
    if category[0] == "M":
        return category != "Me" and not unicodedata.combining(letter) and script(letter) != ""
    return category[0] in "LN" and not is_invisible(letter)


@cache
def _look(letter: str) -> str:
    """Return what a letter looks like, by Unicode's data, without accents and case; itself if nothing else."""
    look = unicodedata.normalize("NFKD", prototypes().get(letter, letter).casefold())
    return "".join(each for each in look if not unicodedata.combining(each))


def _latin_look(letter: str) -> str:
    """Return the Latin letters or the digit that a letter looks like; "" if it looks like none."""
    look = _look(letter)
    return look if look.isascii() and look.isalnum() else ""


@cache
def _small_look(letter: str, *, latin: bool) -> str:
    """Return what a letter or its capital looks like, if one of them looks Latin; "" if it looks like punctuation.

    I looks like l, so that i does: letters are the same with any number of steps between them.
    """
    for form in (letter, letter.upper()):
        if (look := _latin_look(form)) not in ("", letter):
            return look
    look = _look(letter)
    dropped = all(map(_is_sign, look)) and (latin or (_is_sign(letter) and script(letter) not in SCRIPTS_TOGETHER))
    return "" if dropped else look


def _is_sign(letter: str) -> bool:
    """Return whether a letter is or looks like punctuation. Such are the letters of several scripts that change a
    sound, as ʻ and ー."""
    category = unicodedata.category(letter)
    return category[0] not in "LMN" or (category == "Lm" and categories.alias(letter) == "COMMON")


def _shortest(key: str) -> str:
    """Return a key with one letter for each group that looks like it."""
    return key.replace("l", "i").replace("rn", "m").replace("vv", "w")


@cache
def prototypes() -> dict[str, str]:
    """Return letter → what it looks like, from Unicode's confusables.txt.

    The library lists each pair in both directions. A prototype has many neighbours, all others have one.
    """
    neighbours: defaultdict[str, set[str]] = defaultdict(set)
    for one, others in load("confusables.json").items():
        for other in others:
            pair = one.strip(LEFT_TO_RIGHT_MARK), other["c"].strip(LEFT_TO_RIGHT_MARK)
            neighbours[pair[0]].add(pair[1])
            neighbours[pair[1]].add(pair[0])
    found: dict[str, str] = {}
    for letter, near in neighbours.items():
        if len(letter) == 1 and len(near) == 1:
            (other,) = near
            if len(neighbours[other]) > 1 or len(other) > 1 or other < letter:
                found[letter] = other
    return found
