"""What packages offer by entry points is loaded; what is broken, or would replace something, is left out and told."""

from __future__ import annotations

from importlib.metadata import EntryPoint

import pytest

from tournaments.core import registry
from tournaments.core.registry import Registry
from tournaments.formats import FORMATS
from tournaments.formats.format import Format, MissingFormat
from tournaments.formats.round_robin import RoundRobin
from tournaments.maintenance.checks import packages_are_loaded

GROUP = "scorebook.formats"
HERE = "tests.tournaments.test_registry_of_packages"


class Again(RoundRobin):
    key = "again"

    def __init__(self) -> None:
        super().__init__(3)


class Taken(Again):
    key = "round_robin"


@pytest.fixture
def loaded(monkeypatch: pytest.MonkeyPatch) -> Registry[Format]:
    """Return a registry with a round robin, and what these entry points add."""
    offered = {"again": "Again", "other": "Again", "round_robin": "Taken", "nothing": "Nothing"}
    points = [EntryPoint(name, f"{HERE}:{value}", GROUP) for name, value in offered.items()]
    monkeypatch.setattr(registry, "entry_points", lambda group: points if group == GROUP else [])
    made: Registry[Format] = Registry(GROUP, [RoundRobin(1)], MissingFormat.of)
    made.load()
    return made


def test_a_package_adds_a_thing_and_replaces_none(loaded: Registry[Format]) -> None:
    assert (list(loaded), type(loaded["round_robin"])) == (["round_robin", "again"], RoundRobin)


def test_what_cannot_be_loaded_is_left_out_with_the_reason(loaded: Registry[Format]) -> None:
    assert loaded.broken.keys() == {"nothing", "other", "round_robin"}
    assert "can't be loaded (AttributeError" in loaded.broken["nothing"]
    assert "its entry point is 'other'" in loaded.broken["other"]
    assert "which is taken" in loaded.broken["round_robin"]


@pytest.mark.slow
def test_the_check_says_what_was_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    assert packages_are_loaded() == []
    monkeypatch.setitem(FORMATS.broken, "drawn", "drawn can't be loaded.")
    assert [warning.msg for warning in packages_are_loaded()] == ["drawn can't be loaded."]
