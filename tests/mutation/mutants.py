"""A mutant: one small change at one place of the product, and how it is stored and applied.

A mutant is stored as text (the lines before, the lines after, and which of several equal places), not as a line
number. So the same sample can be applied again after other lines have moved.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

SAMPLE = Path(__file__).with_name("sample.jsonl")

AREAS: dict[str, tuple[str, ...]] = {
    "engines": ("games/library/scorebook_games/*.py", "games/library/scorebook_games/kinds/**/*.py"),
    "event log": (
        "games/eventlog/store.py",
        "games/library/scorebook_games/gamelog/events.py",
        "games/library/scorebook_games/gamelog/fold.py",
        "games/library/scorebook_games/gamelog/endings.py",
        "games/common/bulk_insert.py",
    ),
    "table": (
        "games/play/services.py",
        "games/play/openings.py",
        "games/play/unit_of_work.py",
        "games/clocks/services.py",
        "games/clocks/*.py",
        "games/play/departures.py",
        "games/library/scorebook_games/gamelog/endings.py",
        "games/play/check_in.py",
        "games/play/offers.py",
    ),
    "visibility": (
        "games/visibility/observe.py",
        "games/library/scorebook_games/gamelog/visibility.py",
        "games/library/scorebook_games/kinds/*/observations.py",
        "games/visibility/audience.py",
    ),
    "standings": (
        "tournaments/scoring/standings.py",
        "tournaments/scoring/explanations.py",
        "tournaments/scoring/crosstable.py",
        "tournaments/scoring/points.py",
        "tournaments/scoring/tie_breaks.py",
        "tournaments/standings/what_if.py",
    ),
    "formats": ("tournaments/formats/*.py",),
    "ratings": (
        "tournaments/ratings/elo.py",
        "games/library/scorebook_games/analysis/plackett_luce.py",
        "tournaments/ratings/rated_events.py",
        "tournaments/ratings/pools.py",
        "tournaments/ratings/official_fit.py",
    ),
    "permissions": (
        "tournaments/clubs/visibility.py",
        "tournaments/clubs/permissions.py",
        "tournaments/entries/permissions.py",
        "tournaments/entries/eligibility.py",
        "games/accounts/tokens.py",
        "games/accounts/scopes.py",
        "games/common/policy.py",
        "games/visibility/acting.py",
        "games/moderation/impersonation.py",
        "games/common/rate_limits.py",
    ),
}
EACH = 52  # mutants of each area: 416 in all


class Gone(Exception):
    """The lines that a mutant changes are no longer in its file."""


@dataclass(frozen=True, order=True)
class Mutant:
    """`before` and `after` are whole lines; `nth` counts the places of the file with the text `before` (from 0)."""

    area: str
    path: str
    function: str
    operator: str
    before: str
    after: str
    nth: int

    @property
    def name(self) -> str:
        changed = next(iter(self.after.strip().splitlines()), "(removed)")
        return f"{self.path}::{self.function} [{self.operator}] {changed}"

    def place(self, source: str) -> int:
        """The index of the first line that the mutant changes. Raises `Gone` if there is none."""
        lines, wanted = source.splitlines(), self.before.splitlines()
        found = [at for at in range(len(lines) - len(wanted) + 1) if lines[at : at + len(wanted)] == wanted]
        if self.nth >= len(found):
            raise Gone(self.name)
        return found[self.nth]

    def lines(self, source: str) -> range:
        """The numbers, from 1, of the lines that the mutant changes."""
        first = self.place(source) + 1
        return range(first, first + len(self.before.splitlines()))

    def made(self, source: str) -> str:
        """Return the source with the change."""
        lines, at = source.splitlines(), self.place(source)
        lines[at : at + len(self.before.splitlines())] = self.after.splitlines()
        return "\n".join(lines) + "\n"


def read_sample() -> list[Mutant]:
    return [Mutant(**json.loads(line)) for line in SAMPLE.read_text().splitlines()]


def write_sample(mutants: Sequence[Mutant]) -> None:
    SAMPLE.write_text("".join(f"{json.dumps(asdict(each), ensure_ascii=False)}\n" for each in mutants))
