"""Events of teams: their players, and who of them plays at which board of a match. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

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
    game_place,
    listed,
    quoted_note,
)
from tournaments.seasons.events.entries import EntrantEvent
from tournaments.seasons.fold import Lineup, TeamGame

if TYPE_CHECKING:
    from tournaments.seasons.fold import SeasonFold

BY_ORGANISER = "organiser"


@event
class TeamSet(EntrantEvent):
    """The players of a team, by id and in their order; its captain is one of them. Why: `entered`, `captain` (who
    changed it), `organiser`, `left` (a player), `account` (deleted), `admin` (banned or taken down). `left`: who is no
    longer in it."""

    type: ClassVar = "team_set"
    title: ClassVar = gettext_noop("Team.")
    action: ClassVar = gettext_noop("changed a team")
    audience: ClassVar = (Audience.ENTRANT,)
    members: list[int]
    captain: int
    details: Annotated[Details, "{why, left, by, note}"]

    @classmethod
    def of(
        cls, entrant: int, members: Iterable[int], captain: int, why: str, left: Iterable[int], audit: Audit
    ) -> TeamSet:
        return cls(entrant, list(members), captain, {"why": why, "left": list(left), **audit})

    def apply(self, season: SeasonFold) -> None:
        team = season.changed_entrant(self.entrant)
        team.former = tuple(sorted({*team.former, *team.members} - set(self.members)))
        team.members, team.captain = tuple(self.members), self.captain

    def describe(self, words: Words) -> Line:
        text: Text = [words.player(self.entrant), ": ", *listed([words.member(each) for each in self.members]), ". "]
        text += [_("Captain:"), " ", words.member(self.captain), "."]
        if left := self.details["left"]:
            gone = _("has left the team.") if len(left) == 1 else _("have left the team.")
            text += [" ", *listed([words.member(each) for each in left]), " ", gone]
        return Line(_(self.title), [*text, *quoted_note(self.details, words)])

    def refers(self) -> References:
        return References(entrants=(self.entrant,), players=(*self.members, *self.details["left"]))

    def by_organiser(self) -> bool:
        return bool(self.details["why"] == BY_ORGANISER)


@event
class LineupsAsked(SeasonEvent):
    """The captains of these matches name their line-ups: `[match, until]`, in seconds since 1970. Then a team that has
    named none plays in its order."""

    type: ClassVar = "lineups_asked"
    audience: ClassVar = (Audience.ROUND,)
    matches: list[Any]

    @classmethod
    def of(cls, until: Mapping[int, int]) -> LineupsAsked:
        return cls([[match, due] for match, due in until.items()])

    def apply(self, season: SeasonFold) -> None:
        for match, until in self.matches:
            season.changed_match(match).lineups_due = until


@event
class LineupHandedIn(SeasonEvent):
    """A team has named its line-up, which stays hidden. `digest` is the SHA-256 of the line-up and a secret, so that
    nobody can change it."""

    type: ClassVar = "lineup_handed_in"
    match: int
    entrant: int
    digest: str
    details: Annotated[Details, "{by}"]

    def apply(self, season: SeasonFold) -> None:
        season.changed_match(self.match).handed_in.add(self.entrant)

    def describe(self, words: Words) -> Line:
        place = game_place(self.match, None, words)
        return Line(_("Line-up."), [words.player(self.entrant), " ", _("has handed in its line-up for"), f" {place}."])

    def refers(self) -> References:
        return References(entrants=(self.entrant,), matches=(self.match,))

    def by_organiser(self) -> bool:
        return False


@event
class LineupsRevealed(SeasonEvent):
    """The line-ups of a match: `[entrant, players by board, how]`, with null where nobody sits; how: `submitted`, or
    `standing` for the order of the team. `games` are `[number, boards, players, wave]`, with the teams in the order of
    the match."""

    type: ClassVar = "lineups_revealed"
    audience: ClassVar = (Audience.MATCH,)
    match: int
    lineups: list[Any]
    games: list[Any]

    @classmethod
    def of(cls, match: int, lineups: Mapping[int, Lineup], games: Mapping[int, TeamGame]) -> LineupsRevealed:
        named = [[entrant, list(each.players), each.how] for entrant, each in lineups.items()]
        played = [[n, list(game.boards), list(game.players), game.wave] for n, game in games.items()]
        return cls(match, named, played)

    def apply(self, season: SeasonFold) -> None:
        match = season.changed_match(self.match)
        match.lineups = {entrant: Lineup(tuple(players), how) for entrant, players, how in self.lineups}
        match.known_at = season.at
        match.team_games = {n: TeamGame(tuple(boards), tuple(who), wave) for n, boards, who, wave in self.games}

    def describe(self, words: Words) -> Line:
        text: Text = [_begun(game_place(self.match, None, words))]
        for entrant, players, _how in self.lineups:
            at_boards = [words.member(player) if player else _("nobody") for player in players]
            text += ["; " if len(text) > 1 else ": ", words.player(entrant), ": ", *_with_commas(at_boards)]
        return Line(_("Line-ups."), [*text, "."])

    def refers(self) -> References:
        players = tuple(player for _entrant, named, _how in self.lineups for player in named if player)
        return References(
            entrants=tuple(entrant for entrant, *_rest in self.lineups), matches=(self.match,), players=players
        )


@event
class BoardsLost(SeasonEvent):
    """Games of a match that are not played, because a team has nobody for them: `[number, result]`, as of a recorded
    game. Those in `void` count for nobody, because both teams have nobody."""

    type: ClassVar = "boards_lost"
    match: int
    results: list[Any]
    void: list[int]

    @classmethod
    def of(cls, match: int, results: Mapping[int, Details], void: Iterable[int]) -> BoardsLost:
        return cls(match, [[number, dict(result)] for number, result in results.items()], list(void))

    def apply(self, season: SeasonFold) -> None:
        match = season.changed_match(self.match)
        for number, result in self.results:
            match.records[number] = match.empty[number] = dict(result)
        match.annulled.update(self.void)

    def describe(self, words: Words) -> Line:
        text: Text = [_begun(game_place(self.match, None, words)), ": "]
        lost = {result["seats"][result["absent"][0]]: [] for _number, result in self.results}  # type: ignore[var-annotated]
        for number, result in self.results:
            lost[result["seats"][result["absent"][0]]].append(number)
        for entrant, numbers in lost.items():
            sentence = _("has nobody for game {numbers} and loses.").format(numbers=", ".join(map(str, numbers)))
            text += [words.player(entrant), f" {sentence} "]
        if self.void:
            text.append(_("Game {numbers} is not played.").format(numbers=", ".join(map(str, self.void))))
        return Line(_("Boards without players."), text)

    def refers(self) -> References:
        entrants = tuple({entrant for _number, result in self.results for entrant in result["seats"]})
        return References(entrants=entrants, matches=(self.match,))


@event
class BoardSubstituted(SeasonEvent):
    """A `player` takes the place of another one (`gone`) of the team at a board. `games` are `[number, old game, new
    game]`: those that were open and not begun are replaced."""

    type: ClassVar = "board_substituted"
    action: ClassVar = gettext_noop("substituted a player")
    audience: ClassVar = (Audience.MATCH,)
    match: int
    entrant: int
    board: int
    gone: int
    player: int
    games: list[Any]
    details: Audit

    def apply(self, season: SeasonFold) -> None:
        match = season.changed_match(self.match)
        side, lineup = match.entrants.index(self.entrant), match.lineups[self.entrant]
        lineup.players = tuple(self.player if each == self.gone else each for each in lineup.players)
        for number, game in match.team_games.items():
            if game.players[side] == self.gone and number not in match.records:
                game.players = (*game.players[:side], self.player, *game.players[side + 1 :])
        for number, _old, new in self.games:
            if (old := match.current_game(number)) is not None:
                old.decide(season.at, "replaced")
            match.open_game(number, new)

    def describe(self, words: Words) -> Line:
        place = game_place(self.match, None, words)
        sentence = _("plays at board {board} of {match} instead of").format(board=self.board, match=place)
        text = [words.player(self.entrant), ": ", words.member(self.player), f" {sentence} ", words.member(self.gone)]
        return Line(_("Substitute."), [*text, ".", *quoted_note(self.details, words)])

    def refers(self) -> References:
        return References(entrants=(self.entrant,), matches=(self.match,), players=(self.player, self.gone))


def _begun(words: str) -> str:
    """Return words as the beginning of a sentence."""
    return words[:1].upper() + words[1:]


def _with_commas(parts: Sequence[Any]) -> Text:
    return [each for index, part in enumerate(parts) for each in ([", ", part] if index else [part])]
