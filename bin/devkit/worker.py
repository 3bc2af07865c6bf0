"""`bin/dev worker` starts one more worker, in addition to those of `bin/dev up`."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Sequence

from devkit import database
from devkit.console import Trouble
from devkit.processes import dying_with_parent
from devkit.up import address_from, environment_of, is_up, worker_part

QUEUES = ("play", "sandbox", "short", "hooks", "review")


def worker(arguments: Sequence[str]) -> int:
    """Take tasks from the queue `play`, or the one that is named, in the foreground until Ctrl-C. Return the worker's
    exit code."""
    if len(arguments) > 1 or not set(arguments) <= set(QUEUES):
        raise Trouble(f"bin/dev worker takes the name of one queue: {', '.join(QUEUES)}. Without a name it takes play.")
    queue = arguments[0] if arguments else "play"
    with database.brought() as place:
        if not is_up():
            print("Warning: no `bin/dev up` of this folder is running, so this worker gets no tasks.", flush=True)
        environment = environment_of(place, address_from(os.environ))
        part = worker_part(queue, "", 1, 1, environment, name=f"{queue}-{os.getpid()}")
        command, leave = [part.program, *part.command], dying_with_parent(signal.SIGTERM)
        with subprocess.Popen(command, env=part.environment, start_new_session=True, preexec_fn=leave) as process:
            try:
                return process.wait()
            except KeyboardInterrupt:
                process.terminate()  # it releases its games and ends
                return process.wait()
