"""The figures at /metrics, which need a token: those of the dashboard, and the answers of this process."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.db import connection
from django.test import Client
from prometheus_client.parser import text_string_to_metric_families

from config.broker.pgmq_schema import install_queue
from games.clocks.models import Heartbeat
from games.common import clock
from games.common.models import Incident
from games.models import Game
from games.operations import status as system_status
from games.play import services as play
from games.workers.models import Worker
from tests.factories.builtin_bots import ensure_builtin_bots

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
TOKEN = "scrape-0123456789"
DOCS = Path(__file__).resolve().parents[3] / "docs"

pytestmark = pytest.mark.django_db
Figures = dict[tuple[str, frozenset[tuple[str, str]]], float]


@pytest.fixture(autouse=True)
def noon(settings: Any) -> Iterator[None]:
    """Stop the clock at noon, and set the token of Prometheus."""
    settings.SCOREBOOK_METRICS_TOKEN = TOKEN
    with clock.frozen_at(NOON):
        yield


def scrape(client: Client) -> str:
    answer = client.get("/metrics", headers={"Authorization": f"Bearer {TOKEN}"})
    assert (answer.status_code, answer["Content-Type"]) == (200, "text/plain; version=0.0.4; charset=utf-8")
    return answer.content.decode()


def figures(client: Client) -> Figures:
    """Return (name, labels) → value of each figure."""
    families = text_string_to_metric_families(scrape(client))
    samples = [sample for family in families for sample in family.samples]
    return {(each.name, frozenset(each.labels.items())): each.value for each in samples}


def figure(found: Figures, name: str, **labels: str) -> float:
    return found[f"scorebook_{name}", frozenset(labels.items())]


# who may read them


def test_without_a_token_in_the_settings_there_is_nothing_at_this_address(client: Client, settings: Any) -> None:
    settings.SCOREBOOK_METRICS_TOKEN = ""
    for given in ("Bearer ", f"Bearer {TOKEN}", ""):
        assert client.get("/metrics", headers={"Authorization": given}).status_code == 404


@pytest.mark.parametrize("given", ["", "Bearer ", "Bearer scrape", f"Basic {TOKEN}", f"Bearer {TOKEN}x", "Bearer ü"])
def test_who_has_not_the_token_is_told_what_is_wanted(client: Client, given: str) -> None:
    answer = client.get("/metrics", headers={"Authorization": given})
    assert (answer.status_code, answer["WWW-Authenticate"]) == (401, "Bearer")
    assert "SCOREBOOK_METRICS_TOKEN" in answer.content.decode()
    assert "scorebook_games" not in answer.content.decode()


def test_figures_are_read_and_nothing_else(client: Client) -> None:
    assert client.post("/metrics", headers={"Authorization": f"Bearer {TOKEN}"}).status_code == 405


# figures of the platform


def open_game(**facts: Any) -> Game:
    bots = ensure_builtin_bots()
    game = play.open_game(kind="chinese_ten", players=[bots["random"], bots["sensible"]])
    Game.objects.filter(pk=game.pk).update(**facts)
    return game


def test_they_are_the_dashboards(client: Client) -> None:
    """One game is being played, one waits for a worker, and one has failed three times. One worker is alive, one
    silent."""
    lost = open_game(leased_by="anvil:1", leased_until=NOON + timedelta(seconds=10), attempt=2)
    Incident.objects.create(
        at=NOON - timedelta(days=2), cause="worker_lost", game=lost, sentences=[["written", {"text": "It was lost."}]]
    )
    open_game()
    open_game(failures=3, attempt=5, moved_at=NOON - timedelta(minutes=9))
    beat = NOON - timedelta(seconds=5)
    Worker.objects.create(name="anvil:1", started_at=beat, heartbeat_at=beat, tier="A")
    Worker.objects.create(name="anvil:2", started_at=beat, heartbeat_at=NOON - timedelta(hours=1), tier="A")
    Incident.objects.create(
        at=beat, cause=Incident.Cause.BOT_CRASHED, sentences=[["written", {"text": "The bot crashed."}]]
    )
    Heartbeat.objects.update_or_create(part="beat", defaults={"at": NOON - timedelta(seconds=40)})
    found = figures(client)
    now = system_status.collect_status()
    assert [figure(found, "games", state=state) for state in ("playing", "waiting", "stuck")] == [1, 1, 1]
    assert (now.playing, now.waiting, now.stuck) == (1, 1, 1)
    assert figure(found, "games_waiting", reason="worker") == 1
    assert figure(found, "games_waiting", reason="person") == 0
    assert (figure(found, "games_resumed"), figure(found, "stuck_attempts")) == (1, 5)
    assert [figure(found, "workers", state=state) for state in ("alive", "silent")] == [1, 1]
    assert [figure(found, "leases", state=state) for state in ("alive", "silent")] == [1, 0]
    assert [figure(found, "sandbox_workers", tier=tier) for tier in ("A", "none")] == [1, 0]
    assert [figure(found, "incidents", cause=cause) for cause in ("crashed", "worker_lost")] == [1, 0]
    assert figure(found, "sign_age_seconds", part="beat") == 40
    for queue in now.queues:
        assert figure(found, "queue_waiting", queue=queue.name, place=queue.place) == queue.waiting
    assert figure(found, "log_bytes") == now.log_bytes > 0
    assert 0 < figure(found, "disk_used_ratio") < 1


def test_they_cost_the_database_a_handful_of_queries_however_much_is_wrong(
    client: Client, django_assert_max_num_queries: Any
) -> None:
    install_queue()
    for number in range(3):
        open_game(failures=3 + number, moved_at=NOON - timedelta(minutes=9))
        Worker.objects.create(name=f"anvil:{number}", started_at=NOON, heartbeat_at=NOON - timedelta(hours=1))
    with django_assert_max_num_queries(21):
        assert figure(figures(client), "stuck_attempts") == 0


LABELS = re.compile(r"(scorebook_[a-z_]+)(?:\{([^}]*)\})?")
MATCHER = re.compile(r'([a-z]+)(=~|!~|=|!=)"([^"]*)"')


def test_every_label_and_value_that_an_alarm_names_is_printed(client: Client) -> None:
    """A rule that compares with a missing figure would never fire."""
    install_queue()
    for part in ("beat", "beat_sent", "web"):
        Heartbeat.objects.update_or_create(part=part, defaults={"at": NOON})
    client.get("/health/live/")
    found = figures(client)
    for rule in rules():
        assert rule["expr"].count("(") == rule["expr"].count(")"), rule["alert"]
        for name, matchers in LABELS.findall(rule["expr"]):
            printed = [dict(labels) for each, labels in found if each == name]
            for label, how, value in MATCHER.findall(matchers):
                values = {labels.get(label) for labels in printed}
                wanted = set(value.split("|"))
                if (rule["alert"], label) != ("ScorebookFaults", "status"):  # it is printed with the first fault
                    assert wanted <= values, (rule["alert"], label)
                assert (how in ("=~", "!~")) == (len(wanted) > 1), rule["alert"]
            assert MATCHER.sub("", matchers).strip(", ") == "", rule["alert"]
        for label in re.findall(r"by \((\w+)\)", rule["expr"]):
            names = LABELS.findall(rule["expr"])
            assert any(label in dict(labels) for each, labels in found if each == names[0][0]), rule["alert"]


def test_messages_of_the_broker_are_counted_too(client: Client) -> None:
    install_queue()
    with connection.cursor() as cursor:
        cursor.execute("SELECT pgmq.create('short'), pgmq.send('short', '{}')")
    found = figures(client)
    assert figure(found, "queue_waiting", queue="short", place="messages") == 1
    assert figure(found, "queue_age_seconds", queue="short", place="messages") >= 0


def test_no_name_and_no_id_is_among_them(client: Client) -> None:
    """The number of labels must not grow with the people who play, and many people may read the figures."""
    game = open_game(leased_by="anvil:1")
    Worker.objects.create(name="anvil:1", started_at=NOON, heartbeat_at=NOON)
    text = scrape(client)
    for word in (game.public_id, "anvil", "Random"):
        assert word not in text


# figures of the process


def test_requests_are_counted_by_the_name_of_the_route(client: Client) -> None:
    def counted(route: str, status: str) -> float:
        labels = frozenset({"route": route, "method": "GET", "status": status}.items())
        return figures(client).get(("scorebook_http_requests_total", labels), 0)

    live, missing = counted("health-live", "2xx"), counted("none", "4xx")
    client.get("/health/live/")
    client.get("/health/live/")
    client.get("/no/such/page/")
    assert counted("health-live", "2xx") == live + 2
    assert counted("none", "4xx") == missing + 1
    found = figures(client)
    assert figure(found, "http_request_seconds_count", route="health-live") >= 2
    assert figure(found, "http_request_seconds_bucket", route="health-live", le="+Inf") >= 2


def test_methods_that_somebody_makes_up_are_one(client: Client) -> None:
    client.generic("FROB1", "/health/live/")
    client.generic("FROB2", "/health/live/")
    text = scrape(client)
    assert 'method="other"' in text
    assert "FROB" not in text


# documents about them

NAME = re.compile(r"\bscorebook_[a-z_]+")


def exported(text: str) -> set[str]:
    return {sample.name for family in text_string_to_metric_families(text) for sample in family.samples}


def rules() -> list[dict[str, Any]]:
    groups = yaml.safe_load((DOCS / "alerts.yml").read_text())["groups"]
    return [rule for group in groups for rule in group["rules"]]


def test_every_alarm_is_about_figures_that_there_are(client: Client) -> None:
    client.get("/health/live/")  # there are figures of requests once there was one
    Heartbeat.objects.update_or_create(part="beat", defaults={"at": NOON})
    there = exported(scrape(client))
    assert len(rules()) >= 8
    for rule in rules():
        assert set(rule) >= {"alert", "expr", "for", "labels", "annotations"}, rule["alert"]
        named = set(NAME.findall(rule["expr"]))
        assert named, rule["alert"]
        assert named <= there, rule["alert"]
        assert rule["annotations"]["summary"]
        assert rule["annotations"]["description"]


def test_every_figure_is_in_the_operators_table_and_no_other(client: Client) -> None:
    Heartbeat.objects.update_or_create(part="beat", defaults={"at": NOON})
    families = {family.name for family in text_string_to_metric_families(scrape(client))}
    rows = re.findall(r"^\| `(scorebook_[a-z_]+)", (DOCS / "reference" / "metrics.md").read_text(), re.MULTILINE)
    assert {row.removesuffix("_total") for row in rows} == families
