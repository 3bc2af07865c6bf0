"""Trials that fail because of the platform are repeated after growing pauses, then given up, and run again on
request."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client

from games.accounts.models import Notice
from games.bots import comparison, time_slices
from games.bots.admission import checks as admission_checks
from games.bots.admission import trials
from games.bots.uploads import MAX_VERSIONS_IN_ADMISSION
from games.common import clock
from games.common.errors import DomainError
from games.common.models import Incident
from games.models import BotVersion, Game, Trial
from games.operations import status as system_status
from games.play.openings import open_many
from games.workers import leases, runner, waiting_reasons
from tests.games.bots.conftest import FIRST, Upload, through
from tests.games.bots.test_faults import Breaking, seated

pytestmark = pytest.mark.django_db


def breaks(held: trials.ClaimedTrial) -> bool:
    raise OSError("no more pipes")


def fail(trial: Trial, times: int, monkeypatch: pytest.MonkeyPatch) -> Trial:
    """Let a worker run a trial and fail so many times."""
    with monkeypatch.context() as broken:
        broken.setitem(time_slices.CONTINUE_BY_TRIAL, Trial.What(trial.what), breaks)
        Trial.objects.exclude(pk=trial.pk).update(leased_until="2999-01-01T00:00Z")
        for _ in range(times):
            Trial.objects.filter(pk=trial.pk).update(leased_until=None)
            time_slices.TimeSlicer("sandbox 1", leases.WorkerHeartbeat("sandbox 1"), runner.never).play_trial()
    Trial.objects.exclude(pk=trial.pk).update(leased_until=None)
    trial.refresh_from_db()
    return trial


def given_up(version: BotVersion, monkeypatch: pytest.MonkeyPatch) -> Trial:
    return fail(version.trials.get(), trials.MAX_ERRORS_IN_A_ROW, monkeypatch)


def test_an_admission_that_fails_time_and_again_is_given_up_and_told_to_author_and_admins(
    upload: Upload, dotty: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    version = upload()
    trial = fail(version.trials.get(), trials.MAX_ERRORS_IN_A_ROW - 1, monkeypatch)
    assert (trial.state, trial.failures) == ("running", trials.MAX_ERRORS_IN_A_ROW - 1)
    assert trial.leased_until is not None
    assert trial.leased_until > clock.now() + timedelta(seconds=250)

    trial = fail(trial, 1, monkeypatch)
    assert (trial.state, trials.claim_trial("sandbox 1")) == ("given_up", None)
    last = Incident.objects.order_by("-pk")[0]
    assert last.sentence.startswith("The admission of Gannet v1 was given up because the platform failed repeatedly.")
    assert "no more pipes" in last.detail
    note = Notice.objects.get(user=dotty)
    assert (note.subject, note.sentences) == ("bot_admission", [["admission_given_up", {}]])


def test_what_is_given_up_keeps_no_place_in_admission(upload: Upload, monkeypatch: pytest.MonkeyPatch) -> None:
    versions = [upload(FIRST + "#" * n) for n in range(MAX_VERSIONS_IN_ADMISSION)]
    with pytest.raises(DomainError, match="are in admission"):
        upload(FIRST + "# one more")
    given_up(versions[0], monkeypatch)
    upload(FIRST + "# one more")
    with pytest.raises(DomainError, match="are in admission") as refused:
        trials.restart_trial(Trial.objects.select_related("version__bot").get(version=versions[0]))
    assert refused.value.code == "too_many_in_admission"


def test_an_author_runs_it_again_by_one_call_and_it_passes(
    upload: Upload, dotty: User, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    version = upload()
    given_up(version, monkeypatch)
    client.force_login(dotty)
    address = "/api/v1/bots/Gannet/versions/1/admission/"
    assert client.get(address).json()["state"] == "given_up"
    again = client.post(address, content_type="application/json")
    assert (again.status_code, again.json()["state"]) == (202, "waiting")
    refused = client.post(address, content_type="application/json")
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "not_given_up")
    assert through(version).state == "passed"
    assert version.trials.get().failures == 0


def test_its_page_says_so_and_has_a_button_that_runs_it_again(
    upload: Upload, dotty: User, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    trial = given_up(upload(), monkeypatch)
    client.force_login(dotty)
    page = client.get("/bots/Gannet/").content.decode()
    assert "The admission of v1 was given up" in page
    assert "does not count towards your limit of admissions" in page
    button = f"/bots/Gannet/again/{trial.pk}/"
    assert f'action="{button}"' in page
    assert client.post(button).status_code == 302
    assert "v1 is in admission" in client.get("/bots/Gannet/").content.decode()
    assert client.post("/bots/Gannet/again/999999999/").status_code == 404
    assert Client().post(button).status_code == 302, "who is not signed in is asked to"


def test_a_stranger_runs_nothing_again(upload: Upload, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    trial = given_up(upload(), monkeypatch)
    client.force_login(User.objects.create_user("emil"))
    assert client.post(f"/bots/Gannet/again/{trial.pk}/").status_code == 404
    assert (
        client.post("/api/v1/bots/Gannet/versions/1/admission/", content_type="application/json").json()["error"][
            "code"
        ]
        == "not_your_bot"
    )


@pytest.mark.slow
def test_an_admission_whose_game_the_workers_have_given_up_is_given_up_and_begins_anew_with_new_games(
    upload: Upload, monkeypatch: pytest.MonkeyPatch
) -> None:
    version = upload()
    with monkeypatch.context() as broken:
        for _ in range(2):
            trial = trials.claim_trial("sandbox 1")
            assert trial is not None
            admission_checks.continue_admission(trials.ClaimedTrial(trial, "sandbox 1", 0.0, runner.never))
            Trial.objects.update(leased_until=None)
        broken.setattr("games.workers.sandboxed_bot.SandboxedProcess", Breaking)
        for _ in range(60):
            Trial.objects.update(leased_until=None)
            Game.objects.update(leased_until=None, retry_at=None)
            time_slices.TimeSlicer("sandbox 1", leases.WorkerHeartbeat("sandbox 1"), runner.never).play_trial()
    trial = version.trials.get()
    assert trial.state == "given_up"
    assert "failed 8 times at event" in Incident.objects.order_by("-pk")[0].sentence
    old = set(Game.objects.filter(trial=trial).values_list("pk", flat=True))
    assert set(Game.objects.values_list("status", flat=True)) == {"aborted"}
    assert leases.given_up_games().count() == 0

    trials.restart_trial(trial)
    assert through(version).state == "passed"
    trial.refresh_from_db()
    assert [step["state"] for step in trial.steps] == ["done"] * len(trial.steps)
    assert len(set(Game.objects.filter(trial=trial).values_list("pk", flat=True)) - old) == 7
    assert trial.result["ratings"]["chinese_ten"]["games"] == 4


def test_a_comparison_is_given_up_likewise_and_who_asks_again_has_it_run_again(
    upload: Upload, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = (seated(upload(FIRST + "#" * n)).bot_version for n in (1, 2))
    assert first is not None
    assert second is not None
    trial = comparison.request_comparison(version=second, against=first, kind="chinese_ten")
    assert fail(trial, trials.MAX_ERRORS_IN_A_ROW, monkeypatch).state == "given_up"
    assert comparison.result_heading(trial) == "Given up"
    assert Notice.objects.get().sentences == [["comparison_given_up", {"other": 1}]]
    again = comparison.request_comparison(version=second, against=first, kind="chinese_ten")
    assert (again.pk, again.state, again.failures) == (trial.pk, "waiting", 0)
    assert [step["state"] for step in again.steps] == ["live"]


def test_a_restarted_comparison_keeps_the_deals_that_were_counted_and_no_others(
    upload: Upload, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else an unlucky beginning could be played again, or deals be kept because they were over first."""
    first, second = (seated(upload(FIRST + "#" * n)).bot_version for n in (1, 2))
    assert first is not None
    assert second is not None
    trial = comparison.request_comparison(version=second, against=first, kind="chinese_ten")
    open_many(comparison.next_deals(trial, 0))
    over = {"status": "finished", "outcome": {"placings": [1, 2]}}
    Game.objects.filter(trial=trial).update(**over)
    claimed = trials.claim_trial("sandbox 1")
    assert claimed is not None
    comparison.continue_comparison(trials.ClaimedTrial(claimed, "sandbox 1", 0.0, runner.never))
    trial.refresh_from_db()
    assert trial.result["deals"] == 8
    Game.objects.filter(trial=trial, part__in=["0008", "0009"]).update(**over)

    assert fail(trial, trials.MAX_ERRORS_IN_A_ROW, monkeypatch).state == "given_up"
    trials.restart_trial(trial)

    claimed = trials.claim_trial("sandbox 1")
    assert claimed is not None
    assert [game.part for game in trials.games_that_count(claimed).order_by("pk")] == [
        f"{deal:04}" for deal in range(8) for _ in range(2)
    ]
    comparison.continue_comparison(trials.ClaimedTrial(claimed, "sandbox 1", 0.0, runner.never))
    trial.refresh_from_db()
    assert (trial.result["deals"], trial.result["opened"]) == (8, 8)
    assert trials.games_that_count(trial).filter(part__gte="0008", status="playing").count() == 16


def test_the_dashboard_lists_trials_and_their_games_with_the_reason(
    upload: Upload, admin_client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    failing, lost = upload(), upload(name="Puffin")
    given_up(lost, monkeypatch)
    fail(failing.trials.get(), 2, monkeypatch)
    now = clock.now()
    listed = {concern.bot: concern for concern in system_status.collect_status().trials}
    assert (listed["Gannet"].given_up, listed["Puffin"].given_up) == (False, True)
    assert listed["Gannet"].reason.startswith("The platform failed 2 times in a row; the next attempt is at ")
    assert listed["Puffin"].reason.startswith("It was given up because")
    page = admin_client.get("/admin/dashboard/").content.decode()
    assert "admission of Gannet v1" in page
    assert "The platform failed to run the admission of Gannet v1" in page
    status: dict[str, Any] = admin_client.get("/api/v1/status/").json()
    assert [each["bot"] for each in status["trials"]] == ["Gannet", "Puffin"]
    assert waiting_reasons.why_trial_waits(failing.trials.get(), now + timedelta(hours=1)).endswith(
        "the next free worker tries it again."
    )


@pytest.mark.slow
def test_a_stuck_game_of_a_trial_is_told_with_what_it_belongs_to_on_dashboard_and_page(
    upload: Upload, dotty: User, client: Client
) -> None:
    version = upload()
    for _ in range(2):
        trial = trials.claim_trial("sandbox 1")
        assert trial is not None
        admission_checks.continue_admission(trials.ClaimedTrial(trial, "sandbox 1", 0.0, runner.never))
        Trial.objects.update(leased_until=None)
    at = clock.now() + timedelta(minutes=1)
    Game.objects.filter(part__endswith="random").update(failures=4, retry_at=at, leased_until=None, version=2)
    trial = trials.claim_trial("sandbox 1")
    assert trial is not None
    admission_checks.continue_admission(trials.ClaimedTrial(trial, "sandbox 1", 0.0, runner.never))
    (concern,) = system_status.collect_status().stuck_games
    why = f"The game failed 4 times at event 2; the next attempt is at {at:%H:%M:%S} UTC."
    assert concern.reason == f"{why} The game belongs to the admission of Gannet v1."
    client.force_login(dotty)
    page = client.get("/bots/Gannet/").content.decode()
    assert page.count(why) == 1
    assert "The platform failed, not the bot. The game is tried again." in page, "at its step"
    assert version.state == "admission"


@pytest.mark.slow
def test_an_admin_runs_trials_again_and_ends_quarantines(
    upload: Upload, admin_client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    trial = given_up(upload(), monkeypatch)
    text = admin_client.post(f"/admin/do/run_again/{trial.pk}/", {"reason": "Mended."}, follow=True).content.decode()
    assert "The admission of Gannet v1 starts again." in text
    trial.refresh_from_db()
    assert trial.state == "waiting"

    version = BotVersion.objects.get()
    BotVersion.objects.update(state="quarantined", quarantines=1)
    text = admin_client.post(f"/admin/do/unquarantine/{version}/", {"reason": "Mended."}, follow=True).content.decode()
    assert "Gannet v1 may play again." in text
    version.refresh_from_db()
    assert version.state == "passed"


def test_who_may_only_look_in_the_admin_changes_nothing(
    upload: Upload, client: Client, monkeypatch: pytest.MonkeyPatch, django_user_model: Any
) -> None:
    trial = given_up(upload(), monkeypatch)
    staff = django_user_model.objects.create_user("ida", is_staff=True)
    staff.user_permissions.add(Permission.objects.get(codename="view_trial"))
    client.force_login(staff)
    assert client.post(f"/admin/do/run_again/{trial.pk}/", {"reason": "Mended."}).status_code == 403
    trial.refresh_from_db()
    assert trial.state == "given_up"
