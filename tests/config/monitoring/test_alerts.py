"""The definitions of alerts: the dashboard's condition and the rule for Prometheus find the same problem."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from importlib import import_module
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.utils import translation
from prometheus_client.parser import text_string_to_metric_families

from config.broker.pgmq_schema import install_queue
from config.monitoring.alert_types import AlertDefinition
from config.monitoring.alerts import DEFINITIONS, all_alerts
from games.accounts import people
from games.accounts.models import Notice
from games.admin_actions import registry as admin_actions
from games.clocks.models import Heartbeat
from games.common import clock
from games.common.models import Incident
from games.models import Bot, BotVersion, Game, Player, Trial
from games.moderation.models import Report
from games.operations import daily_counts
from games.operations.models import AdminJob
from games.play import services as play
from games.play.models import Fault
from games.workers.models import Worker
from scorebook_games.presentation.coded_text import plain
from scorebook_games.registry import KINDS
from tests.config.monitoring import promql
from tests.factories.builtin_bots import ensure_builtin_bots
from tests.parameters import mostly_slow
from tournaments.clubs import invitations, lifecycle
from tournaments.clubs.models import Invitation
from tournaments.maintenance import status as league_status
from tournaments.maintenance.rebuild_job import differences, no_differences

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
TOKEN = "scrape-0123456789"
pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def all_is_well(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Make everything good at noon: beat ticks, half of the disk is free, and a worker serves every queue."""
    settings.SCOREBOOK_METRICS_TOKEN = TOKEN
    monkeypatch.setattr(daily_counts, "disk_used", lambda: 0.5)
    install_queue()
    with clock.frozen_at(NOON):
        for part in ("beat", "beat_sent"):
            Heartbeat.objects.create(part=part, at=NOON)
        worker("hall:1", queues=["play", "sandbox", "short", "hooks", "review"], tier="A")
        yield


def figures() -> dict[tuple[str, promql.Labels], float]:
    text = Client().get("/metrics", headers={"Authorization": f"Bearer {TOKEN}"}).content.decode()
    samples = [sample for family in text_string_to_metric_families(text) for sample in family.samples]
    return {(each.name, frozenset(each.labels.items())): each.value for each in samples}


# -- problems that can occur


def worker(name: str, silent: int = 0, **facts: Any) -> None:
    beat = NOON - timedelta(seconds=silent)
    Worker.objects.create(name=name, started_at=NOON - timedelta(hours=1), heartbeat_at=beat, **facts)


def game(**facts: Any) -> None:
    bots = ensure_builtin_bots()
    opened = play.open_game(kind="chinese_ten", players=[bots["random"], bots["sensible"]])
    Game.objects.filter(pk=opened.pk).update(**facts)


def upload() -> BotVersion:
    bot = Bot.objects.create(name="Marrow", owner=User.objects.create_user("marrow"))
    version = BotVersion.objects.create(bot=bot, number=1, transport="upload", program="upload")
    Player.objects.create(name="Marrow", bot_version=version)
    return version


def no_beat() -> None:
    Heartbeat.objects.update(at=NOON - timedelta(minutes=2))


def late_ticks() -> None:
    Heartbeat.objects.filter(part="beat").update(at=NOON - timedelta(minutes=2))


def no_worker() -> None:
    game()
    Worker.objects.all().delete()


def no_worker_for_short() -> None:
    Worker.objects.update(queues=["play", "sandbox"])


def no_sandbox() -> None:
    game(sandboxed=True)
    Worker.objects.update(tier="none", tier_reason="No user namespaces.")


def late_messages() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pgmq.send('short', '{}')")
        cursor.execute("UPDATE pgmq.q_short SET enqueued_at = now() - interval '5 minutes'")


def refused_write() -> None:
    Incident.objects.create(at=NOON, cause=Incident.Cause.DISK_FULL, sentences=[["written", {"text": "No room."}]])


def silent_worker() -> None:
    worker("hall:2", silent=180, queues=["play"])


def stuck_game() -> None:
    game(failures=3, attempt=3)


def failing_bot() -> None:
    faults = {"bot_version": upload(), "kind": "crashed", "cost": "refused"}
    Fault.objects.bulk_create(Fault(at=NOON - timedelta(minutes=minute), **faults) for minute in (1, 2, 3))


def failing_trial() -> None:
    facts = {"what": "admission", "state": "given_up", "failures": 5}
    Trial.objects.create(version=upload(), created=NOON, served_at=NOON, finished_at=NOON, **facts)


def mail_that_waits() -> None:
    user, hour_ago = User.objects.create_user("laura"), NOON - timedelta(hours=1)
    facts = {"subject": "challenge", "key": "a", "send_state": "due", "tries": 2, "send_error": "451 try later"}
    Notice.objects.create(user=user, created=hour_ago, send_at=NOON, **facts)


def invitation_that_waits() -> None:
    bea = User.objects.create_user("bea")
    people.create_profile_and_player(bea, "Bea")
    made, _secret = invitations.invite_by_link(club=lifecycle.found_club(user=bea, name="Kettle", zone="UTC"), user=bea)
    address = invitations.email_digest("cy@example.org")
    facts = {"send_state": "due", "tries": 2, "email": "cy@example.org", "address": address, "max_uses": 1}
    Invitation.objects.filter(pk=made.pk).update(send_at=NOON, **facts)


def old_report() -> None:
    Report.objects.create(target="person", target_id=1, cause="spam", created=NOON - timedelta(hours=25))


TROUBLE: dict[str, Callable[[], None]] = {
    "beat": no_beat,
    "tick": late_ticks,
    "workers": no_worker,
    "unserved": no_worker_for_short,
    "sandboxes": no_sandbox,
    "queue": late_messages,
    "full": refused_write,
    "disk": lambda: None,
    "worker": silent_worker,
    "games": stuck_game,
    "bot": failing_bot,
    "trial": failing_trial,
    "mail": mail_that_waits,
    "invitations": invitation_that_waits,
    "reports": old_report,
    "kinds": lambda: None,
}
BOTH = [each for each in DEFINITIONS if each.condition and each.rule]


@pytest.mark.some(2)
@pytest.mark.parametrize("definition", mostly_slow(BOTH, BOTH[::4]), ids=lambda each: each.code)
def test_the_dashboard_and_prometheus_find_the_same_trouble(
    definition: AlertDefinition, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert definition.rule
    TROUBLE[definition.code]()
    if definition.code == "disk":
        monkeypatch.setattr(daily_counts, "disk_used", lambda: 0.9)
    if definition.code == "kinds":
        monkeypatch.setitem(KINDS.broken, "coins", "The kind 'coins' is broken.")
    found = list(definition.found_in(league_status.collect_status()))
    assert len(found) == 1
    assert found[0].title
    assert found[0].sentence
    assert {action.action for action in found[0].actions} <= set(definition.actions)
    assert len(promql.ask(definition.rule.expression, figures())) == 1


def test_where_all_is_well_neither_finds_anything() -> None:
    assert all_alerts(league_status.collect_status()) == []
    found = figures()
    assert {each.code: promql.ask(each.rule.expression, found) for each in BOTH if each.rule} == {
        each.code: {} for each in BOTH
    }


def test_a_rebuild_is_wrong_if_nobody_does_it_or_it_finds_something() -> None:
    job = AdminJob.objects.create(what="rebuild", state="waiting", asked_at=NOON - timedelta(minutes=3))
    (silent,) = all_alerts(league_status.collect_status())
    assert (silent.what, silent.word, silent.actions) == (f"job-{job.pk}", "Waiting", [])
    assert silent.sentence.startswith("No worker has started it.")

    found_two = plain([differences(2, 0, corrected=False)])
    AdminJob.objects.update(state="done", result="Season 3 differs.", sentences=found_two, finished_at=NOON)
    (found,) = all_alerts(league_status.collect_status())
    assert (found.word, found.sentence, [action.action for action in found.actions]) == (
        "Differs",
        "2 differences",
        ["rebuild"],
    )
    AdminJob.objects.update(result="", sentences=plain([no_differences()]))
    with translation.override("de"):
        assert all_alerts(league_status.collect_status()) == []


def test_results_of_jobs_from_before_sentences_say_the_same() -> None:
    """The migration of old rows runs in a table that hides the real one."""
    old = {
        ("rebuild", "no differences"): ("", [["no_differences", {}]]),
        ("rebuild", "Season 3 differs.\nSo does 4.\n2 differences"): (
            "Season 3 differs.\nSo does 4.",
            [["written", {"text": "2 differences"}]],
        ),
        ("dataset", "7 decisions of 1 games"): ("", [["written", {"text": "7 decisions of 1 games"}]]),
        ("dataset", ""): ("", []),
    }
    migration = import_module("games.operations.migrations.0002_job_sentences")
    with connection.cursor() as cursor:
        cursor.execute(
            "CREATE TEMP TABLE operations_adminjob (id serial, what text, result text, sentences jsonb DEFAULT '[]')"
        )
        cursor.executemany("INSERT INTO operations_adminjob (what, result) VALUES (%s, %s)", list(old))
        cursor.execute(migration.FORWARDS)
        cursor.execute("SELECT result, sentences FROM operations_adminjob ORDER BY id")
        new = [(result, json.loads(sentences)) for result, sentences in cursor.fetchall()]
        cursor.execute("DROP TABLE pg_temp.operations_adminjob")
    assert new == list(old.values())


def test_a_definition_says_why_one_of_the_two_is_missing() -> None:
    for each in DEFINITIONS:
        assert each.condition or each.rule, each.code
        assert bool(each.because) == (each.condition is None or each.rule is None), each.code
    assert {each.code for each in BOTH} == set(TROUBLE)


def test_codes_and_names_of_rules_are_used_once_and_actions_are_known() -> None:
    codes = [each.code for each in DEFINITIONS]
    names = [each.rule.name for each in DEFINITIONS if each.rule]
    assert (len(set(codes)), len(set(names))) == (len(codes), len(names))
    for each in DEFINITIONS:
        assert all(admin_actions.find_action(action) for action in each.actions), each.code
