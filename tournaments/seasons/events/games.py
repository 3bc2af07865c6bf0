"""Events of matches and their games: appointed, opened, replayed, recorded; reminders to play. Pure."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Annotated, ClassVar

from scorebook_games.presentation.text import gettext as _
from scorebook_games.presentation.text import gettext_noop
from tournaments.core.event import Audit, Details, event
from tournaments.seasons.events.base import (
    Audience,
    Line,
    References,
    SeasonEvent,
    Text,
    Words,
    listed,
    paired,
    quoted_note,
)

if TYPE_CHECKING:
    from tournaments.seasons.fold import SeasonFold

AGREED = "agreed"  # a value of `models.Match.Timing`


@event
class GameReplayed(SeasonEvent):
    """An aborted game of a match is played again."""

    type: ClassVar = "game_replayed"
    match: int
    number: int
    aborted: Annotated[int, "aborted game"]
    game: Annotated[int, "new game"]

    def apply(self, season: SeasonFold) -> None:
        match = season.changed_match(self.match)
        for past in match.opened:
            if past.game == self.aborted:
                past.recorded_at = season.at
        match.open_game(self.number, self.game)

    def describe(self, words: Words) -> Line:
        (table, round) = words.place_of_game(self.game)
        sentence = _("Game {number} at table {table} of round {round} was aborted and is replayed.")
        return Line(_("Game replaced."), [sentence.format(number=self.number, table=table, round=round)], self.game)

    def refers(self) -> References:
        return References(games=(self.game,))


@event
class GameOpened(SeasonEvent):
    """The next game of a match whose games follow one another, or the first games of a match with a time of its own."""

    type: ClassVar = "game_opened"
    match: int
    number: int
    game: int

    def apply(self, season: SeasonFold) -> None:
        season.changed_match(self.match).open_game(self.number, self.game)

    def describe(self, words: Words) -> Line:
        (table, round) = words.place_of_game(self.game)
        sentence = _("Game {number} at table {table} of round {round} begins.")
        if self.number == 1:
            sentence = _("The match at table {table} of round {round} is open; its players can check in.")
        return Line(_("Opened."), [sentence.format(number=self.number, table=table, round=round)], self.game)

    def refers(self) -> References:
        return References(games=(self.game,))


@event
class MatchAppointed(SeasonEvent):
    """When its first game begins, in seconds since 1970. How: `fixed` (by the calendar), `fallback` (unless the players
    agree on another time), `agreed`, `night` (only bots), or `walkover` (at once, because a player has withdrawn)."""

    type: ClassVar = "match_appointed"
    audience: ClassVar = (Audience.MATCH,)
    match: int
    begins: int
    how: str

    @classmethod
    def of(cls, match: int, begins_at: datetime, how: str) -> MatchAppointed:
        return cls(match, int(begins_at.timestamp()), how)

    def apply(self, season: SeasonFold) -> None:
        match = season.changed_match(self.match)
        match.begins, match.timing, match.timed_at = self.begins, self.how, season.at

    def describe(self, words: Words) -> Line | None:
        if self.how != AGREED:
            return None
        (table, round) = words.place_of_match(self.match)
        sentence = _("Table {table} of round {round} begins at {when}.")
        return Line(_("Agreed."), [sentence.format(table=table, round=round, when=words.moment(self.begins))])

    def refers(self) -> References:
        return References(matches=(self.match,) if self.how == AGREED else ())


@event
class GameRecorded(SeasonEvent):
    """A result counts. `seats` are entrants by seat, 0 for a built-in bot that filled the table; `head` is the end of
    the game's hash chain; `absent` are those of `left` who never came; `deal`, only where games share deals, is the
    same number in games with the same cards."""

    type: ClassVar = "game_recorded"
    match: int
    number: int
    result: Annotated[Details, "{game, head, termination, seats, scores, placings, left, absent, deal}"]

    def apply(self, season: SeasonFold) -> None:
        match, result = season.changed_match(self.match), dict(self.result)
        match.records[self.number] = result
        match.logged.append((self.number, result))
        for played in match.opened:
            if played.game == result["game"]:
                played.recorded_at = season.at

    def changed_results(self, season: SeasonFold) -> list[int]:
        return [self.match] if season.late(self.match) else []

    def describe(self, words: Words) -> Line:
        result, game = self.result, self.result["game"]
        seated = [(each, score) for each, score in zip(result["seats"], result["scores"], strict=True) if each]
        players = [words.player(entrant) for entrant, _score in seated]
        where = _("round {round}, game {number}").format(round=words.place_of_game(game)[1], number=self.number)
        if not words.is_public(game):
            text = [*paired(players), f", {where}. ", _("The result and the log are sealed.")]
            return Line(_("Recorded."), text, game)
        scores = [f" {words.points(score)}" for _entrant, score in seated]
        text = [*paired(players, scores), f", {where}.", *self._walkover(words)]
        return Line(_("Recorded."), text, game, result["head"])

    def _walkover(self, words: Words) -> Text:
        """Return who did not come, or left the game; [] if all played to the end."""
        absent = self._entrants("absent")
        left = [entrant for entrant in self._entrants("left") if entrant not in absent]
        text: Text = []
        if absent:
            text += [" ", *listed([words.player(each) for each in absent]), " ", _("did not come.")]
        if left:
            text += [" ", *listed([words.player(each) for each in left]), " ", _("left the game.")]
        return text

    def _entrants(self, name: str) -> list[int]:
        """Return the entrants in the seats that the result has under `name`."""
        seats = self.result["seats"]
        return [seats[seat] for seat in self.result.get(name, ()) if seat < len(seats) and seats[seat]]

    def refers(self) -> References:
        seated = tuple(entrant for entrant in self.result["seats"] if entrant)
        return References(entrants=seated, games=(self.result["game"],))


@event
class MatchNudged(SeasonEvent):
    """An organiser reminds the players for whom the match waits."""

    type: ClassVar = "match_nudged"
    action: ClassVar = gettext_noop("reminded players to play")
    audience: ClassVar = (Audience.AWAITED,)
    match: int
    details: Audit

    def describe(self, words: Words) -> Line:
        asked = [*paired(words.sides(self.match)), ": ", _("an organiser reminds them to play.")]
        return Line(_("Reminder."), [*asked, *quoted_note(self.details, words)])

    def refers(self) -> References:
        return References(matches=(self.match,), sides=(self.match,))
