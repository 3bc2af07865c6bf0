"""Offers to abort a game and to play a rematch (docs/reference/common-rules.md, Leaving)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from games.common import clock
from games.common.errors import DomainError
from games.common.models import KEY_RETENTION, SentRequest
from games.eventlog import store as eventlog
from games.models import Game, Player
from games.play import beats, offers
from games.play import services as play_services
from games.play.turn import turn_of
from games.visibility import observe
from scorebook_games.gamelog import events as ev
from scorebook_games.gamelog import visibility
from tests.games.conftest import BuiltInBot, Person, at_once

pytestmark = pytest.mark.django_db


@pytest.fixture
def two(person: Person) -> list[Player]:
    return [person("Martha"), person("Laura")]


@pytest.fixture
def three(person: Person) -> list[Player]:
    return [person(name) for name in ("Martha", "Laura", "Otto")]


def open_game(players: list[Player], **terms: Any) -> Game:
    return play_services.open_game(kind="chinese_ten", players=players, terms=terms)


def play(game: Game) -> int:
    """Play the first legal move of the player whose turn it is, and return the seat."""
    fold = play_services.load_game(game)
    seat = fold.to_act()[0]
    play_services.play_move(
        game=game, seat=seat, text=visibility.legal_moves(fold, seat)[0], expected_version=fold.version
    )
    return seat


def offers_of(game: Game) -> list[Any]:
    """Return the events about offers to abort."""
    events = [entry.event for entry in eventlog.read_events(game.stream_id)]
    return [event for event in events if event[0] in (ev.ABORT_OFFERED, ev.ABORT_ACCEPTED, ev.ABORT_DECLINED)]


def ends_at_once(game: Game, seat: int) -> bool:
    return offers.abort_ends_game(play_services.begin_unit(game), seat)


def refusal(call: Callable[[], object]) -> DomainError:
    with pytest.raises(DomainError) as caught:
        call()
    assert caught.value.sentence.endswith(".")
    return caught.value


# -- abort


def test_a_game_is_aborted_when_all_people_agree(three: list[Player]) -> None:
    game = open_game(three)
    for seat in (1, 1, 0):
        offers.offer_abort(game=game, seat=seat)
    assert game.status == Game.Status.PLAYING
    assert offers.standing_offers(game, play_services.load_game(game)) == [
        {"what": "abort", "by": [1, 0], "declined": []}
    ]
    offers.accept_abort(game=game, seat=2)

    assert game.status == Game.Status.ABORTED
    assert game.outcome == {"termination": "aborted", "scores": [], "placings": []}
    assert offers_of(game) == [[ev.ABORT_OFFERED, 1], [ev.ABORT_ACCEPTED, 0], [ev.ABORT_ACCEPTED, 2]]
    assert refusal(lambda: offers.offer_abort(game=game, seat=0)).code == "game_over"


def test_when_one_of_three_leaves_the_others_who_agreed_have_the_game_aborted(three: list[Player]) -> None:
    game = open_game(three)
    offers.offer_abort(game=game, seat=0)
    offers.accept_abort(game=game, seat=2)
    play_services.leave_game(game=game, seat=1, how="resigned")
    assert game.status == Game.Status.ABORTED


def test_who_leaves_takes_the_own_word_along(three: list[Player]) -> None:
    game = open_game(three)
    offers.offer_abort(game=game, seat=0)
    offers.accept_abort(game=game, seat=1)
    play_services.leave_game(game=game, seat=0, how="resigned")
    assert game.status == Game.Status.PLAYING
    assert play_services.load_game(game).abort_wanted == [1]
    offers.accept_abort(game=game, seat=2)
    assert game.status == Game.Status.ABORTED


def test_an_offer_does_not_turn_the_others_resignation_into_an_abort(two: list[Player]) -> None:
    game = open_game(two)
    offers.offer_abort(game=game, seat=0)
    play_services.leave_game(game=game, seat=1, how="resigned")
    assert game.outcome
    assert game.outcome["placings"] == [1, 2]


def test_who_plays_alone_against_bots_needs_nobodys_word(person: Person, built_in: BuiltInBot) -> None:
    game = open_game([person("Martha"), built_in("random"), built_in("random")])
    offers.offer_abort(game=game, seat=0)
    assert game.status == Game.Status.ABORTED
    other = open_game([person("Laura"), built_in("random")])
    assert refusal(lambda: offers.offer_abort(game=other, seat=1)).code == "not_your_seat"


def test_a_move_takes_the_offer_off_the_table(two: list[Player]) -> None:
    game = open_game(two)
    offers.offer_abort(game=game, seat=1)
    before = game.version
    assert play(game) == 0

    assert offers_of(game)[-1] == [ev.ABORT_DECLINED, 0]
    assert eventlog.read_events(game.stream_id)[before].event == [ev.ABORT_DECLINED, 0]
    assert refusal(lambda: offers.accept_abort(game=game, seat=0)).code == "no_offer"


def test_who_was_declined_offers_again_only_when_the_game_has_moved_on(two: list[Player]) -> None:
    game = open_game(two)
    offers.offer_abort(game=game, seat=1)
    offers.decline_abort(game=game, seat=0)
    assert refusal(lambda: offers.offer_abort(game=game, seat=1)).code == "declined"
    assert not offers.allowed_actions(game, play_services.load_game(game), 1)["offer_abort"]
    play(game)
    offers.offer_abort(game=game, seat=1)
    assert play_services.load_game(game).abort_wanted == [1]


def test_the_terms_may_forbid_to_abort_also_against_bots_alone(two: list[Player], built_in: BuiltInBot) -> None:
    game = open_game([two[0], built_in("random")], may_abort="no")
    assert refusal(lambda: offers.offer_abort(game=game, seat=0)).code == "may_not_abort"
    assert turn_of(play_services.begin_unit(game), 0)["may"] == {
        "resign": True,
        "offer_abort": False,
        "abort_ends_game": False,
        "rematch": False,
    }


def test_until_everybody_has_moved_anybody_aborts_alone_where_the_terms_say_so(two: list[Player]) -> None:
    early = open_game(two, may_abort="early")
    while play_services.load_game(early).to_act() == [0]:
        play(early)
    assert ends_at_once(early, 1)
    offers.offer_abort(game=early, seat=1)
    assert early.status == Game.Status.ABORTED

    later = open_game(two, may_abort="early")
    while {0, 1} - {play(later) for _ in range(4)}:
        pass
    assert not ends_at_once(later, 1)
    offers.offer_abort(game=later, seat=1)
    assert later.status == Game.Status.PLAYING


def test_whoever_plays_only_bots_is_told_that_aborting_ends_the_game(two: list[Player], built_in: BuiltInBot) -> None:
    assert ends_at_once(open_game([two[0], built_in("random")]), 0)
    assert not ends_at_once(open_game(two), 0)


def test_an_offer_stands_while_bots_move_and_ends_with_a_beat(grab: str, two: list[Player]) -> None:
    game = play_services.open_game(kind=grab, players=two, terms={"pace": "beats"})
    offers.offer_abort(game=game, seat=0)
    beats.give_bundle(game=game, seat=0, beat=1, moves=["grab 1"])
    assert play_services.load_game(game).abort_wanted == [0]
    beats.give_bundle(game=game, seat=1, beat=1, moves=["grab 2"])
    assert play_services.load_game(game).abort_wanted == []


@pytest.mark.django_db(transaction=True)
def test_two_who_offer_to_abort_at_once_agree(two: list[Player]) -> None:
    game = open_game(two)
    at_once(*[lambda seat=seat: offers.offer_abort(game=Game.objects.get(pk=game.pk), seat=seat) for seat in (0, 1)])
    game.refresh_from_db()
    assert game.status == Game.Status.ABORTED
    assert len(offers_of(game)) == 2


# -- rematch


def over(game: Game) -> Game:
    play_services.leave_game(game=game, seat=0, how="resigned")
    while game.status == Game.Status.PLAYING:
        play_services.leave_game(game=game, seat=play_services.load_game(game).left[-1] + 1, how="resigned")
    return game


def test_a_rematch_is_opened_when_everybody_wants_it_with_everybody_one_seat_further(three: list[Player]) -> None:
    game = over(
        play_services.open_game(
            kind="palace", players=three, options={"turn_limit": 77}, terms={"move_seconds": 60, "rated": False}
        )
    )
    assert offers.allowed_actions(game, play_services.load_game(game), 0)["rematch"]
    assert offers.offer_rematch(game=game, seat=0) is None
    assert offers.offer_rematch(game=game, seat=2) is None
    assert offers.standing_offers(game, play_services.load_game(game)) == [
        {"what": "rematch", "by": [0, 2], "declined": []}
    ]
    following = offers.offer_rematch(game=game, seat=1)

    assert following
    assert [seat.player for seat in following.seats.all()] == [three[1], three[2], three[0]]
    assert (following.kind, following.options, following.terms) == (game.kind, game.options, game.terms)
    assert following.deal_id != game.deal_id
    assert observe.game_facts(following)["rematch_of"] == game.public_id
    assert observe.game_facts(Game.objects.get(pk=game.pk))["rematch"] == following.public_id
    assert offers.offer_rematch(game=game, seat=1) == following


def test_somebody_is_asked_until_they_have_answered(two: list[Player]) -> None:
    game = over(open_game(two))
    assert not offers.is_asked(game, 1)
    offers.offer_rematch(game=game, seat=0)
    assert (offers.is_asked(game, 0), offers.is_asked(game, 1)) == (False, True)
    with clock.frozen_at(clock.now() + timedelta(days=1, seconds=1)):
        assert not offers.is_asked(game, 1)
    offers.decline_rematch(game=game, seat=1)
    assert not offers.is_asked(game, 1)


def test_bots_are_always_willing(person: Person, built_in: BuiltInBot) -> None:
    martha, bot = person("Martha"), built_in("random")
    following = offers.offer_rematch(game=over(open_game([martha, bot])), seat=0)
    assert following
    assert [seat.player for seat in following.seats.all()] == [bot, martha]
    assert following.awaits_worker


@pytest.mark.django_db(transaction=True)
def test_both_who_press_at_once_and_twice_open_one_game(two: list[Player]) -> None:
    game = over(open_game(two))

    def wishing(seat: int) -> Callable[[], Game | None]:
        return lambda: offers.offer_rematch(game=Game.objects.get(pk=game.pk), seat=seat)

    answers = at_once(*[wishing(seat) for seat in (0, 1, 0, 1)])

    opened = Game.objects.exclude(pk=game.pk).get()
    assert opened.rematch_of == game
    assert set(answers) <= {None, opened}
    assert opened in answers


def test_a_wish_can_be_taken_back_and_is_forgotten_after_a_day(two: list[Player]) -> None:
    game = over(open_game(two))
    offers.offer_rematch(game=game, seat=0)
    offers.decline_rematch(game=game, seat=0)
    assert offers.offer_rematch(game=game, seat=1) is None
    assert offers.standing_offers(game, play_services.load_game(game))[0]["declined"] == [0]
    with clock.frozen_at(clock.now() + timedelta(days=1, seconds=1)):
        assert offers.rematch_wishes(game) == []
        assert offers.offer_rematch(game=game, seat=0) is None
        assert offers.offer_rematch(game=game, seat=1)
        assert refusal(lambda: offers.decline_rematch(game=game, seat=0)).code == "opened"


def test_there_is_no_rematch_of_a_game_that_is_on_or_that_somebody_else_arranged(two: list[Player]) -> None:
    game = open_game(two, rematch=False)
    assert refusal(lambda: offers.offer_rematch(game=game, seat=0)).code == "still_on"
    assert refusal(lambda: offers.offer_rematch(game=over(game), seat=0)).code == "no_rematch"


def test_that_a_rematch_is_on_does_not_tell_the_public_that_the_game_is_over(two: list[Player]) -> None:
    """The public watches with a delay of an hour."""
    game = over(open_game(two, watch_delay=3600))
    offers.offer_rematch(game=game, seat=0)
    following = offers.offer_rematch(game=game, seat=1)
    assert following
    client = Client()
    for each in (game, following):
        shown = client.get(f"/api/v1/games/{each.public_id}/").json()
        assert (shown["status"], shown["rematch"], shown["rematch_of"]) == ("playing", None, None)
    with clock.frozen_at(clock.now() + timedelta(hours=2)):
        assert client.get(f"/api/v1/games/{game.public_id}/").json()["rematch"] == following.public_id
        assert client.get(f"/api/v1/games/{following.public_id}/").json()["rematch_of"] == game.public_id


# -- over HTTP, with keys


def browser(name: str) -> Client:
    client = Client()
    client.force_login(User.objects.get(username=name))
    return client


def post(client: Client, game: Game, what: str, **data: Any) -> Any:
    return client.post(f"/api/v1/games/{game.public_id}/{what}/", data, content_type="application/json")


def test_the_api_has_a_door_for_each_offer(two: list[Player]) -> None:
    game = open_game(two)
    martha, laura, stranger = browser("martha"), browser("laura"), Client()
    assert post(martha, game, "accept-abort").json()["error"]["code"] == "no_offer"
    assert post(martha, game, "offer-abort").json()["status"] == "playing"
    assert post(laura, game, "decline-abort").status_code == 200
    play(game)
    post(martha, game, "offer-abort")
    assert post(laura, game, "accept-abort").json()["status"] == "aborted"
    assert post(stranger, game, "rematch").status_code == 403
    wished = post(martha, game, "rematch").json()
    assert (wished["wanted_by"], wished["rematch"], wished["turn"]["offers"][0]["by"]) == ([0], None, [0])
    declined = post(martha, game, "decline-rematch").json()
    assert (declined["wanted_by"], declined["rematch"], declined["turn"]["offers"]) == ([], None, [])
    post(laura, game, "rematch")
    opened = post(martha, game, "rematch").json()
    assert (opened["wanted_by"], opened["rematch"]) == ([0, 1], Game.objects.get(rematch_of=game).public_id)
    assert opened["turn"]["over"]["rematch"] == opened["rematch"]


def test_who_resigned_may_want_a_rematch_and_a_stranger_may_not(two: list[Player], person: Person) -> None:
    game = over(open_game(two))
    person("Otto")
    assert post(browser("martha"), game, "rematch").status_code == 200
    assert post(browser("otto"), game, "rematch").json()["error"]["code"] == "not_your_seat"


def test_a_request_that_is_repeated_with_its_key_is_carried_out_once(two: list[Player]) -> None:
    game = open_game(two)
    client = browser("laura")
    first = post(client, game, "offer-abort", idempotency_key="one")
    play(game)
    again = post(client, game, "offer-abort", idempotency_key="one")

    assert (again.status_code, again.json()) == (first.status_code, first.json())
    assert play_services.load_game(game).abort_wanted == []
    reused = post(client, game, "resign", idempotency_key="one")
    assert (reused.status_code, reused.json()["error"]["code"]) == (409, "key_reused")
    assert post(client, game, "resign", idempotency_key="").json()["error"]["code"] == "bad_key"
    assert post(browser("martha"), game, "resign", idempotency_key="one").status_code == 200


def test_an_error_is_not_kept_under_a_key(two: list[Player]) -> None:
    game = open_game(two)
    client = browser("laura")
    assert post(client, game, "accept-abort", idempotency_key="one").status_code == 409
    offers.offer_abort(game=game, seat=0)
    assert post(client, game, "accept-abort", idempotency_key="one").json()["status"] == "aborted"


def test_what_a_refused_request_stored_nevertheless_stays_stored(grab: str, two: list[Player]) -> None:
    """A bundle that comes too late is refused, but its clock has run out nevertheless."""
    game = play_services.open_game(kind=grab, players=two, terms={"pace": "beats", "move_seconds": 5})
    with clock.frozen_at(clock.now() + timedelta(minutes=1)):
        late = post(browser("martha"), game, "bundles", beat=1, moves=["grab 1"], idempotency_key="one")
    assert late.json()["error"]["code"] == "clock_expired"
    assert Game.objects.get(pk=game.pk).status == Game.Status.FINISHED
    assert not SentRequest.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_a_button_pressed_twice_resigns_once(three: list[Player]) -> None:
    game = open_game(three)
    client = browser("laura")
    answers: list[Any] = at_once(*[lambda: post(client, game, "resign", idempotency_key="one")] * 3)
    assert {answer.status_code for answer in answers} == {200}
    assert [entry.event[1] for entry in eventlog.read_events(game.stream_id) if entry.event[0] == ev.LEFT] == [1]
    assert post(client, game, "resign", idempotency_key="one").json() == answers[0].json()
    assert post(client, game, "resign", idempotency_key="two").json()["error"]["code"] == "not_your_seat"


def test_old_keys_are_forgotten(two: list[Player]) -> None:
    game = open_game(two)
    post(browser("laura"), game, "offer-abort", idempotency_key="one")
    assert SentRequest.delete_old() == 0
    with clock.frozen_at(clock.now() + KEY_RETENTION + timedelta(seconds=1)):
        assert SentRequest.delete_old() == 1


def test_vacations_are_announced_and_called_off_by_the_api(two: list[Player]) -> None:
    client = browser("martha")
    start = (clock.now() + timedelta(days=3)).date().isoformat()
    body = {"start": start, "end": start, "zone": "Europe/Berlin", "idempotency_key": "one"}
    address = "/api/v1/me/vacations/"
    made = client.post(address, body, content_type="application/json")
    again = client.post(address, body, content_type="application/json")

    assert (made.status_code, made.json()) == (again.status_code, again.json()) == (201, client.get(address).json()[0])
    number = made.json()["id"]
    assert browser("laura").delete(f"{address}{number}/").json()["error"]["code"] == "not_found"
    assert client.post(address, {**body, "idempotency_key": "two"}, content_type="application/json").status_code == 409
    assert client.delete(f"{address}{number}/").status_code == 204
    assert client.get(address).json() == []
    assert Client().get(address).status_code == 403
