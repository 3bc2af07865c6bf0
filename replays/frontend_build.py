"""The build of the front end that this process serves. A page from before a deployment can tell that it is outdated."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

from django.conf import settings


@cache
def build_id() -> str:
    """Return twelve characters that change with the built files; "" if nothing is built."""
    manifest = Path(settings.DJANGO_VITE["default"]["manifest_path"])
    return hashlib.sha256(manifest.read_bytes()).hexdigest()[:12] if manifest.exists() else ""
