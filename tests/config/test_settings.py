"""What settings make of the environment."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

SHOW = "from config import settings; print(settings.SESSION_COOKIE_SECURE, settings.CSRF_COOKIE_SECURE)"


@pytest.mark.parametrize(
    ("address", "secure"), [("https://club.example", "True True"), ("http://club.example", "False False")]
)
def test_cookies_of_a_house_that_is_found_by_https_are_never_sent_without(address: str, secure: str) -> None:
    environment = {**os.environ, "SCOREBOOK_ADDRESS": address}
    shown = subprocess.run([sys.executable, "-c", SHOW], env=environment, capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == secure


DEPLOYED = {
    "SCOREBOOK_ADDRESS": "https://club.example",
    "SCOREBOOK_HOSTS": "club.example",
    "SCOREBOOK_DEBUG": "",
    "SECRET_KEY": "".join(chr(33 + 7 * n % 90) for n in range(60)),
}


def checked_for_deployment(**environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "manage.py", "check", "--deploy", "--fail-level", "WARNING"]
    return subprocess.run(command, env={**os.environ, **environment}, capture_output=True, text=True, check=False)


def test_what_is_deployed_behind_https_passes_djangos_checks() -> None:
    done = checked_for_deployment(**DEPLOYED)
    assert done.returncode == 0, done.stderr


def test_the_same_without_https_does_not() -> None:
    done = checked_for_deployment(**{**DEPLOYED, "SCOREBOOK_ADDRESS": "http://club.example"})
    assert done.returncode != 0
    assert "SECURE_SSL_REDIRECT" in done.stderr


BEHIND_PROXY = """
import django
django.setup()
from django.test import Client
plain = Client().get("/api/v1/", headers={"host": "club.example"})
print(plain.status_code, plain.headers["Location"])
inside = Client().get("/health/live/", headers={"host": "club.example"})
print(inside.status_code)
proxied = Client().get("/health/live/", headers={"host": "club.example", "x-forwarded-proto": "https"})
print(proxied.status_code, proxied.headers["Strict-Transport-Security"])
"""


def test_behind_a_proxy_pages_are_sent_to_https_and_health_is_not() -> None:
    command = [sys.executable, "-c", BEHIND_PROXY]
    environment = {**os.environ, **DEPLOYED, "DJANGO_SETTINGS_MODULE": "config.settings"}
    shown = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert shown.stdout.split("\n") == [
        "301 https://club.example/api/v1/",
        "200",
        "200 max-age=31536000",
        "",
    ]


BROKER = """
from config.celery import app
transport = app.connection_for_read().transport
print(transport.driver_type, type(transport).__module__)
"""


@pytest.mark.parametrize(
    ("broker", "spoken"),
    [
        ("redis://127.0.0.1:6379/0", "redis config.redis_broker"),
        ("rediss://127.0.0.1:6379/0", "redis config.redis_broker"),
        ("", "pgmq config.pgmq_broker"),
    ],
)
def test_the_brokers_that_are_documented_can_be_spoken_with(broker: str, spoken: str) -> None:
    """What they need is installed; nobody has to answer for that."""
    environment = {**os.environ, "CELERY_BROKER_URL": broker}
    shown = subprocess.run([sys.executable, "-c", BROKER], env=environment, capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == spoken
