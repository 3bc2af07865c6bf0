"""Opening games: who sits at them and with which deal; the first ones of a match, the next, one in place of another.

Duplicate deals: the games that have the same number in their matches share a deal, so that different entrants play the
same cards in the same seat. Nobody who could remember sits at a deal twice: a person, counted together with the remote
bots that are theirs. An uploaded bot or one of the platform can't, for each of its games is a process of its own or a
function; where only such meet, in seasons of bots, one deal is played from every seat before the next one comes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Hashable, Iterable, Sequence
from datetime import datetime
from itertools import count, islice
from typing import Any, NamedTuple

from django.db.models import Q

from games.common import clock
from games.engines.base import Event, OptionError
from games.kinds import rules_for
from games.models import Deal, Game, Player
from games.play import services as play
from games.play.departures import FORFEITED
from games.play.openings import Opening, open_many
from games.play.roster import ensure_builtin_bot
from games.programs.builtin import BUILTIN_BOTS
from tournaments.calendar.timetable import check_in_time
from tournaments.core.results import seating_of_game
from tournaments.seasons import events as ev
from tournaments.seasons.models import Entrant, Match, MatchEntrant, MatchGame, Season
from tournaments.seasons.settings import BOTS_ONLY, DUPLICATE_DEALS, SHORT_TABLE_BOT
from tournaments.seasons.stream import season_log

DealKey = tuple[int, int]  # seats, and the number of the deal among the round's for so many


def shares_deals(season: Season) -> bool:
    """Whether the games of a round share their deals."""
    return bool(season.settings["deals"] == DUPLICATE_DEALS)


class GameSetup(NamedTuple):
    """Where a game is to be opened: the players by seat, whether the platform fills it up, and the shared deal if
    any."""

    players: tuple[Player, ...]
    filled: bool = False
    deal: Deal | None = None

    def turned(self, number: int) -> GameSetup:
        """As it is seated in game `number`, if this is how it was in the first one."""
        return self._replace(players=seating_of_game(self.players, number))

    def terms(self, season: Season) -> dict[str, Any]:
        """The terms of its game: the season's. One that the platform fills up is not rated."""
        return {**season.terms, "rated": False} if self.filled else season.terms


def setup_of_game(game: Game) -> GameSetup:
    """Who sits at a game of a season, for another one with the same players."""
    players = tuple(seat.player for seat in game.seats.select_related("player__bot_version__bot"))
    return GameSetup(players, filled=game.match_game.match.entrants.count() < len(players))


def assign_deals(season: Season, tables: Sequence[tuple[int, GameSetup]]) -> list[GameSetup]:
    """The `tables` of a round, each with the number of its game in the match, with the deals that they share.

    They are all of the round that have one of these numbers: nobody can be given one of the deals later."""
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
    """Which games go together; None for one in which somebody sits who has that deal already."""
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
    """Who may remember a deal at which `player` sat; None for a program that is begun anew for each game."""
    version = player.bot_version
    if version is None:
        return ("user", player.user_id) if player.user_id else ("player", player.pk)
    if not version.is_remote:
        return None
    return ("user", version.bot.owner_id) if version.bot.owner_id else ("bot", version.bot_id)


def fill_with_bots(season: Season, players: Sequence[Player]) -> GameSetup:
    """The table of these entrants and, where it is short, built-in bots behind them: as many as the season says, and as
    many at least as the kind needs to be played with these options. They are none that have entered themselves."""
    missing = seat_count(season, len(players)) - len(players)
    if not missing:
        return GameSetup(tuple(players))
    entered = set(season.entries.values_list("player", flat=True))
    bots = (ensure_builtin_bot(filler(season.kind), number) for number in count(1))
    behind = islice((bot for bot in bots if bot.pk not in entered), missing)
    return GameSetup((*players, *behind), filled=True)


def seat_count(season: Season, entrants: int) -> int:
    """How many seats a table has at which so many entrants sit."""
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


def filler(kind: str) -> str:
    """The built-in bot that fills tables of that kind: the one that plays by a plan and takes no time."""
    return "sensible" if kind in BUILTIN_BOTS["sensible"].kinds else "random"


def open_games(season: Season, tables: Sequence[GameSetup], begins: datetime | None = None) -> list[Game]:
    """A game of the season at each table; people among its players check in for a game that `games_begin_at` at a
    time."""
    games = open_many(
        [
            Opening(
                season.kind,
                each.players,
                season.options,
                each.terms(season),
                each.deal,
                begins=begins,
                audience_club_id=season.league.club_id,
                rules_version=season.settings["rules_version"],
            )
            for each in tables
        ]
    )
    withdrawn = set(season.entries.filter(status=Entrant.Status.WITHDRAWN).values_list("player", flat=True))
    for game, each in zip(games, tables, strict=True):
        _forfeit_withdrawn(game, each.players, withdrawn)
    return games


def _forfeit_withdrawn(game: Game, players: Sequence[Player], withdrawn: Collection[int]) -> None:
    """Who has withdrawn in the middle of a match, or has just deleted the account, forfeits at once what was still to
    be opened, for nobody to wait."""
    for seat, player in enumerate(players):
        gone = player.pk in withdrawn or (player.user_id is None and not player.is_bot)
        if gone and game.status == Game.Status.PLAYING:
            play.leave_game(game=game, seat=seat, how=FORFEITED)


def open_match_games(season: Season, match: Match, begins: datetime | None) -> list[Event]:
    """Open the first games of a match that has none yet; the events that say so."""
    rows = MatchEntrant.objects.filter(match=match).select_related("entrant__player__bot_version").order_by("order")
    seated = fill_with_bots(season, [row.entrant.player for row in rows])
    numbers = first_game_numbers(season, seated.players)
    games = open_games(season, [seated.turned(number) for number in numbers], begins)
    MatchGame.objects.bulk_create(
        MatchGame(match=match, number=number, game=game) for number, game in zip(numbers, games, strict=True)
    )
    return [ev.game_opened(match.pk, number, game.pk) for number, game in zip(numbers, games, strict=True)]


def first_game_numbers(season: Season, players: Sequence[Player]) -> range:
    """Which games of a match are opened with its round: all; where people check in the first, and the others follow
    one after the other. With shared deals bots wait for people too: no deal may be known before all have begun it."""
    people = shares_deals(season) or not all(player.is_bot for player in players)
    one_by_one = check_in_time(season) is not None and people
    return range(1, 2 if one_by_one else season.games_a_match + 1)


def open_next_games(season: Season, finished: Sequence[MatchGame], events: Iterable[Event] = ()) -> list[Event]:
    """Open the next games of matches whose games are played one after the other, for which people check in at once;
    return the events that say so. `events` are those that will be written before them."""
    last = [one for one in finished if one.number < season.games_a_match]
    if check_in_time(season) is None or not last:
        return []
    if shares_deals(season):
        last = _completed_game_numbers(last)
    there = set(MatchGame.objects.filter(match__in=[one.match_id for one in last]).values_list("match", "number"))
    there |= _annulled_games([*season_log(season), *events])
    due = [one for one in last if (one.match_id, one.number + 1) not in there]
    tables = assign_deals(season, [(one.number + 1, setup_of_game(one.game).turned(2)) for one in due])
    games = open_games(season, tables, clock.now())
    MatchGame.objects.bulk_create(
        MatchGame(match=one.match, number=one.number + 1, game=game) for one, game in zip(due, games, strict=True)
    )
    return [ev.game_opened(one.match_id, one.number + 1, game.pk) for one, game in zip(due, games, strict=True)]


def _annulled_games(events: Iterable[Event]) -> set[tuple[int, int]]:
    """(match, number) of the games that were annulled, some before they were opened."""
    return {(event[1], event[2]) for event in events if event[0] == ev.GAME_ANNULLED}


def _completed_game_numbers(played: Sequence[MatchGame]) -> list[MatchGame]:
    """The games that count, or have been decided, of the rounds and numbers of `played`, where each of them is over:
    those that follow share a deal, and must be opened together for nobody to know it before another has begun."""
    counts = Q(ruling=MatchGame.Ruling.NONE, game__status=Game.Status.FINISHED)
    decided = Q(ruling__in=(MatchGame.Ruling.ADJUDICATED, MatchGame.Ruling.ANNULLED))
    whole: list[MatchGame] = []
    for round, place in sorted({(one.match.round_id, one.number) for one in played}):
        of_number = MatchGame.objects.filter(match__round=round, number=place)
        if not of_number.filter(recorded_at=None).exists():
            whole += of_number.filter(counts | decided).select_related("game", "match").order_by("match__table")
    return whole
