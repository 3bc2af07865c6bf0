"""A worker notices that it takes no tasks any more after its processes were killed while they took tasks."""

from __future__ import annotations

import pytest

from config.broker.worker_watchdog import StalledWorkerStep, stalled_requests
from config.celery import app


@pytest.mark.parametrize(
    ("reserved", "found"),
    [
        ({}, set()),
        ({"a": 11, "b": 12}, set()),  # both processes are working, which may take long
        ({"a": 11, "b": 12, "c": None}, set()),  # no process is free for the third
        ({"a": 11, "b": None}, {"b"}),
        ({"a": 11, "b": 99}, {"b"}),  # the process that began task b is gone
        ({"a": None, "b": None}, {"a", "b"}),
    ],
)
def test_a_task_waits_if_a_process_is_free_and_none_works_at_it(
    reserved: dict[str, int | None], found: set[str]
) -> None:
    assert stalled_requests(reserved, [11, 12]) == found


def test_only_one_and_the_same_task_that_waits_for_long_is_a_sign() -> None:
    step = StalledWorkerStep(None)
    assert not step.is_stalled(["a"], patience=65, now=0)
    assert not step.is_stalled(["b"], patience=65, now=60)
    assert not step.is_stalled(["a", "b"], patience=65, now=120)
    assert not step.is_stalled([], patience=65, now=126)
    assert not step.is_stalled(["b"], patience=65, now=130)
    assert step.is_stalled(["b"], patience=65, now=196)


def test_every_worker_looks_and_allows_a_new_process_its_time() -> None:
    assert StalledWorkerStep in app.steps["worker"]
    assert app.conf.worker_proc_alive_timeout == 60
