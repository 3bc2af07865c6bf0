"""The pace "live": how long a seat must wait before its next action."""

from __future__ import annotations

from datetime import datetime

from django.utils.translation import gettext as _

from games.common.errors import DomainError
from games.models import Game
from scorebook_games.contract import Paced
from scorebook_games.gamelog import events as ev
from scorebook_games.gamelog.events import Log, events_of
from scorebook_games.gamelog.fold import Fold
from scorebook_games.gamelog.terms import LIVE


def wait_ms(game: Game, log: Log, fold: Fold, seat: int, action: int, at: datetime) -> int:
    """Return how many ms after `at` `seat` may take `action`, with the game at `fold` after `log`; 0 for now."""
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
    """Raise `DomainError` too_soon, with `wait_ms`, if `seat` must wait before it may take `action`."""
    if wait := wait_ms(game, log, fold, seat, action, at):
        raise DomainError(429, "too_soon", _("Too soon. Try again in {wait} ms.").format(wait=wait), wait_ms=wait)
