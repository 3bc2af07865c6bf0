"""If a worker's processes are killed while they wait for a task, the processes that replace them take tasks."""

from __future__ import annotations

import subprocess
import sys
from typing import Final

from celery.concurrency import get_implementation

from config.broker.celery_pool import Pool, TaskPool
from config.celery import app
from devkit.paths import ROOT

# It runs in a separate process, because a pool forks the process that creates it.
KILLED: Final = """
import os, signal, time
from config.broker.celery_pool import Pool

def twice(number):
    return 2 * number

pool = Pool(processes=2)
answers = [pool.apply_async(twice, (1,)).get(timeout=60)]
time.sleep(0.2)  # both wait now: one in the pipe, one before the lock
killed = list(pool._pool)
for process in killed:
    os.kill(process.pid, signal.SIGKILL)
for process in killed:
    process.join()  # a process that dies while it reads loses a part of the task (config.broker.worker_watchdog)
answers.append(pool.apply_async(twice, (2,)).get(timeout=60))
print(answers, flush=True)
pool.terminate()
pool.join()
"""


def test_processes_that_are_killed_while_they_wait_keep_the_pipe_from_nobody() -> None:
    done = subprocess.run(
        [sys.executable, "-c", KILLED], cwd=ROOT, capture_output=True, text=True, timeout=240, check=True
    )
    assert done.stdout == "[2, 4]\n"


def test_workers_have_such_a_pool_where_their_broker_is_postgresql() -> None:
    assert get_implementation(app.conf.worker_pool) is TaskPool
    assert TaskPool.BlockingPool is Pool
