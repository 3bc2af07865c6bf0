"""Ladder: entrants stand on rungs; a challenger who beats somebody above takes that place.

It has no rounds and no end of its own: matches are played when somebody challenges, until the season's time is up.
Matches count in the order of their pairing; in a draw the challenged entrant keeps the place. Entrants who refuse too
often lose a place without a match.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from scorebook_games.contract import Dealer, Option
from scorebook_games.presentation.coded_text import Sentence
from scorebook_games.presentation.text import gettext_noop
from tournaments.core.results import MatchResult, RoundResult
from tournaments.formats import reasons
from tournaments.formats.base import Finished, FormatOptions, Pairing, Pairings, Place, Wait, finished
from tournaments.formats.format import Format
from tournaments.formats.preset import WEEK, Preset
from tournaments.formats.reasons import WITHDRAWN
from tournaments.formats.seeding import assign_seats, count_seats, seeded, with_defaults
from tournaments.scoring import explanations
from tournaments.scoring.points import score_match

REFUSAL_NOT_ALLOWED, REFUSAL_FREE, REFUSAL_COSTS_PLACE, REFUSAL_TO_CHALLENGER = (
    "no",
    "free",
    "place",
    "challenger",
)  # the cost of refusals


class Ladder(Format):
    """The format `ladder`, for two at a table. A match's slot is "challenger>challenged", as entrants' numbers."""

    key = "ladder"
    label = gettext_noop("Ladder")
    options = (
        Option("reach", "int", 3, "How many places up an entrant may challenge.", 1, 50),
        Option(
            "rule",
            "choice",
            "insert",
            "What a winning challenger gets: the opponent's place, so that the opponent and all between "
            "them move down by one (insert), or an exchange of the two places (swap).",
            choices=("insert", "swap"),
        ),
        Option(
            "cooldown",
            "int",
            1,
            "How many other matches a challenger must play before challenging the same opponent again. It "
            "does not apply to an entrant who can challenge nobody else.",
            0,
            20,
        ),
        Option("runs_out", "int", 14, "Days after which an unplayed challenge expires. 0: never.", 0, 365),
        Option(
            "refusal",
            "choice",
            REFUSAL_COSTS_PLACE,
            "What declining a challenge costs when the free declines are used up: the place, which goes to "
            "the next player below (place) or to the challenger as after a win (challenger), or nothing "
            '(free). A challenge that expires without an answer counts as declined. With "no", challenges '
            "cannot be declined and are paired without an answer. Bots never decline.",
            choices=(REFUSAL_COSTS_PLACE, REFUSAL_TO_CHALLENGER, REFUSAL_FREE, REFUSAL_NOT_ALLOWED),
        ),
        Option(
            "free_refusals",
            "int",
            1,
            "Number of challenges that a player can decline at no cost, within the days for which declines count.",
            0,
            20,
        ),
        Option("refusal_days", "int", 30, "Days for which a decline counts.", 1, 365),
        Option(
            "ask_again", "int", 7, "Days before a challenger may again challenge a player who has declined.", 0, 365
        ),
    )
    option_labels: ClassVar = {
        "reach": gettext_noop("Places up that may be challenged"),
        "runs_out": gettext_noop("Days until a challenge expires"),
        "rule": gettext_noop("Winner gets"),
        "insert": gettext_noop("the opponent’s place; those between move down"),
        "swap": gettext_noop("an exchange of places"),
        "refusal": gettext_noop("Cost of declining a challenge"),
        REFUSAL_COSTS_PLACE: gettext_noop("the place, to the next below"),
        REFUSAL_TO_CHALLENGER: gettext_noop("the place, to the challenger"),
        REFUSAL_FREE: gettext_noop("nothing"),
        REFUSAL_NOT_ALLOWED: gettext_noop("declining is not allowed"),
        "free_refusals": gettext_noop("Free declines"),
        "refusal_days": gettext_noop("Days a decline counts"),
        "ask_again": gettext_noop("Days before challenging again after a decline"),
        "cooldown": gettext_noop("Other matches before a rematch"),
    }
    earlier_options: ClassVar = {"refusal": REFUSAL_NOT_ALLOWED}
    places_by = gettext_noop("Places are those of the ladder, not of the points.")
    continuous = True
    by_points = False
    uses_tie_breaks = False
    by_challenge = True
    presets = (
        Preset(
            "ladder",
            gettext_noop("Ladder"),
            gettext_noop("Challenge the players above you for twelve weeks, with days for each move."),
            {
                "games_a_match": 1,
                "duration_seconds": 12 * WEEK,
                "terms": {"move_days": 2, "weekend_pause": True},
                "entry": {"late_rounds": 1000},
            },
        ),
    )

    def rounds(self, entrants: int, table_size: int, settings: Mapping[str, Any]) -> None:  # noqa: ARG002
        """Return None: nobody knows who will challenge."""
        return

    def why_unplayable(self, entrants: int, table_size: int, settings: Mapping[str, Any]) -> str | None:  # noqa: ARG002
        """A ladder needs two entrants, and two at a table."""
        if table_size != 2:
            return "A ladder needs tables of two. Make the tables smaller, or choose an arena."
        return None if entrants >= 2 else f"The season needs at least 2 entrants and has {entrants}. Invite more."

    def next(
        self, entrants: Sequence[int], history: Sequence[RoundResult], options: FormatOptions, chance: Dealer
    ) -> Pairings | Wait | Finished:
        """Return the challenges that can be played now, in order of creation. `options.challenges` holds the open ones:
        neither played nor being played."""
        playing, expires = entrants_in_play(history), min(options.expiries, default=None)
        if options.over:
            if not all(past.closed for past in history):
                return Wait("The time is up, and the last matches are still being played.", expires)
            return finished(self.places(entrants, history, options, chance))
        rungs = self.rungs(entrants, history, options)
        tables: list[Pairing] = []
        busy, sat = set(playing), count_seats(history)
        for challenger, challenged in options.challenges:
            if busy & {challenger, challenged} or rungs.refuses(challenger, challenged):
                continue
            seated = assign_seats((challenger, challenged), sat, chance, f"seats/round{len(history) + 1}/{challenger}")
            tables.append(Pairing(seated, (rungs.why(challenger, challenged),), f"{challenger}>{challenged}"))
            busy |= {challenger, challenged}
        if tables:
            return Pairings(tuple(tables))
        return Wait("Nobody has made a challenge that can be played now.", expires)

    def places(
        self,
        entrants: Sequence[int],
        history: Sequence[RoundResult],
        options: FormatOptions,
        chance: Dealer,  # noqa: ARG002
    ) -> dict[int, Place]:
        """Return the rungs. Matches of open rounds do not count yet; lost places do."""
        closed = [past if past.closed else replace(past, matches=()) for past in history]
        order = self.rungs(entrants, closed, options).order
        return {entrant: Place(rung) for rung, entrant in enumerate(order, start=1)}

    def why_placed(self, place: Place, stage: Sentence | None, *, won: bool) -> Sentence:  # noqa: ARG002
        """Return that the place is one of the ladder."""
        return explanations.on_the_ladder(place.place)

    def rungs(self, entrants: Sequence[int], history: Sequence[RoundResult], options: FormatOptions) -> Rungs:
        """Return the ladder as it stands. It begins in seed order, with unseeded entrants at the bottom; withdrawn ones
        stand below everybody."""
        settings = ladder_settings(options.settings)
        ladder = seeded(entrants, options)
        _apply_refusals(ladder, 0, settings["rule"], options)
        for number, past in enumerate(history, start=1):
            for match in past.matches:
                _apply_match(ladder, match, settings["rule"], options)
            _apply_refusals(ladder, number, settings["rule"], options)
        ladder.sort(key=lambda entrant: entrant in options.withdrawn)
        return Rungs(ladder, tuple(history), options, settings)


@dataclass(frozen=True, slots=True)
class Rungs:
    """A ladder as it stands: `order` from the top, and who may challenge whom."""

    order: Sequence[int]
    history: Sequence[RoundResult]
    options: FormatOptions
    settings: Mapping[str, Any]

    def refuses(self, challenger: int, challenged: int) -> str | None:
        """Return why this challenge cannot be played, as a sentence; None if it can once both are free."""
        if challenger == challenged or not {challenger, challenged} <= set(self.order):
            return "Choose another opponent who is on the ladder."
        for one, who in ((challenger, "The challenger"), (challenged, "The challenged player")):
            if one in self.options.away:
                return f"{who} {'has withdrawn' if self.options.away[one] == WITHDRAWN else 'is away in this round'}."
        reach, above = self.settings["reach"], self.order.index(challenger) - self.order.index(challenged)
        if above < 0:
            return "You can only challenge a player above you."
        if above > reach:
            return f"That player is {above} places above you, and {_places_above(reach)} can be challenged."
        since = _matches_since(challenger, challenged, self.history)
        missing = 0 if since is None else self.settings["cooldown"] - since
        if missing > 0 and set(self.reachable(challenger)) != {challenged}:
            return f"You have already met. Play {_other_matches(missing)} first."
        return None

    def hopeless(self, challenger: int, challenged: int) -> bool:
        """Return whether waiting cannot help: one has left, they stand too far apart, or the challenger stands
        above."""
        if {challenger, challenged} & self.options.withdrawn:
            return True
        return not 0 < self.order.index(challenger) - self.order.index(challenged) <= self.settings["reach"]

    def next_below(self, entrant: int) -> int:
        """Return who stands one place down. A waiting challenge guarantees that there is somebody."""
        return self.order[self.order.index(entrant) + 1]

    def reachable(self, challenger: int) -> list[int]:
        """Return who stands near enough above and is not away; the nearest last."""
        rung = self.order.index(challenger)
        near = self.order[max(0, rung - self.settings["reach"]) : rung]
        return [entrant for entrant in near if entrant not in self.options.away]

    def why(self, challenger: int, challenged: int) -> Sentence:
        """Return why these two meet."""
        low, high = self.order.index(challenger) + 1, self.order.index(challenged) + 1
        if self.settings["rule"] == "swap":
            return reasons.challenge_for_exchange(low, high)
        return reasons.challenge_for_place(low, high)


def ladder_settings(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return a ladder's settings with all defaults. In seasons older than the rules of refusals, these are off."""
    return with_defaults(Ladder.options, {**Ladder.earlier_options, **settings})


def matches_in_play(history: Iterable[RoundResult]) -> list[MatchResult]:
    """Return the unfinished matches of rounds that are still open."""
    return [match for past in history if not past.closed for match in past.matches if not match.over]


def entrants_in_play(history: Iterable[RoundResult]) -> set[int]:
    """Return the entrants of unfinished matches."""
    return {entrant for match in matches_in_play(history) for entrant in match.entrants}


def _apply_match(ladder: list[int], match: MatchResult, rule: str, options: FormatOptions) -> None:
    """Move a challenger up who has beaten somebody above."""
    if not match.over or ">" not in match.slot:
        return
    challenger, challenged = map(int, match.slot.split(">"))
    places = score_match(options.points, match).places
    if places[challenger] < places[challenged]:
        _take_place(ladder, challenger, challenged, rule)


def _apply_refusals(ladder: list[int], rounds: int, rule: str, options: FormatOptions) -> None:
    """Move up those who gained a place by a refusal after that many rounds."""
    for after, taker, loser in options.lost:
        if after == rounds:
            _take_place(ladder, taker, loser, rule)


def _take_place(ladder: list[int], taker: int, loser: int, rule: str) -> None:
    """Put `taker` in the place of `loser`, who stands above."""
    low, high = ladder.index(taker), ladder.index(loser)
    if low < high:
        return
    if rule == "swap":
        ladder[low], ladder[high] = loser, taker
    else:
        ladder.insert(high, ladder.pop(low))


def _matches_since(challenger: int, challenged: int, history: Sequence[RoundResult]) -> int | None:
    """Return how many matches the challenger has played since these two last met; None if they never met."""
    matches_of_challenger = [match for past in history for match in past.matches if challenger in match.entrants]
    met = [place for place, match in enumerate(matches_of_challenger) if challenged in match.entrants]
    return len(matches_of_challenger) - 1 - met[-1] if met else None


def _other_matches(count: int) -> str:
    return "another match" if count == 1 else f"{count} other matches"


def _places_above(reach: int) -> str:
    return "only the next place above" if reach == 1 else f"only up to {reach} places above"
