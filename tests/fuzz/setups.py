"""Draws how a fuzzed game is opened: kind, seats, pace, the rule for players who leave, and options of the kind's
schema."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from hypothesis import strategies as st

from scorebook_games.conformance.play import Table
from scorebook_games.contract import Option, OptionError, Options, Rules
from scorebook_games.gamelog.pacing import paces_of
from scorebook_games.gamelog.terms import LEAVER_POLICIES
from scorebook_games.registry import KINDS
from tests.scorebook_games.kinds.conserved import PACKS, pack_of

TURN_LIMITS = (60, 250, 1000)  # the most turns of a fuzzed game: one of these at random
FEW = 15  # this many values above the minimum of a whole number are drawn often
UNKNOWN_PACK = 200  # more cards than a kind of another package has


@dataclass(frozen=True)
class Setup:
    """The kind, seats, options and other facts with which a game is opened. The deal's seed is made from `number`."""

    kind: str
    seats: int
    options: Options
    pace: str
    leaver: str
    number: int

    @property
    def rules(self) -> Rules[Any]:
        return KINDS[self.kind].rules

    @property
    def seed(self) -> bytes:
        return hashlib.sha256(str(self.number).encode()).digest()

    @property
    def table(self) -> Table:
        return Table(self.kind, self.seats, tuple(self.options.items()))

    @property
    def most_nodes(self) -> int:
        """Return a number of actions that no game exceeds: moves up to the limit as `promises` counts them, and other
        actions."""
        cards = len(pack_of(self.table)) if self.kind in PACKS else UNKNOWN_PACK
        return int(4 * self.options["turn_limit"] * self.options.get("rounds", 1) + cards + 20)

    def plain(self) -> dict[str, Any]:
        return asdict(self)


def values(option: Option) -> st.SearchStrategy[Any]:
    """Return a strategy for any value of `option`. Its default and small whole numbers are frequent."""
    if option.type == "bool":
        return st.booleans()
    if option.type == "choice":
        return st.sampled_from(option.choices)
    least, most = option.minimum, min(option.maximum, max(*TURN_LIMITS, option.minimum))
    return st.one_of(
        st.integers(least, min(most, least + FEW)), st.integers(least, most), st.just(min(most, option.default or most))
    )


@st.composite
def setups(draw: st.DrawFn, kinds: Sequence[str]) -> Setup:
    """Draw any opening of a game of these kinds."""
    kind = draw(st.sampled_from(sorted(kinds)))
    rules = KINDS[kind].rules
    spec = rules.spec
    seats = draw(st.integers(spec.seats_min, spec.seats_max))
    given = {option.name: draw(values(option)) for option in spec.options if draw(st.integers(0, 3))}
    rounds = given.get("rounds", 3 if "rounds" in [option.name for option in spec.options] else 1)
    longest = draw(st.sampled_from(TURN_LIMITS)) // rounds
    given["turn_limit"] = min(given.get("turn_limit", longest), longest)
    return Setup(
        kind,
        seats,
        resolved(rules, seats, given),
        draw(st.sampled_from(paces_of(rules))),
        draw(st.sampled_from(LEAVER_POLICIES)),
        draw(st.integers(0, 2**32 - 1)),
    )


def resolved(rules: Rules[Any], seats: int, given: Options) -> Options:
    """Return complete options. An option that is impossible with this many seats (PA-1) gets its default."""
    try:
        return rules.resolve(seats, given)
    except OptionError as error:
        return rules.resolve(seats, {name: value for name, value in given.items() if name != error.option})
