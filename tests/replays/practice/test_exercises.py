"""Exercises are made from reviews, measured by a worker, answered and asked again."""

from __future__ import annotations

import json
import time
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from games.common import clock
from games.common.errors import DomainError
from games.common.models import Incident
from games.eventlog import store as eventlog
from games.models import Deal, Game, Player
from games.play import services as play
from replays import claims
from replays.practice import exercises
from replays.practice.models import Exercise
from replays.practice.positions import moment_of
from replays.review import reviews
from replays.review.models import GameReview
from scorebook_games.gamelog import visibility
from scorebook_games.gamelog.fold import fold_game
from scorebook_games.registry import KINDS
from scorebook_games.review import Reviewer
from tests.fixtures.saved_rows import world

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def small_budgets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reviews, "Reviewer", partial(Reviewer, budget=30_000))
    monkeypatch.setattr(exercises, "POSITIONS", 3_000)


@pytest.fixture
@world
def martha(db: None) -> Player:
    return Player.objects.create(name="Martha", user=User.objects.create_user("martha"))


@pytest.fixture
@world
def laura(db: None) -> Player:
    return Player.objects.create(name="Laura", user=User.objects.create_user("laura"))


@pytest.fixture
@world
def game(martha: Player, laura: Player) -> Game:
    """Return a game in which both players always play their last legal move."""
    deal = Deal.objects.create(seed=bytes(32))
    game = play.open_game(kind="palace", players=[martha, laura], deal=deal)
    for _ in range(60):
        fold = play.load_game(game)
        if fold.outcome():
            break
        seat = fold.to_act()[0]
        move = visibility.legal_moves(fold, seat)[-1]
        play.play_move(game=game, seat=seat, text=move, expected_version=fold.version)
        game.refresh_from_db()
    else:
        play.leave_game(game=game, seat=1, how="resigned")
    return Game.objects.get(pk=game.pk)


def review_with_mistakes(game: Game, seat: int, count: int = 2) -> GameReview:
    """Return a review of this seat whose mistakes are its first decisions between several moves."""
    events = [entry.event for entry in eventlog.read_events(game.stream_id)]
    found = [at for at in Reviewer(events, seat).decisions if len(at.legal) > 2][:count]
    mistakes = [
        {"version": at.version, "event": at.event, "move": at.move, "best": other_move(at), "cost": 0.1, "error": 0.02}
        for at in found
    ]
    assert len(mistakes) == count
    return GameReview(game=game, seat=seat, method="1-test", review={"mistakes": mistakes})


def other_move(at: Any) -> str:
    return str(next(move for move in at.legal if move != at.move))


@pytest.fixture
@world
def exercise(game: Game) -> Exercise:
    """Return an exercise of Martha's that is due."""
    exercises.add_exercises(review_with_mistakes(game, 0, 1))
    assert exercises.measure_due()
    row = Exercise.objects.get()
    assert row.state == Exercise.State.DONE
    return row


def wrong_move(row: Exercise) -> str:
    return row.made


def later(monkeypatch: pytest.MonkeyPatch, pause: timedelta) -> None:
    now = clock.now() + pause
    monkeypatch.setattr(clock, "now", lambda: now)


def test_a_finished_review_makes_an_exercise_of_each_mistake_of_a_person(game: Game, martha: Player) -> None:
    reviews.request_review(game=game, seat=0, player=martha)
    assert reviews.make_due(time.monotonic() + 60)
    row = GameReview.objects.get()
    assert row.review
    made = Exercise.objects.order_by("event").values_list("event", "made", "best", "player")
    assert list(made) == [(each["event"], each["move"], each["best"], martha.pk) for each in row.review["mistakes"]]


def test_another_review_of_the_seat_adds_no_exercises(game: Game) -> None:
    assert exercises.add_exercises(review_with_mistakes(game, 0)) == 2
    assert exercises.add_exercises(review_with_mistakes(game, 0, 3)) == 0
    assert exercises.add_exercises(review_with_mistakes(game, 1)) == 2


def test_a_game_that_continues_another_makes_no_exercises_because_its_player_may_know_the_cards(game: Game) -> None:
    review = review_with_mistakes(game, 0)
    review.game.continued_from = game
    assert exercises.add_exercises(review) == 0


def test_a_worker_measures_all_legal_moves_and_keeps_what_the_review_said_of_the_one_made(
    exercise: Exercise, game: Game
) -> None:
    values = {value.move: value for value in exercises.values_of(exercise.moves)}
    moment = moment_of(game, 0, exercise.event)
    assert set(values) >= set(moment.at.legal)
    assert (values[exercise.made].cost, values[exercise.made].cost_error) == (0.1, 0.02)
    assert (exercise.moves[0]["move"], exercise.moves[0]["cost"]) == (exercise.best, 0)
    assert not exercises.measure_due()


def test_an_exercise_that_fails_each_time_is_given_up_with_an_incident(
    game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise ZeroDivisionError

    exercises.add_exercises(review_with_mistakes(game, 0, 1))
    due_at = Exercise.objects.get().due_at
    monkeypatch.setattr(exercises, "measure", fail)
    for _ in range(claims.MAX_ATTEMPTS):
        Exercise.objects.update(due_at=due_at)
        assert exercises.measure_due()
    assert Exercise.objects.get().state == Exercise.State.FAILED
    assert "ZeroDivisionError" in Incident.objects.get(game=game).detail


def test_a_wrong_answer_is_asked_again_after_ten_minutes_and_then_after_a_day(
    exercise: Exercise, martha: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    for pause in (exercises.SOON, exercises.TOMORROW, exercises.TOMORROW):
        row = exercises.answer_exercise(player=martha, exercise=exercise.pk, move=wrong_move(exercise))
        assert row.ask_at
        assert abs(row.ask_at - clock.now() - pause) < timedelta(seconds=5)
        assert exercises.next_exercise(martha) is None
        later(monkeypatch, pause + timedelta(seconds=5))
        assert exercises.next_exercise(martha) == exercise


def test_a_right_answer_is_asked_once_more_after_a_week_and_then_no_more(
    exercise: Exercise, martha: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = exercises.answer_exercise(player=martha, exercise=exercise.pk, move=exercise.best)
    assert row.ask_at
    later(monkeypatch, exercises.LATER + timedelta(seconds=5))
    assert exercises.progress_of(martha).due == 1
    row = exercises.answer_exercise(player=martha, exercise=exercise.pk, move=exercise.best)
    assert row.ask_at is None
    assert exercises.progress_of(martha) == exercises.Progress(0, 0, 1, None)


def test_a_move_within_two_standard_errors_of_the_best_counts_as_right(exercise: Exercise, martha: Player) -> None:
    third = next(each for each in exercise.moves if each["move"] not in (exercise.best, exercise.made))
    third.update(cost=0.03, cost_error=0.02)
    exercise.save()
    assert exercises.answer_exercise(player=martha, exercise=exercise.pk, move=third["move"]).right == 1


def test_bad_answers_are_refused_with_a_code(exercise: Exercise, martha: Player, laura: Player) -> None:
    with pytest.raises(DomainError, match="cannot be chosen") as refused:
        exercises.answer_exercise(player=martha, exercise=exercise.pk, move="fly away")
    assert refused.value.code == "illegal_move"
    with pytest.raises(DomainError) as refused:
        exercises.answer_exercise(player=laura, exercise=exercise.pk, move=exercise.best)
    assert refused.value.code == "exercise_not_found"
    exercises.answer_exercise(player=martha, exercise=exercise.pk, move=exercise.best)
    with pytest.raises(DomainError) as refused:
        exercises.answer_exercise(player=martha, exercise=exercise.pk, move=exercise.best)
    assert refused.value.code == "not_due"


def test_the_page_shows_what_the_seat_saw_then_and_nothing_that_came_later(exercise: Exercise, martha: Player) -> None:
    browser = Client()
    browser.force_login(martha.user)  # type: ignore[arg-type]
    page = browser.get(f"/me/mistakes/{exercise.pk}/").content.decode()
    data = json.loads(page.split('<script id="replay-data" type="application/json">')[1].split("</script>")[0])
    entries = eventlog.read_events(exercise.game.stream_id, until=exercise.version)
    seen = visibility.observation(fold_game(entry.event for entry in entries), 0)
    assert data["frames"][-1]["observation"] == KINDS["palace"].presentation.slim({**seen, "to_act": [0]})
    assert data["frames"][-1]["version"] <= exercise.version
    assert (data["game"]["outcome"], data["game"]["finished_at"], data["allowed_viewpoints"]) == (None, None, ["0"])


def test_the_page_asks_then_says_what_the_answer_was_worth(exercise: Exercise, martha: Player) -> None:
    browser = Client()
    browser.force_login(martha.user)  # type: ignore[arg-type]
    address = f"/me/mistakes/{exercise.pk}/"
    assert browser.get("/me/mistakes/").headers["Location"] == address
    assert "What is the best move?" in browser.get(address).content.decode()
    refused = browser.post(address, {"move": "fly away"})
    assert (refused.status_code, "This move cannot be chosen here." in refused.content.decode()) == (409, True)
    assert browser.post(address, {"move": exercise.made}).headers["Location"] == address
    page = browser.get(address).content.decode()
    assert "costs 10 % (± 2) beside the best move." in page
    assert "Win chance after each move" not in page, "It is asked again."
    assert "Nothing is due now." in browser.get("/me/mistakes/").content.decode()


def test_the_api_asks_and_answers(exercise: Exercise, martha: Player) -> None:
    browser = Client()
    browser.force_login(martha.user)  # type: ignore[arg-type]
    mine = browser.get("/api/v1/me/mistakes/").json()
    assert (mine["due"], mine["exercise"]["id"], mine["exercise"]["answer"]) == (1, exercise.pk, None)
    assert exercise.best in [each["move"] for each in mine["exercise"]["moves"]]
    address = f"/api/v1/me/mistakes/{exercise.pk}/"
    body = browser.post(f"{address}answer/", {"move": exercise.best}, "application/json").json()
    assert (body["answer"]["right"], body["answer"]["solution"][0]["move"]) == (True, exercise.best)
    assert browser.get(address).json() == body
    again = browser.post(f"{address}answer/", {"move": exercise.best}, "application/json")
    assert (again.status_code, again.json()["error"]["code"]) == (409, "not_due")
