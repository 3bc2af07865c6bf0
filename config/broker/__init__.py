"""Celery's broker, pool and scheduler, with fixes for faults of Celery and kombu."""
