"""The Celery tasks of replays."""

from __future__ import annotations

from celery import shared_task

from replays.dataset import job


@shared_task(name="replays.export_dataset")  # type: ignore[untyped-decorator]
def export_dataset() -> None:
    """Make the dataset that an admin asked for, unless another worker does it."""
    job.DATASET.run()


@shared_task(name="replays.check_dataset")  # type: ignore[untyped-decorator]
def check_dataset() -> None:
    """Delete a dataset that may not be shown any more, and send the message of a waiting job again."""
    job.replace_outdated()
    job.DATASET.resend_if_waiting()
