"""The home page, and the pages of players, ratings and games being played. Nothing here changes anything.

Each page makes a fixed number of queries. A part of a page that refreshes is fetched with `?part=`; the page includes
the same template.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from django.db.models import (
    DateTimeField,
    ExpressionWrapper,
    F,
    Func,
    Q,
    QuerySet,
)
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render

from games.accounts import mygames
from games.accounts.mygames import MyGameRow, UpcomingGame
from games.accounts.people import player_of_user
from games.accounts.viewers import for_viewer
from games.common import clock
from games.common.live_part import live_part
from games.common.page_cache import cached_page
from games.common.page_pagination import Page
from games.common.policy import policy
from games.common.prepared import prepared
from games.models import Game, Player, Seat
from games.visibility import audience, observe
from games.visibility.audience import User
from games.visibility.seats import attach_seats
from scorebook_games.placings import result_mark
from scorebook_games.registry import KINDS
from tournaments.clubs import invitations as club_invitations
from tournaments.clubs.models import Invitation
from tournaments.clubs.permissions import closed_to, listed_for
from tournaments.entries import invitations as season_invitations
from tournaments.matches.rows import (
    GAMES_WITHOUT_SEATS,
    RESULTS_SHOWN,
    GameRow,
    game_row,
    live_game_rows,
)
from tournaments.ratings import page_versions as rating_versions
from tournaments.ratings import selectors as rating_selectors
from tournaments.ratings.models import RatingChange
from tournaments.season_pages.views import viewer_player_id
from tournaments.seasons.models import (
    PLAYING,
    Entrant,
    Season,
    TeamMember,
)
from tournaments.seasons.selectors import seasons_for_lists
from tournaments.standings.models import Standing
from tournaments.teams.addresses import team_url

SEASONS_PER_PAGE = 30
GAMES_PER_PAGE = 24
LIVE_GAMES_PER_PAGE = 12
LIVE_GAMES_SHOWN = 6
LEADERS_SHOWN = 5
BITS_OF_AN_ID = 63
GAME_STATE = (  # what a row of a game shows, and what decides whether everybody may know its result
    "game",
    "game__status",
    "game__failures",
    "game__leased_by",
    "game__begins_at",
    "game__finished_at",
    "game__terms__watch_delay",
    "game__terms__sealed",
)
WAITING_SHOWN = 5


@policy(visible_in_impersonation=True)
def home(request: HttpRequest) -> HttpResponse:
    """Show the games being played, the latest results and the seasons in progress; before them what waits for the
    reader, or what Scorebook is if the reader is not signed in. `part=tables` are the games alone, also of a `club`."""
    if request.GET.get("part") == "tables":
        club = request.GET.get("club", "")
        context = {"tables": live_games_shown(request.user, club), "live_club": club}
        return live_part(request, "tournaments/parts/tables.html", context)
    running: list[Any] = list(_running_seasons(request.user, RESULTS_SHOWN))
    featured = max(running, key=lambda season: (not season.competition.eliminates, season.round or 0), default=None)
    waits = waiting_for(request.user)
    context = {
        "nav": "home",
        "waits": waits,
        "tab_icon": "img/favicon-turn.svg" if waits and waits.my_turn else "img/favicon.svg",
        "tables": live_games_shown(request.user),
        "results": latest_finished_games(request.user),
        "seasons": running,
        "featured": featured,
        "leaders": division_leaders(featured) if featured and not featured.competition.eliminates else [],
        "cup": featured is not None and featured.competition.eliminates,
        "specs": [rules.spec for rules in KINDS.values()],
    }
    return render(request, "tournaments/home.html", context)


@for_viewer
def _running_seasons(viewer: User, count: int) -> QuerySet[Season]:
    shown = seasons_for_lists().filter(league__club__in=listed_for(viewer))
    return shown.filter(status=Season.Status.RUNNING)[:count]


@dataclass(frozen=True, slots=True)
class Waiting:
    """What waits for a player: games in which it is their turn (`more`: not all of them), matches for which somebody
    waits for an answer, unanswered invitations to seasons and clubs, and what begins next."""

    turns: list[MyGameRow]
    more: bool
    answers: list[UpcomingGame]
    seasons: list[Entrant]
    clubs: list[Invitation]
    ahead: list[UpcomingGame]

    @property
    def my_turn(self) -> bool:
        """Whether a game that has begun waits for the player's move."""
        return any(line.game.begins_at is None for line in self.turns)


def waiting_for(user: User) -> Waiting | None:
    """Return what waits for the player of `user`; None if there is none."""
    player = player_of_user(user)
    if player is None or player.user_id is None:
        return None
    mine = list(mygames.first_waiting(WAITING_SHOWN + 1, player=player.pk))
    ahead = mygames.upcoming_games(player)
    return Waiting(
        turns=mygames.my_game_rows(mine[:WAITING_SHOWN], user, boards=False),
        more=len(mine) > WAITING_SHOWN,
        answers=[line for line in ahead if line.wanted],
        seasons=season_invitations.first_own_invitations(user, WAITING_SHOWN),
        clubs=club_invitations.first_invitations(user, WAITING_SHOWN),
        ahead=[line for line in ahead if not line.wanted][:WAITING_SHOWN],
    )


@dataclass(frozen=True, slots=True)
class LiveGames:
    """Some games that are being played, and the number of all."""

    lines: list[GameRow]
    count: int


def live_games_shown(viewer: User, club: str = "") -> LiveGames:
    """Return the games being played that were opened last, of a club if its slug is given. Four queries."""
    of_club = {"club": club} if club else {}
    shown = attach_seats(list(_live_games(viewer, LIVE_GAMES_SHOWN, **of_club)))
    return LiveGames(live_game_rows(shown), _live_games(viewer, None, **of_club).count())


@for_viewer
def _live_games(viewer: User, count: int | None, *, club: str = "") -> QuerySet[Any]:
    on = live_games(viewer)
    if club:
        on = on.filter(match_game__match__round__division__season__league__club__slug=club)
    return on[:count] if count else on.order_by().values("pk")


def live_games(viewer: User) -> QuerySet[Game]:
    """Return the games being played that `viewer` may see, those opened last first. A game that spectators see with a
    delay stays listed until they have seen its end; otherwise the list would reveal it."""
    delay = Func(F("terms__watch_delay"), template="make_interval(secs => (%(expressions)s)::float)")
    told_at = ExpressionWrapper(F("finished_at") + delay, DateTimeField())
    late = Q(terms__watch_delay__gt=0, finished_at__isnull=False, told_at__gt=clock.now())
    shown = (
        GAMES_WITHOUT_SEATS.select_related("match_game__match__round__division__season__league")
        .filter(audience.visible_to(viewer), trial=None)
        .alias(told_at=told_at)
        .filter(Q(status=Game.Status.PLAYING) | late)
    )
    return shown.order_by("-opened_at", "-pk")


def latest_finished_games(viewer: User) -> list[GameRow]:
    """Return the games that ended last, of those with a public result that `viewer` may see."""
    return [game_row(game) for game in attach_seats(list(_ended_games(viewer, RESULTS_SHOWN)))]


@for_viewer
def _ended_games(viewer: User, count: int) -> QuerySet[Game]:
    seen = audience.visible_to(viewer)
    ended = GAMES_WITHOUT_SEATS.filter(observe.result_is_public(), seen, trial=None)
    return ended.order_by("-finished_at")[:count]


def division_leaders(season: Season) -> list[Standing]:
    """Return the first rows of a season's first division."""
    return list(_leaders(LEADERS_SHOWN, season=season.pk))


@prepared
def _leaders(count: int, *, season: int) -> QuerySet[Standing]:
    rows = Standing.objects.filter(division__season=season, division__number=1, position__lte=count)
    return rows.select_related("entrant__player__bot_version")


@policy(visible_in_impersonation=True)
def live_games_page(request: HttpRequest) -> HttpResponse:
    """Show all games that are being played."""
    page = Page.of_slice(partial(_live_games_part, request.user), request.GET.get("page", ""), LIVE_GAMES_PER_PAGE)
    context = {"nav": "watch", "page": Page(live_game_rows(attach_seats(page.items)), page.number, page.more)}
    if request.GET.get("part") == "watch":
        return live_part(request, "tournaments/parts/watch.html", context)
    return render(request, "tournaments/watch.html", context)


@for_viewer
def _live_games_part(viewer: User, begin: int, end: int) -> QuerySet[Game]:
    return live_games(viewer)[begin:end]


@dataclass(frozen=True, slots=True)
class PlayerGameRow:
    """A game in a player's list: the result, the opponents, and the change of the rating."""

    line: GameRow
    result: str
    others: list[Player]
    change: float | None


def player_version(request: HttpRequest, player_id: int) -> Hashable:
    """Return the version of a player's page; None while the public does not know a result that it lists. Four queries.

    Its seasons and ratings follow from streams. The states of its games are looked up.
    """
    if player_id.bit_length() > BITS_OF_AN_ID:
        return None
    number = request.GET.get("page", "")
    first = (int(number) - 1) * GAMES_PER_PAGE if number.isascii() and number.isdecimal() and len(number) < 6 else 0
    begin = max(first, 0)
    states = list(_game_states(request.user, begin, begin + GAMES_PER_PAGE + 1, player=player_id))
    if any(not open_to_all(*state[-3:]) for state in states):
        return None
    return player_id, rating_versions.player_key(player_id), tuple(state[:-2] for state in states)


@for_viewer
def _game_states(viewer: User, begin: int, end: int, *, player: int) -> QuerySet[Seat, Any]:
    listed = listed_seats(player, viewer)[begin:end]
    return listed.values_list(*GAME_STATE)


def open_to_all(finished_at: datetime | None, delay: int | None, sealed: bool | None) -> bool:
    """Return whether what the public knows of a game changes with its state only."""
    if finished_at is None:
        return not (delay or sealed)
    return not sealed and finished_at + timedelta(seconds=delay or 0) < clock.now()


@policy(visible_in_impersonation=True)
@cached_page(player_version)
def player_page(request: HttpRequest, player_id: int) -> HttpResponse:
    """Show a player: ratings by kind and pool, games, seasons."""
    player = get_object_or_404(Player.objects.select_related("bot_version__bot__owner"), pk=player_id)
    if player.is_team and (team := latest_team(player, request.user)) is not None:
        return redirect(team_url(team))
    asked = request.GET
    entries = partial(_entries, request.user, player=player.pk)
    context = {
        "nav": "clubs",
        "player": player,
        "ratings": rating_selectors.player_ratings(player, asked.get("pool", "")),
        "page": player_games_page(player, request.user, asked.get("page", "")),
        "entries": Page.of_slice(entries, asked.get("seasons", ""), SEASONS_PER_PAGE),
    }
    return render(request, "tournaments/player.html", context)


@for_viewer
def _entries(viewer: User, begin: int, end: int, *, player: int) -> QuerySet[Entrant]:
    in_team = TeamMember.objects.filter(player=player).values("entrant")
    entries = Entrant.objects.filter(Q(player=player) | Q(pk__in=in_team), status__in=PLAYING)
    seen = entries.exclude(division__season__league__club__in=closed_to(viewer))
    shown = seen.select_related("division__season__league__club", "standing")
    return shown.order_by("-division__season__starts_at", "-pk")[begin:end]


def latest_team(player: Player, viewer: User) -> Entrant | None:
    """Return the latest entry of a team in a season that the viewer may see."""
    rows = Entrant.objects.filter(player=player).exclude(status=Entrant.Status.OUT)
    seen = rows.exclude(season__league__club__in=closed_to(viewer)).select_related("season__league__club")
    return seen.order_by("-season__starts_at", "-pk").first()


@policy(visible_in_impersonation=True)
@cached_page(lambda _request: rating_versions.pools_key())
def leaderboards(request: HttpRequest) -> HttpResponse:
    """Show the leaderboard of a rating pool, with a search by name."""
    asked = request.GET
    search = " ".join(asked.get("q", "").replace("\0", "").split())[:60]
    board = rating_selectors.leaderboard(asked.get("pool", ""), search, asked.get("page", ""))
    return render(request, "ratings/ratings.html", {"nav": "ratings", "board": board, "me": viewer_player_id(request)})


def player_games_page(player: Player, viewer: User, number: str) -> Page[PlayerGameRow]:
    """Return page `number` of the games of `player` that `viewer` may see, the latest first. Four queries."""
    page = Page.of_slice(partial(_listed_games, viewer, player=player.pk), number, GAMES_PER_PAGE)
    keys = [game for (game,) in page.items]
    games = {game.pk: game for game in attach_seats(list(_games_for_rows(games=keys)))}
    moved: dict[int, float] = {}
    for game, before, after in _changes(player=player.pk, games=keys):
        moved[game] = moved.get(game, 0.0) + after - before
    return page.map(lambda row: player_game_row(player, games[row[0]], moved))


@for_viewer
def _listed_games(viewer: User, begin: int, end: int, *, player: int) -> QuerySet[Seat, tuple[int]]:
    return listed_seats(player, viewer)[begin:end].values_list("game")


@prepared
def _games_for_rows(*, games: list[int]) -> QuerySet[Game]:
    return GAMES_WITHOUT_SEATS.filter(pk__in=games)


@prepared
def _changes(*, player: int, games: list[int]) -> QuerySet[RatingChange, tuple[int, float, float]]:
    changes = RatingChange.objects.filter(player=player, game__in=games)
    return changes.values_list("game", "before", "after")


def listed_seats(player: int, viewer: User) -> QuerySet[Seat]:
    """Return the seats of `player` in games that `viewer` may see, the latest first."""
    shown = Game.objects.filter(audience.visible_to(viewer))
    return Seat.objects.filter(player=player, game__trial=None, game__in=shown).order_by("-game")


def player_game_row(player: Player, game: Game, moved: dict[int, float]) -> PlayerGameRow:
    """Return the row of a game on a player's page."""
    line = game_row(game)
    own_seat = next(seat for seat in line.seats if seat.player.pk == player.pk)
    others = [seat for seat in line.seats if seat.player.pk != player.pk]
    mark = result_mark(own_seat.placing, [other.placing for other in others]) if line.is_shown else "–"
    change = moved.get(game.pk) if line.is_shown else None
    return PlayerGameRow(line, mark, [other.player for other in others], change)
