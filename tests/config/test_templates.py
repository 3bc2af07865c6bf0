"""Templates and their tags are in the package of what they show. Those of games load nothing from leagues."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.template import engines
from django.template.loader import get_template

from devkit.paths import ROOT

APPS = ("games", "tournaments", "replays", "config")
TEMPLATES = sorted(
    path for app in APPS for path in (ROOT / app).rglob("templates/**/*") if path.suffix in (".html", ".txt")
)
NAMED = re.compile(r"""["']([\w-]+/[\w/-]+\.(?:html|txt))["']""")
LOAD = re.compile(r"\{% load ([^%]+) %\}")


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_template_compiles_and_has_the_label_of_its_app(path: Path) -> None:
    package, _, name = path.relative_to(ROOT).as_posix().partition("/templates/")
    assert package == "config" or name.startswith(f"{Path(package).name}/")
    assert Path(get_template(name).template.origin.name) == path  # type: ignore[attr-defined]


@pytest.mark.parametrize("app", APPS)
def test_every_template_that_is_named_is_there(app: str) -> None:
    sources = [path for path in (ROOT / app).rglob("*") if path.suffix in (".py", ".html", ".txt")]
    names = {name for path in sources for name in NAMED.findall(path.read_text())}
    assert names
    for name in names:
        get_template(name)


def test_templates_of_games_load_no_tags_that_know_of_leagues() -> None:
    libraries: dict[str, str] = engines["django"].engine.libraries  # type: ignore[attr-defined]
    loaded = {
        libraries[name]
        for path in TEMPLATES
        if path.is_relative_to(ROOT / "games")
        for load in LOAD.findall(path.read_text())
        for name in load.split()
    }
    ours = {library for library in loaded if library.startswith(APPS)}
    assert "games.common.templatetags.display" in ours
    # The contracts in pyproject.toml check that games import nothing from leagues.
    assert {library for library in ours if not library.startswith("games.")} == set()
