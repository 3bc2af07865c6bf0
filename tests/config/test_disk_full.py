"""If the database's disk is full, nothing is half written, users get an error, and play continues when there is
room."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import OperationalError, transaction
from django.test import Client

from config.monitoring import alerts
from games import tasks as games_tasks
from games.common import clock, disk_full
from games.common.models import Incident, SentRequest
from games.eventlog import store as eventlog
from games.models import Bot, BotVersion, Game, Player, Trial
from games.play import services as play_services
from games.play import unit_of_work
from games.workers import leases, runner
from scorebook_games.gamelog import visibility
from tests.factories.builtin_bots import ensure_builtin_bots
from tests.servers.full_disk import full
from tournaments.maintenance import status as league_status

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
BOT = b"class Bot:\n    kinds = ('chinese_ten',)\n\n    def move(self, view, legal):\n        return legal[0]\n"
SignIn = Callable[[Player], Client]

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("no_full_disk_met")]


@pytest.fixture
def browser(martha: Player, sign_in: SignIn) -> Client:
    """Return Martha's browser, which shows faults as pages."""
    browser = sign_in(martha)
    browser.raise_request_exception = False
    return browser


@pytest.fixture
def gannet(martha: Player) -> Bot:
    """Return a bot of Martha's without a version."""
    return Bot.objects.create(name="Gannet", key="gannet", owner=martha.user)


@pytest.fixture
def bot_game() -> Game:
    bots = ensure_builtin_bots()
    return play_services.open_game(kind="chinese_ten", players=[bots["random"], bots["sensible"]])


def refused(answer: Any) -> None:
    """Check that the API answers with its usual error and says what to do."""
    error = answer.json()["error"]
    assert (answer.status_code, error["status"], error["code"]) == (503, 503, "disk_full")
    assert "Your change was not saved" in error["sentence"]
    assert "Try again in a few minutes" in error["sentence"]
    assert answer["Retry-After"] == "60"


# moves


def send_move(browser: Client, game: Game, **headers: str) -> Any:
    fold = play_services.load_game(game)
    move = {"move": visibility.legal_moves(fold, 0)[0], "expected_version": fold.version}
    address = f"/api/v1/games/{game.public_id}/moves/"
    return browser.post(address, move, content_type="application/json", headers=headers)


@pytest.mark.some(1)
@pytest.mark.parametrize("where", ["batch", "stream", "games_game"])
def test_a_move_for_which_there_is_no_room_is_refused_whole_and_can_be_made_later(
    browser: Client, game: Game, where: str
) -> None:
    before = eventlog.read_events(game.stream_id)
    with full(where):
        refused(send_move(browser, game))
        assert eventlog.read_events(game.stream_id) == before
        assert browser.get(f"/api/v1/games/{game.public_id}/").status_code == 200  # existing data can be read
        assert browser.get("/clubs/").status_code == 200
    game.refresh_from_db()
    assert game.version == len(before)

    assert send_move(browser, game).status_code == 201
    assert len(eventlog.read_events(game.stream_id)) > len(before)


def test_a_key_of_a_move_that_was_refused_is_not_used_up(browser: Client, game: Game) -> None:
    with full("batch"):
        refused(send_move(browser, game, **{"Idempotency-Key": "the-first-move"}))
    assert not SentRequest.objects.exists()
    assert send_move(browser, game, **{"Idempotency-Key": "the-first-move"}).status_code == 201


# uploads


@pytest.mark.parametrize("where", ["games_botversion", "games_player", "games_trial"])
def test_an_upload_for_which_there_is_no_room_leaves_nothing_behind(browser: Client, gannet: Bot, where: str) -> None:
    players = Player.objects.count()
    with full(where):
        refused(browser.post("/api/v1/bots/Gannet/versions/", {"file": SimpleUploadedFile("bot.py", BOT)}))
    assert (BotVersion.objects.count(), Trial.objects.count(), Player.objects.count()) == (0, 0, players)

    again = browser.post("/api/v1/bots/Gannet/versions/", {"file": SimpleUploadedFile("bot.py", BOT)})
    assert (again.status_code, again.json()["number"]) == (201, 1)


def test_a_page_says_in_words_that_it_cannot_be_done_now(browser: Client, gannet: Bot) -> None:
    with full("games_trial"):
        page = browser.post("/bots/Gannet/upload/", {"file": SimpleUploadedFile("bot.py", BOT), "end": "1"})
    assert (page.status_code, page["Retry-After"]) == (503, "60")
    text = page.content.decode()
    assert "disk_full" in text
    assert "nothing can be saved at the moment" in text
    assert not BotVersion.objects.exists()


# games of bots


def play() -> int:
    return runner.play_due_games("one")


def test_a_bots_game_waits_until_there_is_room_and_is_nobodys_fault(bot_game: Game) -> None:
    """The wait has no limit: after eight failures a game would wait for an admin."""
    before = eventlog.read_events(bot_game.stream_id)
    with full("batch"):
        for _ in range(leases.MAX_FAILED_CLAIMS + 2):
            with pytest.raises(OperationalError, match="No space left"):
                play()
            bot_game.refresh_from_db()
            assert (bot_game.leased_by, bot_game.failures) == ("", 0)
    assert eventlog.read_events(bot_game.stream_id) == before
    assert not Incident.objects.exclude(cause="disk_full").exists()

    assert play() == 1
    bot_game.refresh_from_db()
    assert bot_game.status == "finished"


@pytest.mark.django_db(transaction=True)
def test_a_game_that_could_not_even_be_given_back_is_given_back_later(
    bot_game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = unit_of_work.commit
    with ExitStack() as disk, monkeypatch.context() as patch:

        def fills_up(units: Sequence[unit_of_work.GameUnit], at: datetime) -> None:
            disk.enter_context(full("games_game", "batch"))
            store(units, at)

        patch.setattr(unit_of_work, "commit", fills_up)
        with pytest.raises(OperationalError, match="No space left"):
            play()
    bot_game.refresh_from_db()
    assert bot_game.leased_by == "one"

    assert play() == 1  # at once, and not only after the lease has expired
    bot_game.refresh_from_db()
    assert bot_game.status == "finished"
    assert not Incident.objects.filter(cause="worker_lost").exists()


# notices of a full disk


def met(at: datetime) -> None:
    """Let this process meet a full disk at this time."""
    with clock.frozen_at(at), full("common_incident"), pytest.raises(OperationalError) as refused, transaction.atomic():
        Incident.objects.create(at=at, cause="crashed", sentences=[["written", {"text": "Nobody reads this."}]])
    with clock.frozen_at(at):
        games_tasks.note_full_disk(exception=refused.value)


def test_it_is_written_down_once_as_soon_as_something_can_be_written() -> None:
    met(NOON)
    with full("common_incident"), pytest.raises(OperationalError):
        disk_full.record_incident()
    disk_full.record_incident()
    disk_full.record_incident()
    met(NOON + timedelta(seconds=30))
    disk_full.record_incident()
    incident = Incident.objects.get()
    assert (incident.cause, incident.at) == ("disk_full", NOON)
    assert incident.sentence.startswith("The database’s disk was full at 12:00:00 UTC")
    met(NOON + timedelta(minutes=2))
    disk_full.record_incident()
    assert Incident.objects.count() == 2


def full_in(now: league_status.LeagueStatus) -> list[str]:
    return [each.title for each in alerts.all_alerts(now) if each.what == "full"]


def test_the_dashboard_shows_it_in_every_process_for_some_minutes(client: Client) -> None:
    met(NOON)
    client.force_login(User.objects.create_superuser("ada"))
    with clock.frozen_at(NOON + timedelta(minutes=1)):
        with full("common_incident", "games_game", "batch"):  # nothing can be recorded yet, but the process knows
            assert full_in(league_status.collect_status()) == ["The database’s disk is full"]
            page = client.get("/admin/dashboard/").content.decode()
            assert "The database’s disk is full" in page
        disk_full.record_incident()
        disk_full.process_state.met = None  # as in another process
        assert full_in(league_status.collect_status()) == ["The database’s disk is full"]
    with clock.frozen_at(NOON + timedelta(minutes=6)):
        assert full_in(league_status.collect_status()) == []
