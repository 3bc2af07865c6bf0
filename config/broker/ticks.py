"""How beat shows that it works: it touches a file beside its schedule."""

from __future__ import annotations

from typing import Final

TICKED: Final = ".ticked"  # what follows the name of the schedule
