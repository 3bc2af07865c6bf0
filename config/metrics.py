"""Figures for Prometheus (text format 0.0.4) at `/metrics`: of the house, and of the web process that answers.

Those of the house are the account of `games.condition`, asked of the database with each scrape, and the same from every
process. Those of requests are counted where they were answered: each web process tells of its own, and Prometheus keeps
them apart by `instance`. docs/operations.md names them all, and docs/alerts.yml what to be woken for.
"""

from __future__ import annotations

import secrets
from collections import Counter as Tally
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

from config.counts import process
from games import condition
from games.models import Incident

CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"


@never_cache
@require_safe
def page(request: HttpRequest) -> HttpResponse:
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
    house.register(House())
    return bytes(generate_latest(process) + generate_latest(house))


class House(Collector):
    """The account of the house as figures."""

    def describe(self) -> Iterable[GaugeMetricFamily]:
        """Nothing in advance: it would ask the database."""
        return ()

    def collect(self) -> Iterator[GaugeMetricFamily]:
        now = condition.take()
        yield from _games(now)
        yield from _queues(now)
        yield from _workers(now)
        yield from _faults(now)
        yield from _mail(now)
        yield one("scorebook_log_bytes", "What the log of games holds on disk.", now.log_bytes)
        yield one("scorebook_database_bytes", "What the whole database holds on disk.", now.database_bytes)
        yield one("scorebook_disk_used_ratio", "Of the disk of this web process's machine, 0 to 1.", now.disk_used)
        full = now.disk_full_at is not None
        yield one("scorebook_disk_full", "1 while the database refuses to write, its disk being full.", full)
        signs = {"beat": now.ticked_at, "web": now.web_at}
        ages = {part: age(at, now.at) for part, at in signs.items() if at}
        yield many("scorebook_sign_age_seconds", "Since a part last gave a sign of life.", "part", ages)
        yield one("scorebook_sign_up_closed", "1 while admins have closed sign-up.", bool(now.signup_closed_at))


def _games(now: condition.Condition) -> Iterator[GaugeMetricFamily]:
    states = {"playing": now.playing, "waiting": now.waiting, "stuck": now.stuck}
    yield many("scorebook_games", "Games that are on: being played, waiting, not going on.", "state", states)
    waiting = {code: 0 for code, _words in condition.FOR} | {each.code: each.games for each in now.waiting_for}
    yield many("scorebook_games_waiting", "Of those that wait, for what.", "reason", waiting)
    yield one("scorebook_games_resumed", "Games being played that were claimed more than once.", now.resumed)
    attempts = max((game.attempt for game in now.stuck_games), default=0)
    yield one("scorebook_stuck_attempts", "The most attempts at one of the oldest games that stand still.", attempts)
    yield one("scorebook_trials_failing", "Gates and comparisons at which the platform fails.", len(now.trials))


def _queues(now: condition.Condition) -> Iterator[GaugeMetricFamily]:
    waiting = GaugeMetricFamily("scorebook_queue_waiting", "What waits for workers.", labels=["queue", "place"])
    oldest = GaugeMetricFamily("scorebook_queue_age_seconds", "Of the oldest of it.", labels=["queue", "place"])
    for queue in now.queues:
        waiting.add_metric([queue.name, queue.place], queue.waiting)
        oldest.add_metric([queue.name, queue.place], queue.oldest or 0)
    yield from (waiting, oldest)


def _workers(now: condition.Condition) -> Iterator[GaugeMetricFamily]:
    states = {"alive": now.workers_alive, "silent": now.workers_lost}
    yield many("scorebook_workers", "Processes that play; silent ones have not ended by intention.", "state", states)
    held = {"alive": 0, "silent": 0}
    for worker in now.workers:
        held["alive" if worker["alive"] else "silent"] += worker["holds"]
    yield many("scorebook_leases", "Games held by such workers.", "state", held)
    tiers = Tally(worker["tier"] for worker in now.workers if worker["alive"] and worker["tier"])
    known = {condition.TIER: 0, "none": 0} | tiers
    yield many("scorebook_sandbox_workers", "Workers alive that hold uploaded bots, by their tier.", "tier", known)


def _faults(now: condition.Condition) -> Iterator[GaugeMetricFamily]:
    causes = dict.fromkeys(Incident.Cause.values, 0) | now.causes
    yield many("scorebook_incidents", "Of the platform, within 24 hours.", "cause", causes)
    kinds: Tally[str] = Tally()
    for fault in now.faults:
        kinds[fault.kind] += fault.times
    yield many("scorebook_bot_faults", "Of uploaded bots, within 24 hours.", "kind", kinds)


def _mail(now: condition.Condition) -> Iterator[GaugeMetricFamily]:
    states = {"waiting": now.mails.waiting, "unsure": now.mails.unsure, "failed": now.mails.failed}
    yield many("scorebook_mails", "E-mails that did not go out.", "state", states)
    since = now.mails.waiting_since
    yield one("scorebook_mail_age_seconds", "Of the oldest that waits.", age(since, now.at) if since else 0)


def age(since: datetime, now: datetime) -> float:
    """Seconds, never less than none."""
    return max((now - since).total_seconds(), 0.0)


def one(name: str, words: str, value: float) -> GaugeMetricFamily:
    """A figure by itself."""
    return GaugeMetricFamily(name, words, value=value)


def many(name: str, words: str, label: str, values: dict[str, int] | dict[str, float]) -> GaugeMetricFamily:
    """A figure for each value of a label."""
    family = GaugeMetricFamily(name, words, labels=[label])
    for each, value in values.items():
        family.add_metric([each], value)
    return family
