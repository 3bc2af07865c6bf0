"""A format in which each round is drawn by lot, a tie-break: the points of the best round, and its setting."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from scorebook_games.contract import Dealer, Option
from tournaments.core.results import RoundResult
from tournaments.formats import reasons
from tournaments.formats.base import Finished, FormatOptions, Pairing, PairingBye, Pairings, Wait, finished
from tournaments.formats.format import Format
from tournaments.scoring.crosstable import Crosstable
from tournaments.scoring.points import ZERO
from tournaments.scoring.tie_breaks import LevelGroup, TieBreak, Values
from tournaments.seasons.setting import whole

FIRST_ROUND = whole(
    1,
    20,
    label="Best round from round",
    help="Rounds before this one are never the best round.",
    group="policies",
    api_help="The first round that counts for the tie-break best_round.",
)
ROUNDS = Option("drawn_rounds", "int", 2, "Number of rounds.", 1, 20)


class DrawnPairs(Format):
    """The format `drawn_pairs`, for two at a table: whom one meets is drawn by lot."""

    key = "drawn_pairs"
    label = "Pairs drawn by lot"
    options = (ROUNDS,)
    option_labels: ClassVar = {ROUNDS.name: "Rounds drawn"}
    equal_byes = False

    def rounds(self, entrants: int, table_size: int, settings: Mapping[str, Any]) -> int:
        """Return the number of rounds that the settings ask for."""
        return int(settings.get(ROUNDS.name, ROUNDS.default))

    def next(
        self, entrants: Sequence[int], history: Sequence[RoundResult], options: FormatOptions, chance: Dealer
    ) -> Pairings | Wait | Finished:
        """Return the next draw."""
        if history and not history[-1].closed:
            return Wait(f"Round {history[-1].number} is still being played.")
        if len(history) >= self.rounds(len(entrants), options.table_size, options.settings):
            return finished(self.places(entrants, history, options, chance))
        here = [entrant for entrant in entrants if entrant not in options.away]
        drawn = [here[place] for place in chance.shuffle(f"draw/{len(history) + 1}", range(len(here)))]
        why = (reasons.round_number(len(history) + 1),)
        pairs = list(zip(drawn[::2], drawn[1::2], strict=False))
        byes = [PairingBye(drawn[-1], why)] if len(drawn) % 2 else []
        return Pairings(tuple(Pairing(pair, why) for pair in pairs), tuple(byes))


class BestRound(TieBreak):
    """The most points in one round."""

    key = "best_round"
    name = "best round"
    label = "best round (the most points in one round)"
    meaning = "the most points in one round"
    column = "Best"

    def values(self, sheet: Crosstable, group: LevelGroup) -> Values:
        """Return each entrant's most points in a round that counts."""
        first = sheet.rules.get("scorebook_lots_first_round", 1)
        counted = {entrant: [line.points for line in sheet.lines[entrant] if line.round >= first] for entrant in group}
        return {entrant: max(points, default=ZERO) for entrant, points in counted.items()}
