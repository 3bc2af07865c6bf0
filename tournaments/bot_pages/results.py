"""Against whom a version of a bot has played, and how these games ended: counted by PostgreSQL in its latest games.

A game counts as soon as everybody may know its result, and only for readers who may see it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final

from django.db.models import Count, F, OuterRef, Q, QuerySet, Subquery
from django.utils.translation import gettext as _

from games.common.page_pagination import Page
from games.models import BotVersion, Game, Player, Seat
from games.visibility import audience, observe
from games.visibility.audience import User
from scorebook_games.registry import KINDS

MAX_GAMES_COUNTED: Final = 1000  # the latest of a version
ROWS_PER_PAGE: Final = 25


@dataclass(frozen=True, slots=True)
class ResultCounts:
    """How often a bot finished ahead of an opponent, level with it, and behind it."""

    games: int
    won: int
    drawn: int
    lost: int

    @classmethod
    def total(cls, parts: Iterable[ResultCounts]) -> ResultCounts:
        """Return the sum of some counts."""
        rows = [(part.games, part.won, part.drawn, part.lost) for part in parts]
        return cls(*map(sum, zip(*rows, strict=True))) if rows else cls(0, 0, 0, 0)

    @property
    def percent(self) -> int:
        """The share of the points, in percent."""
        return round(100 * (self.won + self.drawn / 2) / self.games) if self.games else 0


@dataclass(frozen=True, slots=True)
class SeatCounts:
    """The results in one seat, from 0; None if it never sat there."""

    seat: int
    results: ResultCounts | None


@dataclass(frozen=True, slots=True)
class OpponentCounts:
    """The results against one opponent in one kind at tables of one size, in all seats and in each."""

    opponent: Annotated[int, "The id of the player."]
    kind: str
    seats: Annotated[int, "The size of the table."]
    results: ResultCounts
    by_seat: list[SeatCounts]

    @property
    def title(self) -> str:
        return KINDS[self.kind].spec.title if self.kind in KINDS else self.kind


@dataclass(frozen=True, slots=True)
class OpponentRow:
    """An opponent by name, with the results against it."""

    player: Player
    counts: OpponentCounts


@dataclass(frozen=True, slots=True)
class Matrix:
    """The results of a version in its latest games: `games` of them, by kind, and a page of those by opponent."""

    games: int
    by_kind: list[OpponentCounts]
    page: Page[OpponentRow]

    @property
    def seats(self) -> range:
        """The seats of the largest table that is shown, from 1."""
        shown = [*self.by_kind, *(row.counts for row in self.page.items)]
        return range(1, max((row.seats for row in shown), default=0) + 1)


def counted_seats(player: int, viewer: User) -> QuerySet[Seat]:
    """Return the seats of `player` in its latest finished games, without trials, whose results `viewer` may know."""
    games = Game.objects.filter(audience.visible_to(viewer), observe.result_is_public())
    seats = Seat.objects.filter(player=player, placing__isnull=False, game__in=games)
    seats = seats.filter(game__trial=None, game__status=Game.Status.FINISHED)
    return seats.order_by("-game", "seat")[:MAX_GAMES_COUNTED]


def open_games(player: int, viewer: User) -> list[int]:
    """Return the ids of the latest counted games of `player` of which everything may be seen, the earliest first. One
    query."""
    found = counted_seats(player, viewer).values_list("game", "game__deal__revealed_at")
    return sorted({game for game, revealed_at in found if revealed_at is not None})


def opponent_counts(player: int, viewer: User, kind: str = "") -> list[OpponentCounts]:
    """Return the results of `player` by opponent, kind and size of the table: those against most frequent opponents
    first. One query."""
    other = Q(game__seats__seat__lt=F("seat")) | Q(game__seats__seat__gt=F("seat"))
    at_table = Seat.objects.filter(game=OuterRef("game")).order_by().values("game").annotate(n=Count("pk")).values("n")
    rows = Seat.objects.filter(pk__in=counted_seats(player, viewer).values("pk"))
    rows = rows.filter(game__kind=kind) if kind else rows
    rows = rows.filter(other, game__seats__placing__isnull=False).order_by().annotate(size=Subquery(at_table))
    counted = rows.values("game__seats__player", "game__kind", "size", "seat").annotate(
        games=Count("pk"),
        won=Count("pk", filter=Q(placing__lt=F("game__seats__placing"))),
        lost=Count("pk", filter=Q(placing__gt=F("game__seats__placing"))),
    )
    by_table: dict[tuple[int, str, int], dict[int, ResultCounts]] = {}
    for row in counted:
        place = row["game__seats__player"], row["game__kind"], row["size"]
        drawn = row["games"] - row["won"] - row["lost"]
        by_table.setdefault(place, {})[row["seat"]] = ResultCounts(row["games"], row["won"], drawn, row["lost"])
    found = [_counts(*place, seats) for place, seats in by_table.items()]
    games: dict[int, int] = {}
    for each in found:
        games[each.opponent] = games.get(each.opponent, 0) + each.results.games
    return sorted(found, key=lambda each: (-games[each.opponent], each.opponent, each.kind, each.seats))


def _counts(opponent: int, kind: str, size: int, seats: dict[int, ResultCounts]) -> OpponentCounts:
    by_seat = [SeatCounts(seat, seats.get(seat)) for seat in range(size)]
    return OpponentCounts(opponent, kind, size, ResultCounts.total(seats.values()), by_seat)


def counts_by_kind(rows: Sequence[OpponentCounts]) -> list[OpponentCounts]:
    """Return the results against all opponents, by kind and size of the table; their `opponent` is 0."""
    tables: dict[tuple[str, int], list[OpponentCounts]] = {}
    for row in rows:
        tables.setdefault((row.kind, row.seats), []).append(row)
    found = []
    for (kind, size), same in tables.items():
        seats = {
            seat: ResultCounts.total(part)
            for seat in range(size)
            if (part := [counts for row in same if (counts := row.by_seat[seat].results)])
        }
        found.append(_counts(0, kind, size, seats))
    return sorted(found, key=lambda each: (-each.results.games, each.kind, each.seats))


def matrix(version: BotVersion, viewer: User, kind: str = "", number: str = "") -> Matrix:
    """Return page `number` of the results of a version, also of one kind only. Three queries. Raises Http404."""
    rows = opponent_counts(version.player.pk, viewer, kind)
    counted = Seat.objects.filter(pk__in=counted_seats(version.player.pk, viewer).values("pk"))
    games = (counted.filter(game__kind=kind) if kind else counted).count()
    page = Page.of_list(rows, number, ROWS_PER_PAGE)
    return Matrix(games, counts_by_kind(rows), page.map(named(page.items)))


def unknown_kind_sentence(kind: str) -> str:
    """Return the sentence that lists the kinds."""
    return _("There is no kind {kind!r}. Choose one of {known}.").format(kind=kind[:40], known=", ".join(KINDS))


def named(rows: Sequence[OpponentCounts]) -> Any:
    """Return a function that gives a row the player of its opponent. One query."""
    players = Player.objects.select_related("bot_version").in_bulk({row.opponent for row in rows})
    return lambda row: OpponentRow(players[row.opponent], row)
