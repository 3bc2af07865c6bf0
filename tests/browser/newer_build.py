"""The platform as after a deploy of another build: `uvicorn tests.browser.newer_build:application`."""

from __future__ import annotations

from django.conf import settings

from config.asgi import application

__all__ = ["application"]

# The build's version comes from this file alone. The files of pages were found when the process started.
settings.DJANGO_VITE["default"]["manifest_path"] = settings.BASE_DIR / "frontend" / "package.json"
