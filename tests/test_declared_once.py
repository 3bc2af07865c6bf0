"""A format and a tie-break are declared in their class: nothing else asks which one it is."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tournaments.formats import FORMATS
from tournaments.scoring.tie_breaks import DEFAULT_TIE_BREAKS, TIE_BREAKS

ROOT = Path(__file__).parent.parent
PACKAGES = ("config", "games", "replays", "tournaments")
DECLARED_IN = ("tournaments/formats/", "tournaments/scoring/tie_breaks.py", "/migrations/", "games/library/")
KEYS = frozenset(FORMATS) | frozenset(TIE_BREAKS)
# Modules in which the same words are something else, or that make a demo of each.
OTHER_WORDS = {
    "games/moderation/admin.py": {"groups"},  # of users
    "tournaments/maintenance/demo_people.py": {"ladder", "swiss", "knockout", "team_round_robin"},
    "tournaments/matches/bracket.py": {"groups"},  # a section of a bracket
    "tournaments/organiser/views.py": {"groups"},  # of items in the inbox
    "tournaments/scoring/crosstable.py": {"buchholz", "sonneborn_berger", "wins"},  # parts of a cell, as JSON
    "tournaments/season_pages/format_panels.py": {"ladder"},  # a panel, which a format names
    "tournaments/season_pages/views.py": {"ladder"},  # a page
}
ASKED_IN_TEMPLATE = re.compile(rf"format\s*(?:==|!=|in)\s*[\"']?({'|'.join(FORMATS)})\b")


def sources(suffix: str) -> Iterator[tuple[str, str]]:
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob(f"*{suffix}")):
            name = path.relative_to(ROOT).as_posix()
            if not any(part in name for part in DECLARED_IN):
                yield name, path.read_text(encoding="utf-8")


def names_in(source: str) -> list[tuple[int, str]]:
    """Return line and key of each format or tie-break that a module names."""
    found = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Constant))
    return [(node.lineno, node.value) for node in found if isinstance(node.value, str) and node.value in KEYS]


@pytest.mark.parametrize(
    "source",
    [
        "if season.format == 'ladder': pass",
        "late = settings['format'] in ('knockout', 'groups')",
        "LABELS = {'swiss': 'Swiss'}",
        "open_season(format='arena')",
        "match season.format:\n    case 'arena': pass",
    ],
)
def test_the_check_finds_a_name(source: str) -> None:
    assert names_in(source)


def test_no_other_module_names_a_format_or_a_tie_break() -> None:
    found = [(name, key, line) for name, source in sources(".py") for line, key in names_in(source)]
    assert [f"{name}:{line}: {key}" for name, key, line in found if key not in OTHER_WORDS.get(name, ())] == []
    assert {name: {key for file, key, _ in found if file == name} for name in OTHER_WORDS} == OTHER_WORDS


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
