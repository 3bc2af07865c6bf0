"""The front end's words in a language: the address of their catalogue, which changes when the catalogue does."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

from django.conf import settings
from django.urls import reverse
from django.utils import translation


def words_url(language: str) -> str:
    """Return the address of the front end's words in a language."""
    return reverse("javascript-catalog", args=[language, words_version(language)])


@cache
def words_version(language: str) -> str:
    """Return a hash of the front end's catalogues in a language, of the platform and of all kinds of game."""
    name = f"{translation.to_locale(language)}/LC_MESSAGES/djangojs.mo"
    files = [path for folder in settings.LOCALE_PATHS if (path := Path(folder) / name).is_file()]
    return hashlib.sha256(b"\0".join(path.read_bytes() for path in files)).hexdigest()[:12]
