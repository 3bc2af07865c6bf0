"""Events of a round: paired, extended, overdue, closed, undone, released. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from scorebook_games.presentation.text import gettext as _
from scorebook_games.presentation.text import gettext_noop
from tournaments.core.event import Audit, event
from tournaments.seasons.events.base import (
    Audience,
    Line,
    References,
    SeasonEvent,
    Words,
    listed,
    quoted_note,
    reason,
)
from tournaments.seasons.fold import GameState, MatchState, RoundState

if TYPE_CHECKING:
    from tournaments.seasons.fold import SeasonFold

ABSENT = ("away", "unpaid")  # the kinds of byes of entrants who asked not to be paired
Stored = Sequence[Sequence[Any]]  # sentences, each a code and its parameters


def _upcast(reason: Any) -> Any:
    return [["written", {"text": reason}]] if isinstance(reason, str) else reason


@dataclass(frozen=True, slots=True)
class RoundEvent(SeasonEvent):
    """An event of a round of a division."""

    division: int
    number: Annotated[int, "round"]

    def round_of(self, season: SeasonFold) -> RoundState:
        """Return the round's state, which the event changes."""
        return season.changed_round(self.division, self.number)

    def refers(self) -> References:
        return References(self.division)


@event
class RoundPaired(RoundEvent):
    """Tables are `[match, entrants, reason, games, slot]`, in order; byes are `[entrant, reason, kind, missing]` with
    the kind `bye`, `away`, `unpaid` (away, without points) or `walkover`, the last with the missing entrant. A reason
    is a list of `[code, parameters]`, a sentence each; `closes` is when the round ends, in seconds since 1970, or
    null."""

    type: ClassVar = "round_paired"
    tables: list[Any]
    byes: list[Any]
    closes: int | None = None

    @classmethod
    def of(
        cls,
        division: int,
        number: int,
        tables: Iterable[tuple[int, tuple[int, ...], Stored, list[int], str]],
        byes: Iterable[tuple[int, Stored, str, int | None]],
        closes: int | None = None,
    ) -> RoundPaired:
        """Return the event. `tables`: (match, entrants, reason, games, slot) in order; `byes`: (entrant, reason, kind,
        missing)."""
        rows = [[match, list(entrants), why, games, slot] for match, entrants, why, games, slot in tables]
        return cls(division, number, rows, [list(bye) for bye in byes], closes)

    @classmethod
    def upcast(cls, fields: list[Any]) -> list[Any]:
        """Read reasons that are English sentences, as logs had them before November 2026."""
        division, number, tables, byes, *closes = fields
        tables = [[match, entrants, _upcast(why), games, slot] for match, entrants, why, games, slot in tables]
        byes = [[entrant, _upcast(why), kind, missing] for entrant, why, kind, missing in byes]
        return [division, number, tables, byes, *closes]

    def apply(self, season: SeasonFold) -> None:
        division, size = season.division(self.division), season.settings["games_a_match"]
        matches = [
            MatchState(
                match_id,
                tuple(entrants),
                dict(enumerate(games, start=1)),
                slot,
                size,
                division=self.division,
                round=self.number,
                opened=[GameState(number, 0, game) for number, game in enumerate(games, start=1)],
                reason=why,
                timed_at=season.at,
            )
            for match_id, entrants, why, games, slot in self.tables
        ]
        rest = [entrant for entrant, _, kind, _ in self.byes if kind == "bye"]
        paired = RoundState(self.number, matches, rest, self.division)
        paired.away = [entrant for entrant, _, kind, _ in self.byes if kind in ABSENT]
        paired.unpaid = [entrant for entrant, _, kind, _ in self.byes if kind == "unpaid"]
        paired.walkovers = {entrant: missing for entrant, _, kind, missing in self.byes if kind == "walkover"}
        paired.closes, paired.opened_at, paired.resting = self.closes, season.at, [tuple(rest) for rest in self.byes]
        season.add_round(paired)
        met = [set(match.entrants) for match in matches]
        paired.answered = [pair for pair in division.challenges if any(set(pair) <= table for table in met)]
        division.challenges = [pair for pair in division.challenges if pair not in paired.answered]

    def describe(self, words: Words) -> Line:
        matches = words.count(len(self.tables), "match")
        opening = _("Round {number}: {matches}").format(number=self.number, matches=matches)
        text: list[Any] = [f"{opening}."]
        resting = [(words.player(entrant), kind, missing) for entrant, _why, kind, missing in self.byes]
        if byes := [player for player, kind, _missing in resting if kind == "bye"]:
            text = [f"{opening}; ", *listed(byes), " ", _("has a bye.") if len(byes) == 1 else _("have byes.")]
        if away := [player for player, kind, _missing in resting if kind in ABSENT]:
            text += [" ", *listed(away), " ", _("is absent.") if len(away) == 1 else _("are absent.")]
        for player, kind, missing in resting:
            if kind == "walkover":
                text += [" ", player, " ", _("has a walkover against"), " ", words.player(missing), "."]
        return Line(_("Paired."), text, round=self.number)

    def refers(self) -> References:
        missing = [each for *_bye, kind, each in self.byes if kind == "walkover"]
        return References(self.division, entrants=(*(entrant for entrant, *_why in self.byes), *missing))


@event
class RoundExtended(RoundEvent):
    """The round ends at `closes`."""

    type: ClassVar = "round_extended"
    action: ClassVar = gettext_noop("extended a round")
    audience: ClassVar = (Audience.ENTRANTS,)
    closes: int
    details: Audit

    def apply(self, season: SeasonFold) -> None:
        extended = self.round_of(season)
        extended.closes, extended.overdue, extended.overdue_at = self.closes, None, None

    def describe(self, words: Words) -> Line:
        text = _("Round {number} ends at {until}.").format(number=self.number, until=words.date(self.closes))
        return Line(_("Extended."), [text, *quoted_note(self.details, words)], round=self.number)


@event
class RoundOverdue(RoundEvent):
    """The round's time ended, and these games were not over."""

    type: ClassVar = "round_overdue"
    audience: ClassVar = (Audience.ORGANISERS,)
    games: list[int]

    @classmethod
    def of(cls, division: int, number: int, games: Iterable[int]) -> RoundOverdue:
        return cls(division, number, list(games))

    def apply(self, season: SeasonFold) -> None:
        late = self.round_of(season)
        late.overdue, late.overdue_at = list(self.games), season.at

    def describe(self, words: Words) -> Line:
        late = words.count(len(self.games), "game")
        sentence = _("The deadline of round {number} has passed; not finished: {games}.")
        return Line(_("Deadline passed."), [sentence.format(number=self.number, games=late)], round=self.number)


@event
class RoundClosed(RoundEvent):
    """All games of the round have a result, and they are rated."""

    type: ClassVar = "round_closed"

    def apply(self, season: SeasonFold) -> None:
        closed = self.round_of(season)
        closed.closed, closed.closed_at = True, season.at
        season.touched.results.add(self.division)
        season.closings.append((self.division, self.number))

    def describe(self, words: Words) -> Line:
        sentence = _("Round {number}. Its games are rated in the order of the schedule.")
        if words.is_imported(self.division, self.number):
            sentence = _("Round {number}.")
        return Line(_("Closed."), [sentence.format(number=self.number)], round=self.number)


@event
class RoundUndone(RoundEvent):
    """The last round: its pairings and results do not count any more. The next `round_paired` has its number, but waits
    for `pairing_released`."""

    type: ClassVar = "round_undone"
    action: ClassVar = gettext_noop("undid a round")
    audience: ClassVar = (Audience.ROUND,)
    details: Audit

    def apply(self, season: SeasonFold) -> None:
        division, past = season.division(self.division), season.undo_last_round(self.division)
        division.challenges = past.answered + division.challenges
        for refusal in division.refusals:
            refusal.rounds = min(refusal.rounds, self.number - 1)
        season.changed_order(self.division)
        division.places, division.on_hold, season.moved = None, True, {}
        season.closings = [closing for closing in season.closings if closing != (self.division, self.number)]
        for game in (game for match in past.matches for game in match.opened):
            game.recorded_at = game.recorded_at or season.at

    def changed_results(self, season: SeasonFold) -> list[int]:
        return [match.id for match in season.division(self.division).rounds[-1].matches]

    def describe(self, words: Words) -> Line:
        sentence = _("The pairings and results of round {number} do not count any more.").format(number=self.number)
        return Line(_("Round undone."), [sentence, " ", *reason(self.details, words)], round=self.number)


@event
class PairingReleased(SeasonEvent):
    """The round after an undone one may be paired."""

    type: ClassVar = "pairing_released"
    action: ClassVar = gettext_noop("paired a round again")
    division: int
    details: Audit

    def apply(self, season: SeasonFold) -> None:
        season.changed_division(self.division).on_hold = False

    def describe(self, words: Words) -> Line:
        sentence = _("The round that was undone is paired again.")
        return Line(_("Pairing continues."), [sentence, " ", *reason(self.details, words)])

    def refers(self) -> References:
        return References(self.division)
