"""What the environment gives. Switches are `1` or `0`. Secrets come as NAME, or as NAME_FILE: the path of a file that
holds it, as containers and systemd hand them over, so that no list of processes and no `inspect` shows them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from django.core.exceptions import ImproperlyConfigured

# Each may be given as a file. None has a value of its own in the product.
SECRET_NAMES: Final = (
    "SECRET_KEY",
    "DATABASE_URL",
    "DATABASE_APP_URL",
    "CELERY_BROKER_URL",
    "EMAIL_HOST_PASSWORD",
    "SCOREBOOK_METRICS_TOKEN",
)


def read_secret(name: str) -> str:
    """One of `SECRET_NAMES`, "" where it is not given. ImproperlyConfigured, without what it is, for a file that holds
    nothing or cannot be read, and where it is given twice."""
    assert name in SECRET_NAMES, f"{name} is no secret."
    value, path = os.environ.get(name, ""), os.environ.get(f"{name}_FILE", "")
    if not path:
        return value
    if value:
        raise ImproperlyConfigured(f"Both {name} and {name}_FILE are set. Keep one of them.")
    try:
        held = Path(path).read_text().strip()
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is no text"
        raise ImproperlyConfigured(f"{name}_FILE names {path}, which can't be read: {why}.") from None
    if not held:
        raise ImproperlyConfigured(f"{name}_FILE names {path}, which is empty.")
    return held


def read_switch(name: str, default: bool = False) -> bool:
    """Whether the variable is `1`; `default` where it is not given or empty. ImproperlyConfigured for anything else."""
    value = os.environ.get(name) or str(int(default))
    if value not in ("0", "1"):
        raise ImproperlyConfigured(f"{name} is 1 or 0, not {value!r}.")
    return value == "1"
