"""Actions of admins on bots, workers, sign-up, seasons and the rebuild. Each is stored with its reason."""

from __future__ import annotations

import threading
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client

from games.accounts import people, signup_switch
from games.accounts.models import Notice
from games.admin_actions import registry as admin_actions
from games.admin_actions.models import AdminAction
from games.common import clock
from games.common.errors import DomainError
from games.models import Bot, BotVersion, Game
from games.operations import jobs
from games.operations.models import AdminJob
from games.play import services as play
from games.workers import leases
from games.workers.models import Worker
from tests.factories.builtin_bots import ensure_builtin_bots
from tests.tournaments.club import new_club
from tournaments.entries import services as entries
from tournaments.lifecycle import services as seasons
from tournaments.maintenance import rebuild, rebuild_job
from tournaments.seasons.models import League, Season

pytestmark = pytest.mark.django_db
WHY = "It has been like that since noon."


@pytest.fixture
def version(db: None) -> BotVersion:
    """Return Jasper's Gannet v1, which has passed admission."""
    jasper = people.create_profile_and_player(User.objects.create_user("jasper"), "Jasper")
    bot = Bot.objects.create(name="Gannet", owner=jasper.user)
    return BotVersion.objects.create(bot=bot, number=1, transport="upload", program="upload")


def do(code: str, target: Any = "", *, by: User, **asked: Any) -> str:
    return admin_actions.perform(code, target, reason=WHY, by=by, **asked).outcome


def refusal(code: str, target: Any = "", *, by: User, **asked: Any) -> str:
    with pytest.raises(DomainError) as refused:
        do(code, target, by=by, **asked)
    return str(refused.value.code)


def test_a_version_goes_into_quarantine_for_a_reason_that_its_author_reads(ada: User, version: BotVersion) -> None:
    assert do("quarantine", "Gannet v1", by=ada) == "Gannet v1 is now in quarantine."

    version.refresh_from_db()
    assert (version.state, version.reason, version.may_play) == ("quarantined", WHY, False)
    notice = Notice.objects.get(user__username="jasper")
    assert (notice.subject, notice.sentences) == ("bot_quarantine", [["bot_quarantined", {}]])
    assert refusal("quarantine", version, by=ada) == "not_playing"


def test_a_version_comes_out_of_quarantine_and_its_author_is_told(ada: User, version: BotVersion) -> None:
    do("quarantine", version, by=ada)

    assert do("unquarantine", version, by=ada) == "Gannet v1 may play again."

    version.refresh_from_db()
    assert (version.state, version.reason) == ("passed", "")
    assert {each.sentences[0][0] for each in Notice.objects.all()} == {"bot_quarantined", "quarantine_ended"}
    assert refusal("unquarantine", version, by=ada) == "not_quarantined"


@pytest.mark.parametrize("name", ["Gannet", "Gannet v", "Gannet v2", "Gannet vx", "v1"])
def test_a_version_that_there_is_not_is_not_found(ada: User, version: BotVersion, name: str) -> None:
    assert refusal("quarantine", name, by=ada) == "no_target"


def test_all_leases_of_a_silent_worker_are_released_at_once(ada: User) -> None:
    bots = ensure_builtin_bots()
    games = [play.open_game(kind="chinese_ten", players=[bots["random"], bots["sensible"]]) for _each in range(3)]
    long_ago = clock.now() - timedelta(minutes=3)
    worker = Worker.objects.create(name="hall-2", started_at=long_ago, heartbeat_at=long_ago)
    leases.claim_games("hall-2", 2)
    leases.claim_games("hall-1", 1)

    assert do("release_leases", "hall-2", by=ada) == "Worker hall-2 no longer has 2 games."

    assert leases.due_games().count() == 2
    assert Game.objects.filter(leased_by="hall-1").count() == 1
    assert {game.attempt for game in leases.due_games()} == {2}, "what it stores from now on is refused"
    assert refusal("release_leases", worker, by=ada) == "no_lease"
    assert len(games) == 3


def test_sign_up_is_closed_with_words_that_everybody_reads(ada: User, client: Client) -> None:
    words = "We move the hall. Come back on Monday."
    assert client.get("/accounts/signup/").status_code == 200

    do("close_signup", by=ada, words=words)

    page = client.get("/accounts/signup/").content.decode()
    assert words in page
    assert WHY not in page, "the reason is for admins"
    sent = {"username": "Bram", "password1": "lamp and lantern 7", "password2": "lamp and lantern 7"}
    client.post("/accounts/signup/", sent)
    assert not User.objects.filter(username="bram").exists()
    assert refusal("close_signup", by=ada, words=words) == "signup_closed"

    do("open_signup", by=ada)
    client.post("/accounts/signup/", sent)
    assert User.objects.filter(username="bram").exists()
    assert refusal("open_signup", by=ada) == "signup_open"


def test_sign_up_is_not_closed_without_words(ada: User) -> None:
    assert refusal("close_signup", by=ada) == "bad_fields"
    assert refusal("close_signup", by=ada, words="x" * 501) == "bad_fields"
    assert signup_switch.site_closed_to_signup() is None


def test_a_guest_cannot_keep_the_account_while_sign_up_is_closed(ada: User, client: Client) -> None:
    guest = people.create_profile_and_player(User.objects.create_user("guest-1"), "Guest 1", guest=True)
    assert guest.user
    client.force_login(guest.user)
    do("close_signup", by=ada, words="Full house.")

    answer = client.get("/me/keep/")

    assert answer.status_code == 403
    assert "Full house." in answer.content.decode()


@pytest.fixture
def season(ada: User) -> Season:
    """Return a season of Palace between two built-in bots."""
    club = new_club(name="Lantern Street", slug="lantern", owner=ada)
    league = League.objects.create(club=club, name="Palace League", slug="palace")
    season = seasons.create_season(league=league, name="Winter", kind="palace")
    for bot in list(ensure_builtin_bots().values())[:2]:
        entries.enter_season(season=season, player=bot)
    seasons.start_season(season=season)
    return season


def test_a_season_is_paused_and_goes_on_with_the_reason_in_its_stream(ada: User, season: Season) -> None:
    path = f"lantern/palace/{season.slug}"
    assert do("pause_season", path, by=ada).endswith("is paused.")
    season.refresh_from_db()
    assert season.status == Season.Status.PAUSED
    assert season.notes.get().text == WHY
    assert refusal("pause_season", path, by=ada) == "not_running"

    do("resume_season", path, by=ada)
    season.refresh_from_db()
    assert season.status == Season.Status.RUNNING
    assert refusal("resume_season", path, by=ada) == "not_paused"
    assert refusal("pause_season", "lantern/palace", by=ada) == "no_target"


# -- the rebuild


@pytest.mark.django_db(transaction=True)
def test_a_rebuild_is_done_by_a_worker_and_its_result_kept(ada: User, season: Season) -> None:
    assert "A worker starts" in do("rebuild", by=ada)
    assert refusal("rebuild", by=ada) == "job_going"

    job = rebuild_job.REBUILD.run()

    assert job
    assert (job.state, job.summary, job.result, job.by) == ("done", "no differences", "", ada)
    assert rebuild_job.REBUILD.run() is None
    do("rebuild", by=ada)


@pytest.mark.django_db(transaction=True)
def test_a_rebuild_names_what_differs_and_with_write_puts_it_right(ada: User, season: Season) -> None:
    Season.objects.update(status=Season.Status.FINISHED)  # no event says so

    do("rebuild", by=ada)
    job = rebuild_job.REBUILD.run()
    assert job
    [named] = job.result.splitlines()
    assert "Palace League" in named
    assert job.summary == "1 difference"
    assert Season.objects.get().status == Season.Status.FINISHED

    do("rebuild", by=ada, write="on")
    repaired = rebuild_job.REBUILD.run()
    assert repaired
    assert repaired.summary == "1 difference; the rows were corrected"
    assert Season.objects.get().status == Season.Status.RUNNING


@pytest.mark.django_db(transaction=True)
def test_a_message_that_comes_twice_does_it_once_and_one_whose_worker_died_is_done_again(ada: User) -> None:
    do("rebuild", by=ada)
    AdminJob.objects.update(
        state=AdminJob.State.RUNNING, heard_at=clock.now() - timedelta(hours=1)
    )  # its process was killed after that
    holder = jobs.ProgressReporter(rebuild_job.REBUILD)
    assert holder.start()
    try:
        assert rebuild_job.REBUILD.run() is None, "somebody else does it at this moment"
    finally:
        holder.stop()

    job = rebuild_job.REBUILD.run()
    assert job
    assert job.state == "done"


@pytest.mark.django_db(transaction=True)
def test_how_far_a_rebuild_is_is_seen_while_it_runs(ada: User, monkeypatch: pytest.MonkeyPatch) -> None:
    """A rebuild is one transaction, so its progress is stored by another connection."""
    seen = threading.Event()

    def slow(*, write: bool, progress: Any) -> Any:
        progress("season 3 of 7")
        assert seen.wait(120)
        yield from ()

    def look() -> None:
        try:
            while not AdminJob.objects.filter(progress="season 3 of 7").exists():
                pass
            seen.set()
        finally:
            connection.close()

    monkeypatch.setattr(jobs, "PROGRESS_INTERVAL_SECONDS", 0.01)
    monkeypatch.setattr(rebuild, "find_differences", slow)
    do("rebuild", by=ada)
    watcher = threading.Thread(target=look)
    watcher.start()
    job = rebuild_job.REBUILD.run()
    watcher.join()
    assert job
    assert (job.state, job.progress) == ("done", "")


def test_each_of_them_is_written_down_once(ada: User, version: BotVersion) -> None:
    for _click in range(2):
        do("quarantine", version, by=ada, key="form-7")
    assert AdminAction.objects.count() == Notice.objects.count() == 1
