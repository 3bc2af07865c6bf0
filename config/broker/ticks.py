"""Beat's sign of life: it touches a file beside its schedule."""

from __future__ import annotations

from typing import Final

TICKED: Final = ".ticked"  # suffix to the name of the schedule
