"""The what-if table: on the season's page a form of open games with the standings that would follow, on a match's page
what each result would mean."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from django.http import Http404
from django.utils.translation import gettext as _

from games.common.errors import DomainError
from games.models import Player
from tournaments.seasons.models import GOING_ON, Division, Entrant, Match, MatchEntrant, Season
from tournaments.seasons.stream import fold_season
from tournaments.standings import what_if
from tournaments.standings.what_if import GameKey, OpenGame, SupposedRow

MAX_WHAT_IF_ENTRANTS: Final = 200  # divisions with more entrants take too long for a page
GAMES_SHOWN: Final = 24


@dataclass(frozen=True, slots=True)
class GameChoice:
    """An open game in the form: the name of its field, its players, and (value, label, whether it is chosen) of each
    result."""

    name: str
    game: OpenGame
    players: list[Player]
    ends: list[tuple[str, str, bool]]


@dataclass(frozen=True, slots=True)
class WhatIfRow:
    """A row of the supposed standings."""

    supposed: SupposedRow
    player: Player

    @property
    def moved(self) -> int:
        """By how many places it is better than now."""
        before = self.supposed.before
        return before.place - self.supposed.row.place if before else 0


@dataclass(frozen=True, slots=True)
class WhatIfPart:
    """The part of the page. `asked`: whether it is open; `more`: the number of open games that the form does not show;
    `too_many`: whether the division has too many entrants; `counted`: the number of recorded games of open rounds."""

    asked: bool
    possible: bool
    choices: list[GameChoice]
    lines: list[WhatIfRow]
    more: int
    too_many: bool = False
    counted: int = 0


def what_if_part(season: Season, division: Division, asked: Mapping[str, str], me: int | None) -> WhatIfPart:
    """Return the part for an address: `suppose` opens it, and `g5-1=1.2` supposes a result of game 1 of match 5. One
    query, three if it is open. Raises Http404 for an invalid result."""
    possible = season.status in GOING_ON
    if "suppose" not in asked or not possible:
        return WhatIfPart("suppose" in asked, possible, [], [], 0)
    players = players_by_entrant_number(division)
    if len(players) > MAX_WHAT_IF_ENTRANTS:
        return WhatIfPart(True, possible, [], [], 0, too_many=True)
    folded = fold_season(season)
    folded_division = folded.division(division.number)
    games = what_if.open_games(folded_division)
    open_now = {game.key for game in games}
    try:
        ends = {
            key: end for key, end in parse_ends(asked).items() if key in open_now
        }  # the others have ended in the meantime
        what_if.check_ends(games, ends)
    except ValueError as error:
        raise Http404(str(error)) from error
    mine = sorted(games, key=lambda game: me not in [players[entrant].pk for entrant in game.seats])
    lines = [
        WhatIfRow(standing, players[standing.row.entrant])
        for standing in what_if.supposed_standings(folded, folded_division, ends)
    ]
    choices = [game_choice(game, players, ends.get(game.key)) for game in mine[:GAMES_SHOWN]]
    counted = what_if.recorded_game_count(folded_division)
    return WhatIfPart(True, possible, choices, lines, len(games) - len(choices), counted=counted)


@dataclass(frozen=True, slots=True)
class MatchEnd:
    """A supposed result of a match, or of a game of it: its label, and for each side (points of the match's games,
    row)."""

    words: str
    sides: list[tuple[Fraction, SupposedRow]]


@dataclass(frozen=True, slots=True)
class MatchOutlook:
    """What the results of game `number` would mean for both sides of a match; `number` is None for all its open games
    together, where whole matches count. `of`: the number of the match's games."""

    number: int | None
    of: int
    ends: list[MatchEnd]


def match_outlook(match: Match, sides: Sequence[MatchEntrant]) -> MatchOutlook | None:
    """Return the outlook for the next open game of a match of two; None if no standings follow from it or no game is
    open. Two queries."""
    if len(sides) != 2 or match.finished_at is not None or not _can_be_supposed(match.round.division):
        return None
    folded = fold_season(match.round.division.season)
    folded_division, state = folded.division(match.round.division.number), folded.match(match.pk)
    games = [game for game in what_if.open_games(folded_division) if game.match == match.pk]
    if state is None or not games:
        return None
    whole = folded.points().system == "match_points" and state.size > 1
    supposed = games if whole else games[:1]
    first, second = (side.entrant for side in sides)

    def end(winner: Entrant | None, words: str) -> MatchEnd:
        places = {winner.number: 1} if winner else dict.fromkeys((first.number, second.number), 1)
        ends = {game.key: [places.get(seat, 2) for seat in game.seats] for game in supposed}
        rows = {
            standing.row.entrant: standing for standing in what_if.supposed_standings(folded, folded_division, ends)
        }
        scores = what_if.supposed_match_points(folded, state, ends)
        return MatchEnd(words, [(scores[one.number], rows[one.number]) for one in (first, second)])

    wins = _("{name} wins")
    ends = [
        end(first, wins.format(name=first.player.name)),
        end(None, _("level")),
        end(second, wins.format(name=second.player.name)),
    ]
    return MatchOutlook(None if whole else games[0].number, state.size, ends)


def _can_be_supposed(division: Division) -> bool:
    """Return whether standings follow from open games, and the division is not too large. One query."""
    season = division.season
    if season.status not in GOING_ON or season.competition.eliminates:
        return False
    return division.entrants.count() <= MAX_WHAT_IF_ENTRANTS


def what_if_data(season: Season, number: str, ends: Sequence[str]) -> dict[str, Any]:
    """Return the open games and the standings with `ends` (`5-1:1.2`) as JSON data. Raises DomainError: bad_supposition
    (400), not_running, too_many_entrants (409)."""
    if season.status not in GOING_ON:
        raise DomainError(409, "not_running", _("The season is not running: no game of it is open."))
    division = next((division for division in season.divisions.all() if str(division.number) == (number or "1")), None)
    if division is None:
        raise DomainError(400, "bad_supposition", _("The season has no such division."), "division")
    if division.entrants.count() > MAX_WHAT_IF_ENTRANTS:
        raise DomainError(409, "too_many_entrants", _("This division has too many entrants for that."))
    folded = fold_season(season)
    folded_division = folded.division(division.number)
    games = what_if.open_games(folded_division)
    try:
        supposed = {parse_game_key(end.partition(":")[0]): parse_places(end.partition(":")[2]) for end in ends}
        what_if.check_ends(games, supposed)
    except ValueError as error:
        raise DomainError(400, "bad_supposition", str(error), "end") from error
    return {
        "games": [
            {"game": f"{game.match}-{game.number}", "round": game.round, "table": game.table, "entrants": game.seats}
            for game in games
        ],
        "counted": what_if.recorded_game_count(folded_division),
        "standings": [
            {"entrant": standing.row.entrant, **what_if.supposed_row_data(standing)}
            for standing in what_if.supposed_standings(folded, folded_division, supposed)
        ],
    }


def players_by_entrant_number(division: Division) -> dict[int, Player]:
    """Return entrant's number → player."""
    rows = Entrant.objects.filter(division=division).select_related("player__bot_version")
    return {row.number: row.player for row in rows[: MAX_WHAT_IF_ENTRANTS + 1]}


def parse_ends(asked: Mapping[str, str]) -> dict[GameKey, tuple[int, ...]]:
    """Return the supposed results in an address: `g<match>-<game>=<places by seat>`. Raises ValueError."""
    return {
        parse_game_key(name[1:]): parse_places(end)
        for name, end in asked.items()
        if name[:1] == "g" and end and "-" in name
    }


def parse_game_key(text: str) -> GameKey:
    """Parse `5-1`: match 5, game 1. Raises ValueError."""
    match, _dash, game = text.partition("-")
    if not (_is_number(match) and _is_number(game)):
        raise ValueError(
            _("A game is named by its match and its number in it, like 5-1; not {text!r}.").format(text=text)
        )
    return int(match), int(game)


def parse_places(text: str) -> tuple[int, ...]:
    """Parse `1.2`: seat 0 first, seat 1 second. Raises ValueError."""
    if not all(map(_is_number, text.split("."))):
        raise ValueError(_("An end is a place for each seat, like 1.2; not {text!r}.").format(text=text))
    return tuple(map(int, text.split(".")))


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) < 10


def game_choice(game: OpenGame, players: Mapping[int, Player], chosen: Iterable[int] | None) -> GameChoice:
    """Return the choices of one game: a winner (the others share the places behind), or a draw of all."""
    seated = [players[entrant] for entrant in game.seats]
    ends = [
        (".".join("1" if seat == first else "2" for seat in range(len(seated))), _("{name} wins").format(name=who.name))
        for first, who in enumerate(seated)
    ]
    ends.append((".".join("1" * len(seated)), _("level")))
    value = ".".join(map(str, chosen)) if chosen else ""
    shown = [(end, words, end == value) for end, words in ends]
    return GameChoice(f"g{game.match}-{game.number}", game, seated, shown)
