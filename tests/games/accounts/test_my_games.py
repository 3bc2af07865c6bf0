"""My games: first those that wait for me, the shortest clock first, then those that wait for others, then finished
ones."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from games.accounts import mygames
from games.common import clock
from games.models import Deal, Game, Player
from games.play import beats
from games.play import services as play_services
from games.play.signals import looking_ahead
from scorebook_games.gamelog import pacing, visibility
from tests.assertions.page import Page
from tests.games.accounts.conftest import A_DAY, NOON, Opened, Played, play_out, signed_in, until_turn_of

pytestmark = pytest.mark.django_db


def lines(player: Player, at: Any = NOON) -> list[mygames.MyGameRow]:
    with clock.frozen_at(at):
        return [mygames.my_game_row(seat) for seat in mygames.my_seats(player)]


def test_games_stand_in_the_order_in_which_they_press(
    martha: Player, laura: Player, otto: Player, opened: Opened, play: Played
) -> None:
    over = play_out(opened(martha, laura), play)
    theirs = opened(laura, martha)
    unhurried = opened(martha, otto, move_seconds=None)
    later = opened(martha, otto, move_seconds=3 * A_DAY)
    soon = opened(martha, laura, move_seconds=A_DAY)
    found = lines(martha)
    assert [line.game for line in found] == [soon, later, unhurried, theirs, over]
    assert [line.state for line in found] == ["mine", "mine", "mine", "waiting", "over"]
    assert [line.left_words for line in found] == ["in 24 hours", "in 3 days", "", "in 24 hours", ""]
    assert [player.name for player in found[3].waits_for] == ["Laura"]


def test_what_is_ahead_stands_in_an_order_that_its_rows_give(martha: Player) -> None:
    def row(about: str, begins_at: Any = None, *, wanted: bool = False) -> mygames.UpcomingGame:
        return mygames.UpcomingGame("Palace", [], about, begins_at, "", "", "", wanted)

    listed = [row("at noon", NOON), row("asks me", wanted=True), row("a match"), row("b match")]
    found = []
    for order in (listed, listed[::-1]):
        rows = iter(order)
        receivers = [lambda rows=rows, **_signal: [next(rows)] for _each in order]
        for receiver in receivers:
            looking_ahead.connect(receiver, weak=False)
        found.append([each for each in mygames.upcoming_games(martha) if each in listed])
        for receiver in receivers:
            looking_ahead.disconnect(receiver)
    assert found == [listed, listed]


def test_the_page_says_whom_each_game_waits_for_and_until_when_in_my_zone(
    martha: Player, laura: Player, otto: Player, opened: Opened
) -> None:
    game = opened(martha, laura)
    opened(otto, martha)
    with clock.frozen_at(NOON + timedelta(hours=20)):
        page = Page.of(signed_in(martha).get("/me/games/"))
    assert page.faults() == []
    assert (1, "It is your turn in one game") in page.headings
    assert "in 4 hours" in page.text
    times = [attrs["datetime"] for tag, attrs in page.tags if tag == "time"]
    assert (NOON + timedelta(days=1)).isoformat() in times
    assert "12:00" in page.text  # Dublin in winter
    assert page.marks() == ["wait"]
    assert f"/games/{game.public_id}/" in page.links()


def test_the_same_deadline_reads_differently_in_new_york(martha: Player, laura: Player, opened: Opened) -> None:
    opened(laura, martha)
    with clock.frozen_at(NOON):
        assert "07:00" in Page.of(signed_in(laura).get("/me/games/")).text


def test_after_my_bundle_a_game_in_beats_waits_for_the_others(martha: Player, laura: Player, opened: Opened) -> None:
    game = opened(martha, laura, kind="plate_spinner", pace="beats")
    fold = play_services.load_game(game)
    moves = (fold.rules.parse_move(fold.state, text) for text in visibility.legal_moves(fold, 0))
    ending = next(action for action in moves if pacing.ends_bundle(fold.rules, fold.state, action))
    with clock.frozen_at(NOON):
        beats.give_bundle(game=game, seat=0, beat=1, moves=[fold.rules.move_text(fold.state, ending)])
    assert [line.state for line in lines(martha)] == ["waiting"]
    assert [line.state for line in lines(laura)] == ["mine"]
    assert [player.name for player in lines(laura)[0].waits_for] == ["Martha"], "who has given is not told"


def test_a_secret_chance_is_not_my_turn_in_a_list_that_says_whose_turn_it_is(
    martha: Player, laura: Player, opened: Opened, wink: Any
) -> None:
    """PA, quick throw: the list shows what everybody knows about whose turn it is."""
    wink.owner = 1
    opened(martha, laura, kind="wink")
    assert [line.state for line in lines(laura)] == ["waiting"]


def test_a_result_is_told_when_everybody_may_know_it(
    martha: Player, laura: Player, opened: Opened, play: Played
) -> None:
    shared = Deal.objects.create(seed=bytes(range(32)))
    with clock.frozen_at(NOON):
        terms = {"sealed": True}
        games = [
            play_services.open_game(kind="chinese_ten", players=[martha, laura], deal=shared, terms=terms)
            for _ in range(2)
        ]
    first = play_out(games[0], play)
    line = next(line for line in lines(martha) if line.game == first)
    assert (line.state, line.result, line.score) == ("over", "", "")
    assert "Sealed" in Page.of(signed_in(martha).get("/me/games/")).text
    play_out(games[1], play)
    match = next(line for line in lines(martha) if line.game == first)
    mirrored = next(line for line in lines(laura) if line.game == first)
    assert {match.result, mirrored.result} in ({"W", "L"}, {"D"})
    assert match.score == "–".join(reversed(mirrored.score.split("–")))


def test_a_table_that_i_left_is_over_for_me(martha: Player, laura: Player, otto: Player, opened: Opened) -> None:
    game = opened(martha, laura, otto)
    play_services.leave_game(game=game, seat=0, how="resigned")
    assert [(line.state, line.gone, line.result) for line in lines(martha)] == [("over", True, "")]
    assert "you left" in Page.of(signed_in(martha).get("/me/games/")).text


def test_a_game_that_ended_before_its_last_move_says_how(martha: Player, laura: Player, opened: Opened) -> None:
    with clock.frozen_at(NOON):
        play_services.leave_game(game=opened(martha, laura), seat=0, how="resigned")
    assert [(line.result, line.ending) for line in (*lines(martha), *lines(laura))] == [
        ("L", "by resignation"),
        ("W", "by resignation"),
    ]
    assert "by resignation" in Page.of(signed_in(laura).get("/me/games/")).text
    [result] = signed_in(laura).get("/api/v1/me/games/").json()["results"]
    assert result["termination"] == "resigned"


def test_without_games_the_page_says_where_to_find_some(otto: Player) -> None:
    page = Page.of(signed_in(otto).get("/me/games/"))
    assert (1, "You have no running games") in page.headings
    assert page.faults() == []
    assert {"/watch/", "/clubs/"} <= set(page.links())
    # the page also says how much time a player has
    pace = page.text.partition("Your time")[2]
    assert "30 days" in pace
    assert "12 hours, 2 hours before" in pace


def test_many_games_cost_as_many_queries_as_one(
    martha: Player, join: Callable[..., Player], opened: Opened, play: Played
) -> None:
    client = signed_in(martha)

    def cost() -> list[int]:
        costs = []
        for path in ("/me/games/", "/api/v1/me/games/"):
            with CaptureQueriesContext(connection) as asked:
                assert client.get(path).status_code == 200
            costs.append(len(asked))
        return costs

    def three(player: Player) -> None:
        opened(martha, player)
        opened(player, martha)
        play_out(opened(martha, player, kind="chinese_ten"), play)

    three(join("Ines"))
    cost()  # the first request counts what the header shows, and caches it for a minute
    few = cost()
    for name in ("Oona", "Nils"):
        three(join(name))
    assert cost() == few


def test_finished_games_come_in_pages(martha: Player, laura: Player, opened: Opened) -> None:
    for _ in range(22):
        play_services.abort_game(game=opened(martha, laura), reason="a test")
    client = signed_in(martha)
    page = Page.of(client.get("/me/games/"))
    assert "/me/games/?page=2#over" in page.links()
    assert len(set(Page.of(client.get("/me/games/?page=2")).links("/games/"))) == 2
    assert client.get("/me/games/?page=9").status_code == 404


@pytest.mark.parametrize(
    ("left", "words"),
    [
        (timedelta(days=3, hours=5), "in 3 days"),
        (timedelta(hours=47, minutes=59), "in 47 hours"),
        (timedelta(hours=1), "in 1 hour"),
        (timedelta(minutes=59, seconds=59), "in 59 minutes"),
        (timedelta(seconds=59), "in less than a minute"),
        (timedelta(seconds=-5), "in less than a minute"),
    ],
)
def test_time_is_told_no_longer_than_it_is(left: timedelta, words: str) -> None:
    assert mygames.time_left_label(left) == words


def test_a_game_goes_over_to_the_other_side_with_each_move(
    martha: Player, laura: Player, opened: Opened, play: Played
) -> None:
    game = until_turn_of(1, opened(martha, laura), play)
    assert [line.state for line in lines(martha)] == ["waiting"]
    until_turn_of(0, game, play)
    assert [line.state for line in lines(martha)] == ["mine"]
    assert Game.objects.get().awaited_since == [game.version]


def test_a_guest_has_games_too_and_a_stranger_is_asked_to_log_in(client: Client) -> None:
    assert client.get("/me/games/").headers["Location"] == "/accounts/login/?next=/me/games/"
