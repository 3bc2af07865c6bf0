"""Rulings of organisers on results, and disputes of players. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar

from scorebook_games.presentation.text import gettext as _
from scorebook_games.presentation.text import gettext_noop
from tournaments.core.event import Audit, Details, event
from tournaments.seasons.events.base import (
    Audience,
    Line,
    References,
    SeasonEvent,
    Words,
    game_place,
    ranking,
    reason,
)
from tournaments.seasons.fold import DisputeState

if TYPE_CHECKING:
    from tournaments.seasons.fold import SeasonFold

UPHELD, DECLINED = "upheld", "declined"


@dataclass(frozen=True, slots=True)
class Ruling(SeasonEvent):
    """A ruling on a result of a match."""

    ruling: ClassVar = True
    audience: ClassVar = (Audience.MATCH,)
    match: int

    def refers(self) -> References:
        return References(matches=(self.match,))


@event
class GameAdjudicated(Ruling):
    """An organiser has decided the result. `unrated`: the game was not played to its end."""

    type: ClassVar = "game_adjudicated"
    action: ClassVar = gettext_noop("adjudicated a result")
    number: int
    details: Annotated[
        Details,
        "{game, termination, seats, scores, placings, left, absent, adjudicated, unrated, by, note}",
    ]

    def apply(self, season: SeasonFold) -> None:
        match = season.reopened_match(self.match)
        match.records[self.number] = dict(self.details)
        match.annulled.discard(self.number)
        if (game := match.current_game(self.number)) is not None:
            result = {name: self.details[name] for name in ("scores", "placings")}
            game.decide(season.at, "adjudicated", result)

    def changed_results(self, season: SeasonFold) -> list[int]:
        return [self.match]

    def describe(self, words: Words) -> Line:
        text = [game_place(self.match, self.number, words), ": ", *ranking(self.details, words), ". "]
        return Line(_("Adjudicated."), [*text, *reason(self.details, words)])

    def refers(self) -> References:
        seated = tuple(entrant for entrant in self.details["seats"] if entrant)
        return References(entrants=seated, matches=(self.match,))


@event
class GameAnnulled(Ruling):
    """The game counts for nobody, or will not be played; without an author if the season ended before it was over."""

    type: ClassVar = "game_annulled"
    action: ClassVar = gettext_noop("annulled a game")
    number: int
    details: Audit

    def apply(self, season: SeasonFold) -> None:
        match = season.reopened_match(self.match)
        match.records.pop(self.number, None)
        match.annulled.add(self.number)
        if (game := match.current_game(self.number)) is not None:
            game.decide(season.at, "annulled")

    def changed_results(self, season: SeasonFold) -> list[int]:
        return [self.match]

    def describe(self, words: Words) -> Line:
        game = game_place(self.match, self.number, words)
        sentence = _("{game} does not count.").format(game=game)
        if not self.by_organiser():
            return Line(_("Annulled."), [sentence])
        return Line(_("Annulled."), [sentence, " ", *reason(self.details, words)])


@event
class GameOrdered(Ruling):
    """The game is replayed in the same seats. The old result does not count any more."""

    type: ClassVar = "game_ordered"
    action: ClassVar = gettext_noop("ordered a replay of a game")
    number: int
    old: Annotated[int, "old game"]
    game: Annotated[int, "new game"]
    details: Audit

    def apply(self, season: SeasonFold) -> None:
        match = season.reopened_match(self.match)
        match.records.pop(self.number, None)
        match.annulled.discard(self.number)
        if (game := match.current_game(self.number)) is not None:
            game.decide(season.at, "replaced")
        match.open_game(self.number, self.game)

    def changed_results(self, season: SeasonFold) -> list[int]:
        return [self.match]

    def describe(self, words: Words) -> Line:
        game = game_place(self.match, self.number, words)
        sentence = _("{game} will be replayed; its first result does not count.").format(game=game)
        return Line(_("Replay ordered."), [sentence, " ", *reason(self.details, words)])


@event
class MatchDisputed(SeasonEvent):
    """An entrant asks the organisers to check the match. Only organisers read the note."""

    type: ClassVar = "match_disputed"
    audience: ClassVar = (Audience.ORGANISERS,)
    public_note: ClassVar = False
    match: int
    entrant: int
    details: Audit

    def apply(self, season: SeasonFold) -> None:
        season.changed_match(self.match).disputes.add(self.entrant)
        season.touched.disputed.add(self.match)
        season.disputes.append(DisputeState(self.match, self.entrant, self.note_id(), season.at))

    def describe(self, words: Words) -> Line:
        match = game_place(self.match, None, words)
        return Line(_("Disputed."), [words.player(self.entrant), " ", _("disputes"), f" {match}."])

    def refers(self) -> References:
        return References(entrants=(self.entrant,), matches=(self.match,))


@event
class DisputeSettled(Ruling):
    """The organisers have answered: `upheld` or `declined`."""

    type: ClassVar = "dispute_settled"
    action: ClassVar = gettext_noop("declined a dispute")
    entrant: int
    how: str
    details: Audit

    def apply(self, season: SeasonFold) -> None:
        if season.match(self.match) is not None:  # its round may have been undone since
            season.changed_match(self.match).disputes.discard(self.entrant)
        season.touched.disputed.add(self.match)
        for asked in season.disputes:
            if (asked.match, asked.entrant, asked.status) == (self.match, self.entrant, "open"):
                asked.status, asked.answer, asked.settled_at = self.how, self.note_id(), season.at

    def by_organiser(self) -> bool:
        return self.how == DECLINED and self.details["by"] is not None  # a correction upholds a dispute by itself

    def describe(self, words: Words) -> Line | None:
        if self.how != DECLINED:
            return None
        match = game_place(self.match, None, words)
        sentence = _("The result of {match} stands. It was disputed by").format(match=match)
        text = [f"{sentence} ", words.player(self.entrant), ". ", *reason(self.details, words)]
        return Line(_("Declined."), text)

    def refers(self) -> References:
        return References(entrants=(self.entrant,), matches=(self.match,))
