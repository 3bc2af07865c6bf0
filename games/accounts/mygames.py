"""The games that a person plays, for pages and the API.

First come games that wait for the person, the shortest clock first, then games that wait for others, then finished
ones. A thousand games need as many queries as one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from django.db.models import Case, Exists, F, IntegerField, OuterRef, Prefetch, Q, QuerySet, Value, When
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from games.accounts.notices import title_with_players
from games.common import clock
from games.common.prepared import first_row, prepared
from games.eventlog import store as eventlog
from games.models import Game, PendingBundle, Player, Seat
from games.play import endings
from games.play.players import player_data
from games.play.signals import listing, looking_ahead
from games.visibility import acting, observe
from games.visibility.seats import attach_seats
from scorebook_games.gamelog import visibility
from scorebook_games.placings import result_mark
from scorebook_games.presentation.base import Thumbnail
from scorebook_games.registry import KINDS

MY_MOVE: Final = "mine"
OTHERS_MOVE: Final = "waiting"
OVER_FOR_ME: Final = "over"
MY_GAME_STATES: Final = (MY_MOVE, OTHERS_MOVE, OVER_FOR_ME)
SOON_WITHIN: Final = timedelta(hours=6)
MAX_THUMBNAILS: Final = 6  # games that wait for me and are shown with their table


@dataclass(frozen=True, slots=True)
class GameContext:
    """What another package knows of a game.

    It says what the game is part of, in `words` with an address, and once it is rated, how a player's rating changed.
    `path` has all that it is part of, each with its address, the outermost first; it is not made for lists. `name` is
    what the game is called there.
    """

    words: str
    url: str
    change: float | None = None
    path: Sequence[tuple[str, str]] = ()
    name: str = ""


@dataclass(frozen=True, slots=True)
class MyGameRow:
    """One game of a list.

    `state` is one of `MY_GAME_STATES`; `waits_for` are the players whom it waits for, as everybody knows. The figures
    of a `board` are by seat, as `players` are.
    """

    game: Game
    seat: int
    state: str
    title: str
    others: list[Player]
    waits_for: list[Player]
    left: timedelta | None
    result: str
    score: str
    ending: str
    gone: bool
    players: list[Player]
    about: GameContext | None = None
    board: Thumbnail | None = None

    @property
    def words(self) -> str:
        """Return the game as "Chinese Ten with Laura"."""
        return title_with_players(self.title, [player.name for player in self.others])

    @property
    def is_soon(self) -> bool:
        return self.left is not None and self.left < SOON_WITHIN

    @property
    def left_words(self) -> str:
        return "" if self.left is None else time_left_label(self.left)


@dataclass(frozen=True, slots=True)
class UpcomingGame:
    """Something that a person will play and that is not a game yet.

    `act` at `url` is what can be done about it; `wanted` says whether somebody waits for that.
    """

    title: str
    others: list[Player]
    about: str
    begins_at: datetime | None
    unless: str
    url: str
    act: str
    wanted: bool

    @property
    def words(self) -> str:
        """Return it as "Chinese Ten with Laura"."""
        return title_with_players(self.title, [player.name for player in self.others])


def upcoming_games(player: Player | None) -> list[UpcomingGame]:
    """Return what others have for `player` to play: the next first, those without a time last.

    Among those without a time, the ones that somebody waits for come first. The order does not depend on the order of
    the receivers.
    """
    if player is None:
        return []
    answers: list[Any] = [answer for _receiver, answer in looking_ahead.send(sender=Player, player=player)]
    far = datetime.max.replace(tzinfo=UTC)
    rows: list[UpcomingGame] = [row for answer in answers for row in answer]
    return sorted(rows, key=lambda row: (row.begins_at or far, not row.wanted, row.words, row.about))


# still sitting in a game that is on
STILL_PLAYING: Final = Q(left="", game__status=Game.Status.PLAYING)


def my_seats(player: Player | None) -> QuerySet[Seat]:
    """Return the seats of `player` (None: no seats) in the order of the list, each with its `rank`. Three queries."""
    everybody = Seat.objects.select_related("player__bot_version").order_by("seat")
    return listed_seats(player.pk if player else 0).prefetch_related(Prefetch("game__seats", everybody))


def listed_seats(player: int) -> QuerySet[Seat]:
    """Return the seats of `my_seats` without those of others. One query."""
    bundle_given = Exists(PendingBundle.objects.filter(game=OuterRef("game"), seat=OuterRef("seat")))
    may_act = Q(game__to_act__contains=[F("seat")]) | Q(game__begins_at__isnull=False)
    mine = STILL_PLAYING & may_act & ~Q(bundle_given)
    return (
        Seat.objects.filter(player=player)
        .annotate(
            rank=Case(
                When(mine, then=Value(0)),
                When(STILL_PLAYING, then=Value(1)),
                default=Value(2),
                output_field=IntegerField(),
            )
        )
        .select_related("game__deal")
        .order_by(
            "rank",
            Case(When(STILL_PLAYING, then=F("game__deadline"))).asc(nulls_last=True),
            F("game__finished_at").desc(nulls_last=True),
            "game__moved_at",
            "pk",
        )
    )


def waiting_seats(seats: QuerySet[Seat]) -> QuerySet[Seat]:
    """Return those of `my_seats` whose game waits for the player, the shortest clock first."""
    return seats.filter(rank=MY_GAME_STATES.index(MY_MOVE))  # type: ignore[misc]  # of my_seats


def is_my_turn(player_id: int) -> bool:
    """Return whether a game that has begun waits for this player's move. One query."""
    return _turns(player=player_id).exists()


@prepared
def _turns(*, player: int) -> QuerySet[Seat]:
    return waiting_seats(listed_seats(player)).filter(game__begins_at=None).order_by()[:1]


@prepared
def first_waiting(count: int, *, player: int) -> QuerySet[Seat]:
    """Return the first seats of `waiting_seats`."""
    return waiting_seats(listed_seats(player))[:count]


@prepared
def first_running(count: int, *, player: int) -> QuerySet[Seat]:
    """Return the first of `listed_seats` whose game is on and whose player still sits there."""
    return listed_seats(player).filter(STILL_PLAYING)[:count]


@prepared
def finished_part(begin: int, end: int, *, player: int) -> QuerySet[Seat]:
    """Return the others of `listed_seats` from one place to another, the latest first. They are sorted by their keys
    alone, because no index has this order."""
    over = listed_seats(player).filter(~STILL_PLAYING)
    seats = over.order_by(F("game__finished_at").desc(nulls_last=True), "game__moved_at", "pk")
    return seats.filter(pk__in=seats[begin:end].values("pk"))


def my_game_rows(seats: Sequence[Seat], user: acting.User, *, boards: bool = True) -> list[MyGameRow]:
    """Return rows about the games of `seats`, all of one player, for `user`; with tables where the player is to move,
    unless `boards` is False.

    Uses three queries and those of other packages.
    """
    if not seats:
        return []
    attach_seats([seat.game for seat in seats])
    about = game_contexts([seat.game_id for seat in seats], seats[0].player_id)
    shown = [seat for seat in seats if boards and my_game_state(seat) == MY_MOVE][:MAX_THUMBNAILS]
    drawn = thumbnails_of(shown, user) if shown else {}
    return [replace(my_game_row(seat), about=about.get(seat.game_id), board=drawn.get(seat.game_id)) for seat in seats]


def game_contexts(games: Sequence[int], player: int | None = None) -> dict[int, GameContext]:
    """Return what other packages know of these games, and of the rating of `player` in them."""
    answers: list[tuple[Any, Any]] = listing.send(sender=Player, player=player, games=games)
    return {game: value for _receiver, answer in answers for game, value in answer.items()}


def next_game(player: Player | None) -> Seat | None:
    """Return the seat of `player` in the game that waits most urgently for them; None if no game does."""
    found = first_row(first_waiting(1, player=player.pk)) if player else None
    if found is not None:
        attach_seats([found.game])
    return found


def thumbnails_of(seats: Sequence[Seat], user: acting.User) -> dict[int, Thumbnail | None]:
    """Return each game's table as the player sees it, or as the public does if `user` looks on in support.

    One query.
    """
    logs = eventlog.read_streams([seat.game.stream_id for seat in seats])
    support = acting.is_impersonated(user)
    return {
        seat.game_id: observe.visible_thumbnail(
            seat.game, logs[seat.game.stream_id], visibility.PUBLIC if support else seat.seat
        )
        for seat in seats
    }


def my_game_state(seat: Seat) -> str:
    """Return one of `MY_GAME_STATES`."""
    rank: int = seat.rank  # type: ignore[attr-defined]  # of seats_of
    return MY_GAME_STATES[rank]


def my_game_row(seat: Seat) -> MyGameRow:
    """Return the row of one game. It says how the game ended once everybody may know."""
    game = seat.game
    state = my_game_state(seat)
    others = [other for other in game.seats.all() if other.seat != seat.seat]
    waiting = [other.player for other in others if other.seat in game.to_act]
    public = observe.is_result_public(game)
    running = state != OVER_FOR_ME
    return MyGameRow(
        game=game,
        seat=seat.seat,
        state=state,
        title=KINDS[game.kind].spec.title,
        others=[other.player for other in others],
        waits_for=waiting if running else [],
        left=game.deadline - clock.now() if running and game.deadline else None,
        result=result_mark(seat.placing, [other.placing for other in others]) if public else "",
        score=score_label(game, seat) if public else "",
        ending=endings.termination_label_of(game) if public else "",
        gone=bool(seat.left),
        players=[other.player for other in game.seats.all()],
    )


def score_label(game: Game, seat: Seat) -> str:
    """Return the scores as "430–355", one's own first."""
    seats = sorted(game.seats.all(), key=lambda each: (each.seat != seat.seat, each.seat))
    scores = [seat.score for seat in seats]
    return "–".join(str(score).replace("-", "−") for score in scores) if None not in scores else ""


def time_left_label(left: timedelta) -> str:
    """Return the time left as "in 2 days", "in 5 hours" or "in 20 minutes"."""
    minutes = max(0, int(left.total_seconds() // 60))
    if minutes >= 2 * 24 * 60:
        return ngettext("in {n} day", "in {n} days", minutes // 1440).format(n=minutes // 1440)
    if minutes >= 60:
        return ngettext("in {n} hour", "in {n} hours", minutes // 60).format(n=minutes // 60)
    if minutes:
        return ngettext("in {n} minute", "in {n} minutes", minutes).format(n=minutes)
    return _("in less than a minute")


def my_game_data(seat: Seat) -> dict[str, Any]:
    """Return `my_game_row` as JSON data."""
    row = my_game_row(seat)
    return {
        "id": row.game.public_id,
        "kind": row.game.kind,
        "title": row.title,
        "seat": row.seat,
        "state": row.state,
        "others": [player_data(player) for player in row.others],
        "waits_for": [player_data(player) for player in row.waits_for],
        "begins_at": row.game.begins_at,
        "deadline": row.game.deadline if row.left is not None else None,
        "seconds_left": max(0, int(row.left.total_seconds())) if row.left is not None else None,
        "left": row.gone,
        "result": row.result,
        "score": row.score,
        "termination": (row.game.outcome or {}).get("termination") if row.result else None,
        "opened_at": row.game.opened_at,
        "finished_at": row.game.finished_at if observe.is_result_public(row.game) else None,
    }
