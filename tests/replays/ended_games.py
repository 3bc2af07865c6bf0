"""Games that ended in each of the ways in which a game can end, at two seats and at more.

`ENDINGS` is the one list of them. Each function opens a game of its people, ends it, and returns it. Tests that ask
something of every finished game go over `ended_games`.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from itertools import count
from typing import Any, Final

from django.contrib.auth.models import User

from games.common import clock
from games.models import Bot, BotVersion, Deal, Game, Player
from games.play import continuation, offers
from games.play import services as play
from scorebook_games.gamelog import events as ev
from tests.factories.games import TO_THE_END, play_game
from tests.fixtures.saved_rows import world
from tests.replays.conftest import play_on
from tests.tournaments.club import BEGIN
from tournaments.director import overdue_games

Ending = Callable[[list[Player]], Game]
ENDINGS: Final[dict[str, tuple[int, Ending]]] = {}
LEAVER_ENDS: Final[dict[str, Any]] = {"leaver": "end"}
CHECK_IN: Final[dict[str, Any]] = {"move_seconds": 30, "check_in_minutes": 30}
EIGHT: Final = BEGIN + timedelta(minutes=30)
GRACE_END: Final = EIGHT + timedelta(minutes=10)


def ending(*seats: int) -> Callable[[Ending], Ending]:
    """Enter a way in which a game of so many people ends, for each number of seats."""

    def enter(end: Ending) -> Ending:
        ENDINGS.update({f"{end.__name__} of {number}": (number, end) for number in seats})
        return end

    return enter


def opened(players: list[Player], kind: str = "chinese_ten", **terms: Any) -> Game:
    options = {"packs": 1} if kind == "chinese_ten" else {}
    begins = EIGHT if "check_in_minutes" in terms else None
    deal = Deal.objects.create(seed=bytes(range(32)))
    return play.open_game(kind=kind, players=players, options=options, terms=terms, deal=deal, begins=begins)


def built_in(program: str = "random") -> Player:
    bot, _new = Bot.objects.get_or_create(name=program)
    version, _new = BotVersion.objects.get_or_create(bot=bot, number=1, transport="built_in", program=program)
    return Player.objects.get_or_create(name=program, bot_version=version)[0]


def at(moment: datetime, game: Game) -> Game:
    """Let the clocks be looked at then."""
    game.refresh_from_db()
    with clock.frozen_at(moment):
        play.expire_clocks(game=game)
    return game


def leave(game: Game, *seats: int, how: str = "resigned") -> Game:
    for seat in seats:
        play.leave_game(game=game, seat=seat, how=how)
    return game


def play_out(game: Game, moves: int = TO_THE_END) -> Game:
    """Play first legal moves, at most so many or to the end, also for those who left."""
    return play_game(game, moves=moves)


def play_until_awaited(game: Game) -> Game:
    """Let bots move until a person is awaited."""
    while play.load_unit(game).people_awaited() == []:
        play_out(game, 1)
    return game


# -- by the rules


@ending(2, 4)
def played_to_its_end(players: list[Player]) -> Game:
    return play_on(opened(players))


@ending(2, 3)
def stopped_at_its_turn_limit(players: list[Player]) -> Game:
    deal = Deal.objects.create(seed=bytes(range(32)))
    return play_on(play.open_game(kind="chinese_ten", players=players, options={"turn_limit": 4}, deal=deal))


@ending(3)
def taken_over_and_played_to_its_end(players: list[Player]) -> Game:
    return play_out(leave(play_on(opened(players), 3), 1))


# -- by departures


@ending(2)
def resigned(players: list[Player]) -> Game:
    return leave(play_on(opened(players), 3), 0)


@ending(2, 3)
def resigned_before_the_first_move(players: list[Player]) -> Game:
    return leave(opened(players, **LEAVER_ENDS), 1)


@ending(3)
def resigned_where_the_first_to_leave_ends_it(players: list[Player]) -> Game:
    return leave(play_on(opened(players, **LEAVER_ENDS), 3), 2)


@ending(3)
def resigned_by_all(players: list[Player]) -> Game:
    return leave(play_on(opened(players), 3), *range(len(players)))


@ending(2, 3)
def forfeited(players: list[Player]) -> Game:
    return leave(play_on(opened(players, **LEAVER_ENDS), 2), 0, how="forfeited")


@ending(2, 3)
def out_of_time(players: list[Player]) -> Game:
    return at(BEGIN + timedelta(days=1), play_on(opened(players, move_seconds=30, **LEAVER_ENDS), 2))


@ending(3)
def out_of_time_one_after_another(players: list[Player]) -> Game:
    game = play_on(opened(players, move_seconds=30), 2)
    for day in range(1, 4):
        at(BEGIN + timedelta(days=day), play_until_awaited(game))
    return game


@ending(2, 3)
def out_of_time_in_beats(players: list[Player]) -> Game:
    game = opened(players, "plate_spinner", pace="beats", move_seconds=30, **LEAVER_ENDS)
    return at(BEGIN + timedelta(days=1), game)


@ending(2)
def resigned_just_after_the_clock_ran_out_in_a_beat(players: list[Player]) -> Game:
    """A bot's bundle stands in for seat 0, and the game still waits for seat 1."""
    game = opened(players, "plate_spinner", pace="beats", move_days=1, expiry="built_in_bot")
    play.change_game(game, lambda _unit: [[ev.EXPIRED, 0]])
    return leave(game, 0)


# -- nobody comes, or not everybody


@ending(2, 3)
def nobody_checks_in(players: list[Player]) -> Game:
    return at(GRACE_END, opened(players, **CHECK_IN))


@ending(2, 3)
def nobody_checks_in_where_bots_would_play(players: list[Player]) -> Game:
    return at(GRACE_END, opened(players, no_show="built_in_bot", **CHECK_IN))


@ending(2, 3)
def nobody_checks_in_beside_a_bot(players: list[Player]) -> Game:
    return at(GRACE_END, opened([*players, built_in()], **CHECK_IN))


@ending(3)
def nobody_checks_in_after_one_resigned(players: list[Player]) -> Game:
    return at(GRACE_END, leave(opened(players, **CHECK_IN), 1))


@ending(2, 3)
def one_does_not_check_in(players: list[Player]) -> Game:
    game = opened(players, **CHECK_IN, **LEAVER_ENDS)
    for seat in range(1, len(players)):
        play.mark_ready(game=game, seat=seat)
    return at(GRACE_END, game)


@ending(3)
def only_one_checks_in(players: list[Player]) -> Game:
    game = opened(players, **CHECK_IN, **LEAVER_ENDS)
    play.mark_ready(game=game, seat=1)
    return at(GRACE_END, game)


@ending(2)
def resigned_before_it_begins(players: list[Player]) -> Game:
    return leave(opened(players, **CHECK_IN), 0)


# -- the round is over


def round_over(game: Game) -> Game:
    assert overdue_games.forfeit_waiting_seats(game)
    return game


@ending(2, 3)
def nobody_moves_before_the_round_is_over(players: list[Player]) -> Game:
    return round_over(opened(players))


@ending(2, 3)
def nobody_moves_beside_a_bot_before_the_round_is_over(players: list[Player]) -> Game:
    return round_over(opened([*players, built_in()]))


@ending(2, 3)
def the_awaited_player_loses_when_the_round_is_over(players: list[Player]) -> Game:
    return round_over(play_on(opened(players), len(players) + 1))


@ending(2, 3)
def who_never_moved_loses_when_the_round_is_over(players: list[Player]) -> Game:
    return round_over(play_on(opened(players), 1))


@ending(3)
def the_round_is_over_after_one_was_taken_over(players: list[Player]) -> Game:
    return round_over(play_until_awaited(leave(play_on(opened(players), 4), 0)))


@ending(3)
def nobody_else_moves_after_one_was_taken_over(players: list[Player]) -> Game:
    return round_over(leave(opened(players), 2))


@ending(2, 3)
def the_round_is_over_before_anybody_checked_in(players: list[Player]) -> Game:
    return round_over(opened(players, **CHECK_IN))


@ending(2, 3)
def the_round_is_over_before_all_checked_in(players: list[Player]) -> Game:
    game = opened(players, **CHECK_IN)
    play.mark_ready(game=game, seat=1)
    return round_over(game)


@ending(2, 3)
def the_round_is_over_before_a_race_began(players: list[Player]) -> Game:
    return round_over(opened(players, "plate_spinner", pace="live"))


@ending(2, 3)
def nobody_gives_a_bundle_before_the_round_is_over(players: list[Player]) -> Game:
    return round_over(opened(players, "plate_spinner", pace="beats"))


@ending(3)
def the_round_is_over_after_a_clock_ran_out_in_a_beat(players: list[Player]) -> Game:
    """A bot's bundle stands in for seat 2, whose clock ran out before the others' did."""
    game = opened(players, "plate_spinner", pace="beats", move_days=1, expiry="built_in_bot")
    play.change_game(game, lambda _unit: [[ev.EXPIRED, 2]])
    return round_over(game)


# -- without a result


@ending(2, 3)
def aborted_before_the_first_move(players: list[Player]) -> Game:
    game = opened(players)
    play.abort_game(game=game, reason="The hall was flooded.")
    return game


@ending(2, 3)
def aborted_before_anybody_checked_in(players: list[Player]) -> Game:
    game = opened(players, **CHECK_IN)
    play.abort_game(game=game)
    return game


@ending(2, 3)
def aborted_by_agreement(players: list[Player]) -> Game:
    game = play_on(opened(players), 3)
    for seat in range(len(players)):
        offers.offer_abort(game=game, seat=seat)
    return game


@ending(2)
def aborted_early_by_one(players: list[Player]) -> Game:
    game = opened(players, may_abort="early")
    offers.offer_abort(game=game, seat=0)
    return game


@ending(3)
def aborted_as_the_last_who_did_not_agree_leaves(players: list[Player]) -> Game:
    game = play_on(opened(players), 3)
    for seat in (0, 1):
        offers.offer_abort(game=game, seat=seat)
    return leave(game, 2)


# -- continued


def continued(source: Game, seat: int = 0) -> Game:
    """Let the player of a seat continue the game from some events before its end."""
    player = source.seats.get(seat=seat).player
    game, _new = continuation.continue_from(source, source.version - 8, seat, player, "random")
    return game


@ending(2)
def continued_and_resigned(players: list[Player]) -> Game:
    return leave(continued(play_on(opened(players))), 0)


@ending(2, 3)
def continued_and_aborted(players: list[Player]) -> Game:
    game = continued(play_on(opened(players)))
    play.abort_game(game=game)
    return game


@ending(3)
def continued_to_its_end_where_one_had_left(players: list[Player]) -> Game:
    return play_out(continued(play_out(leave(play_on(opened(players), 3), 1))))


@world
def ended_games() -> dict[str, int]:
    """Return a game for each of `ENDINGS`, by its name. Each has people of its own."""
    numbers = count(1)

    def person() -> Player:
        number = next(numbers)
        return Player.objects.create(name=f"Person {number}", user=User.objects.create_user(f"person-{number}"))

    ended = {}
    for name, (seats, end) in ENDINGS.items():
        with clock.frozen_at(BEGIN):
            ended[name] = end([person() for _ in range(seats)]).pk
    return ended
