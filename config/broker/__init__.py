"""Celery's broker, pool and scheduler, each with the faults of Celery and kombu that are mended here."""
