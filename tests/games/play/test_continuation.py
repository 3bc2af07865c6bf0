"""A person plays on from a moment of a finished game: with the same cards, against built-in bots, and without a
rating."""

from __future__ import annotations

import json

import pytest
from django.contrib.auth.models import User
from django.test import Client

from games.common import clock
from games.common.errors import DomainError
from games.eventlog import store as eventlog
from games.models import Deal, Game, Player
from games.play import continuation
from games.play import services as play
from games.play.departures import RESIGNED
from games.workers import runner
from replays.export.game_json import export_json, export_text
from replays.export.verification import check_game
from replays.verify import read_export, verify
from scorebook_games.contract import Event
from scorebook_games.gamelog import events as ev
from scorebook_games.registry import KINDS
from tests.factories.builtin_bots import ensure_builtin_bots
from tests.replays.conftest import open_game, play_on

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def martha(kept: None) -> Player:
    return Player.objects.create(name="Martha", user=User.objects.create_user("martha"))


@pytest.fixture(scope="module")
def laura(kept: None) -> Player:
    return Player.objects.create(name="Laura", user=User.objects.create_user("laura"))


@pytest.fixture(scope="module", params=sorted(KINDS))
def played(request: pytest.FixtureRequest, kept: None) -> int:
    """Return the id of a game of this kind at its usual pace, which bots have finished."""
    deal = Deal.objects.create(seed=bytes(range(32)))
    game = play.open_game(kind=request.param, players=[ensure_builtin_bots()["sensible"]] * 2, deal=deal)
    runner.play_due_games("test")
    return game.pk


@pytest.fixture
def finished(played: int) -> Game:
    return Game.objects.get(pk=played)


@pytest.fixture(scope="module")
def played_by_people(martha: Player, laura: Player) -> int:
    return play_on(open_game([martha, laura])).pk


@pytest.fixture
def source(played_by_people: int) -> Game:
    """Return the finished game of Martha and Laura."""
    return Game.objects.get(pk=played_by_people)


def rule_events(game: Game) -> list[Event]:
    return [entry.event for entry in eventlog.read_events(game.stream_id) if not ev.is_table_event(entry.event)]


def continued(game: Game, version: int, player: Player, seat: int = 0) -> Game:
    return continuation.continue_from(game, version, seat, player)[0]


@pytest.mark.some(2)
@pytest.mark.parametrize("moments", [3, pytest.param(7, marks=pytest.mark.slow)])
def test_the_new_game_stands_where_the_old_one_stood(finished: Game, martha: Player, moments: int) -> None:
    for version in range(1, finished.version - 3, max(1, finished.version // moments)):
        game = continued(finished, version, martha)
        mine, theirs = play.load_game(game), rule_events(finished)
        assert rule_events(game) == theirs[: mine.rule_events]
        assert mine.outcome() is None
        assert mine.to_act()
        assert game.continued_at is not None
        if version > 5:
            assert game.continued_at <= version
        assert check_game(game.pk) == []


def test_from_the_same_moment_the_same_moves_lead_to_the_same_end(finished: Game, martha: Player) -> None:
    """The seed is the same, so a bot in the person's seat plays the old game again."""
    game = continued(finished, finished.version // 2, martha)
    game.seats.filter(player=martha).update(player=ensure_builtin_bots()["sensible"])
    Game.objects.filter(pk=game.pk).update(
        awaits_worker=True, played_by_workers=True, terms={**game.terms, "bot_pace_ms": 0}
    )
    runner.play_due_games("test")
    game.refresh_from_db()
    assert rule_events(game) == rule_events(finished)
    assert game.outcome == finished.outcome


def test_it_is_casual_and_says_where_it_comes_from(finished: Game, martha: Player) -> None:
    game = continued(finished, 30, martha)
    assert game.terms["rated"] is False
    assert game.terms["pace"] == finished.terms["pace"]
    assert [seat.player.name for seat in game.seats.all()] == ["Martha", "Sensible"]
    first = eventlog.read_events(game.stream_id)[1].event
    assert first == [ev.CONTINUED, finished.public_id, game.continued_at]


def test_its_export_is_verified_without_the_platform_and_names_its_source(finished: Game, martha: Player) -> None:
    game = continued(finished, finished.version // 2, martha)
    play.leave_game(game=game, seat=0, how=RESIGNED)
    data = export_json(game)
    assert data["game"]["continued"] == {"game": finished.public_id, "version": game.continued_at}
    assert verify(read_export(json.dumps(data))).faults == []
    assert f"continues from event {game.continued_at} of game {finished.public_id}" in export_text(game)


def test_a_log_cannot_claim_later_that_it_goes_on_from_elsewhere(martha: Player, laura: Player) -> None:
    game = play_on(open_game([martha, laura]), 3)
    eventlog.append(
        game.stream_id, [[ev.CONTINUED, "AAAAAAAA", 3]], expected=game.version, times=[9**9], at=clock.now()
    )
    assert any("can't have said" in fault for fault in check_game(game.pk))


def test_who_asks_again_gets_the_game_that_is_on(source: Game, martha: Player, laura: Player) -> None:
    game, is_new = continuation.continue_from(source, 20, 0, martha)
    assert is_new
    assert continuation.continue_from(source, 20, 0, martha) == (game, False)
    assert continued(source, 20, martha, seat=1) != game
    assert continued(source, 20, laura) != game
    play.leave_game(game=game, seat=0, how=RESIGNED)
    assert continued(source, 20, martha) != game


@pytest.mark.parametrize(
    ("version", "seat", "program", "code"),
    [(9999, 0, "sensible", "bad_version"), (9, 2, "sensible", "bad_seat"), (9, 0, "grandmaster", "bad_program")],
)
def test_what_makes_no_sense_is_refused(
    source: Game, martha: Player, version: int, seat: int, program: str, code: str
) -> None:
    with pytest.raises(DomainError) as refused:
        continuation.continue_from(source, version, seat, martha, program)
    assert refused.value.code == code


def test_neither_a_game_that_is_on_nor_its_end_can_be_gone_on_from(martha: Player, laura: Player) -> None:
    game = play_on(open_game([martha, laura]), 5)
    with pytest.raises(DomainError, match="once the game is over"):
        continued(game, 3, martha)
    play_on(game)
    with pytest.raises(DomainError, match="is over at this moment"):
        continued(game, game.version, martha)


def test_a_game_of_a_sealed_deal_stays_closed(martha: Player, laura: Player) -> None:
    """The seed is secret while another game of the deal is running."""
    game = open_game([martha, laura])
    play.open_game(kind="chinese_ten", players=[martha, laura], deal=game.deal)
    play_on(game)
    with pytest.raises(DomainError, match="once the game is over"):
        continued(game, 9, martha)


def test_the_api_answers_with_the_page_of_the_game(client: Client, source: Game, martha: Player) -> None:
    address = f"/api/v1/games/{source.public_id}/continue/"
    asked = {"version": 20, "seat": 1, "idempotency_key": "one"}
    assert martha.user
    client.force_login(martha.user)
    answer = client.post(address, asked, content_type="application/json")
    assert answer.status_code == 201
    again = client.post(address, asked, content_type="application/json")
    assert (again.status_code, again.json()) == (201, answer.json())
    later = client.post(address, {"version": 20, "seat": 1}, content_type="application/json")
    assert (later.status_code, later.json()) == (200, answer.json())
    page = client.get(answer.json()["url"]).content.decode()
    assert f"of {source.public_id}" in page
    assert f'href="/games/{source.public_id}/#{answer.json()["version"]}"' in page


def test_without_an_account_one_plays_on_as_a_guest(source: Game) -> None:
    address = f"/api/v1/games/{source.public_id}/continue/"
    asked = {"version": 20, "seat": 0}
    browser = Client(enforce_csrf_checks=True)
    assert browser.post(address, asked, content_type="application/json").status_code == 403
    browser.get(f"/games/{source.public_id}/")
    token = browser.cookies["csrftoken"].value
    answer = browser.post(address, asked, content_type="application/json", headers={"X-CSRFToken": token})
    assert answer.status_code == 201
    game = Game.objects.get(public_id=answer.json()["id"])
    assert game.seats.get(seat=0).player.name.startswith("Guest")
    assert '"turn": {"seat": 0' in browser.get(answer.json()["url"]).content.decode()
