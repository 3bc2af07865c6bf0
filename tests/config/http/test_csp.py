"""The policy of a page allows what Vite's server needs when it runs beside the platform. tests/browser/test_policy.py
opens the usual pages."""

from __future__ import annotations

import pytest
from django.http import HttpResponse
from django.test import RequestFactory, override_settings

from config.http.csp import ContentSecurityPolicy
from tests.factories.settings import settings_of


def header(port: int) -> str:
    with override_settings(VITE_PORT=port):
        middleware = ContentSecurityPolicy(lambda _request: HttpResponse())
        return str(middleware(RequestFactory().get("/"))["Content-Security-Policy"])


def test_pages_load_from_vites_server_only_where_it_runs() -> None:
    assert "http" not in header(0)
    assert "script-src 'self' http://localhost:9000;" in header(9000)
    assert "ws://localhost:9000" in header(9000)
    assert "default-src 'none';" in header(9000)


@pytest.mark.parametrize(("debug", "port"), [("0", 0), ("1", 9000)])
def test_a_server_for_others_takes_no_notice_of_the_port(
    debug: str, port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = settings_of(monkeypatch, SCOREBOOK_DEBUG=debug, SCOREBOOK_VITE_PORT="9000", SECRET_KEY="lamp")
    assert made["VITE_PORT"] == port
