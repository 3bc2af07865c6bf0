"""Opens games with their players and deals: the first ones of a match, the next one, and replays.

Duplicate deals: games with the same number in their matches share a deal, so that different entrants play the same
cards in the same seat. No player who could remember a deal gets it twice. A person counts together with their remote
bots. Uploaded and built-in bots cannot remember: each of their games is a process of its own or a function. If only
such bots meet, a deal is played from every seat before the next one is used.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Hashable, Mapping, Sequence
from datetime import datetime
from itertools import count, islice
from typing import Any, NamedTuple

from django.db.models import Q

from games.common import clock
from games.models import Deal, Game, Player
from games.play import services as play
from games.play.departures import FORFEITED
from games.play.openings import Opening, open_many
from games.play.roster import ensure_builtin_bot
from scorebook_games.bots.builtin import quick_bot
from scorebook_games.contract import OptionError
from scorebook_games.gamelog.terms import stored_terms
from scorebook_games.registry import rules_for
from tournaments.calendar.timetable import check_in_time
from tournaments.core.results import seating_of_game
from tournaments.seasons.aggregate import SeasonAggregate
from tournaments.seasons.events.games import GameOpened
from tournaments.seasons.models import Entrant, Match, MatchEntrant, MatchGame, Season
from tournaments.seasons.settings import BOTS_ONLY, DUPLICATE_DEALS, SHORT_TABLE_BOT
from tournaments.teams import lineups

DealKey = tuple[int, int]  # the number of seats, and the number of the deal among the round's deals for so many seats


def shares_deals(season: Season) -> bool:
    """Return whether the games of a round share their deals."""
    return bool(season.settings["deals"] == DUPLICATE_DEALS)


class GameSetup(NamedTuple):
    """A game to open: the players by seat, whether built-in bots fill the table, and the shared deal if there is
    one."""

    players: tuple[Player, ...]
    filled: bool = False
    deal: Deal | None = None

    def turned(self, number: int) -> GameSetup:
        """Return this setup, seated as in game `number`, if it is the setup of game 1."""
        return self._replace(players=seating_of_game(self.players, number))

    def terms(self, season: Season) -> dict[str, Any]:
        """Return the terms of the game, which are the season's. A game with bots that fill the table is not rated."""
        terms = stored_terms(season.terms)
        return {**terms, "rated": False} if self.filled else terms


def setup_of_game(game: Game) -> GameSetup:
    """Return the setup of a game of a season, for another game with the same players."""
    players = tuple(seat.player for seat in game.seats.select_related("player__bot_version__bot"))
    return GameSetup(players, filled=game.match_game.match.entrants.count() < len(players))


def assign_deals(season: Season, tables: Sequence[tuple[int, GameSetup]]) -> list[GameSetup]:
    """Return the `tables` of a round with their shared deals, each with its game's number in the match.

    `tables` must be all games of the round with these numbers: no game can get one of the deals later.
    """
    if not shares_deals(season):
        return [each for _, each in tables]
    keys = _keys(season, tables)
    shared = {key: Deal() for key in keys if key is not None and keys.count(key) > 1}
    Deal.objects.bulk_create(shared.values())
    return [
        each._replace(deal=shared.get(key)) if key is not None else each
        for (_, each), key in zip(tables, keys, strict=True)
    ]


def _keys(season: Season, tables: Sequence[tuple[int, GameSetup]]) -> list[DealKey | None]:
    """Return the deal of each game as a key; None for a game with a player who has had that deal already."""
    sat: dict[DealKey, set[Hashable]] = defaultdict(set)
    keys: list[DealKey | None] = []
    for number, (players, _, _) in tables:
        remembers = [who for player in players if (who := who_remembers(player)) is not None]
        legs = len(players) if season.pool == BOTS_ONLY and not remembers else 1
        key = (len(players), (number - 1) // legs)
        if sat[key].isdisjoint(remembers):
            sat[key].update(remembers)
            keys.append(key)
        else:
            keys.append(None)
    return keys


def who_remembers(player: Player) -> Hashable | None:
    """Return who may remember a deal that `player` has played; None for a program that starts fresh for each game."""
    version = player.bot_version
    if version is None:
        return ("user", player.user_id) if player.user_id else ("player", player.pk)
    if not version.is_remote:
        return None
    return ("user", version.bot.owner_id) if version.bot.owner_id else ("bot", version.bot_id)


def fill_with_bots(season: Season, players: Sequence[Player]) -> GameSetup:
    """Return the players of a table, filled up with built-in bots that are not entrants of the season.

    There are as many as the season asks for, and at least as many as the kind needs with these options.
    """
    missing = seat_count(season, len(players)) - len(players)
    if not missing:
        return GameSetup(tuple(players))
    entered = set(season.entries.values_list("player", flat=True))
    bots = (ensure_builtin_bot(quick_bot(season.kind), number) for number in count(1))
    behind = islice((bot for bot in bots if bot.pk not in entered), missing)
    return GameSetup((*players, *behind), filled=True)


def seat_count(season: Season, entrants: int) -> int:
    """Return the number of seats of a table for that many entrants."""
    if season.settings["short_tables"] == SHORT_TABLE_BOT:
        return max(entrants, season.table_size)
    return next(seats for seats in range(entrants, entrants + season.table_size) if _can_be_played(season, seats))


def _can_be_played(season: Season, seats: int) -> bool:
    if seats >= season.table_size:
        return True
    try:
        rules_for(season.kind, season.settings["rules_version"]).resolve(seats, season.options)
    except OptionError:
        return False
    return True


def open_games(season: Season, tables: Sequence[GameSetup], begins: datetime | None = None) -> list[Game]:
    """Open a game at each table. Games that begin at a time have check-in for their people."""
    games = open_many(
        [
            Opening(
                season.kind,
                table.players,
                season.options,
                table.terms(season),
                table.deal,
                begins=begins,
                audience_club_id=season.league.club_id,
                rules_version=season.settings["rules_version"],
            )
            for table in tables
        ]
    )
    gone = season.entries.filter(status=Entrant.Status.WITHDRAWN)
    withdrawn = {player for each in gone.values_list("player", "members__player") for player in each}
    for game, table in zip(games, tables, strict=True):
        _forfeit_withdrawn(game, table.players, withdrawn)
    return games


def _forfeit_withdrawn(game: Game, players: Sequence[Player], withdrawn: Collection[int]) -> None:
    """Forfeit the seats of players who withdrew during the match or have just deleted their account, so that nobody
    waits for them."""
    for seat, player in enumerate(players):
        gone = player.pk in withdrawn or (player.user_id is None and not player.is_bot)
        if gone and game.status == Game.Status.PLAYING:
            play.leave_game(game=game, seat=seat, how=FORFEITED)


def open_match_games(changed: SeasonAggregate, matches: Sequence[Match], begins: datetime | None) -> None:
    """Open the first games of matches that have none."""
    season, players = changed.row, defaultdict[int, list[Player]](list)
    rows = MatchEntrant.objects.filter(match__in=matches).select_related("entrant__player__bot_version")
    for row in rows.order_by("order"):
        players[row.match_id].append(row.entrant.player)
    setups = [(match.pk, fill_with_bots(season, players[match.pk])) for match in matches]
    firsts = [
        (pk, number, seated.turned(number))
        for pk, seated in setups
        for number in first_game_numbers(season, seated.players)
    ]
    games = open_games(season, [setup for _match, _number, setup in firsts], begins)
    opened = zip(firsts, games, strict=True)
    changed.record(*[GameOpened(match, number, game.pk) for (match, number, _setup), game in opened])


def open_team_games(changed: SeasonAggregate, match_id: int, begins: datetime | None) -> None:
    """Open the first games of a match of teams, whose line-ups are known."""
    match = changed.state.matches[match_id]
    players = lineups.players_of_games(changed.state, match, match.team_games)
    everybody = [player for seated in players.values() for player in seated]
    if everybody and plays_one_by_one(changed.row, everybody):
        first = min(match.team_games[number].wave for number in players)
        players = {number: seated for number, seated in players.items() if match.team_games[number].wave == first}
    _open_numbers(changed, match_id, players, begins)


def _open_numbers(
    changed: SeasonAggregate, match_id: int, players: Mapping[int, tuple[Player, ...]], begins: datetime | None
) -> None:
    season = changed.row
    setups = assign_deals(season, [(number, GameSetup(seated)) for number, seated in players.items()])
    games = open_games(season, setups, begins)
    opened = zip(players, games, strict=True)
    changed.record(*[GameOpened(match_id, number, game.pk) for number, game in opened])


def _open_next_team_games(changed: SeasonAggregate, matches: Collection[int]) -> None:
    """Open the next wave of games of matches of teams of which all open games are recorded."""
    for match in [found for each in sorted(matches) if (found := changed.state.match(each)) is not None]:
        done = match.records.keys() | match.annulled
        if not match.opened or not match.games.keys() <= done:
            continue
        players = lineups.players_of_games(changed.state, match, sorted(match.team_games.keys() - done))
        if players:
            wave = min(match.team_games[number].wave for number in players)
            now = {n: seated for n, seated in players.items() if match.team_games[n].wave == wave}
            _open_numbers(changed, match.id, now, clock.now())


def first_game_numbers(season: Season, players: Sequence[Player]) -> range:
    """Return which games of a match open with its round: all of them; with check-in only the first, and the others one
    by one.

    With shared deals, matches of bots follow the check-in too: nobody may know a deal before all have begun it.
    """
    return range(1, 2 if plays_one_by_one(season, players) else season.games_a_match + 1)


def plays_one_by_one(season: Season, players: Sequence[Player]) -> bool:
    """Return whether the games of a match of these players follow one another."""
    people = shares_deals(season) or not all(player.is_bot for player in players)
    return check_in_time(season) is not None and people


def open_next_games(changed: SeasonAggregate, finished: Sequence[MatchGame]) -> None:
    """Open the next games of matches with check-in, whose games follow one another."""
    season = changed.row
    if season.competition.by_teams:
        _open_next_team_games(changed, {one.match_id for one in finished})
        return
    last = [one for one in finished if one.number < season.games_a_match]
    if check_in_time(season) is None or not last:
        return
    changed.write_rows()
    if shares_deals(season):
        last = _completed_game_numbers(last)
    there = set(MatchGame.objects.filter(match__in=[one.match_id for one in last]).values_list("match", "number"))
    matches = [match for one in last if (match := changed.state.match(one.match_id)) is not None]
    there |= {(match.id, number) for match in matches for number in match.annulled}
    due = [one for one in last if (one.match_id, one.number + 1) not in there]
    tables = assign_deals(season, [(one.number + 1, setup_of_game(one.game).turned(2)) for one in due])
    games = open_games(season, tables, clock.now())
    opened = [GameOpened(one.match_id, one.number + 1, game.pk) for one, game in zip(due, games, strict=True)]
    changed.record(*opened)


def _completed_game_numbers(played: Sequence[MatchGame]) -> list[MatchGame]:
    """Return the games that count or were decided, of the rounds and game numbers of `played` that are completely
    recorded.

    The games after them share a deal and must be opened together, so that nobody knows it before the others begin.
    """
    counts = Q(ruling=MatchGame.Ruling.NONE, game__status=Game.Status.FINISHED)
    decided = Q(ruling__in=(MatchGame.Ruling.ADJUDICATED, MatchGame.Ruling.ANNULLED))
    completed: list[MatchGame] = []
    for round, place in sorted({(one.match.round_id, one.number) for one in played}):
        of_number = MatchGame.objects.filter(match__round=round, number=place)
        if not of_number.filter(recorded_at=None).exists():
            completed += of_number.filter(counts | decided).select_related("game", "match").order_by("match__table")
    return completed
