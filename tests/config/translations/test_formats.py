"""Templates name their date formats, and every language has each of these formats."""

from __future__ import annotations

import re
from datetime import datetime
from importlib import import_module

import pytest
from django.utils import translation
from django.utils.formats import date_format

from config.formats.en import formats as english
from config.translations import catalogues

NAMES = {name for name in vars(english) if name.endswith("_FORMAT")}
SAME_EVERYWHERE = {"c", "H:i", "H:i:s", "Y-m", "Y-m-d", "j", "D", "l", "F"}  # for programs, or one word or number
IN_TEMPLATE = re.compile(r"""\|(?:date|time):["']([^"']+)["']""")
IN_PYTHON = re.compile(r"""\bdate_format\([^\n]*""")
LITERAL = re.compile(r"""["']([^"'{}–]+)["']""")


def test_a_date_takes_a_format_by_its_name() -> None:
    for folder in ("config", "games", "replays", "tournaments"):
        for path in (catalogues.ROOT / folder).rglob("*"):
            if path.suffix in (".html", ".txt"):
                used = IN_TEMPLATE.findall(path.read_text(encoding="utf-8"))
            elif path.suffix == ".py":
                calls = IN_PYTHON.findall(path.read_text(encoding="utf-8"))
                used = [text for call in calls for text in LITERAL.findall(call)]
            else:
                continue
            assert set(used) <= NAMES | SAME_EVERYWHERE, path


@pytest.mark.parametrize("language", catalogues.languages())
def test_every_language_has_each_format(language: str) -> None:
    assert set(vars(import_module(f"config.formats.{language}.formats"))) >= NAMES


def test_german_dates_have_a_point_after_the_day() -> None:
    moment = datetime(2026, 11, 24, 19, 5)
    with translation.override("de"):
        written = [date_format(moment, name) for name in ("DATE_FORMAT", "WEEKDAY_DAY_TIME_FORMAT", "MONTH_DAY_FORMAT")]
    assert written == ["24. Nov. 2026", "Di, 24. Nov., 19:05", "24. November"]
