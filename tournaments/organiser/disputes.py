"""Answers disputes from the inbox: the result stands, or a game is replayed or annulled. Each answer has a reason."""

from __future__ import annotations

from typing import Final

from django.contrib.auth.models import AnonymousUser, User
from django.db import transaction
from django.utils.translation import gettext as _

from games.common.errors import DomainError
from tournaments.rulings import disputes
from tournaments.rulings import services as rulings
from tournaments.rulings.models import Dispute
from tournaments.seasons.stream import lock_season

RESULT_STANDS, PLAY_AGAIN, ANNUL_GAME = "stands", "again", "annul"
DISPUTE_ANSWERS: Final = (RESULT_STANDS, PLAY_AGAIN, ANNUL_GAME)


def answer_dispute(*, dispute: Dispute, how: str, game: int, by: User | AnonymousUser, note: str) -> str:
    """Carry out an organiser's answer to a dispute; return what was done as a sentence. `game` is the number of the
    game to replay or annul.

    Raises `DomainError`: bad_choice (400), settled_already (409), and the errors of `decline_dispute`, `order_replay`
    and `annul_game` (`tournaments.rulings`).
    """
    if how not in DISPUTE_ANSWERS:
        raise DomainError(400, "bad_choice", _("Choose what happens to the result."), "how")
    with transaction.atomic():
        season = lock_season(dispute.match.round.division.season)
        rulings.check_organiser(by, season.league.club)
        if Dispute.objects.get(pk=dispute.pk).status != Dispute.Status.OPEN:
            raise DomainError(409, "settled_already", _("This dispute has already been answered."))
        if how == RESULT_STANDS:
            disputes.decline_dispute(dispute=dispute, by=by, note=note)
            return _("The result stands, and the players are notified of your reason.")
        decide = rulings.order_replay if how == PLAY_AGAIN else rulings.annul_game
        decide(match=dispute.match, game=game, by=by, note=note)
    if how == PLAY_AGAIN:
        return _("Game {number} will be replayed, and the players are notified of your reason.").format(number=game)
    return _("Game {number} does not count, and the players are notified of your reason.").format(number=game)
