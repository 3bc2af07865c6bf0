"""A format and a tie-break are declared in their class: nothing else asks which one it is."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tournaments.formats import FORMATS
from tournaments.scoring.tie_breaks import DEFAULT_TIE_BREAKS, TIE_BREAKS

ROOT = Path(__file__).parent.parent
PACKAGES = ("config", "games", "replays", "tournaments")
DECLARED_IN = ("tournaments/formats/", "tournaments/scoring/tie_breaks.py", "/migrations/", "games/library/")
KEYS = frozenset(FORMATS) | frozenset(TIE_BREAKS)
ASKED_IN_TEMPLATE = re.compile(rf"format\s*(?:==|!=|in)\s*[\"']?({'|'.join(FORMATS)})\b")


def sources(suffix: str) -> Iterator[tuple[str, str]]:
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob(f"*{suffix}")):
            name = path.relative_to(ROOT).as_posix()
            if not any(part in name for part in DECLARED_IN):
                yield name, path.read_text(encoding="utf-8")


def choices_by_key(source: str) -> list[str]:
    """Return the lines that compare a format or tie-break with its key, or list things by two keys and more."""
    found: list[str] = []
    named: set[Any]
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Compare() if "format" in ast.unparse(node) or "tie_break" in ast.unparse(node):
                named = {each.value for each in ast.walk(node) if isinstance(each, ast.Constant)} & KEYS
            case ast.Dict(keys=keys) if len({key.value for key in keys if isinstance(key, ast.Constant)} & KEYS) > 1:
                named = set(KEYS)
            case _:
                continue
        if named:
            found.append(f"{node.lineno}: {ast.unparse(node)[:60]}")
    return found


@pytest.mark.parametrize(
    "source",
    [
        "if season.format == 'ladder': pass",
        "late = settings['format'] in ('knockout', 'groups')",
        "cards = 'datum' in season.tie_breaks",
        "LABELS = {'swiss': 'Swiss', 'arena': 'Arena'}",
    ],
)
def test_the_check_finds_a_choice_by_name(source: str) -> None:
    assert choices_by_key(source)


def test_no_code_asks_which_format_or_tie_break_it_is() -> None:
    asked = [f"{name}:{line}" for name, source in sources(".py") for line in choices_by_key(source)]
    cells = [line for line in asked if line.startswith("tournaments/scoring/crosstable.py")]  # a row's own parts
    assert [line for line in asked if line not in cells] == []


def test_no_template_asks_which_format_it_is() -> None:
    assert [name for name, source in sources(".html") if ASKED_IN_TEMPLATE.search(source)] == []


@pytest.mark.parametrize("key", sorted(KEYS))
def test_what_is_declared_has_a_name_to_show(key: str) -> None:
    shown = FORMATS[key].label if key in FORMATS else TIE_BREAKS[key].name
    assert shown
    assert shown != key


def test_every_option_of_a_format_and_each_of_its_values_has_a_label() -> None:
    missing = [
        f"{key}.{word}"
        for key, format in FORMATS.items()
        for option in format.options
        for word in (option.name, *(option.choices or ()))
        if word not in format.option_labels
    ]
    assert missing == []


def test_the_default_order_names_tie_breaks_that_exist() -> None:
    assert set(DEFAULT_TIE_BREAKS) <= set(TIE_BREAKS)
