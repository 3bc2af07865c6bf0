"""Settings are made from environment variables."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO

import pytest
from celery import Celery
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.management import call_command
from django.core.management.base import SystemCheckError
from django.test import Client, override_settings

from config.broker.pgmq_transport import PgmqTransport
from config.broker.redis_transport import RedisTransport
from config.env.variables import RENAMED, read_switch, refuse_old_names
from tests.factories.settings import settings_of

DEPLOYED = {
    "SCOREBOOK_BASE_URL": "https://club.example",
    "SCOREBOOK_ALLOWED_HOSTS": "club.example",
    "SCOREBOOK_DEBUG": "",
    "SECRET_KEY": "".join(chr(33 + 7 * n % 90) for n in range(60)),
}


@pytest.mark.parametrize(("address", "secure"), [("https://club.example", True), ("http://club.example", False)])
def test_a_platform_that_is_found_by_https_is_never_spoken_with_without(
    address: str, *, secure: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = settings_of(monkeypatch, **DEPLOYED | {"SCOREBOOK_BASE_URL": address})
    names = ("SESSION_COOKIE_SECURE", "CSRF_COOKIE_SECURE", "SECURE_SSL_REDIRECT")
    assert [made[name] for name in names] == 3 * [secure]


@contextmanager
def deployed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Have the settings of a deployed platform within the block, on the database of the tests."""
    made = settings_of(monkeypatch, **DEPLOYED)
    changed = {name: value for name, value in made.items() if getattr(settings, name, None) != value}
    with override_settings(**{name: value for name, value in changed.items() if name != "DATABASES"}):
        yield


def test_what_is_deployed_passes_djangos_checks(monkeypatch: pytest.MonkeyPatch) -> None:
    checked = StringIO()
    with deployed(monkeypatch):
        call_command("check", deploy=True, fail_level="WARNING", stdout=checked)
        with override_settings(SECURE_SSL_REDIRECT=False), pytest.raises(SystemCheckError, match=r"security\.W008"):
            call_command("check", tags=["security"], deploy=True, fail_level="WARNING")
    assert checked.getvalue().startswith("System check identified no issues")


@pytest.mark.django_db
def test_what_is_deployed_sends_pages_to_https_but_not_health(monkeypatch: pytest.MonkeyPatch) -> None:
    host = {"host": "club.example"}
    with deployed(monkeypatch):
        plain = Client().get("/api/v1/", headers=host)
        assert (plain.status_code, plain.headers["Location"]) == (301, "https://club.example/api/v1/")
        assert Client().get("/health/live/", headers=host).status_code == 200
        proxied = Client().get("/health/live/", headers={**host, "x-forwarded-proto": "https"})
    assert (proxied.status_code, proxied.headers["Strict-Transport-Security"]) == (200, "max-age=31536000")


@pytest.mark.parametrize(
    ("broker", "driver", "transport"),
    [
        ("redis://127.0.0.1:6379/0", "redis", RedisTransport),
        ("rediss://127.0.0.1:6379/0", "redis", RedisTransport),
        ("", "pgmq", PgmqTransport),
    ],
)
def test_the_brokers_that_are_documented_can_be_spoken_with(
    broker: str, driver: str, transport: type, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The packages of these brokers are installed. No broker has to run."""
    app = Celery(set_as_current=False)
    app.config_from_object(settings_of(monkeypatch, CELERY_BROKER_URL=broker), namespace="CELERY")
    spoken = app.connection_for_read().transport
    assert (spoken.driver_type, type(spoken)) == (driver, transport)


@pytest.mark.parametrize(("value", "expected"), [("1", True), ("0", False), ("", True)])
def test_a_switch_is_on_off_or_its_default(value: str, expected: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCOREBOOK_EMAIL_REQUIRED", value)
    assert read_switch("SCOREBOOK_EMAIL_REQUIRED", default=True) is expected


def test_a_switch_with_another_value_stops_the_start_with_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCOREBOOK_EMAIL_REQUIRED", "mandatory")
    with pytest.raises(ImproperlyConfigured, match="SCOREBOOK_EMAIL_REQUIRED must be 1 or 0, not 'mandatory'\\."):
        read_switch("SCOREBOOK_EMAIL_REQUIRED")


@pytest.mark.parametrize("old", RENAMED)
def test_a_variable_that_has_another_name_now_stops_the_start_with_a_sentence(
    old: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    refuse_old_names()
    monkeypatch.setenv(old, "")
    with pytest.raises(ImproperlyConfigured, match=rf"^{old} is called {RENAMED[old]} now\."):
        refuse_old_names()
