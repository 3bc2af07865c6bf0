"""Reviews of finished games are requested, made in steps by a worker, cancelled, continued and shown."""

from __future__ import annotations

import time
from functools import partial
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from games.common.errors import DomainError
from games.common.models import Incident
from games.models import Deal, Game, Player
from games.play import services as play
from games.workers import runner
from replays import claims
from replays.frames.steps import Steps
from replays.review import reviews
from replays.review.models import GameReview
from replays.review.review_page import curve_of, summary_of
from scorebook_games.gamelog import visibility
from scorebook_games.review import Reviewer
from tests.factories.builtin_bots import ensure_builtin_bots
from tests.replays.conftest import open_game, play_on
from tests.replays.review import blunder
from tests.replays.review.blunder import open_blunder

pytestmark = pytest.mark.django_db

EVERY = Steps(range(1, 100))

State = GameReview.State


@pytest.fixture
def game() -> Game:
    """Return a finished game of bots."""
    bots = [ensure_builtin_bots()[name] for name in ("random", "sensible")]
    game = play.open_game(kind="plates", players=bots, deal=Deal.objects.create(seed=bytes(32)), options={"rounds": 1})
    runner.play_due_games("test")
    return Game.objects.get(pk=game.pk)


@pytest.fixture
def martha() -> Player:
    return Player.objects.create(name="Martha", user=User.objects.create_user("martha"))


def made(game: Game, seat: int, player: Player) -> GameReview:
    reviews.request_review(game=game, seat=seat, player=player)
    assert reviews.make_due(time.monotonic() + 60)
    return GameReview.objects.get(game=game, seat=seat)


def test_a_review_that_is_asked_for_is_made_once(game: Game, martha: Player) -> None:
    row = made(game, 0, martha)
    assert (row.state, row.progress, row.work) == (State.DONE, 100, None)
    assert row.review
    assert row.review["curve"][-1]["what"] == "end"
    assert reviews.request_review(game=game, seat=0, player=martha) == row
    assert not reviews.make_due(time.monotonic() + 60)


def test_a_review_that_a_worker_leaves_is_the_same_to_the_byte_when_another_goes_on(game: Game, martha: Player) -> None:
    whole = made(game, 0, martha).review
    GameReview.objects.all().delete()
    row = reviews.request_review(game=game, seat=0, player=martha)
    calls = 0
    while not (row := GameReview.objects.get(pk=row.pk)).review:
        assert reviews.make_due(time.monotonic())  # its time is up after the first step
        calls += 1
    assert calls > 1
    assert row.review == whole


def test_a_killed_workers_review_is_claimed_again_only_after_the_lease(
    game: Game, martha: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = reviews.request_review(game=game, seat=0, player=martha)
    assert reviews.claim() == row
    assert reviews.claim() is None
    monkeypatch.setattr(reviews, "LEASE", -reviews.LEASE)
    GameReview.objects.update(state=State.WAITING)
    assert reviews.claim() is None, "not due before the lease is over"
    GameReview.objects.update(due_at=row.due_at)
    again = reviews.claim()
    assert again
    assert again.attempts == 2


def test_a_review_that_fails_each_time_is_given_up_with_an_incident(
    game: Game, martha: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(reviews, "Reviewer", fail)
    row = reviews.request_review(game=game, seat=0, player=martha)
    for _ in range(claims.MAX_ATTEMPTS):
        GameReview.objects.update(due_at=row.due_at)
        assert reviews.make_due(time.monotonic() + 60)
    row.refresh_from_db()
    assert row.state == State.FAILED
    assert "ZeroDivisionError" in Incident.objects.get(game=game).detail
    assert reviews.request_review(game=game, seat=0, player=martha).state == State.WAITING


def test_cancelling_ends_the_work(game: Game, martha: Player) -> None:
    reviews.request_review(game=game, seat=0, player=martha)
    reviews.cancel_review(game=game, seat=0, player=martha)
    assert not reviews.make_due(time.monotonic() + 60)
    with pytest.raises(DomainError) as refused:
        reviews.cancel_review(game=game, seat=0, player=martha)
    assert refused.value.code == "nothing_to_cancel"


def test_a_person_has_a_limited_number_of_unfinished_reviews(
    game: Game, martha: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reviews, "MAX_PENDING_REVIEWS", 1)
    reviews.request_review(game=game, seat=0, player=martha)
    reviews.request_review(game=game, seat=0, player=martha)
    with pytest.raises(DomainError) as refused:
        reviews.request_review(game=game, seat=1, player=martha)
    assert refused.value.code == "too_many_reviews"


def test_a_game_that_is_on_has_no_review(martha: Player) -> None:
    laura = Player.objects.create(name="Laura", user=User.objects.create_user("laura"))
    on = play.open_game(kind="plates", players=[martha, laura])
    with pytest.raises(DomainError) as refused:
        reviews.find_review(on, 0)
    assert refused.value.code == "not_open_yet"
    with pytest.raises(DomainError) as refused:
        reviews.request_review(game=on, seat=0, player=martha)
    assert refused.value.code == "not_open_yet"
    assert Client().get(f"/games/{on.public_id}/review/0/").status_code == 409


def test_rated_games_of_people_are_reviewed_by_themselves_for_the_people_alone(martha: Player) -> None:
    laura = Player.objects.create(name="Laura", user=User.objects.create_user("laura"))
    for rated in (True, False):
        game = play.open_game(
            kind="chinese_ten",
            players=[martha, laura],
            terms={"rated": rated},
            deal=Deal.objects.create(seed=bytes(32)),
        )
        move = visibility.legal_moves(play.load_game(game), 0)[0]
        play.play_move(game=game, seat=0, text=move, expected_version=game.version)
        play.leave_game(game=game, seat=1, how="resigned")
    assert reviews.find_rated_games() == 2
    assert reviews.find_rated_games() == 0
    assert [(row.seat, row.game.terms["rated"], row.asked_by) for row in GameReview.objects.order_by("seat")] == [
        (0, True, None),
        (1, True, None),
    ]


def test_what_people_asked_for_is_made_before_what_comes_by_itself(game: Game, martha: Player) -> None:
    first = reviews.request_review(game=game, seat=0, player=martha)
    GameReview.objects.update(asked_by=None)
    asked = reviews.request_review(game=game, seat=1, player=martha)
    assert reviews.claim() == asked
    assert reviews.claim() == first


def test_the_page_leads_from_a_button_over_the_progress_to_the_review(game: Game, martha: Player) -> None:
    address = f"/games/{game.public_id}/review/0/"
    browser = Client()
    assert "Nobody has asked for this review yet." in browser.get(address).content.decode()
    assert browser.post(address).headers["Location"].endswith(f"/login/?next={address}")
    browser.force_login(martha.user)  # type: ignore[arg-type]
    assert browser.post(address).headers["Location"] == address
    assert "The review is being made: 0 % are done." in browser.get(address).content.decode()
    reviews.make_due(time.monotonic() + 60)
    page = browser.get(address).content.decode()
    row = GameReview.objects.get()
    assert row.review
    for point in row.review["curve"]:
        assert f'href="/games/{game.public_id}/?viewpoint=0#{point["version"]}"' in page
    assert page.count("<li>") >= len(row.review["mistakes"])
    assert "all players play on as the bot Sensible does" in page


def test_it_speaks_to_the_seats_player_and_about_them_to_others(martha: Player) -> None:
    laura = Player.objects.create(name="Laura", user=User.objects.create_user("laura"))
    game = play_on(open_game([martha, laura]), 2)
    play.leave_game(game=game, seat=1, how="resigned")
    made(game, 0, martha)
    for player, words in ((martha, "Your chance was "), (laura, "The chance of Martha was ")):
        browser = Client()
        browser.force_login(player.user)  # type: ignore[arg-type]
        assert words in browser.get(f"/games/{game.public_id}/review/0/").content.decode()
        assert browser.get(f"/api/v1/games/{game.public_id}/review/0/").json()["summary"][0].startswith(words)


def test_a_mistake_is_told_in_words_and_can_be_played_on_from(martha: Player, monkeypatch: pytest.MonkeyPatch) -> None:
    laura = Player.objects.create(name="Laura", user=User.objects.create_user("laura"))
    game = open_blunder([martha, laura])
    monkeypatch.setattr(reviews, "Reviewer", partial(Reviewer, budget=blunder.BUDGET))
    row = made(game, 0, martha)
    address = f"/games/{game.public_id}/review/0/"
    page, data = Client().get(address).content.decode(), Client().get(f"/api/v1{address}").json()
    worst = data["mistakes"][-1]
    assert (worst["version"], worst["cost"], worst["strong"]) == (blunder.VERSION, 1.0, "Place the king")
    assert "<b>Place the 2</b> was played. <b>Place the king</b> is better by 100 percentage points" in page
    for move in worst["better"]["moves"]:
        assert f"<li>{move}</li>" in page
    assert Client().post(address, {"play_on": "x"}).status_code == 404
    begun = Client().post(address, {"play_on": str(blunder.VERSION)}).headers["Location"]
    going_on = Game.objects.get(public_id=begun.strip("/").split("/")[-1])
    assert (going_on.continued_from, going_on.continued_at) == (game, blunder.VERSION)
    GameReview.objects.update(review={**row.review, "method": "0-0"})  # type: ignore[dict-item]
    older = Client().get(f"/api/v1{address}").json()["mistakes"][-1]
    assert older["better"]["moves"][0] == "Martha: place K", "what followed is not known to another method"


def test_the_api_asks_reads_and_cancels(game: Game, martha: Player) -> None:
    address = f"/api/v1/games/{game.public_id}/review/0/"
    browser = Client()
    browser.force_login(martha.user)  # type: ignore[arg-type]
    assert browser.get(address).json()["state"] == "not_asked"
    answer = browser.post(address)
    assert (answer.status_code, answer.json()["state"]) == (202, "waiting")
    assert browser.delete(address).status_code == 204
    assert browser.delete(address).json()["error"]["code"] == "nothing_to_cancel"
    browser.post(address)
    reviews.make_due(time.monotonic() + 60)
    body = browser.get(address).json()
    assert body["state"] == "done"
    assert body["review"]["seat"] == 0
    assert body["summary"][0].startswith("The chance of ")
    assert browser.get(f"/api/v1/games/{game.public_id}/review/7/").json()["error"]["code"] == "bad_seat"


def test_a_curve_is_drawn_from_its_chances_and_errors() -> None:
    points = [
        {"version": 4, "what": "deal", "chance": 0.5, "error": 0.1},
        {"version": 9, "what": "decision", "chance": 0.25, "error": 0.0},
        {"version": 14, "what": "turn", "chance": 1.0, "error": 0.0},
    ]
    curve = curve_of(points, [], EVERY)
    assert curve.lines == ["0,240 1000,360 2000,0"]
    assert curve.bands == ["0,144 1000,360 2000,0 2000,0 1000,360 0,336"]


def test_a_curve_marks_every_mistake_also_where_it_has_no_point_and_several_of_one_beat() -> None:
    points = [{"version": version, "what": "turn", "chance": 0.5, "error": 0.0} for version in (4, 14)]
    mistakes = [{"version": version, "event": event} for version, event in ((6, 7), (9, 10), (9, 12))]
    curve = curve_of(points, mistakes, EVERY)
    assert [(mark.step, mark.x) for mark in curve.marks] == [(6, 400), (9, 1000), (9, 1400)]


def test_a_curve_names_the_steps_of_the_list_where_an_event_has_no_words() -> None:
    points = [{"version": version, "what": "turn", "chance": 0.5, "error": 0.0} for version in (4, 14)]
    curve = curve_of(points, [{"version": 9, "event": 12}], Steps([1, 3, 8, 14]))
    assert [point.step for point in curve.points] == [3, 14]
    assert [mark.label for mark in curve.marks] == ["After step 8: a mistake"]


def test_a_swing_that_begins_with_a_beat_is_told_to_begin_at_the_first_step_of_the_beat() -> None:
    review = {"seat": 0, "summary": [["review_swing", {"event": 9, "before": 60, "after": 20}]]}
    [words] = summary_of(review, ["Martha", "Laura"], Steps([1, 3, 8, 11, 14]), own=True)
    assert words == "The greatest swing began at step 11: from 60 % to 20 %."


def test_a_curve_has_a_gap_where_nothing_was_measured() -> None:
    chances = [0.5, 0.25, None, 1.0]
    points = [
        {"version": number, "what": "turn", "chance": chance, "error": None if chance is None else 0.0}
        for number, chance in enumerate(chances, 1)
    ]
    curve = curve_of(points, [], EVERY)
    assert curve.lines == ["0,240 667,360", "2000,0"]
    assert [point.label for point in curve.points[1:3]] == ["After step 2: 25 % ± 0", "After step 3: not measured"]
