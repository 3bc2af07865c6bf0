"""Opening games: the first ones of a match, the next one of a match, one in the place of another."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime

from django.db.models import Q

from games.common import clock
from games.engines.base import Event
from games.models import Game, Player
from games.play import services as play
from games.play.departures import FORFEITED
from games.play.openings import Opening
from tournaments.calendar.timetable import check_in_time
from tournaments.director import deals
from tournaments.seasons import events as ev
from tournaments.seasons.models import Entrant, Match, MatchEntrant, MatchGame, Season
from tournaments.seasons.stream import season_log


def open_games(season: Season, tables: Sequence[deals.GameSetup], begins: datetime | None = None) -> list[Game]:
    """A game of the season at each table; people among its players check in for a game that `games_begin_at` at a
    time."""
    games = play.open_many(
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
    seated = deals.fill_with_bots(season, [row.entrant.player for row in rows])
    numbers = first_game_numbers(season, seated.players)
    games = open_games(season, [seated.turned(number) for number in numbers], begins)
    MatchGame.objects.bulk_create(
        MatchGame(match=match, number=number, game=game) for number, game in zip(numbers, games, strict=True)
    )
    return [ev.game_opened(match.pk, number, game.pk) for number, game in zip(numbers, games, strict=True)]


def first_game_numbers(season: Season, players: Sequence[Player]) -> range:
    """Which games of a match are opened with its round: all; where people check in the first, and the others follow
    one after the other. With shared deals bots wait for people too: no deal may be known before all have begun it."""
    people = deals.shares_deals(season) or not all(player.is_bot for player in players)
    one_by_one = check_in_time(season) is not None and people
    return range(1, 2 if one_by_one else season.games_a_match + 1)


def open_next_games(season: Season, finished: Sequence[MatchGame], events: Iterable[Event] = ()) -> list[Event]:
    """Open the next games of matches whose games are played one after the other, for which people check in at once;
    return the events that say so. `events` are those that will be written before them."""
    last = [one for one in finished if one.number < season.games_a_match]
    if check_in_time(season) is None or not last:
        return []
    if deals.shares_deals(season):
        last = _completed_game_numbers(last)
    there = set(MatchGame.objects.filter(match__in=[one.match_id for one in last]).values_list("match", "number"))
    there |= _annulled_games([*season_log(season), *events])
    due = [one for one in last if (one.match_id, one.number + 1) not in there]
    tables = deals.assign_deals(season, [(one.number + 1, deals.setup_of_game(one.game).turned(2)) for one in due])
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
