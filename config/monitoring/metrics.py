"""Metrics for Prometheus (text format 0.0.4) at `/metrics`, of the platform and of the web process that answers.

The platform's metrics are the figures of the dashboard (`games.operations.metrics`). They are read from the database at
each scrape and are the same from every process. Request metrics are counted by each web process for itself, and
Prometheus distinguishes them by `instance`. docs/reference/metrics.md lists all metrics, and docs/alerts.yml has the
rules for alerts.
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

from config.broker.pgmq_schema import QUEUES
from config.http.request_metrics import registry
from games.common import clock
from games.moderation import waiting
from games.operations import metrics, queues
from games.operations.failures import by_state
from games.operations.metrics import age, labelled_gauge
from games.operations.queues import Queue
from replays.review import ledgers
from tournaments.maintenance import status as league_status

CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"


@never_cache
@require_safe
def metrics_page(request: HttpRequest) -> HttpResponse:
    """Return the metrics to a request with the token SCOREBOOK_METRICS_TOKEN; 404 if that setting is empty."""
    token = settings.SCOREBOOK_METRICS_TOKEN
    if not token:
        raise Http404
    scheme, _space, given = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not secrets.compare_digest(given.encode(), token.encode()):
        sentence = "Send the token of SCOREBOOK_METRICS_TOKEN: Authorization: Bearer …\n"
        return HttpResponse(sentence, status=401, content_type="text/plain", headers={"WWW-Authenticate": "Bearer"})
    return HttpResponse(text(), content_type=CONTENT_TYPE)


def text() -> bytes:
    """Return all metrics as text."""
    platform = CollectorRegistry()
    platform.register(PlatformCollector())
    return bytes(generate_latest(registry) + generate_latest(platform))


class PlatformCollector(Collector):
    """Collects the platform's status as metrics."""

    def describe(self) -> Iterable[GaugeMetricFamily]:
        """Return nothing, because a description would query the database."""
        return ()

    def collect(self) -> Iterator[GaugeMetricFamily]:
        now = clock.now()
        yield from metrics.families(now, QUEUES)
        due = [*queues.due_work(now), *league_status.due_work(now), ledgers.due_queue(now)]
        yield from _queue_metrics([*queues.messages(), *due])
        yield from _league_metrics(now)


def _queue_metrics(every: Iterable[Queue]) -> Iterator[GaugeMetricFamily]:
    waits = GaugeMetricFamily("scorebook_queue_waiting", "Items waiting for workers.", labels=["queue", "place"])
    oldest = GaugeMetricFamily(
        "scorebook_queue_age_seconds", "Age of the oldest item, in seconds.", labels=["queue", "place"]
    )
    for queue in every:
        waits.add_metric([queue.name, queue.place], queue.waiting)
        oldest.add_metric([queue.name, queue.place], queue.oldest or 0)
    yield from (waits, oldest)


def _league_metrics(now: datetime) -> Iterator[GaugeMetricFamily]:
    invitations = by_state(league_status.unsent_counts())
    yield labelled_gauge("scorebook_invitations", "Unsent email invitations, by state.", "state", invitations)
    hooks = league_status.webhook_counts()
    yield labelled_gauge(
        "scorebook_webhooks", "Webhooks that are active, failing, or switched off because they failed.", "state", hooks
    )
    reports, reported, objections, objected = waiting.count_open_cases()
    undecided = {"reports": reports, "objections": objections}
    yield labelled_gauge("scorebook_undecided", "Items waiting for an admin's decision.", "what", undecided)
    ages = {"reports": age(reported, now), "objections": age(objected, now)}
    yield labelled_gauge("scorebook_undecided_age_seconds", "Age of the oldest item, in seconds.", "what", ages)
