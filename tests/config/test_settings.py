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
