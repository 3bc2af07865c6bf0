"""Time zones by their names in the IANA database: which are known, which a form offers, and what an old name is called
today."""

from __future__ import annotations

from functools import cache
from importlib import resources

from django.utils.translation import gettext as _

from games.gamelog.terms import ZONES

UTC = "UTC"
Choices = list[tuple[str, str] | tuple[str, list[tuple[str, str]]]]


@cache
def known_zones() -> frozenset[str]:
    """Every name that is accepted: those of the machine’s time zone data, without single letters and the like."""
    return frozenset(ZONES)


@cache
def offered_zones() -> tuple[str, ...]:
    """The names that a form offers, by the alphabet: one for each place of the database's table of places, and UTC."""
    rows = [line.split("\t") for line in _data("zone.tab").splitlines() if line and not line.startswith("#")]
    return tuple(sorted(known_zones() & {row[2] for row in rows} | {UTC}))


@cache
def _renamed() -> dict[str, str]:
    """Old name → the name that it stands for."""
    links = [line.split() for line in _data("tzdata.zi").splitlines() if line.startswith("L ")]
    return {name: target for _link, target, name in links if name not in offered_zones()}


def current_name(name: str) -> str:
    """The name that the database uses today for the zone `name`: Asia/Kolkata for Asia/Calcutta."""
    return _renamed().get(name, name)


def zone_choices(first: str) -> Choices:
    """The choices of a form: the zone `first` above all others, where it is known."""
    choices = [(name, name.replace("_", " ")) for name in offered_zones()]
    first = current_name(first)
    if first not in offered_zones():
        return list(choices)
    own, others = [each for each in choices if each[0] == first], [each for each in choices if each[0] != first]
    return [(_("Suggested"), own), (_("All others"), others)]


def _data(name: str) -> str:
    return resources.files("tzdata").joinpath("zoneinfo", name).read_text(encoding="utf-8")
