"""The admin's dashboard, as a page and in the API: what plays, what waits, what is stuck and why."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from config.broker.pgmq_schema import QUEUES, install_queue
from config.monitoring import alerts
from config.monitoring.alert_types import Alert
from config.monitoring.sparkline import bars
from games.accounts.models import Notice
from games.clocks.models import Heartbeat
from games.common import clock
from games.common.models import Incident
from games.models import Bot, BotVersion, Game, Player, Trial
from games.operations import daily_counts
from games.operations import queues as operations_queues
from games.operations import status as system_status
from games.operations.models import DailyCount
from games.play import services as play
from games.play.models import Fault
from games.workers.models import Worker
from scorebook_games import build
from tests.assertions.page import Page
from tests.factories.builtin_bots import ensure_builtin_bots
from tournaments.maintenance import status as league_status

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


@pytest.fixture(autouse=True)
def noon() -> Iterator[None]:
    """Stop the clock at noon."""
    with clock.frozen_at(NOON):
        yield


@pytest.fixture
def ada(db: None) -> Client:
    """Return the admin's browser."""
    client = Client()
    client.force_login(User.objects.create_superuser("ada"))
    return client


@pytest.fixture
def bot_game(db: None) -> Game:
    bots = ensure_builtin_bots()
    return play.open_game(kind="chinese_ten", players=[bots["random"], bots["sensible"]])


def set_row(game: Game, **facts: object) -> None:
    Game.objects.filter(pk=game.pk).update(**facts)


def test_a_game_in_a_workers_hands_is_playing(bot_game: Game) -> None:
    set_row(bot_game, leased_by="hall-1", leased_until=NOON + timedelta(seconds=10))

    taken = system_status.collect_status()

    assert (taken.playing, taken.waiting, taken.stuck) == (1, 0, 0)


@pytest.mark.some(1)
@pytest.mark.parametrize(
    ("facts", "reason"),
    [
        ({}, "The game waits for a free worker."),
        (
            {"leased_by": "hall-2", "leased_until": NOON - timedelta(seconds=1)},
            "Worker hall-2 was lost. The next free worker continues the game.",
        ),
        (
            {"failures": 1, "retry_at": NOON + timedelta(seconds=30)},
            "The game failed once at event 2; the next attempt is at 12:00:30 UTC.",
        ),
    ],
)
def test_a_waiting_game_says_for_what(bot_game: Game, facts: dict[str, object], reason: str) -> None:
    set_row(bot_game, **facts)

    taken = system_status.collect_status()

    assert (taken.playing, taken.waiting, taken.stuck) == (0, 1, 0)
    assert [concern.reason for concern in taken.waiting_games] == [reason]


def test_a_game_between_people_waits_for_them_however_long(game: Game) -> None:
    with clock.frozen_at(NOON + timedelta(days=3)):
        taken = system_status.collect_status()

    assert (taken.waiting, taken.stuck) == (1, 0)
    assert taken.waiting_games[0].reason == "The game waits for a person’s move."


def test_a_bots_game_that_nobody_has_moved_for_minutes_is_stuck(bot_game: Game) -> None:
    with clock.frozen_at(NOON + timedelta(minutes=3)):
        taken = system_status.collect_status()

    assert (taken.waiting, taken.stuck) == (0, 1)
    assert taken.stuck_games[0].game == bot_game.public_id
    assert taken.stuck_games[0].since == NOON


def test_a_game_that_fails_again_and_again_is_stuck(bot_game: Game) -> None:
    set_row(bot_game, failures=3)

    assert system_status.collect_status().stuck_games[0].reason.startswith("The game failed 3 times at event 2;")


def test_a_clock_that_ran_out_unnoticed_is_stuck(game: Game) -> None:
    set_row(game, deadline=NOON - timedelta(seconds=1))

    assert "clock has run out" in system_status.collect_status().stuck_games[0].reason


def test_a_silent_worker_is_told_apart_from_one_that_lives(db: None) -> None:
    Worker.objects.create(name="hall-1", started_at=NOON, heartbeat_at=NOON)
    Worker.objects.create(name="hall-2", started_at=NOON, heartbeat_at=NOON - timedelta(minutes=3))
    Worker.objects.create(name="gone", started_at=NOON, heartbeat_at=NOON, stopped_at=NOON)

    taken = system_status.collect_status()

    assert [(worker.name, worker.alive) for worker in taken.workers] == [("hall-1", True), ("hall-2", False)]
    assert (taken.workers_alive, taken.workers_lost) == (1, 1)


def test_the_page_says_what_is_wrong_in_its_heading(ada: Client, bot_game: Game) -> None:
    Worker.objects.create(name="hall-1", started_at=NOON, heartbeat_at=NOON)
    assert "No problems" in ada.get("/admin/dashboard/").content.decode()

    set_row(bot_game, failures=3)
    Incident.objects.create(
        at=NOON, cause=Incident.Cause.WORKER_LOST, game=bot_game, sentences=[["written", {"text": "Hall 2 was lost."}]]
    )
    page = ada.get("/admin/dashboard/").content.decode()

    assert "One problem" in page
    assert f'href="/games/{bot_game.public_id}/"' in page
    assert "Hall 2 was lost." in page


def wrongs() -> dict[str, Alert]:
    return {each.what.partition("-")[0]: each for each in alerts.all_alerts(league_status.collect_status())}


def actions_of(what: str) -> list[tuple[str, str]]:
    return [(action.action, action.target) for action in wrongs()[what].actions]


def test_nothing_is_wrong_in_a_platform_in_which_all_goes_on(bot_game: Game) -> None:
    Worker.objects.create(name="hall-1", started_at=NOON, heartbeat_at=NOON)
    Heartbeat.objects.create(part="beat", at=NOON)
    assert wrongs() == {}


@pytest.mark.slow
def test_a_game_that_fails_again_and_again_offers_what_can_be_done(ada: Client, bot_game: Game) -> None:
    set_row(bot_game, failures=3, leased_by="hall-2", leased_until=NOON - timedelta(seconds=1), attempt=4)

    own = bot_game.public_id
    assert actions_of("game") == [("retry", own), ("release_lease", own), ("abort_game", own)]
    assert wrongs()["game"].sentence.endswith("Workers took it 4 times.")
    page = ada.get("/admin/dashboard/").content.decode()
    for action, _target in actions_of("game"):
        assert f'action="/admin/do/{action}/{own}/"' in page

    ada.post(f"/admin/do/retry/{own}/", {"reason": "Try.", "key": "k", "next": "/admin/dashboard/"})
    assert "game" not in wrongs()
    assert "<b>ada</b>: " + f"Workers will try game {own} again." in ada.get("/admin/dashboard/").content.decode()


@pytest.mark.slow
def test_games_that_stand_still_for_the_same_reason_are_one_thing(bot_game: Game) -> None:
    others = [
        play.open_game(kind="chinese_ten", players=[seat.player for seat in bot_game.seats.all()]) for _each in range(6)
    ]
    with clock.frozen_at(NOON + timedelta(minutes=3)):
        assert wrongs()["games"].title == "7 games have stopped"
        assert wrongs()["games"].sentence.startswith("The game waits for a free worker. Among them: ")
        assert "game" not in wrongs()
        set_row(others[0], failures=3)
        assert (wrongs()["games"].title, len(actions_of("game"))) == ("6 games have stopped", 2)


def test_where_more_games_stand_still_than_are_looked_at_it_says_so(
    bot_game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _each in range(3):
        play.open_game(kind="chinese_ten", players=[seat.player for seat in bot_game.seats.all()])
    monkeypatch.setattr(system_status, "MAX_LISTED", 2)
    with clock.frozen_at(NOON + timedelta(minutes=3)):
        assert wrongs()["games"].title == "2 or more games have stopped"


@pytest.mark.slow
def test_the_games_of_a_lost_worker_are_told_with_it(bot_game: Game) -> None:
    Worker.objects.create(name="hall-2", started_at=NOON, heartbeat_at=NOON)
    set_row(bot_game, leased_by="hall-2", leased_until=NOON)
    with clock.frozen_at(NOON + timedelta(minutes=3)):
        assert system_status.collect_status().stuck == 1
        assert "game" not in wrongs()
        assert wrongs()["worker"].sentence.startswith("It has one game,")


def uploaded(name: str) -> BotVersion:
    bot = Bot.objects.create(name=name, owner=User.objects.create_user(name.lower()))
    version = BotVersion.objects.create(bot=bot, number=1, transport="upload", program="upload")
    Player.objects.create(name=name, bot_version=version)
    return version


@pytest.mark.slow
def test_a_game_at_which_an_uploaded_bot_fails_offers_to_quarantine_it(bot_game: Game) -> None:
    marrow = uploaded("Marrow")
    bot_game.seats.filter(seat=bot_game.to_act[0]).update(player=marrow.player)
    set_row(bot_game, failures=3, sandboxed=True)

    assert actions_of("game")[0] == ("quarantine", "Marrow v1")
    BotVersion.objects.update(state="quarantined")
    assert "quarantine" not in dict(actions_of("game"))


def test_a_bot_with_three_faults_within_the_hour_is_wrong_as_long_as_it_plays(db: None) -> None:
    marrow = uploaded("Marrow")

    def fault(minutes: int) -> None:
        at = NOON - timedelta(minutes=minutes)
        Fault.objects.create(at=at, bot_version=marrow, kind="crashed", cost="refused")

    for minutes in (10, 20, 90):
        fault(minutes)
    assert "bot" not in wrongs()
    fault(30)

    assert actions_of("bot") == [("quarantine", "Marrow v1")]
    assert wrongs()["bot"].sentence == "3 faults within the last hour: crashed (3). The bot still plays."
    assert wrongs()["bot"].since == NOON - timedelta(minutes=30)
    assert [(each.version, each.times) for each in system_status.collect_status().faults] == [("Marrow v1", 4)]
    BotVersion.objects.update(state="quarantined")
    assert "bot" not in wrongs()


def test_a_fault_that_nobody_may_know_of_is_not_told_to_admins_either(bot_game: Game) -> None:
    """A fault that cost nothing would reveal that the seat could have acted in secret."""
    for _each in range(3):
        Fault.objects.create(
            at=NOON, bot_version=uploaded(f"M{_each}"), game=bot_game, seat=0, kind="crashed", cost="none"
        )
    assert system_status.collect_status().faults == []


def test_a_silent_worker_is_wrong_until_its_games_are_with_others(bot_game: Game) -> None:
    Worker.objects.create(name="hall-2", started_at=NOON - timedelta(hours=1), heartbeat_at=NOON - timedelta(minutes=3))
    set_row(bot_game, leased_by="hall-2", leased_until=NOON + timedelta(seconds=9))
    assert actions_of("worker") == [("release_leases", "hall-2")]

    Worker.objects.update(stopped_at=NOON)  # as a sweep records it
    assert actions_of("worker") == [("release_leases", "hall-2")]
    set_row(bot_game, leased_by="hall-1")
    Worker.objects.create(name="hall-1", started_at=NOON, heartbeat_at=NOON)
    assert "worker" not in wrongs()
    assert [worker.alive for worker in system_status.collect_status().workers] == [True, False], (
        "it is listed for a while"
    )


@pytest.mark.slow
def test_the_heading_tells_of_a_worker_lost_lately_whose_row_has_no_rate(ada: Client) -> None:
    begun = NOON - timedelta(hours=1)
    Worker.objects.create(name="hall-1", started_at=begun, heartbeat_at=NOON)
    silent = NOON - timedelta(minutes=3)
    Worker.objects.create(
        name="hall-2",
        started_at=begun,
        heartbeat_at=silent,
        stopped_at=silent + timedelta(minutes=1),
        games_played=1435,
    )
    answer = ada.get("/admin/dashboard/")
    page = answer.content.decode()
    assert "worker" not in wrongs()
    assert Page.of(answer).headings[0] == (1, "No problems: one worker was lost, and others took over its games")
    assert "1,435" not in page
    assert [each.games_an_hour for each in system_status.collect_status().workers] == [0, 0]


def test_a_worker_that_ended_by_intention_is_not_lost(db: None) -> None:
    Worker.objects.create(
        name="hall-2", started_at=NOON, heartbeat_at=NOON - timedelta(seconds=4), stopped_at=NOON - timedelta(seconds=1)
    )
    assert system_status.collect_status().workers == []


def test_mail_that_does_not_go_out_says_what_the_server_answers(ada: Client) -> None:
    user = User.objects.create_user("martha")

    def notice(key: str, **mail: Any) -> int:
        return Notice.objects.create(user=user, subject="challenge", key=key, created=NOON, send_at=NOON, **mail).pk

    notice("a", send_state="due")
    assert "mail" not in wrongs(), "it has not been tried yet"
    notice("b", send_state="due", tries=2, send_error="451 try later")
    unsure = notice("c", send_state="unsure")
    notice("d", send_state="failed")

    assert wrongs()["mail"].sentence == (
        "1 email is waiting: the mail server answers “451 try later”. 1 email was given up. "
        "1 email may not have arrived: the connection broke while it was being sent."
    )
    assert actions_of("mail") == [("try_mails", ""), ("resend_mail", str(unsure))]
    page = ada.get("/admin/dashboard/").content.decode()
    assert 'action="/admin/do/try_mails/"' in page
    with clock.frozen_at(NOON + timedelta(days=8)):
        assert actions_of("mail") == [("try_mails", "")], "who was not told a week ago need not be told"


@pytest.mark.slow
def test_each_form_of_the_page_has_names_of_its_own(ada: Client, bot_game: Game) -> None:
    """Otherwise the words "Try again: why?" would label the field of another action."""
    set_row(bot_game, failures=3, leased_by="hall-1", leased_until=NOON)
    user = User.objects.create_user("laura")
    for key in "ab":
        Notice.objects.create(user=user, subject="challenge", key=key, created=NOON, send_at=NOON, send_state="unsure")
    page = ada.get("/admin/dashboard/").content.decode()
    ids = re.findall(r' id="([^"]+)"', page)
    assert sorted(ids) == sorted(set(ids))
    assert len([each for each in ids if each.startswith("why-")]) == 5
    assert f'for="why-game-{bot_game.public_id}'.lower() in page.lower()


@pytest.mark.parametrize(("state", "word"), [("failed", "Given up"), ("unsure", "Uncertain")])
def test_what_is_told_of_mail_leads_to_the_list_in_which_it_stands(ada: Client, state: str, word: str) -> None:
    user = User.objects.create_user("laura")
    Notice.objects.create(user=user, subject="challenge", key="a", created=NOON, send_at=NOON, send_state=state)
    found = wrongs()["mail"]
    assert found.word == word
    listed = ada.get(found.page).content.decode()
    assert found.page.endswith(f"={state}")
    assert "laura" in listed.lower()


def test_a_platform_without_beat_or_workers_says_so(bot_game: Game) -> None:
    Heartbeat.objects.create(part="beat", at=NOON - timedelta(minutes=2))
    assert set(wrongs()) == {"beat", "workers"}
    set_row(bot_game, sandboxed=True)
    assert set(wrongs()) == {"beat", "sandboxes"}
    worker = Worker.objects.create(name="c", started_at=NOON, heartbeat_at=NOON, tier="none", tier_reason="No walls.")
    assert wrongs()["sandboxes"].sentence == "No walls."
    Worker.objects.filter(pk=worker.pk).update(tier="A")
    assert set(wrongs()) == {"beat"}


def test_waiting_games_are_counted_by_what_they_wait_for(bot_game: Game, game: Game) -> None:
    other = play.open_game(kind="chinese_ten", players=[seat.player for seat in bot_game.seats.all()])
    set_row(other, failures=1)

    counts = {each.code: each.games for each in system_status.collect_status().waiting_for}

    assert counts == {"worker": 1, "person": 1, "retry": 1}


def test_the_account_takes_as_many_queries_however_much_is_wrong(bot_game: Game) -> None:
    players = [seat.player for seat in bot_game.seats.all()]

    def more_wrong(times: int) -> None:
        for each in range(times):
            other = play.open_game(kind="chinese_ten", players=players)
            set_row(other, failures=3, sandboxed=bool(each % 2), leased_by="hall-2", leased_until=NOON - timedelta(1))
            waits = play.open_game(kind="chinese_ten", players=players)
            set_row(waits, sandboxed=True)
            version = uploaded(f"Bot {BotVersion.objects.count()}")
            fault = {"kind": "crashed", "cost": "refused"}
            Fault.objects.bulk_create([Fault(at=NOON, bot_version=version, **fault) for _n in range(3)])
            Trial.objects.create(
                what="admission", version=version, state="waiting", failures=1, created=NOON, served_at=NOON
            )

    def queries() -> int:
        with CaptureQueriesContext(connection) as asked:
            alerts.all_alerts(league_status.collect_status())
        return len(asked)

    more_wrong(2)
    before = queries()
    more_wrong(9)

    assert queries() == before
    assert len(alerts.all_alerts(league_status.collect_status())) >= 22


def test_what_there_is_nothing_of_costs_the_account_one_query_each(db: None) -> None:
    with CaptureQueriesContext(connection) as asked:
        league_status.collect_status()
    assert len(asked) <= 31


def test_a_day_is_counted_once_it_is_over_and_today_so_far(bot_game: Game) -> None:
    play.abort_game(game=bot_game, reason="x")
    User.objects.update(date_joined=NOON)
    uploaded("Marrow")
    User.objects.filter(username="marrow").update(date_joined=NOON - timedelta(days=1))
    BotVersion.objects.filter(transport="upload").update(created=NOON - timedelta(days=1), state="refused")

    assert daily_counts.count_finished_days() == 30
    assert daily_counts.count_finished_days() == 0

    yesterday, today = daily_counts.last(NOON, log_bytes=10**9)[-2:]
    assert (yesterday.games, yesterday.sign_ups, yesterday.uploads, yesterday.refused) == (0, 1, 1, 1)
    assert (today.games, today.now, today.log_growth) == (1, True, 10**9 - DailyCount.objects.latest("day").log_bytes)
    assert len(daily_counts.last(NOON, 0)) == 30
    Game.objects.update(finished_at=NOON - timedelta(days=1))
    assert daily_counts.last(NOON, 0)[-2].games == 0, "what was counted stays"


def test_bars_are_as_high_as_what_they_stand_for() -> None:
    heights = [float(each) for each in re.findall(r'height="([\d.]+)"', bars([0, 5, None, 10]))]
    assert heights == [0.6, 37.0, 74.0]
    assert bars([]).count("<rect") == 0
    assert 'x="349.2" y="4.0" width="9.6"' in bars([5]), "the first day is no wider than it will be among thirty"


def test_the_queues_of_the_broker_are_listed_where_it_is_the_database(db: None) -> None:
    assert [queue.place for queue in operations_queues.messages()] == []
    install_queue()
    with connection.cursor() as cursor:
        cursor.execute("SELECT pgmq.send('short', '{}'), pgmq.send('short', '{}', 60)")

    listed = {queue.name: queue for queue in operations_queues.messages()}

    assert set(listed) == set(QUEUES), "an empty queue is listed too"
    assert listed["short"].waiting == 1, "one of the two is in hand"
    assert listed["short"].oldest is not None
    assert {queue.waiting for queue in listed.values() if queue.name != "short"} == {0}


def test_a_refresh_brings_the_part_that_changes_and_no_second_head(ada: Client) -> None:
    part = ada.get("/admin/dashboard/", headers={"HX-Request": "true"}).content.decode()

    assert "<h1>" in part
    assert re.search(rf"<dt>Engines</dt>\s*<dd[^>]*>\s*{build.current_build()}\s", part)
    assert "<html" not in part


def test_the_api_gives_the_same_account_to_admins_alone(ada: Client, client: Client, otto: Player, game: Game) -> None:
    status = ada.get("/api/v1/status/").json()
    assert (status["waiting"], status["engines"]) == (1, build.current_build())
    assert (status["waiting_for"][0]["code"], status["alerts"]) == ("person", [])

    assert client.get("/api/v1/status/").status_code == 403
    assert otto.user
    client.force_login(otto.user)
    assert client.get("/api/v1/status/").json()["error"]["code"] == "permission_denied"
    assert client.get("/admin/dashboard/").status_code == 302


def test_the_admin_shows_no_hidden_card_of_a_game_that_is_on(ada: Client, bot_game: Game) -> None:
    """Staff see no more of a game than the public."""
    page = ada.get(f"/admin/games/game/{bot_game.pk}/change/").content.decode()
    fold = play.load_game(bot_game)
    hand = fold.rules.observation(fold.state, 0)["hand"]

    dealt = next(line for line in page.splitlines() if "dealt" in line)
    assert not any(f"&#x27;{card}&#x27;" in dealt.split("spots")[0] for card in hand)
