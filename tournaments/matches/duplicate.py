"""Compares the scores that the tables of a round made with the same cards, for the page of a match. Results of games
that others still play with these cards stay hidden."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from django.db.models import Count, Exists, OuterRef, Prefetch, Q, QuerySet, Sum

from games.models import Game, Player, Seat
from games.play.departures import FORFEITED
from games.visibility.observe import is_sealed
from scorebook_games.registry import KINDS
from tournaments.core.no_shows import absent_seats
from tournaments.matches.rows import MatchRow, result_counts
from tournaments.seasons.models import BoardPlayer, MatchEntrant, MatchGame
from tournaments.seasons.settings import DUPLICATE_DEALS

MAX_OTHER_TABLES = 12  # other tables of the round that are shown


@dataclass(frozen=True, slots=True)
class OtherTable:
    """The score of a player with the same hand at another table or in another game."""

    table: int
    game: Game
    player: Player
    score: int


@dataclass(frozen=True, slots=True)
class SeatComparison:
    """A player's score with the cards of a seat in game `number` of the match. `mean` is the average of all other
    scores with these cards, of which `others` are the ones shown; `ahead` is by how much the score is better."""

    number: int
    seat: int
    player: Player
    score: int
    others: list[OtherTable]
    mean: Fraction
    ahead: Fraction


@dataclass(frozen=True, slots=True)
class DuplicateDeal:
    """A deal of a match. `games` are the numbers of the match's games with it; `sealed`: whether it is still in play;
    `in_play`: the other tables that play it.

    When all is known: `hands` are the match's comparisons, [] if nobody else has played the deal; `more` is how many
    other games with it are not shown; `lowest`: whether the lowest score is the best.
    """

    games: list[int]
    sealed: bool = False
    in_play: list[int] = field(default_factory=list)
    hands: list[SeatComparison] = field(default_factory=list)
    more: int = 0
    lowest: bool = False


def duplicate_deals(line: MatchRow) -> list[DuplicateDeal]:
    """Return the deals of a match, in the order of its games; [] in a season without duplicate deals. Seven queries,
    and two logs for each forfeited game."""
    season = line.match.round.division.season
    if season.settings["deals"] != DUPLICATE_DEALS:
        return []
    games_by_deal: dict[int, list[MatchGame]] = {}
    for game in line.games:
        if not game.ruling and (result_counts(game) or is_sealed(game.game)):
            games_by_deal.setdefault(game.game.deal_id, []).append(game)
    lowest = KINDS[season.kind].spec.best == "lowest"
    tables, known = (
        _tables_in_play(line, list(games_by_deal)),
        [deal for deal, games in games_by_deal.items() if result_counts(games[0])],
    )
    sums, rows = _score_sums(line, known), _games_by_deal(line, known)
    return [
        _seat_comparisons(games, sums[deal], rows[deal], lowest=lowest)
        if deal in known
        else _sealed_deal(games, tables.get(deal, []))
        for deal, games in games_by_deal.items()
    ]


def _tables_in_play(line: MatchRow, deals: Sequence[int]) -> dict[int, list[int]]:
    """Return deal → the other tables that are playing it."""
    on = MatchGame.objects.filter(game__deal__in=deals, game__status=Game.Status.PLAYING)
    playing = on.filter(match__round=line.match.round_id).exclude(match=line.match).order_by("match__table")
    tables: dict[int, list[int]] = {}
    for deal, table in playing.values_list("game__deal", "match__table"):
        tables.setdefault(deal, []).append(table)
    return tables


def _no_show_games(line: MatchRow, deals: Sequence[int]) -> list[int]:
    """Return the ids of the round's games with these deals in which a player was absent."""
    forfeited = MatchGame.objects.filter(
        match__round=line.match.round_id, game__deal__in=deals, game__seats__left=FORFEITED
    )
    return [one.pk for one in forfeited.select_related("game").distinct() if absent_seats(one.game)]


def _compared_games(line: MatchRow, deals: Sequence[int]) -> QuerySet[MatchGame]:
    """Return the round's games with these deals that are compared: nobody was absent, and no built-in bot filled a
    seat."""
    entrant = MatchEntrant.objects.filter(match=OuterRef(OuterRef("match")), entrant__player=OuterRef("player"))
    at_board = BoardPlayer.objects.filter(match=OuterRef(OuterRef("match")), player=OuterRef("player"))
    stranger = Seat.objects.filter(~Exists(entrant), ~Exists(at_board), game=OuterRef("game"))
    finished = Q(game__status=Game.Status.FINISHED, ruling=MatchGame.Ruling.NONE, recorded_at__isnull=False)
    of_deals = MatchGame.objects.filter(finished, match__round=line.match.round_id, game__deal__in=deals)
    return of_deals.filter(~Exists(stranger)).exclude(pk__in=_no_show_games(line, deals))


ScoreSums = dict[int, tuple[int, int]]  # seat → (sum of the scores made there, their number)


def _score_sums(line: MatchRow, deals: Sequence[int]) -> dict[int, ScoreSums]:
    """Return deal → `ScoreSums`."""
    seats = Seat.objects.filter(game__in=_compared_games(line, deals).values("game")).order_by("seat")
    sums: dict[int, ScoreSums] = {deal: {} for deal in deals}
    for seat in seats.values("game__deal", "seat").annotate(total=Sum("score"), n=Count("pk")):
        sums[seat["game__deal"]][seat["seat"]] = (seat["total"], seat["n"])
    return sums


def _games_by_deal(line: MatchRow, deals: Sequence[int]) -> dict[int, list[MatchGame]]:
    """Return deal → the games of the match and those of the first tables."""
    seats = Prefetch("game__seats", Seat.objects.select_related("player__bot_version"))
    shown = _compared_games(line, deals).filter(Q(match=line.match) | Q(match__table__lte=MAX_OTHER_TABLES))
    rows: dict[int, list[MatchGame]] = {deal: [] for deal in deals}
    for row in shown.select_related("game", "match").prefetch_related(seats).order_by("match__table", "number"):
        rows[row.game.deal_id].append(row)
    return rows


def _sealed_deal(games: Sequence[MatchGame], in_play: list[int]) -> DuplicateDeal:
    return DuplicateDeal([game.number for game in games], sealed=True, in_play=in_play)


def _seat_comparisons(
    games: Sequence[MatchGame], sums: ScoreSums, rows: list[MatchGame], *, lowest: bool
) -> DuplicateDeal:
    """Return a deal with its comparisons; without any if nobody else has played it, a player was absent, or a built-in
    bot filled a seat."""
    played = max((count for _total, count in sums.values()), default=0)
    rows_of_match = [row for row in rows if row.match_id == games[0].match_id] if played > 1 else []
    hands = [
        _seat_comparison(row, seat, rows, sums[seat.seat], lowest=lowest)
        for row in rows_of_match
        for seat in row.game.seats.all()
    ]
    return DuplicateDeal([game.number for game in games], hands=hands, more=played - len(rows), lowest=lowest)


def _seat_comparison(
    counted: MatchGame, seat: Seat, rows: Iterable[MatchGame], made: tuple[int, int], *, lowest: bool
) -> SeatComparison:
    total, count = made
    score = _seat_score(seat)
    mean = Fraction(total - score, count - 1)
    others = [
        OtherTable(row.match.table, row.game, each.player, _seat_score(each))
        for row in rows
        for each in row.game.seats.all()
        if row.pk != counted.pk and each.seat == seat.seat
    ]
    return SeatComparison(
        counted.number, seat.seat, seat.player, score, others, mean, mean - score if lowest else score - mean
    )


def _seat_score(seat: Seat) -> int:
    assert seat.score is not None, "A game that counts has scores."
    return seat.score
