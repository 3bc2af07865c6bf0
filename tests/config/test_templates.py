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


def test_what_asks_the_server_again_is_shown_only_where_htmx_runs() -> None:
    """A fragment that refreshes itself needs htmx. The frame of all pages loads it; other documents show no such
    fragment."""
    texts = {path.as_posix().partition("/templates/")[2]: path.read_text() for path in TEMPLATES}
    documents = {name for name, text in texts.items() if "<html" in text}
    base = re.sub(r"(?s)\{% block \w+ %\}.*?\{% endblock", "", texts["base.html"])
    assert "{% htmx_script %}" in base, "a page could replace it"

    def shown_in(name: str) -> set[str]:
        """Return a template with all that it includes."""
        parts = {each for each in NAMED.findall(texts.get(name, "")) if each != name}
        return {name}.union(*(shown_in(each) for each in parts))

    refreshing = {name for name, text in texts.items() if re.search(r"\bhx-(get|post)=", text)}
    assert "replays/check_in.html" in refreshing
    assert {name for name in documents if shown_in(name) & refreshing} == set()
