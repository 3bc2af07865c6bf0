"""Settings are made from environment variables."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from django.core.exceptions import ImproperlyConfigured

from config.env.variables import RENAMED, read_switch, refuse_old_names

SHOW = """
from config import settings
print(settings.SESSION_COOKIE_SECURE, settings.CSRF_COOKIE_SECURE, settings.SECURE_SSL_REDIRECT)
"""


@pytest.mark.parametrize(
    ("address", "secure"), [("https://club.example", "True True True"), ("http://club.example", "False False False")]
)
def test_a_platform_that_is_found_by_https_is_never_spoken_with_without(address: str, secure: str) -> None:
    environment = {**os.environ, **DEPLOYED, "SCOREBOOK_BASE_URL": address}
    shown = subprocess.run([sys.executable, "-c", SHOW], env=environment, capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == secure


DEPLOYED = {
    "SCOREBOOK_BASE_URL": "https://club.example",
    "SCOREBOOK_ALLOWED_HOSTS": "club.example",
    "SCOREBOOK_DEBUG": "",
    "SECRET_KEY": "".join(chr(33 + 7 * n % 90) for n in range(60)),
}


BEHIND_PROXY = """
import django
django.setup()
from django.core.management import call_command
call_command("check", deploy=True, fail_level="WARNING")
from django.core.management.base import SystemCheckError
from django.test import Client, override_settings
try:
    with override_settings(SECURE_SSL_REDIRECT=False):
        call_command("check", deploy=True, fail_level="WARNING")
except SystemCheckError as error:
    print("security.W008" in str(error))
plain = Client().get("/api/v1/", headers={"host": "club.example"})
print(plain.status_code, plain.headers["Location"])
inside = Client().get("/health/live/", headers={"host": "club.example"})
print(inside.status_code)
proxied = Client().get("/health/live/", headers={"host": "club.example", "x-forwarded-proto": "https"})
print(proxied.status_code, proxied.headers["Strict-Transport-Security"])
"""


@pytest.mark.long  # starts a Python with Django
def test_what_is_deployed_passes_djangos_checks_and_sends_pages_to_https_but_not_health() -> None:
    command = [sys.executable, "-c", BEHIND_PROXY]
    environment = {**os.environ, **DEPLOYED, "DJANGO_SETTINGS_MODULE": "config.settings"}
    shown = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert shown.returncode == 0, shown.stderr
    checked, noticed, *answers = shown.stdout.splitlines()
    assert checked.startswith("System check identified no issues")
    assert noticed == "True", "the checks notice a platform that is spoken with without https"
    assert answers == [
        "301 https://club.example/api/v1/",
        "200",
        "200 max-age=31536000",
    ]


BROKER = """
from config.celery import app
transport = app.connection_for_read().transport
print(transport.driver_type, type(transport).__module__)
"""


@pytest.mark.parametrize(
    ("broker", "spoken"),
    [
        ("redis://127.0.0.1:6379/0", "redis config.broker.redis_transport"),
        ("rediss://127.0.0.1:6379/0", "redis config.broker.redis_transport"),
        ("", "pgmq config.broker.pgmq_transport"),
    ],
)
def test_the_brokers_that_are_documented_can_be_spoken_with(broker: str, spoken: str) -> None:
    """The packages of these brokers are installed. No broker has to run."""
    environment = {**os.environ, "CELERY_BROKER_URL": broker}
    shown = subprocess.run([sys.executable, "-c", BROKER], env=environment, capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == spoken


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
