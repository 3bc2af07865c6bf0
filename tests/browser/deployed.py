"""The platform after a deploy, of another build than before: `uvicorn tests.browser.deployed:application`."""

from __future__ import annotations

from django.conf import settings

from config.asgi import application

__all__ = ["application"]

# Which build it is is read from this file alone; the pages' files are those that were found at the start.
settings.DJANGO_VITE["default"]["manifest_path"] = settings.BASE_DIR / "frontend" / "package.json"
