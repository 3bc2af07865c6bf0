"""Counts this web process's responses for `config.monitoring.metrics`."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

from django.http import HttpRequest, HttpResponse
from prometheus_client import CollectorRegistry, Counter, Histogram, disable_created_metrics

disable_created_metrics()  # type: ignore[no-untyped-call]  # a start time for each figure is of no use here

registry = CollectorRegistry()
REQUEST_COUNT: Final = Counter(
    "scorebook_http_requests", "Requests answered by this process.", ["route", "method", "status"], registry=registry
)
REQUEST_SECONDS: Final = Histogram(
    "scorebook_http_request_seconds", "Duration of requests.", ["route"], registry=registry
)
COUNTED_METHODS: Final = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")


class RequestMetricsMiddleware:
    """Middleware that counts each request under the name of its URL, never under the address, so that there are few
    names."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        began = time.monotonic()
        response = self.get_response(request)
        route = (request.resolver_match.view_name if request.resolver_match else "") or "none"
        method = request.method if request.method in COUNTED_METHODS else "other"
        REQUEST_COUNT.labels(route, method, f"{response.status_code // 100}xx").inc()
        REQUEST_SECONDS.labels(route).observe(time.monotonic() - began)
        return response
