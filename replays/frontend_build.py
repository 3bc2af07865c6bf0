"""Which build of the front end this process serves, so that a page from before a deploy can tell that it is stale."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

from django.conf import settings


@cache
def build_id() -> str:
    """Twelve characters that change with the built files; "" where nothing is built."""
    manifest = Path(settings.DJANGO_VITE["default"]["manifest_path"])
    return hashlib.sha256(manifest.read_bytes()).hexdigest()[:12] if manifest.exists() else ""
