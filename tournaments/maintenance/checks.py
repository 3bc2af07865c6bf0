"""Django checks: can everything be used that packages offer to seasons."""

from __future__ import annotations

from typing import Any

from django.core.checks import CheckMessage, Warning, register

from tournaments.formats import FORMATS
from tournaments.scoring.tie_breaks import TIE_BREAKS
from tournaments.seasons import setting


@register()
def packages_are_loaded(**_options: Any) -> list[CheckMessage]:
    """Warn of each format, tie-break and setting that was left out. This stops no process: seasons that need a format
    or tie-break wait."""
    left_out = [*FORMATS.broken.values(), *TIE_BREAKS.broken.values(), *setting.BROKEN.values()]
    return [Warning(sentence, id="tournaments.W001") for sentence in left_out]
