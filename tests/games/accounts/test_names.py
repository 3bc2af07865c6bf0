"""Names that are allowed, and names that look the same as others."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.accounts import names


@pytest.mark.parametrize(
    "name",
    [
        "Al",
        "Laura",
        "Mary-Jane O'Neil",
        "José",
        "Þórður",
        "Kealoha Ka\u02bbiulani",  # the Hawaiian ʻokina, as the letter
        "Kealoha Ka‘iulani",  # and as keyboards have it
        "Иван",
        "Νίκος",
        "ჯორჯი",
        "محمد علي",
        "ישי כ״ץ",
        "सुनीता",
        "สมชาย",
        "渡辺 さくら",
        "アンナ・ローザ",
        "王一",
        "김 서연",
        "juno_7",
        "x" * 40,
    ],
)
def test_a_name_is_kept_as_it_is_written(name: str) -> None:
    assert names.clean_name(name) == name


def test_spaces_around_a_name_and_double_ones_within_are_taken_away() -> None:
    assert names.clean_name("  Tin   Whistle ") == "Tin Whistle"


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("A", "2 to 40 characters"),
        ("x" * 41, "2 to 40 characters"),
        ("   ", "2 to 40 characters"),
        ("Lau\nra", "letters, digits"),
        ("Lau\x00ra", "letters, digits"),
        ("Lau\u200bra", "letters, digits"),
        ("\u202earuaL", "letters, digits"),
        ("<b>Laura", "letters, digits"),
        ("Laura 🙂", "letters, digits"),
        ("--..", "a letter or a digit"),
        ("Z\u0303\u0304\u0305\u0306algo", "accents"),
        ("\ufdfa" * 40, "2 to 40 characters"),  # each is a ligature of fifteen letters
        ("L\u0430ura", "one alphabet"),
        ("Anna\u3164", "letters, digits"),  # HANGUL FILLER is a letter, and invisible
        ("\u3164\u3164", "letters, digits"),
        ("An\uffa0na", "letters, digits"),
        ("An\u034fna", "letters, digits"),  # an invisible mark
        ("A\U000e0100nna", "letters, digits"),
        ("B\u0ce6b", "one alphabet"),  # a Kannada zero
        ("B\u0665b", "one alphabet"),  # an Arabic five, which several scripts use
        ("Clara\u0640", "one alphabet"),
        ("Anna\u0941", "one alphabet"),  # a vowel mark of Devanagari
        ("Guest 4821", "This name is reserved"),
        ("Guest l23O", "This name is reserved"),
        ("former  player 3", "This name is reserved"),
        ("Former pIayer 12", "This name is reserved"),
        ("Scorebook", "This name is reserved"),
        ("Sc0reb00k.", "This name is reserved"),
        ("Built in bot", "This name is reserved"),
        ("\u0412\u041e\u0422", "This name is reserved"),  # Cyrillic
        ("\ua4d0\ua4f3\ua4d4", "This name is reserved"),  # Lisu
    ],
)
def test_a_name_that_nobody_may_have_is_refused_with_the_reason(name: str, why: str) -> None:
    with pytest.raises(names.BadName, match=why):
        names.clean_name(name)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Laura", "LAURA"),
        ("Laura", "Láura"),
        ("Laura", "l a u r a"),
        ("Illya", "lI1ya"),
        ("Otto", "0tt0"),
        ("Barney", "Bamey"),
        ("coco", "\u0441\u043e\u0441\u043e"),  # all Cyrillic
        ("Straße", "STRASSE"),
        ("Ann", "Ａｎｎ"),  # full width
        ("Anna", "Ann\u0251"),  # LATIN SMALL LETTER ALPHA
        ("Igor", "\u026agor"),  # a small capital
        ("ANNA", "\ua4ee\ua4e0\ua4e0\ua4ee"),  # Lisu
        ("paypal", "\u0440\u0430\u0443\u0440\u0430\u04cf"),  # Cyrillic
        ("NOA", "\u039d\u039f\u0391"),  # Greek capitals; the small letters look like voa
        ("voa", "\u03bd\u03bf\u03b1"),
        ("Νίκος", "ΝΙΚΟΣ"),
        ("Søren", "soren"),
        ("Guðrún", "GUÐRUN"),
        ("Guðrún", "Gudrun"),
        ("Anna", "Anna\u02bc"),
        ("Kaʻiulani", "Ka'iulani"),
        ("Laura", "Laura\u01c3"),  # a click, which looks like an exclamation mark
        ("Clara", "Clara\u30fc"),  # which looks like a dash
        ("محمد", "محمـد"),  # drawn wider
    ],
)
def test_names_that_look_alike_are_the_same(one: str, other: str) -> None:
    assert names.name_key(one) == names.name_key(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Laura", "Lara"),
        ("Иван", "Ivan"),
        ("Team 2", "Team 3"),
        ("Clark", "dark"),
        ("Nan", "Van"),
        ("राम", "रमा"),  # vowels are marks
        ("דין", "דן"),
        ("サラ", "サーラ"),
    ],
)
def test_names_that_do_not_look_alike_differ(one: str, other: str) -> None:
    assert names.name_key(one) != names.name_key(other)


def test_no_letter_that_looks_latin_makes_another_name() -> None:
    """Unicode’s data, letter by letter: 1,315 of them look like one or two letters of ASCII."""
    latin = {
        letter: look
        for letter, look in names.prototypes().items()
        if look.isascii() and look.isalpha() and unicodedata.category(letter)[0] in "LN"
    }
    assert len(latin) > 1300
    passing = {
        letter: look
        for letter, look in latin.items()
        if names.name_key(f"Qu{letter}xter") != names.name_key(f"Qu{look}xter")
        and names.script(letter) in ("LATIN", "")
    }
    assert not passing


def test_every_latin_letter_counts() -> None:
    """Each is kept or replaced, unless it looks like punctuation, as the click ǃ does."""
    letters = [letter for letter in map(chr, range(0x250)) if letter.isalpha() and names.script(letter) == "LATIN"]
    assert [letter for letter in letters if names.name_key(f"x{letter}y") == "xy"] == ["\u01c3"]


@given(st.text(max_size=60))
def test_whatever_is_typed_is_a_sound_name_or_refused(text: str) -> None:
    try:
        name = names.clean_name(text)
    except names.BadName:
        return
    assert 2 <= len(name) <= 40
    assert names.clean_name(name) == name
    assert names.name_key(name)
    assert names.name_key(names.name_key(name)) == names.name_key(name)
    assert not any(unicodedata.category(letter).startswith(("C", "Zl", "Zp")) for letter in name)
