"""What holds the platform together: settings, addresses, the queue, and the parts' start."""

from config.celery import app as celery_app

__all__ = ["celery_app"]
