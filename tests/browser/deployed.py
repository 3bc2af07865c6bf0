"""The platform after a deploy of another build: `uvicorn tests.browser.deployed:application`."""

from __future__ import annotations

from django.conf import settings

from config.asgi import application

__all__ = ["application"]

# Only this file tells the build. The pages' files were found at the start.
settings.DJANGO_VITE["default"]["manifest_path"] = settings.BASE_DIR / "frontend" / "package.json"
