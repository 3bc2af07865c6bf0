"""Challenges: unrated games of an author's bot against built-in bots that begin at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from django.db import transaction
from django.db.models import Exists, OuterRef
from django.utils.translation import gettext as _

from games.common.errors import DomainError
from games.models import Bot, BotVersion, Game, Player, Seat
from games.play import services as play
from games.play.roster import builtin_bots_for, ensure_builtin_bot

MAX_OPEN_CHALLENGES: Final = 5  # of one bot at a time
MAX_OPPONENTS: Final = 6
REMOTE_TRANSPORT: Final = BotVersion.Transport.REMOTE  # a game whose owner asked for it may take days
CHALLENGE_TERMS: Final[dict[str, Any]] = {"rated": False, "rematch": False}


def open_challenge(*, version: BotVersion, kind: str, bots: Sequence[str], seat: int = 0) -> Game:
    """Open a game of `version` in this seat against built-in bots with these names in the others.

    Raises `DomainError`: not_passed, wrong_kind, too_many_challenges (409), bad_option (400).
    """
    if not version.may_play:
        raise DomainError(409, "not_passed", _("Only an admitted version can play."))
    if kind not in version.kinds:
        raise DomainError(409, "wrong_kind", _("{version} does not play this game.").format(version=version))
    if not 1 <= len(bots) <= MAX_OPPONENTS or not set(bots) <= set(builtin_bots_for(kind)):
        known = ", ".join(builtin_bots_for(kind))
        sentence = _("Name one to six built-in bots. The built-in bots for this game are {known}.").format(known=known)
        raise DomainError(400, "bad_option", sentence, option="bots")
    if not 0 <= seat <= len(bots):
        raise DomainError(
            400, "bad_option", _("The seat must be one of 0 to {last}.").format(last=len(bots)), option="seat"
        )
    with transaction.atomic():
        Bot.objects.select_for_update(no_key=True).get(pk=version.bot_id)  # locked, so that the count is right
        player = Player.objects.get(bot_version=version)
        going = Game.objects.filter(
            status=Game.Status.PLAYING, trial=None, terms__rated=False, seats__player__bot_version__bot=version.bot
        ).exclude(Exists(Seat.objects.filter(game=OuterRef("pk"), player__bot_version__transport=REMOTE_TRANSPORT)))
        if going.distinct().count() >= MAX_OPEN_CHALLENGES:
            sentence = _("The bot is already playing {most} games. Wait until one of them is over.").format(
                most=MAX_OPEN_CHALLENGES
            )
            raise DomainError(409, "too_many_challenges", sentence)
        players: list[Player] = []
        for bot in bots:
            number = 1
            while (other := ensure_builtin_bot(bot, number)) in players:
                number += 1
            players.append(other)
        players.insert(seat, player)
        return play.open_game(kind=kind, players=players, terms=CHALLENGE_TERMS)
