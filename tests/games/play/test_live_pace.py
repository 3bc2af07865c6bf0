"""The pace "live" (PS-17): GO, moves in the order of their arrival, and the pause between two moves."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from games.common import clock
from games.common.errors import DomainError
from games.eventlog import store as eventlog
from games.models import Deal, Game, Player
from games.play import services as play
from games.play import wake_up
from games.visibility import observe
from games.workers import leases, runner
from scorebook_games.contract import Event
from scorebook_games.gamelog import events as ev
from scorebook_games.gamelog import visibility
from scorebook_games.gamelog.pacing import COUNTDOWN_SECONDS, READY_TIMEOUT_SECONDS
from tests.games.conftest import BuiltInBot, Person, at_once
from tests.games.racing_kind import Wink

pytestmark = pytest.mark.django_db

SEED = bytes(range(32))


def open_game(players: list[Player], kind: str = "grab", pace: str = "live", **options: Any) -> Game:
    terms = {"pace": pace, "rated": False}
    return play.open_game(kind=kind, players=players, options=options, terms=terms, deal=Deal.objects.create(seed=SEED))


def give_go(game: Game) -> datetime:
    """Let the waiting time and the countdown pass, and return the time of GO."""
    while not play.load_game(game).go:
        assert game.deadline
        moment = game.deadline
        with clock.frozen_at(moment):
            assert play.expire_clocks(game=game)
    return moment


def events_after_opening(game: Game) -> list[Event]:
    return [entry.event for entry in eventlog.read_events(game.stream_id)][1:]


def refusal(call: Callable[..., object], **arguments: Any) -> DomainError:
    with pytest.raises(DomainError) as caught:
        call(**arguments)
    return caught.value


@pytest.fixture
def two(grab: str, person: Person) -> Game:
    """Return a live game of Grab between Martha and Laura, with half a second between two grabs."""
    return open_game([person("Martha"), person("Laura")], grab_ms=500)


def test_go_is_counted_down_when_everybody_is_ready_and_the_game_begins_with_it(two: Game) -> None:
    assert two.deadline == two.opened_at + timedelta(seconds=READY_TIMEOUT_SECONDS)
    play.mark_ready(game=two, seat=1)
    play.mark_ready(game=two, seat=1)
    assert events_after_opening(two) == [[ev.READY, 1]]
    assert visibility.observation(play.load_game(two), None)["ready"] == [1]

    moment = two.opened_at + timedelta(seconds=7)
    with clock.frozen_at(moment):
        play.mark_ready(game=two, seat=0)
    assert two.deadline == moment + timedelta(seconds=COUNTDOWN_SECONDS)
    assert refusal(play.play_move, game=two, seat=0, text="grab 1", expected_version=4).code == "not_started"
    with clock.frozen_at(two.deadline - timedelta(milliseconds=1)):
        assert not play.expire_clocks(game=two)
    with clock.frozen_at(two.deadline):
        assert play.expire_due_games() == 1

    assert events_after_opening(two) == [
        [ev.READY, 1],
        [ev.READY, 0],
        [ev.COUNTDOWN, COUNTDOWN_SECONDS],
        [ev.GO],
        ["laid_out", list(range(1, 10))],
    ]
    started = Game.objects.get(pk=two.pk)
    assert started.deadline is None
    assert started.to_act == [0, 1]
    assert refusal(play.mark_ready, game=two, seat=0).code == "started"


def test_who_does_not_say_ready_is_not_waited_for_longer_than_a_minute(two: Game) -> None:
    play.mark_ready(game=two, seat=0)
    assert two.deadline
    assert two.deadline == two.opened_at + timedelta(seconds=READY_TIMEOUT_SECONDS)
    go = give_go(two)

    assert go == two.opened_at + timedelta(seconds=READY_TIMEOUT_SECONDS + COUNTDOWN_SECONDS)
    assert [event[0] for event in events_after_opening(two)] == [ev.READY, ev.COUNTDOWN, ev.GO, "laid_out"]


def test_a_word_to_the_workers_goes_with_the_countdown(
    grab: str, built_in: BuiltInBot, django_capture_on_commit_callbacks: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    words: list[float] = []
    monkeypatch.setattr(wake_up, "_sweep", words.append)
    with django_capture_on_commit_callbacks(execute=True):
        game = open_game([built_in("random"), built_in("random")])

    assert events_after_opening(game) == [[ev.COUNTDOWN, COUNTDOWN_SECONDS]]
    assert words == [COUNTDOWN_SECONDS]
    assert not game.awaits_worker
    give_go(game)
    assert game.awaits_worker


def test_who_leaves_before_go_is_placed_last(two: Game) -> None:
    play.leave_game(game=two, seat=0, how="resigned")

    assert two.outcome
    assert two.outcome["placings"] == [2, 1]


def test_a_live_game_with_a_bot_is_not_rated(grab: str, person: Person, built_in: BuiltInBot) -> None:
    error = refusal(play.open_game, kind=grab, players=[person("Martha"), built_in("random")], terms={"pace": "live"})

    assert (error.code, error.extra["option"]) == ("bad_option", "rated")
    assert play.open_game(kind=grab, players=[person("Laura"), person("Otto")], terms={"pace": "live"}).terms["rated"]


def test_a_move_that_comes_too_soon_is_told_how_long_to_wait(two: Game) -> None:
    go = give_go(two)

    def grabbing(seat: int, number: int, ms: int) -> play.MoveResult:
        with clock.frozen_at(go + timedelta(milliseconds=ms)):
            return play.play_move(game=two, seat=seat, text=f"grab {number}", expected_version=two.version)

    early = refusal(grabbing, seat=0, number=1, ms=400)
    assert (early.status, early.code, early.extra) == (429, "too_soon", {"wait_ms": 100})
    assert grabbing(0, 1, 500).version == two.version
    assert grabbing(1, 2, 510).version == two.version
    assert refusal(grabbing, seat=0, number=3, ms=999).extra == {"wait_ms": 1}
    assert refusal(grabbing, seat=0, number=1, ms=999).code == "illegal_move"
    with clock.frozen_at(go + timedelta(milliseconds=600)):
        play.play_move(game=two, seat=0, text="point 3", expected_version=two.version)
    grabbing(0, 3, 1000)


def test_on_other_paces_nobody_has_to_wait(grab: str, person: Person) -> None:
    game = open_game([person("Martha"), person("Laura")], pace="turns", grab_ms=500)
    for number in (1, 2):
        play.play_move(game=game, seat=0, text=f"grab {number}", expected_version=game.version)

    assert game.version == 4


@pytest.mark.django_db(transaction=True)
def test_two_who_act_at_the_same_instant_both_get_their_move_when_both_are_legal(grab: str, person: Person) -> None:
    game = open_game([person(name) for name in ("Martha", "Laura", "Otto", "Ines")])
    give_go(game)
    seen = game.version

    def moving(seat: int, text: str) -> Callable[[], play.MoveResult]:
        own = Game.objects.get(pk=game.pk)
        return lambda: play.play_move(game=own, seat=seat, text=text, expected_version=seen)

    for number in (1, 3, 5, 7):
        answers = at_once(moving(0, f"grab {number}"), moving(1, f"grab {number + 1}"), moving(2, "point 9"))
        assert all(isinstance(answer, play.MoveResult) for answer in answers[:2])
    first, second = at_once(moving(2, "grab 9"), moving(3, "grab 9"))
    late = [answer for answer in (first, second) if isinstance(answer, DomainError)]
    assert len(late) == 1
    assert sum(event[0] == "grabbed" for event in events_after_opening(game)) == 9


@pytest.mark.django_db(transaction=True)
def test_of_two_grabs_of_one_player_at_the_same_instant_one_is_too_soon(grab: str, person: Person) -> None:
    with clock.frozen_at(clock.now() - timedelta(minutes=5)):
        game = open_game([person("Martha"), person("Laura")], grab_ms=5000)
    give_go(game)

    def moving(number: int) -> Callable[[], play.MoveResult]:
        own = Game.objects.get(pk=game.pk)
        return lambda: play.play_move(game=own, seat=0, text=f"grab {number}", expected_version=game.version)

    answers = at_once(moving(1), moving(2))
    assert [answer.code for answer in answers if isinstance(answer, DomainError)] == ["too_soon"]


def test_bots_play_live_and_wait_as_long_as_people_must(grab: str, built_in: BuiltInBot) -> None:
    with clock.frozen_at(clock.now() - timedelta(minutes=5)):
        game = open_game([built_in("random"), built_in("random")], grab_ms=20)
    give_go(game)
    assert runner.play_due_games("one") == 1

    grabs: dict[int, list[int]] = {0: [], 1: []}
    for entry in eventlog.read_events(game.stream_id):
        if entry.event[0] == "grabbed":
            grabs[entry.event[1]].append(entry.ms)
    assert sum(map(len, grabs.values())) == 9
    for times in grabs.values():
        assert all(later - earlier >= 20 for earlier, later in pairwise(times))


def test_the_api_takes_the_word_that_one_is_ready(two: Game, client: Client) -> None:
    client.force_login(User.objects.get(username="laura"))
    answer = client.post(f"/api/v1/games/{two.public_id}/ready/")

    assert answer.status_code == 200
    assert events_after_opening(two) == [[ev.READY, 1]]


# -- secrets: a seat that may act without anybody knowing


def seen(game: Game) -> list[Any]:
    """Return everything that all except the owner of the secret, seat 1, may know."""
    game.refresh_from_db()
    fold = play.load_game(game)
    views = [visibility.observation(fold, viewer) for viewer in (0, 2, None)]
    known = [[entry.event for entry in observe.known_events(game, viewer)][1:] for viewer in (0, 2, None)]
    return [views, known, game.version, game.to_act, game.deadline is None, game.moved_at - game.opened_at]


def answer(game: Game, seat: int, text: str, version: int) -> Any:
    try:
        return play.play_move(game=game, seat=seat, text=text, expected_version=version)
    except DomainError as error:
        return error.status, error.code, error.sentence, error.extra


@pytest.mark.parametrize("pace", ["turns", "live"])
def test_nobody_learns_from_anything_that_a_seat_could_act_but_its_owner(wink: Wink, person: Person, pace: str) -> None:
    """Versions, errors, deadlines and views are the same with and without a secret chance to act, such as that of
    PA-16."""
    players = [person(name) for name in ("Martha", "Laura", "Otto")]
    found: list[list[Any]] = []
    opened = clock.now()
    for wink.owner in (-1, 1):
        with clock.frozen_at(opened):
            game = open_game(players, kind="wink", pace=pace)
        if pace == "live":
            give_go(game)
        with clock.frozen_at(opened + timedelta(minutes=5)):
            first = seen(game)
            if wink.owner == 1:
                assert visibility.observation(play.load_game(game), 1)["to_act"] == [1, 0]
                assert play.play_move(game=game, seat=1, text="pass", expected_version=game.version).events == []
            late = [answer(game, seat, text, game.version) for seat, text in ((2, "grab 1"), (2, "pass"), (0, "pass"))]
            stale = answer(game, 0, "grab 2", game.version - 1)
            found.append([first, late, stale, seen(game)])

    assert found[0] == found[1]
    assert found[0][2][1] == "stale_version" if pace == "turns" else found[0][2].version


def test_the_owner_of_a_secret_chance_may_take_it_until_somebody_was_faster(wink: Wink, person: Person) -> None:
    wink.owner = 1
    game = open_game([person("Martha"), person("Laura"), person("Otto")], kind="wink", pace="turns")
    version = game.version
    assert answer(game, 1, "grab 1", version).version == version + 1


def test_a_bot_that_passes_in_secret_lets_the_next_seat_go_on_and_is_not_asked_again(
    wink: Wink, person: Person, built_in: BuiltInBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    wink.owner = 1
    asked: list[list[str]] = []

    def move(_self: object, _view: object, legal: list[str], _rng: object) -> str:
        asked.append(legal)
        return "pass"

    monkeypatch.setattr("scorebook_games.bots.builtin.RandomBot.move", move)
    game = open_game([person("Martha"), built_in("random"), person("Otto")], kind="wink", pace="turns")
    version = game.version
    assert game.awaits_worker
    runner.play_due_games("one")

    game.refresh_from_db()
    assert (game.version, game.awaits_worker, game.leased_by) == (version, False, "")
    assert len(asked) == 1
    assert not leases.due_games().exists()
    play.play_move(game=game, seat=0, text="grab 1", expected_version=version)
    assert game.awaits_worker
