"""Ratings for pages: a season's chart and table, its official table, a player's chart, the leaderboards.

Each function makes a fixed number of queries, whatever the size of the season or pool.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.http import Http404
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from games.common.labels import number_label
from games.common.page_pagination import Page
from games.common.prepared import prepared
from games.models import Game, Player, Seat
from games.play.departures import FORFEITED
from scorebook_games.registry import KINDS
from tournaments.core.no_shows import absent_seats
from tournaments.ratings import charts, elo
from tournaments.ratings.elo import PlayerRating, RatingEvent
from tournaments.ratings.models import Rating, RatingChange, RatingPool, Strength
from tournaments.seasons.models import Division, Entrant, MatchGame, Round, Season

ENTRANTS_CHARTED: Final = 12
ROWS_PER_PAGE: Final = 50
STEPS_SHOWN: Final = 200  # rated games in a player's chart
SEASON_OF_GAME: Final = "match__round__division__season"  # from a `MatchGame`
MAX_PENDING_GAMES: Final = 500  # games of open rounds


def ratings_in(kind: str, players: Sequence[int]) -> dict[int, float]:
    """Return the present ratings of players in a kind: of several pools, that in which they have most games. A pool of
    bots alone says nothing of people. One query."""
    rows = Rating.objects.filter(pool__kind=kind, player__in=players).exclude(pool__pool="bots")
    return dict(rows.order_by("games", "pk").values_list("player", "rating"))


@dataclass(frozen=True, slots=True)
class PendingRating:
    """The rating that a player would have if the open rounds closed now, and the number of games that this adds."""

    now: float
    games: int


def pending_ratings(players: Sequence[int], division: Division | None = None) -> dict[tuple[int, int], PendingRating]:
    """Return (player, pool) → the rating after the recorded games of open rounds; only those of `division` if one is
    given. Games of other players count too, because they change opponents' ratings. In a pool with more than
    `MAX_PENDING_GAMES` such games, only the players' own games count. Seven queries, and a log for each forfeited
    game."""
    listed = _recorded_games(players, division)
    if not listed:
        return {}
    events = _rating_events(listed)
    before = _ratings_of(events)
    pending = {}
    for pool, rated in events.items():
        ratings = before.get(pool, {})
        after, _changes = elo.fold_ratings(rated, ratings)
        for player in filter(after.__contains__, players):
            now, then = after[player], ratings.get(player)
            if now != then:
                pending[player, pool] = PendingRating(now.rating, now.games - (then.games if then else 0))
    return pending


def _rating_events(listed: Sequence[MatchGame]) -> dict[int, list[RatingEvent]]:
    """Return pool → the rating events of these games, without games in which a player was absent."""
    seats: dict[int, list[tuple[int, int]]] = {}
    rows = Seat.objects.filter(game__in=[one.game_id for one in listed]).order_by("game", "seat")
    forfeited = set()
    for game, player, placing, left in rows.values_list("game", "player", "placing", "left"):
        seats.setdefault(game, []).append((player, placing or 1))
        if left == FORFEITED:
            forfeited.add(game)
    pools = {(pool.kind, pool.pool): pool.pk for pool in RatingPool.objects.all()}
    events: dict[int, list[RatingEvent]] = {}
    for one in listed:
        season = one.match.round.division.season
        pool = pools.get((season.kind, season.pool))
        if pool is not None and not (one.game_id in forfeited and absent_seats(one.game)):
            events.setdefault(pool, []).append(elo.Rated.of(one.game_id, _player_places(one, seats[one.game_id])))
    return events


def _ratings_of(events: Mapping[int, Sequence[RatingEvent]]) -> dict[int, dict[int, PlayerRating]]:
    """Return pool → player → present rating, for the rated players of these events."""
    players = {player for listed in events.values() for event in listed for player, _placing in event.places}
    known: dict[int, dict[int, PlayerRating]] = {}
    for row in Rating.objects.filter(pool__in=events, player__in=players):
        known.setdefault(row.pool_id, {})[row.player_id] = PlayerRating(row.rating, row.games)
    return known


def _recorded_games(players: Sequence[int], division: Division | None) -> list[MatchGame]:
    """Return the recorded games of open rounds, in schedule order, that can change these players' ratings."""
    within = {} if division is None else {"division": division.pk}
    pools = frozenset(_pools_of_players(players=list(players), **within))
    if not pools:
        return []
    listed = list(_games_in_pools(pools, MAX_PENDING_GAMES + 1, **within))
    if len(listed) <= MAX_PENDING_GAMES:
        return listed
    return list(_games_of_players(MAX_PENDING_GAMES, players=list(players), **within))


@prepared
def _pools_of_players(*, players: list[int], division: int = 0) -> QuerySet[MatchGame, tuple[str, str]]:
    games = _recorded_now(division).filter(game__in=Seat.objects.filter(player__in=players).values("game"))
    return games.order_by().values_list(f"{SEASON_OF_GAME}__kind", f"{SEASON_OF_GAME}__pool").distinct()


@prepared
def _games_in_pools(pools: Collection[tuple[str, str]], count: int, *, division: int = 0) -> QuerySet[MatchGame]:
    in_pools = Q()
    for kind, name in pools:
        in_pools |= Q(**{f"{SEASON_OF_GAME}__kind": kind, f"{SEASON_OF_GAME}__pool": name})
    return _recorded_now(division).filter(in_pools).select_related("game", SEASON_OF_GAME)[:count]


@prepared
def _games_of_players(count: int, *, players: list[int], division: int = 0) -> QuerySet[MatchGame]:
    games = _recorded_now(division).filter(game__in=Seat.objects.filter(player__in=players).values("game"))
    return games.select_related("game", SEASON_OF_GAME)[:count]


def _recorded_now(division: int) -> QuerySet[MatchGame]:
    """Return the recorded rated games of open rounds, of a division if one is given."""
    games = MatchGame.objects.filter(
        recorded_at__isnull=False,
        game__status=Game.Status.FINISHED,
        game__terms__rated=True,
        match__round__status=Round.Status.OPEN,
    ).exclude(ruling__in=[MatchGame.Ruling.ANNULLED, MatchGame.Ruling.REPLACED])
    if division:
        games = games.filter(match__round__division=division)
    return games.order_by("match__round__opened_at", "match__round", "match__table", "number")


def _player_places(one: MatchGame, seats: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return (player, placing) by seat, as the game counts."""
    if one.ruling != MatchGame.Ruling.ADJUDICATED:
        return seats
    placings = (one.result or {})["placings"]
    return [(player, placing) for (player, _), placing in zip(seats, placings, strict=True)]


@dataclass(frozen=True, slots=True)
class RatingRow:
    """A player in a season's rating table: the rating now and at the season's start, the change by the last round, and
    the number of games. `pending`: the change by the recorded games of the open round, None without any."""

    player: Player
    now: float
    start: float
    last: float
    games: int
    whisker: str
    pending: float | None

    @property
    def provisional(self) -> bool:
        return elo.is_provisional(self.games)


@dataclass(frozen=True, slots=True)
class RatingsPart:
    """The ratings of the season's first `ENTRANTS_CHARTED` entrants by rating, as a wide and a narrow chart and as
    rows."""

    rows: list[RatingRow]
    wide: str
    narrow: str
    rounds: int
    more: bool
    low: int
    high: int

    @property
    def pending(self) -> bool:
        """Whether games of the open round change a rating."""
        return any(row.pending is not None for row in self.rows)


def ratings_part(season: Season, division: Division) -> RatingsPart | None:
    """Return a season's rating chart and table; None before anything is rated. Seven queries."""
    pool = RatingPool.objects.filter(kind=season.kind, pool=season.pool).first()
    if pool is None:
        return None
    best = list(_best_of(ENTRANTS_CHARTED + 1, division=division.pk, pool=pool.pk))
    shown, more = best[:ENTRANTS_CHARTED], len(best) > ENTRANTS_CHARTED
    players = [each.player_id for each in shown]
    listed = _games_played(division=division.pk, players=players)
    played = {game: 0 if status == Round.Status.UNDONE else number for game, number, status in listed}
    moved = _moved(pool=pool.pk, players=players, games=list(played))
    rounds, steps = 0, dict[int, list[tuple[int, float, float]]]()
    for player, game, before, after in moved:
        # A correction is shown at the round in which it was made, not at its game's. A round that was undone has no
        # place.
        rounds = max(rounds, played[game])
        steps.setdefault(player, []).append((rounds, before, after))
    open_now = pending_ratings(players, division)
    if not rounds:
        return None
    history = {each.player_id: _history(each, steps.get(each.player_id, []), rounds) for each in shown}
    shown.sort(key=lambda each: -history[each.player_id][-1])  # since then other seasons may have moved the ratings
    values = [value for line in history.values() for value in line]
    low, high = min(values) - 20, max(values) + 20
    series = [charts.Series(each.player.name, tuple(history[each.player_id])) for each in shown]
    title = _("Ratings after each round; the same figures are in the table below.")
    return RatingsPart(
        rows=[
            _rating_row(each, history[each.player_id], (low, high), open_now.get((each.player_id, each.pool_id)))
            for each in shown
        ],
        wide=charts.line_chart(
            series, _labels(rounds, _("round {n}")), charts.WIDE_FRAME, css="only-wide", title=title
        ),
        narrow=charts.line_chart(series, _labels(rounds, "R{n}"), charts.NARROW_FRAME, css="only-narrow", title=title),
        rounds=rounds,
        more=more,
        low=round(low),
        high=round(high),
    )


@prepared
def _best_of(count: int, *, division: int, pool: int) -> QuerySet[Rating]:
    plays = Entrant.objects.filter(division=division, player=OuterRef("player"))
    rated = Rating.objects.filter(Exists(plays), pool=pool).select_related("player__bot_version")
    return rated.order_by("-rating", "player__name")[:count]


@prepared
def _games_played(*, division: int, players: list[int]) -> QuerySet[MatchGame, tuple[int, int, str]]:
    entrants = Entrant.objects.filter(division=division, player__in=players)
    games = MatchGame.objects.filter(match__entrants__entrant__in=entrants)
    return games.order_by().values_list("game", "match__round__number", "match__round__status")


@prepared
def _moved(*, pool: int, players: list[int], games: list[int]) -> QuerySet[RatingChange, tuple[int, int, float, float]]:
    changes = RatingChange.objects.filter(pool=pool, player__in=players, game__in=games).order_by("position")
    return changes.values_list("player_id", "game", "before", "after")


def _labels(rounds: int, pattern: str) -> list[str]:
    return [_("start"), *[pattern.format(n=number) for number in range(1, rounds + 1)]]


def _history(rating: Rating, steps: Sequence[tuple[int, float, float]], rounds: int) -> list[float]:
    """Return the rating at the start and after each round. `steps` are (round, before, after); a round without a step
    changes nothing."""
    line = [steps[0][1] if steps else rating.rating]
    after_round = {number: after for number, _before, after in steps}
    for number in range(1, rounds + 1):
        line.append(after_round.get(number, line[-1]))
    return line


def _rating_row(
    rating: Rating, line: list[float], ends: tuple[float, float], open_now: PendingRating | None
) -> RatingRow:
    drawn = charts.change_bar(line[0], line[-1], *ends)
    so_far = open_now.now - rating.rating if open_now else None
    return RatingRow(rating.player, line[-1], line[0], line[-1] - line[-2], rating.games, drawn, so_far)


@dataclass(frozen=True, slots=True)
class StrengthRow:
    """A row of the official table, with its interval drawn. `chances`: (percent, whether it is certain which is better)
    against each other bot by place, None against itself."""

    strength: Strength
    whisker: str
    chances: list[tuple[int, bool] | None]

    @property
    def player(self) -> Player:
        return self.strength.entrant.player

    @property
    def places(self) -> str:
        low, high = self.strength.low, self.strength.high
        return str(low) if low == high else f"{low}–{high}"

    @property
    def note(self) -> str:
        """A note about a rating that has no limit on one side."""
        if not self.strength.lost:
            return _("never behind anyone")
        return "" if self.strength.won else _("never ahead of anyone")


@dataclass(frozen=True, slots=True)
class OfficialTablePage:
    """A page of the official table. `matrix`: whether it shows the chances of all pairs."""

    page: Page[StrengthRow]
    bots: int
    decided: int
    connected: bool
    low: int
    high: int

    @property
    def matrix(self) -> bool:
        return any(row.chances for row in self.page.items)


def official_table_page(division: Division, number: str) -> OfficialTablePage | None:
    """Return page `number` of the official table; None if there is none, as in every season of people. Two queries."""
    if division.season.pool != "bots":
        return None
    rows = Strength.objects.filter(entrant__division=division)
    counts = rows.aggregate(bots=Count("pk"), decided=Count("pk", filter=Q(low=F("high"))))
    if not counts["bots"]:
        return None
    page: Page[Strength] = Page.of(rows.select_related("entrant__player__bot_version"), number, ROWS_PER_PAGE)
    low = min(item.rating - item.half for item in page.items)
    high = max(item.rating + item.half for item in page.items)
    room = max(20.0, (high - low) * 0.03)
    return OfficialTablePage(
        page=page.map(lambda each: _strength_row(each, page.items, (low - room, high + room))),
        bots=counts["bots"],
        decided=counts["decided"],
        connected=page.items[0].connected,
        low=round(low - room),
        high=round(high + room),
    )


def _strength_row(row: Strength, rows: Sequence[Strength], ends: tuple[float, float]) -> StrengthRow:
    against = {entrant: (chance, low, high) for entrant, chance, low, high in row.chances}
    cells: list[tuple[int, bool] | None] = []
    for other in rows if against else ():
        if other.pk == row.pk:
            cells.append(None)
        else:
            chance, low, high = against[other.entrant.number]
            cells.append((round(100 * chance), not low <= 0.5 <= high))
    return StrengthRow(row, charts.interval(row.rating, row.half, *ends), cells)


@dataclass(frozen=True, slots=True)
class PoolRow:
    """A player's rating in a pool: `rank` of `rated` players; `pending` is what games of open rounds add."""

    rating: Rating
    title: str
    rank: int
    rated: int
    pending: PendingRating | None

    @property
    def provisional(self) -> bool:
        return elo.is_provisional(self.rating.games)


@dataclass(frozen=True, slots=True)
class PlayerRatings:
    """A player's ratings, and the chart of one of them over its last games."""

    lines: list[PoolRow]
    shown: PoolRow | None
    wide: str
    narrow: str
    games: int


def player_ratings(player: Player, pool: str) -> PlayerRatings:
    """Return the ratings of `player` with the chart of the pool with the id `pool`, or of the pool with most games if
    it is "". Six queries. Raises Http404."""
    rated: list[Any] = list(_ranked(player=player.pk))
    for each in rated:
        each.player = player
    open_now = pending_ratings([player.pk])
    lines = [
        PoolRow(
            each, KINDS[each.pool.kind].spec.title, each.above + 1, each.rated, open_now.get((player.pk, each.pool_id))
        )
        for each in rated
    ]
    shown = next((line for line in lines if not pool or str(line.rating.pool_id) == pool), None)
    if shown is None and pool:
        raise Http404(_("The player has no rating there."))
    steps = _steps(shown.rating) if shown else []
    if len(steps) < 2:
        return PlayerRatings(lines, shown, "", "", 0)
    values = tuple(value for value, _ in steps)
    labels = [label for _, label in steps]
    title = _("Rating of {name} over {games}.").format(name=player.name, games=number_label(len(steps) - 1, "game"))
    series = [charts.Series(player.name, values)]
    return PlayerRatings(
        lines,
        shown,
        charts.line_chart(series, labels, charts.WIDE_FRAME, css="only-wide", title=title),
        charts.line_chart(series, labels, charts.NARROW_FRAME, css="only-narrow", title=title),
        len(steps) - 1,
    )


@prepared
def _ranked(*, player: int) -> QuerySet[Rating]:
    above = Rating.objects.filter(pool=OuterRef("pool"), rating__gt=OuterRef("rating")).order_by().values("pool")
    everybody = Rating.objects.filter(pool=OuterRef("pool")).order_by().values("pool")
    rated = (
        Rating.objects.filter(player=player)
        .select_related("pool")
        .annotate(
            above=Coalesce(Subquery(above.annotate(n=Count("pk")).values("n")), 0),
            rated=Subquery(everybody.annotate(n=Count("pk")).values("n")),
        )
    )
    return rated.order_by("-games", "pk")


def _steps(rating: Rating) -> list[tuple[float, str]]:
    """Return (rating, day) before the last games and after each of them, in order."""
    rows = list(_changes(STEPS_SHOWN, pool=rating.pool_id, player=rating.player_id))[::-1]
    if not rows:
        return []
    days = [timezone.localtime(at).date() if at else None for _, _, at in rows]
    names = {day: date_format(day, "DAY_FORMAT") if day else "" for day in days}
    return [(rows[0][0], _("before")), *[(after, names[day]) for (_, after, _), day in zip(rows, days, strict=True)]]


@prepared
def _changes(count: int, *, pool: int, player: int) -> QuerySet[RatingChange, tuple[float, float, datetime | None]]:
    changes = RatingChange.objects.filter(pool=pool, player=player).order_by("-position")
    return changes.values_list("before", "after", "game__finished_at")[:count]


@dataclass(frozen=True, slots=True)
class Leader:
    """A row of a leaderboard."""

    rank: int
    rating: Rating

    @property
    def provisional(self) -> bool:
        return elo.is_provisional(self.rating.games)


@dataclass(frozen=True, slots=True)
class Leaderboard:
    """A page of a pool's ratings, the best first, and all pools, each (pool, title, number of rated players)."""

    pools: Sequence[tuple[RatingPool, str, int]]
    pool: RatingPool | None
    page: Page[Leader] | None
    search: str


def leaderboard(pool: str, search: str, number: str) -> Leaderboard:
    """Return page `number` of a pool's ratings ("plates-bots"; the largest pool if it is ""), of players with `search`
    in their names. Two queries. Raises Http404."""
    pools = RatingPool.objects.annotate(rated=Count("ratings")).order_by("kind", "pool")
    listed = [(pool, KINDS[pool.kind].spec.title, pool.rated) for pool in pools if pool.rated]
    if pool:
        chosen = next((each for each, _, _ in listed if str(each.slug) == pool), None)
        if chosen is None:
            raise Http404(_("There is no such leaderboard."))
    else:
        chosen = max(listed, key=lambda each: each[2])[0] if listed else None
    if chosen is None:
        return Leaderboard([], None, None, search)
    rows: QuerySet[Any] = Rating.objects.filter(pool=chosen).order_by("-rating", "pk")
    if search:
        above = Rating.objects.filter(pool=chosen, rating__gt=OuterRef("rating")).order_by().values("pool")
        rows = rows.filter(player__name__icontains=search)
        rows = rows.annotate(above=Coalesce(Subquery(above.annotate(n=Count("pk")).values("n")), 0))
    page: Page[Any] = Page.of(rows.select_related("player__bot_version"), number, ROWS_PER_PAGE)
    first = (page.number - 1) * ROWS_PER_PAGE + 1
    ranks = {row.pk: first + index for index, row in enumerate(page.items)}
    return Leaderboard(
        listed, chosen, page.map(lambda row: Leader(row.above + 1 if search else ranks[row.pk], row)), search
    )
