"""Reads environment variables. Switches are `1` or `0`.

Secrets come as NAME, or as NAME_FILE with the path of a file that contains the secret, as containers and systemd pass
them, so that neither the process list nor `inspect` shows them.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from django.core.exceptions import ImproperlyConfigured

# Each may be given as a file. None has a default in the product.
SECRET_NAMES: Final = (
    "SECRET_KEY",
    "DATABASE_URL",
    "DATABASE_APP_URL",
    "CELERY_BROKER_URL",
    "EMAIL_HOST_PASSWORD",
    "SCOREBOOK_METRICS_TOKEN",
)

# Names changed before 0.1.0. Two of them control access, so old names are refused instead of ignored.
RENAMED: Final = {
    "SCOREBOOK_ADDRESS": "SCOREBOOK_BASE_URL",
    "SCOREBOOK_EMAIL": "SCOREBOOK_EMAIL_REQUIRED",
    "SCOREBOOK_ENGINES": "SCOREBOOK_ENGINE_BUILD",
    "SCOREBOOK_HOSTS": "SCOREBOOK_ALLOWED_HOSTS",
    "SCOREBOOK_LIMITS": "SCOREBOOK_RATE_LIMIT_FACTOR",
    "SCOREBOOK_LOGS": "SCOREBOOK_LOG_FORMAT",
    "SCOREBOOK_ORIGINS": "SCOREBOOK_CSRF_TRUSTED_ORIGINS",
    "SCOREBOOK_POOL": "SCOREBOOK_DB_POOL_SIZE",
    "SCOREBOOK_SECOND_FACTOR": "SCOREBOOK_ADMIN_MFA_REQUIRED",
    "SCOREBOOK_STATIC": "SCOREBOOK_STATIC_ROOT",
    "SCOREBOOK_STREAMS": "SCOREBOOK_MAX_STREAMS_PER_IP",
    "SCOREBOOK_STREAMS_EACH": "SCOREBOOK_MAX_STREAMS_PER_ACCOUNT",
    "SCOREBOOK_WAITING": "SCOREBOOK_MAX_WAITING_REQUESTS",
    "SCOREBOOK_WEBHOOKS_PRIVATE": "SCOREBOOK_WEBHOOK_ALLOW_PRIVATE_HOSTS",
}


def refuse_old_names() -> None:
    """Raise ImproperlyConfigured if a variable of `RENAMED` is set."""
    for old in sorted(RENAMED.keys() & os.environ.keys()):
        raise ImproperlyConfigured(
            f"{old} is called {RENAMED[old]} now. Rename it; docs/reference/settings.md has its values."
        )


def read_secret(name: str) -> str:
    """Return one of `SECRET_NAMES`; "" if it is not set.

    Raises ImproperlyConfigured, without the secret, for an empty or unreadable file, and if it is set twice.
    """
    assert name in SECRET_NAMES, f"{name} is not a secret."
    value, path = os.environ.get(name, ""), os.environ.get(f"{name}_FILE", "")
    if not path:
        return value
    if value:
        raise ImproperlyConfigured(f"Both {name} and {name}_FILE are set. Keep one of them.")
    try:
        secret = Path(path).read_text().strip()
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not text"
        raise ImproperlyConfigured(f"{name}_FILE names {path}, which can't be read: {why}.") from None
    if not secret:
        raise ImproperlyConfigured(f"{name}_FILE names {path}, which is empty.")
    return secret


def read_switch(name: str, default: bool = False) -> bool:
    """Return whether the variable is `1`, or `default` if it is unset or empty. Raises ImproperlyConfigured for other
    values."""
    value = os.environ.get(name) or str(int(default))
    if value not in ("0", "1"):
        raise ImproperlyConfigured(f"{name} must be 1 or 0, not {value!r}.")
    return value == "1"
