"""Names that are allowed, and names that look the same as others."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.accounts import names


@pytest.mark.parametrize(
    "name", ["Al", "Laura", "Mary-Jane O'Neil", "José", "Иван", "Νίκος", "渡辺 さくら", "김 서연", "juno_7", "x" * 40]
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
        ("Guest 4821", "This name is reserved"),
        ("former  player 3", "This name is reserved"),
        ("Scorebook", "This name is reserved"),
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
    ],
)
def test_names_that_look_alike_are_the_same(one: str, other: str) -> None:
    assert names.name_key(one) == names.name_key(other)


@pytest.mark.parametrize(
    ("one", "other"), [("Laura", "Lara"), ("Иван", "Ivan"), ("Team 2", "Team 3"), ("Clark", "dark")]
)
def test_names_that_do_not_look_alike_differ(one: str, other: str) -> None:
    assert names.name_key(one) != names.name_key(other)


@given(st.text(max_size=60))
def test_whatever_is_typed_is_a_sound_name_or_refused(text: str) -> None:
    try:
        name = names.clean_name(text)
    except names.BadName:
        return
    assert 2 <= len(name) <= 40
    assert names.clean_name(name) == name
    assert names.name_key(name)
    assert not any(unicodedata.category(letter).startswith(("C", "Zl", "Zp")) for letter in name)
