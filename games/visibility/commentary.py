"""Commentators see all hands of a running game, as late as spectators see the game, at a secret address.

Leagues register here who may: whoever has the secret of a game's season. Nobody sees an event earlier than the public
does, and no card that nobody has seen. A game without a delay has no commentators, because its players could ask them.
Neither have a sealed game and one of several with the same deal, whose hands somebody else may still have to play.
"""

from __future__ import annotations

from collections.abc import Callable

from django.utils.translation import gettext as _

from games.common.errors import DomainError
from games.models import Game, Seat
from games.visibility import acting, observe
from games.visibility.audience import User
from scorebook_games.gamelog.visibility import ALL, COMMENTATOR, Viewpoint

SecretCheck = Callable[[Game, str], bool]
_checks: list[SecretCheck] = []


def register_commentators(check: SecretCheck) -> None:
    """Let `check` say whether a secret opens the commentators' view of a game."""
    _checks.append(check)


def requested_viewpoint(game: Game, user: User, secret: str) -> Viewpoint:
    """Return the viewpoint of whoever has this secret: that of a commentator, or all cards once they are open to all.

    Raises `DomainError` no_commentary (404), sealed, no_watch_delay, your_game (403).
    """
    if not any(check(game, secret) for check in _checks):
        raise DomainError(
            404, "no_commentary", _("This address is not valid any more. Ask the organisers for another.")
        )
    if observe.is_fully_open(game):
        return ALL
    if game.terms["sealed"] or Game.objects.filter(deal=game.deal_id).exclude(pk=game.pk).exists():
        raise DomainError(403, "sealed", _("Other games with the same deal are in progress: no hands are shown."))
    if not game.terms["watch_delay"]:
        sentence = _("Spectators see this game without delay. Its hands are shown when it is over.")
        raise DomainError(403, "no_watch_delay", sentence)
    if user.pk is not None and Seat.objects.filter(acting.rows_of_user(user), game=game).exists():
        raise DomainError(403, "your_game", _("You play in this game. You see all hands when it is over."))
    return COMMENTATOR
