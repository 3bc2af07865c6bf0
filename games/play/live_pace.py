"""The pace "live": how long a seat has to wait before it may do the same again."""

from __future__ import annotations

from datetime import datetime

from django.utils.translation import gettext as _

from games.common.errors import DomainError
from games.engines.base import Paced
from games.gamelog import events as ev
from games.gamelog.events import Log, events_of
from games.gamelog.fold import Fold
from games.gamelog.terms import LIVE
from games.models import Game


def wait_ms(game: Game, log: Log, fold: Fold, seat: int, action: int, at: datetime) -> int:
    """How many ms after `at` `seat` may do `action` when the game stands at `fold` after `log`: 0 for at once."""
    rules = fold.rules
    if fold.pace != LIVE or not isinstance(rules, Paced):
        return 0
    limit = rules.pace_limit(fold.state, seat, action)
    if not limit:
        return 0
    for _version, ms, event in reversed(events_of(log)):
        if not ev.is_table_event(event) and rules.starts_pace(event, seat):
            return max(0, limit - (int((at - game.opened_at).total_seconds() * 1000) - ms))
    return 0


def check_wait(game: Game, log: Log, fold: Fold, seat: int, action: int, at: datetime) -> None:
    """Raise `DomainError` too_soon, with `wait_ms`, where `seat` must wait before it may do `action`."""
    if wait := wait_ms(game, log, fold, seat, action, at):
        raise DomainError(429, "too_soon", _("Too soon. Try again in {wait} ms.").format(wait=wait), wait_ms=wait)
