"""The register of the kinds of game, and of every version of their rules that a log may need."""

from __future__ import annotations

from typing import Any

from games.engines.base import Rules
from games.engines.chinese_ten import ChineseTen
from games.engines.palace import Palace
from games.engines.plate_spinner import PlateSpinner
from games.engines.plates import Plates
from games.engines.platinum_fish import PlatinumFish

KINDS: dict[str, Rules[Any]] = {
    "chinese_ten": ChineseTen(),
    "palace": Palace(),
    "plate_spinner": PlateSpinner(),
    "plates": Plates(),
    "platinum_fish": PlatinumFish(),
}

# Rules that have changed since, by kind and version: games begun under them are played to their end by them, and their
# logs are folded by them for ever. CONTRIBUTING.md says how rules are changed.
EARLIER_RULES: dict[tuple[str, int], Rules[Any]] = {}


class UnknownKind(LookupError):
    """There is no such kind of game, or no such version of its rules; the text says which there are."""


def rules_for(kind: str, rules_version: int | None = None) -> Rules[Any]:
    """The rules of `kind`: those of today, or in the version a log was written with. Raises `UnknownKind`."""
    rules = KINDS.get(kind)
    if rules is None:
        raise UnknownKind(f"There is no kind of game {kind!r}. The kinds are {', '.join(sorted(KINDS))}.")
    if rules_version in (None, rules.spec.rules_version):
        return rules
    earlier = EARLIER_RULES.get((kind, rules_version or 0))
    if earlier is None:
        raise UnknownKind(
            f"Version {rules_version} of the rules of {kind} is unknown; the newest is "
            f"{rules.spec.rules_version}. Is this release older than the one that wrote the log?"
        )
    return earlier
