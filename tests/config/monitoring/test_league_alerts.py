"""Alerts of the dashboard about queues without a worker, invitations and webhooks that are not sent, reports, bots in
quarantine and seasons, and the actions of admins on each, by page, API and command."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from io import StringIO
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from config.monitoring import alerts, platform_conditions
from config.monitoring.alert_types import Alert
from games.accounts import people
from games.accounts.models import Notice, Sanction
from games.admin_actions import registry as admin_actions
from games.admin_actions.models import AdminAction
from games.clocks import outages
from games.clocks.models import Heartbeat
from games.common import clock
from games.common.errors import DomainError
from games.models import Bot, BotVersion
from games.moderation.models import Report
from games.workers.models import Worker
from tournaments.clubs import invitations
from tournaments.clubs import lifecycle as club_lifecycle
from tournaments.clubs.models import Club, Invitation
from tournaments.maintenance import status as league_status
from tournaments.webhooks.models import Delivery, Webhook

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
WHY = "It has been like that since noon."
pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def noon() -> Iterator[None]:
    """Stop the clock at noon. Beat ticks, and the queues play, short and hooks have live workers."""
    with clock.frozen_at(NOON):
        Heartbeat.objects.create(part="beat", at=NOON)
        for queue in ("play", "short", "hooks"):
            worker(queue)
        yield


def worker(*queues: str, name: str = "", silent: timedelta = timedelta(0)) -> Worker:
    began = NOON - timedelta(hours=1)
    named = name or f"hall:{queues[0]}"
    return Worker.objects.create(name=named, started_at=began, heartbeat_at=NOON - silent, queues=list(queues))


@pytest.fixture
def bea(db: None) -> User:
    """Return Bea, the owner of the club."""
    bea = User.objects.create_user("bea")
    people.create_profile_and_player(bea, "Bea")
    return bea


@pytest.fixture
def club(bea: User) -> Club:
    return club_lifecycle.found_club(user=bea, name="Kettle and Crown", zone="Europe/Dublin")


def wrongs() -> dict[str, Alert]:
    return {each.what.partition("-")[0]: each for each in alerts.all_alerts(league_status.collect_status())}


def actions_of(what: str) -> list[tuple[str, str]]:
    return [(action.action, action.target) for action in wrongs()[what].actions]


def do(code: str, target: Any, by: User) -> str:
    return admin_actions.perform(code, target, reason=WHY, by=by).outcome


def refusal(code: str, target: Any, by: User) -> str:
    with pytest.raises(DomainError) as refused:
        do(code, target, by)
    return str(refused.value.code)


# -- queues and their workers


def test_in_a_platform_in_which_each_queue_is_served_nothing_is_wrong(browser: Client) -> None:
    assert wrongs() == {}
    assert platform_conditions.workers_by_queue(league_status.collect_status()) == {
        "play": 1,
        "sandbox": 0,
        "short": 1,
        "hooks": 1,
        "review": 0,
    }
    page = browser.get("/admin/dashboard/").content.decode()
    assert re.search(r'data-label="queues"\s*>\s*short\s*</td>', page)
    assert "No problems" in page


def test_a_queue_that_no_worker_serves_is_named_with_what_follows() -> None:
    Worker.objects.filter(queues=["short"]).delete()
    Heartbeat.objects.update(at=NOON - timedelta(minutes=5))

    assert list(wrongs()) == ["unserved"]  # the tick, which is late because of it, has no second alert
    assert wrongs()["unserved"].title == "No worker serves the queue short"
    assert "no results are recorded" in wrongs()["unserved"].sentence


def test_a_silent_worker_that_leaves_a_queue_to_nobody_is_one_thing_until_another_serves_it() -> None:
    Worker.objects.filter(queues=["short"]).delete()
    gone = worker("short", name="hall:9", silent=timedelta(minutes=3))
    Worker.objects.filter(pk=gone.pk).update(stopped_at=NOON)

    assert list(wrongs()) == ["worker"]
    assert "No other worker serves this queue: No rounds open" in wrongs()["worker"].sentence
    worker("short", name="hall:10")
    assert wrongs() == {}


def test_the_processes_of_a_worker_that_is_gone_are_told_as_one() -> None:
    for number in (7, 8):
        worker("play", name=f"attic:{number}", silent=timedelta(minutes=2))
    assert wrongs()["worker"].title == "Workers attic:7, attic:8 are silent"


def test_of_workers_that_have_not_said_what_they_serve_nothing_is_concluded() -> None:
    Worker.objects.filter(queues=["short"]).update(queues=[])
    assert (platform_conditions.workers_by_queue(league_status.collect_status()), wrongs()) == ({}, {})


def test_without_a_webhook_nobody_need_serve_their_queue(club: Club, bea: User) -> None:
    Worker.objects.filter(queues=["hooks"]).delete()
    assert wrongs() == {}
    hook(club, bea)
    assert wrongs()["unserved"].sentence == "No webhook messages are sent. Start a worker for it."


@pytest.mark.slow
def test_a_beat_that_does_not_run_and_a_queue_that_is_late_are_told_apart() -> None:
    """Each alert has its own remedy: starting beat would not help if it already runs."""
    Heartbeat.objects.update(at=NOON - timedelta(minutes=1))
    assert wrongs()["beat"].sentence.startswith("Beat is not running")

    Heartbeat.objects.create(part="beat_sent", at=NOON - timedelta(seconds=8))
    assert list(wrongs()) == ["tick"]
    assert wrongs()["tick"].title == "Ticks are late"
    assert (
        "the last one at 11:59:52 UTC, but no worker handles them, because the queue short is late"
        in wrongs()["tick"].sentence
    )

    Heartbeat.objects.filter(part="beat_sent").update(at=NOON - timedelta(minutes=1))
    assert list(wrongs()) == ["beat"]


def test_what_beat_has_sent_says_nothing_of_an_outage() -> None:
    Heartbeat.objects.create(part="beat_sent", at=NOON - timedelta(hours=1))
    assert not outages.is_outage_at(NOON)
    assert wrongs() == {}


# -- invitations


def invitation(club: Club, bea: User, mail: str, **facts: Any) -> Invitation:
    made, _secret = invitations.invite_by_link(club=club, user=bea)
    facts = {"email": "cy@example.org", "address": invitations.email_digest("cy@example.org"), "max_uses": 1, **facts}
    Invitation.objects.filter(pk=made.pk).update(send_state=mail, send_at=NOON, **facts)
    made.refresh_from_db()
    return made


@pytest.mark.slow
def test_invitations_that_do_not_go_out_are_told_with_what_the_mail_server_says(
    club: Club, bea: User, ada: User, browser: Client
) -> None:
    waits = invitation(club, bea, "due", tries=2, send_error="451 try later")
    failed = invitation(club, bea, "failed")
    unsure = invitation(club, bea, "unsure")

    sentence = wrongs()["invitations"].sentence
    assert sentence.startswith(
        "1 invitation is waiting: the mail server answers “451 try later”. 1 invitation was given up."
    )
    assert actions_of("invitations") == [("try_invitations", ""), ("resend_invitation", str(unsure.pk))]
    assert "cy@example.org" not in browser.get("/admin/dashboard/").content.decode()

    assert do("try_invitations", "", ada) == "2 invitations are being sent."
    for each in (waits, failed):
        each.refresh_from_db()
        assert (each.send_state, each.tries) == ("due", 0)
    assert do("resend_invitation", unsure, ada) == f"Invitation {unsure.pk} is being sent."
    assert "invitations" not in wrongs()


def test_an_invitation_that_was_sent_or_is_over_is_not_sent_again(club: Club, bea: User, ada: User) -> None:
    assert refusal("resend_invitation", invitation(club, bea, "sent"), ada) == "not_unsent"
    over = invitation(club, bea, "unsure", revoked_at=NOON)
    assert refusal("resend_invitation", over, ada) == "invitation_over"
    assert "invitations" not in wrongs()


# -- webhooks


def hook(club: Club, bea: User, **facts: Any) -> Webhook:
    moments = dict.fromkeys(("created", "events_since", "discovered_until"), NOON)
    address = "https://example.org/scorebook?token=secret"
    return Webhook.objects.create(club=club, made_by=bea, url=address, events=["game.over"], **moments, **facts)


def message(of: Webhook, state: str = "due") -> Delivery:
    log = [{"at": NOON.isoformat(), "ms": 10_000, "status": 0, "sentences": [["hook_silent", {"seconds": 10}]]}]
    return Delivery.objects.create(
        webhook=of,
        type="game.over",
        about=of.pk,
        body="{}",
        created=NOON,
        send_at=NOON,
        send_state=state,
        tries=4,
        log=log,
    )


@pytest.fixture
def hanging(club: Club, bea: User) -> Webhook:
    """Return a webhook whose receiver has not answered four attempts, and which is paused for half an hour."""
    made = hook(club, bea, failures=4, failing_since=NOON - timedelta(hours=1), retry_at=NOON + timedelta(minutes=30))
    message(made)
    return made


@pytest.mark.slow
def test_a_webhook_that_hangs_is_told_without_what_is_secret_in_its_address(hanging: Webhook, browser: Client) -> None:
    thing = wrongs()["hook"]
    assert thing.title == f"Webhook {hanging.pk} of Kettle and Crown is failing"
    assert thing.sentence == "example.org: 4 consecutive attempts failed (no answer within 10 s). 1 message is waiting."
    assert "token=secret" not in browser.get("/admin/dashboard/").content.decode()
    assert "token=secret" not in browser.get("/api/v1/status/").content.decode()


def test_an_admin_has_a_webhook_tried_at_once(hanging: Webhook, ada: User) -> None:
    assert do("try_webhook", hanging, ada) == f"1 message for webhook {hanging.pk} is being sent."
    hanging.refresh_from_db()
    assert (hanging.retry_at, hanging.failures) == (None, 4)
    Delivery.objects.all().delete()
    assert refusal("try_webhook", hanging, ada) == "nothing_waits"


def test_an_admin_switches_a_webhook_off_its_owner_is_told_and_either_switches_it_on(
    hanging: Webhook, ada: User, bea: User
) -> None:
    assert actions_of("hook") == [("try_webhook", str(hanging.pk)), ("stop_webhook", str(hanging.pk))]
    do("stop_webhook", hanging, ada)

    hanging.refresh_from_db()
    assert (hanging.off, Delivery.objects.get().send_state) == ("admin", "failed")
    assert "switched off by an admin" in Notice.objects.get(user=bea).text
    assert actions_of("hook") == [("start_webhook", str(hanging.pk))]
    for code in ("stop_webhook", "try_webhook"):
        assert refusal(code, hanging, ada) == "webhook_off"

    do("start_webhook", hanging, ada)
    assert "hook" not in wrongs()
    assert refusal("start_webhook", hanging, ada) == "webhook_on"


def test_a_message_is_sent_once_more_by_each_of_the_three_doors(
    club: Club, bea: User, ada: User, browser: Client
) -> None:
    lost = message(hook(club, bea), "failed")
    path = f"/admin/do/resend_delivery/{lost.message_id}/"
    assert browser.post(path, {"reason": WHY, "key": "k"}).status_code == 302
    Delivery.objects.update(send_state="failed")
    asked = {"action": "resend_delivery", "target": lost.message_id, "reason": WHY}
    assert browser.post("/api/v1/admin/actions/", asked, content_type="application/json").status_code == 201
    Delivery.objects.update(send_state="sent")
    call_command("admin_action", "resend_delivery", lost.message_id, reason=WHY, by="ada", stdout=StringIO())

    lost.refresh_from_db()
    assert (lost.send_state, lost.tries) == ("due", 0)
    done = AdminAction.objects.values_list("action", "target_type", "target_id", "reason")
    assert list(done) == [("resend_delivery", "delivery", lost.message_id, WHY)] * 3


# -- reports, quarantine and other work of admins


def test_reports_and_objections_wait_with_their_actions_and_are_wrong_after_a_day(
    bea: User, ada: User, browser: Client
) -> None:
    report = Report.objects.create(target="person", target_id=1, about=bea, cause="harassment", created=NOON)
    mute = Sanction.objects.create(
        kind="mute", user=bea, by=ada, reason=WHY, created=NOON, objection="I did not.", objected_at=NOON
    )
    page = browser.get("/admin/dashboard/").content.decode()

    assert f'href="/admin/do/uphold_report/{report.pk}/"' in page
    assert f'href="/admin/do/answer_objection/{mute.pk}/"' in page
    assert "Bea has appealed against a mute" in page
    assert "reports" not in wrongs()
    with clock.frozen_at(NOON + timedelta(hours=25)):
        assert wrongs()["reports"].title == "A report is waiting for an admin"
        admin_actions.perform("dismiss_report", report, reason=WHY, by=ada, words="")
        assert "reports" not in wrongs()


def test_a_version_in_quarantine_is_listed_until_it_is_let_out(bea: User, ada: User, browser: Client) -> None:
    marrow = Bot.objects.create(name="Marrow", owner=bea)
    version = BotVersion.objects.create(
        bot=marrow,
        number=2,
        transport="upload",
        program="upload",
        state="quarantined",
        reasons=[["written", {"text": "It was too slow."}]],
    )
    page = browser.get("/admin/dashboard/").content.decode()
    assert 'href="/admin/do/unquarantine/Marrow%20v2/"' in page
    assert "It was too slow." in page

    do("unquarantine", version, ada)
    assert league_status.collect_status().quarantined == []


def test_what_is_wrong_outside_costs_no_query_more_the_more_of_it_there_is(club: Club, bea: User, ada: User) -> None:
    def trouble() -> None:
        message(hook(club, bea, failures=1, failing_since=NOON))
        invitation(club, bea, "unsure")
        Report.objects.create(target="person", target_id=1, about=bea, cause="spam", created=NOON)

    def queries() -> int:
        with CaptureQueriesContext(connection) as taken:
            alerts.all_alerts(league_status.collect_status())
        return len(taken)

    trouble()
    before = queries()
    for _each in range(4):
        trouble()
    assert queries() == before
