"""Figures for Prometheus (text format 0.0.4) at `/metrics`: of the house, and of the web process that answers.

Those of the house are what the dashboard tells (`games.operations.metrics`), asked of the database with each scrape,
and the same from every process. Those of requests are counted where they were answered: each web process tells of its
own, and Prometheus keeps them apart by `instance`. docs/operations.md names them all, and docs/alerts.yml what to be
woken for.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Final

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from prometheus_client import CollectorRegistry
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.exposition import generate_latest
from prometheus_client.registry import Collector

from config.http.request_metrics import registry
from config.operations import platform_conditions
from games.moderation import waiting
from games.operations import metrics
from games.operations.queues import Queue
from tournaments.maintenance import status as league_status

CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"


@never_cache
@require_safe
def metrics_page(request: HttpRequest) -> HttpResponse:
    """For who has the token of SCOREBOOK_METRICS_TOKEN; without that setting there is nothing here."""
    token = settings.SCOREBOOK_METRICS_TOKEN
    if not token:
        raise Http404
    scheme, _space, given = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not secrets.compare_digest(given.encode(), token.encode()):
        sentence = "Send the token of SCOREBOOK_METRICS_TOKEN: Authorization: Bearer …\n"
        return HttpResponse(sentence, status=401, content_type="text/plain", headers={"WWW-Authenticate": "Bearer"})
    return HttpResponse(text(), content_type=CONTENT_TYPE)


def text() -> bytes:
    """All figures at this moment."""
    house = CollectorRegistry()
    house.register(PlatformCollector())
    return bytes(generate_latest(registry) + generate_latest(house))


class PlatformCollector(Collector):
    """The account of the house as figures."""

    def describe(self) -> Iterable[GaugeMetricFamily]:
        """Nothing in advance: it would ask the database."""
        return ()

    def collect(self) -> Iterator[GaugeMetricFamily]:
        now = metrics.collect_metrics()
        yield labelled_gauge(
            "scorebook_games", "Games that are on: being played, waiting, not going on.", "state", now.games
        )
        yield labelled_gauge("scorebook_games_waiting", "Of those that wait, for what.", "reason", now.waiting_for)
        yield gauge("scorebook_games_resumed", "Games being played on that a lost worker had begun.", now.resumed)
        yield gauge("scorebook_stuck_attempts", "The most attempts at one of the games that stand still.", now.attempts)
        yield gauge("scorebook_trials_failing", "Gates and comparisons at which the platform fails.", now.trials)
        yield from _queue_metrics([*now.queues, *league_status.due_queues(now.at)])
        workers = "Processes that play; silent ones have not ended by intention."
        yield labelled_gauge("scorebook_workers", workers, "state", now.workers)
        serving = platform_conditions.by_queue(now.serves)
        yield labelled_gauge("scorebook_queue_workers", "Workers alive that take work from a queue.", "queue", serving)
        yield labelled_gauge("scorebook_leases", "Games held by such workers.", "state", now.leases)
        yield labelled_gauge(
            "scorebook_sandbox_workers", "Workers alive that hold uploaded bots, by their tier.", "tier", now.tiers
        )
        yield labelled_gauge("scorebook_incidents", "Of the platform, within 24 hours.", "cause", now.causes)
        yield labelled_gauge("scorebook_bot_faults", "Of uploaded bots, within 24 hours.", "kind", now.faults)
        failing = "Versions that fail again and again within an hour, and still play."
        yield gauge("scorebook_bots_failing", failing, now.failing)
        yield labelled_gauge("scorebook_mails", "E-mails that did not go out.", "state", now.mails)
        yield gauge("scorebook_mail_age_seconds", "Of the oldest that waits.", age(now.mail_since, now.at))
        yield from _league_metrics(now.at)
        yield gauge("scorebook_log_bytes", "What the log of games holds on disk.", now.log_bytes)
        yield gauge("scorebook_database_bytes", "What the whole database holds on disk.", now.database_bytes)
        yield gauge("scorebook_disk_used_ratio", "Of the disk of this web process's machine, 0 to 1.", now.disk_used)
        yield gauge("scorebook_disk_full", "1 while the database refuses to write, its disk being full.", now.disk_full)
        ages = {part: age(at, now.at) for part, at in now.signs.items()}
        yield labelled_gauge("scorebook_sign_age_seconds", "Since a part last gave a sign of life.", "part", ages)
        yield gauge("scorebook_sign_up_closed", "1 while admins have closed sign-up.", now.sign_up_closed)


def _league_metrics(now: datetime) -> Iterator[GaugeMetricFamily]:
    unsent = league_status.unsent_counts()
    states = {state: unsent[state] for state in ("waiting", "unsure", "failed")}
    yield labelled_gauge("scorebook_invitations", "Invitations by e-mail that did not go out.", "state", states)
    yield labelled_gauge(
        "scorebook_webhooks", "On, of them failing, and switched off for that.", "state", league_status.webhook_counts()
    )
    reports, reported, objections, objected = waiting.count_open_cases()
    undecided = {"reports": reports, "objections": objections}
    yield labelled_gauge("scorebook_undecided", "What waits for an admin to decide.", "what", undecided)
    ages = {"reports": age(reported, now), "objections": age(objected, now)}
    yield labelled_gauge("scorebook_undecided_age_seconds", "Of the oldest of it.", "what", ages)


def _queue_metrics(queues: Iterable[Queue]) -> Iterator[GaugeMetricFamily]:
    waiting = GaugeMetricFamily("scorebook_queue_waiting", "What waits for workers.", labels=["queue", "place"])
    oldest = GaugeMetricFamily("scorebook_queue_age_seconds", "Of the oldest of it.", labels=["queue", "place"])
    for queue in queues:
        waiting.add_metric([queue.name, queue.place], queue.waiting)
        oldest.add_metric([queue.name, queue.place], queue.oldest or 0)
    yield from (waiting, oldest)


def age(since: datetime | None, now: datetime) -> float:
    """Seconds, never less than none; 0 where there is nothing."""
    return max((now - since).total_seconds(), 0.0) if since else 0.0


def gauge(name: str, words: str, value: float) -> GaugeMetricFamily:
    """A figure by itself."""
    return GaugeMetricFamily(name, words, value=value)


def labelled_gauge(name: str, words: str, label: str, values: dict[str, int] | dict[str, float]) -> GaugeMetricFamily:
    """A figure for each value of a label."""
    family = GaugeMetricFamily(name, words, labels=[label])
    for each, value in values.items():
        family.add_metric([each], value)
    return family
