"""Describes the machine of a benchmark, in a line above its figures."""

from __future__ import annotations

import os
import platform

from scorebook_games import build


def where() -> str:
    """Return a line such as `engines: plain; Python 3.11.7; 2 cores, load average 0.4`."""
    load = os.getloadavg()[0]
    python, cores = platform.python_version(), os.cpu_count()
    return f"engines: {build.current_build()}; Python {python}; {cores} cores, load average {load:.1f}"
