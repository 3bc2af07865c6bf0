"""Time zones by their IANA names: which are known, which a form offers, and the present name of an old one."""

from __future__ import annotations

from functools import cache
from importlib import resources

from django.utils.translation import gettext as _

from scorebook_games.gamelog.terms import ZONES

UTC = "UTC"
Choices = list[tuple[str, str] | tuple[str, list[tuple[str, str]]]]


@cache
def known_zones() -> frozenset[str]:
    """Return all names that are accepted: the machine’s time zones, without old aliases such as `EST5EDT`."""
    return frozenset(ZONES)


@cache
def offered_zones() -> tuple[str, ...]:
    """Return the names that a form offers, sorted: one for each place of the database's table of places, and UTC."""
    rows = [line.split("\t") for line in _data("zone.tab").splitlines() if line and not line.startswith("#")]
    return tuple(sorted(known_zones() & {row[2] for row in rows} | {UTC}))


@cache
def _renamed() -> dict[str, str]:
    """Return the present name of each old one."""
    links = [line.split() for line in _data("tzdata.zi").splitlines() if line.startswith("L ")]
    return {name: target for _link, target, name in links if name not in offered_zones()}


def current_name(name: str) -> str:
    """Return the present name of the zone `name`: Asia/Kolkata for Asia/Calcutta."""
    return _renamed().get(name, name)


def zone_choices(first: str) -> Choices:
    """Return the choices of a form, with the zone `first` on top if it is known."""
    choices = [(name, name.replace("_", " ")) for name in offered_zones()]
    first = current_name(first)
    if first not in offered_zones():
        return list(choices)
    suggested, others = (
        [choice for choice in choices if choice[0] == first],
        [choice for choice in choices if choice[0] != first],
    )
    return [(_("Suggested"), suggested), (_("All others"), others)]


def _data(name: str) -> str:
    return resources.files("tzdata").joinpath("zoneinfo", name).read_text(encoding="utf-8")
