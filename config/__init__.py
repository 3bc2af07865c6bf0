"""The project: settings, addresses, the message queue, and the start of each process."""

from config.celery import app as celery_app

__all__ = ["celery_app"]
