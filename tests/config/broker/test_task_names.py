"""What tasks were called in the last release, whose messages may still wait in a queue."""

from __future__ import annotations

from config.celery import FORMER_TASK_NAMES, app


def test_a_message_with_a_former_name_of_a_task_reaches_the_task() -> None:
    app.loader.import_default_modules()
    assert {former: app.tasks[former].name for former in FORMER_TASK_NAMES} == FORMER_TASK_NAMES
