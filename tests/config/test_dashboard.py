"""The admin's dashboard: what plays, what waits, what is stuck and why; the same by page and by API."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client

from games import build, clock, condition, table
from games.bots.roster import ensure_house_bots
from games.models import Game, Incident, Player, Worker

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


@pytest.fixture(autouse=True)
def noon() -> Iterator[None]:
    """It is noon, for as long as the test lasts."""
    with clock.at(NOON):
        yield


@pytest.fixture
def ada(db: None) -> Client:
    """The admin's browser."""
    client = Client()
    client.force_login(User.objects.create_superuser("ada"))
    return client


@pytest.fixture
def bot_game(db: None) -> Game:
    bots = ensure_house_bots()
    return table.open(kind="chinese_ten", players=[bots["random"], bots["sensible"]])


def set_row(game: Game, **facts: object) -> None:
    Game.objects.filter(pk=game.pk).update(**facts)


def test_a_game_in_a_workers_hands_is_playing(bot_game: Game) -> None:
    set_row(bot_game, leased_by="hall-1", leased_until=NOON + timedelta(seconds=10))

    taken = condition.take()

    assert (taken.playing, taken.waiting, taken.stuck) == (1, 0, 0)


@pytest.mark.parametrize(
    ("facts", "reason"),
    [
        ({}, "It waits for a free worker."),
        (
            {"leased_by": "hall-2", "leased_until": NOON - timedelta(seconds=1)},
            "Worker hall-2 was lost; another one goes on as soon as it is free.",
        ),
        (
            {"failures": 1, "retry_at": NOON + timedelta(seconds=30)},
            "It failed once at event 2; the next try is at 12:00:30 UTC.",
        ),
    ],
)
def test_a_waiting_game_says_for_what(bot_game: Game, facts: dict[str, object], reason: str) -> None:
    set_row(bot_game, **facts)

    taken = condition.take()

    assert (taken.playing, taken.waiting, taken.stuck) == (0, 1, 0)
    assert [concern.reason for concern in taken.waiting_games] == [reason]


def test_a_game_between_people_waits_for_them_however_long(game: Game) -> None:
    with clock.at(NOON + timedelta(days=3)):
        taken = condition.take()

    assert (taken.waiting, taken.stuck) == (1, 0)
    assert taken.waiting_games[0].reason == "It waits for a person's move."


def test_a_bots_game_that_nobody_has_moved_for_minutes_is_stuck(bot_game: Game) -> None:
    with clock.at(NOON + timedelta(minutes=3)):
        taken = condition.take()

    assert (taken.waiting, taken.stuck) == (0, 1)
    assert taken.stuck_games[0].game == bot_game.public_id
    assert taken.stuck_games[0].since == NOON


def test_a_game_that_fails_again_and_again_is_stuck(bot_game: Game) -> None:
    set_row(bot_game, failures=3)

    assert condition.take().stuck_games[0].reason.startswith("It failed 3 times at event 2;")


def test_a_clock_that_ran_out_unnoticed_is_stuck(game: Game) -> None:
    set_row(game, deadline=NOON - timedelta(seconds=1))

    assert "clock has run out" in condition.take().stuck_games[0].reason


def test_a_silent_worker_is_told_apart_from_one_that_lives(db: None) -> None:
    Worker.objects.create(name="hall-1", started_at=NOON, heartbeat_at=NOON)
    Worker.objects.create(name="hall-2", started_at=NOON, heartbeat_at=NOON - timedelta(minutes=3))
    Worker.objects.create(name="gone", started_at=NOON, heartbeat_at=NOON, stopped_at=NOON)

    taken = condition.take()

    assert [(worker["name"], worker["alive"]) for worker in taken.workers] == [("hall-1", True), ("hall-2", False)]
    assert (taken.workers_alive, taken.workers_lost) == (1, 1)


def test_the_page_says_what_is_wrong_in_its_heading(ada: Client, bot_game: Game) -> None:
    Worker.objects.create(name="hall-1", started_at=NOON, heartbeat_at=NOON)
    assert "All is well" in ada.get("/admin/dashboard/").content.decode()

    set_row(bot_game, failures=3)
    Incident.objects.create(at=NOON, cause=Incident.Cause.WORKER_LOST, game=bot_game, sentence="Hall 2 was lost.")
    page = ada.get("/admin/dashboard/").content.decode()

    assert "One game is stuck" in page
    assert f'href="/games/{bot_game.public_id}/"' in page
    assert "Hall 2 was lost." in page


def test_a_refresh_brings_the_part_that_changes_and_no_second_head(ada: Client) -> None:
    part = ada.get("/admin/dashboard/", headers={"HX-Request": "true"}).content.decode()

    assert "<h1>" in part
    assert f"<dd>{build.which()} " in part
    assert "<html" not in part


def test_the_api_gives_the_same_account_to_admins_alone(ada: Client, client: Client, otto: Player, game: Game) -> None:
    status = ada.get("/api/v1/status/").json()
    assert (status["waiting"], status["engines"]) == (1, build.which())

    assert client.get("/api/v1/status/").status_code == 403
    assert otto.user
    client.force_login(otto.user)
    assert client.get("/api/v1/status/").json()["error"]["code"] == "permission_denied"
    assert client.get("/admin/dashboard/").status_code == 302


def test_every_list_of_the_admin_opens(ada: Client, bot_game: Game) -> None:
    index = ada.get("/admin/").content.decode()
    lists = {
        part.split('"')[0] for part in index.split('href="')[1:] if part.startswith(("/admin/games/", "/admin/tour"))
    }
    lists = {address for address in lists if "/add/" not in address}

    assert len(lists) >= 12
    for address in lists:
        assert ada.get(address).status_code == 200, address
    assert ada.get(f"/admin/games/game/{bot_game.pk}/change/").status_code == 200


def test_the_admin_shows_no_hidden_card_of_a_game_that_is_on(ada: Client, bot_game: Game) -> None:
    """DESIGN: staff have no other eyes than everybody."""
    page = ada.get(f"/admin/games/game/{bot_game.pk}/change/").content.decode()
    fold = table.load(bot_game)
    hand = fold.rules.observation(fold.state, 0)["hand"]

    dealt = next(line for line in page.splitlines() if "dealt" in line)
    assert not any(f"&#x27;{card}&#x27;" in dealt.split("spots")[0] for card in hand)
