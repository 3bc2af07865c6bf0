"""What people offer one another beside their moves: to abort the game, and to play it once more.

An offer to abort is told in the log, and a move of anybody but a program takes it off the table. A wish for a rematch
comes when the log is closed: it is a row, and the game that follows points back.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any, Final

from django.db import transaction
from django.utils.translation import gettext as _

from games.clocks import services as clocks
from games.common import clock
from games.common.errors import DomainError
from games.engines.base import Event
from games.eventlog import store as eventlog
from games.gamelog import events as ev
from games.gamelog.fold import Fold
from games.gamelog.terms import MAY_ABORT_AGREED, MAY_ABORT_EARLY, MAY_ABORT_NO
from games.models import Game
from games.play import services as play
from games.play.departures import aborted_event, people
from games.play.models import RematchWish
from games.play.signals import ABORT, FOLLOWING, REMATCH, offered
from games.play.unit_of_work import GameUnit

REMATCH_WISH_VALID_FOR: Final = timedelta(days=1)  # whoever wanted a rematch before that may be gone by now


def offer_abort(*, game: Game, seat: int) -> None:
    """Offer to abort the game, or agree to it if another has offered. It is aborted when all people who play on agree;
    where the terms say so anybody's word is enough until each of them has made a move.

    Offering twice changes nothing. Raises `DomainError` game_over, may_not_abort, declined (409), not_your_seat (403).
    """

    def offered(step: GameUnit) -> list[Event]:
        fold = step.fold
        _check_person(step, seat)
        if seat in fold.abort_wanted:
            return []
        policy = _policy(step)
        if policy == MAY_ABORT_NO:
            raise DomainError(409, "may_not_abort", _("This game cannot be aborted. You can resign."))
        if fold.abort_declined == fold.rule_events:
            sentence = _("The others want to play on. You can propose it again after the next moves.")
            raise DomainError(409, "declined", sentence)
        event: Event = [ev.ABORT_ACCEPTED if fold.abort_wanted else ev.ABORT_OFFERED, seat]
        alone = policy == MAY_ABORT_EARLY and bool(
            set(people(step.fold, step.programs)) - clocks.seats_that_moved(step.game, step.log)
        )
        agreed = alone or not set(people(step.fold, step.programs)) - {*fold.abort_wanted, seat}
        return [event, aborted_event()] if agreed else [event]

    with transaction.atomic():
        if play.change_game(game, offered):
            _notify_abort_offer(game, seat)


def _notify_abort_offer(game: Game, seat: int) -> None:
    """The others are told of an offer to abort that has just been made; who looks at the table sees it there."""
    if game.status != Game.Status.PLAYING or play.load_game(game).abort_wanted != [seat]:
        return
    seats = list(game.seats.filter(player__user__isnull=False).select_related("player"))
    by = next(each.player for each in seats if each.seat == seat)
    users = [each.player.user_id for each in seats if each.seat != seat and not each.left and each.player.user_id]
    offered.send(sender=Game, what=ABORT, game=game, users=users, by=by, key=f"abort:{game.pk}:{game.version}")


def accept_abort(*, game: Game, seat: int) -> None:
    """Agree to an offer to abort. Raises `DomainError` as `offer_abort`, and 409 no_offer where none stands."""
    if not play.begin_unit(game).fold.abort_wanted:
        raise _no_offer()
    offer_abort(game=game, seat=seat)


def decline_abort(*, game: Game, seat: int) -> None:
    """Play on: the offer is off, one's own too. Raises `DomainError` game_over, no_offer (409), not_your_seat (403)."""

    def declined(step: GameUnit) -> list[Event]:
        _check_person(step, seat)
        if not step.fold.abort_wanted:
            raise _no_offer()
        return [[ev.ABORT_DECLINED, seat]]

    play.change_game(game, declined)


def _policy(step: GameUnit) -> str:
    return str(step.game.terms.get("may_abort", MAY_ABORT_AGREED))


def _check_person(step: GameUnit, seat: int) -> None:
    if seat not in people(step.fold, step.programs):
        raise DomainError(403, "not_your_seat", _("You do not play seat {seat} in this game.").format(seat=seat))


def _no_offer() -> DomainError:
    return DomainError(409, "no_offer", _("There is no proposal to abort this game any more. Load the game again."))


def offer_rematch(*, game: Game, seat: int) -> Game | None:
    """Wish for another game of the same kind, options and terms after this one is over, everybody one seat further.

    It is opened when all people who sat here have wished for it within a day, and returned; None until then. However
    often and from wherever they say so, one game is opened. Raises `DomainError` 409 still_on, no_rematch.
    """
    with transaction.atomic():
        _wish(game, seat, wanted=True)
        following = Game.objects.filter(rematch_of=game).first()
        if following is None and not set(_people_of(game)) - set(rematch_wishes(game)):
            following = _open_next(game)
        _notify_rematch(game, seat, following)
    return following


def _notify_rematch(game: Game, seat: int, following: Game | None) -> None:
    """The others are told of the wish, or that the next game has begun."""
    seats = list(game.seats.filter(player__user__isnull=False).select_related("player"))
    users = [each.player.user_id for each in seats if each.seat != seat and each.player.user_id is not None]
    if following is not None:
        offered.send(sender=Game, what=FOLLOWING, game=following, users=users, by=None, key=f"rematch:{following.pk}")
        return
    by = next(each.player for each in seats if each.seat == seat)
    offered.send(sender=Game, what=REMATCH, game=game, users=users, by=by, key=f"rematch:{game.pk}:{seat}")


def decline_rematch(*, game: Game, seat: int) -> None:
    """Wish for none, or no longer. Raises `DomainError` 409 still_on, no_rematch; opened, where there is one by now."""
    with transaction.atomic():
        _wish(game, seat, wanted=False)
        if Game.objects.filter(rematch_of=game).exists():
            raise DomainError(409, "opened", _("The rematch has already begun. You can propose to abort it there."))


def rematch_wishes(game: Game) -> list[int]:
    """The seats whose players want a rematch."""
    since = clock.now() - REMATCH_WISH_VALID_FOR
    wanted = RematchWish.objects.filter(game=game, wanted=True, at__gt=since)
    return list(wanted.order_by("seat").values_list("seat", flat=True))


def _wish(game: Game, seat: int, *, wanted: bool) -> None:
    """Write the wish down, with the game's row held, so that of several who come at once each sees the one before."""
    Game.objects.select_for_update().get(pk=game.pk)
    game.refresh_from_db()
    if game.status == Game.Status.PLAYING:
        raise DomainError(409, "still_on", _("The game is still on. A rematch can be offered when it is over."))
    if not game.terms.get("rematch", True):
        sentence = _("This game allows no rematch, because its organiser decides who plays whom.")
        raise DomainError(409, "no_rematch", sentence)
    if wanted and _somebody_gone(game):
        sentence = _(
            "A player of this game has deleted their account, so there can be no rematch. Open a new table instead."
        )
        raise DomainError(409, "no_rematch", sentence)
    RematchWish.objects.update_or_create(game=game, seat=seat, defaults={"wanted": wanted, "at": clock.now()})
    eventlog.announce_state(game.pk)


def is_asked(game: Game, seat: int) -> bool:
    """Whether others want a rematch, and the player of `seat` has not said yes or no to it, nor all of them yes."""
    answered = RematchWish.objects.filter(game=game, seat=seat, at__gt=clock.now() - REMATCH_WISH_VALID_FOR)
    return bool(rematch_wishes(game)) and not answered.exists() and not Game.objects.filter(rematch_of=game).exists()


def _somebody_gone(game: Game) -> bool:
    """Whether a seat's player has deleted the account."""
    return game.seats.filter(player__user=None, player__bot_version=None).exists()


def _people_of(game: Game) -> list[int]:
    return list(game.seats.filter(player__user__isnull=False).values_list("seat", flat=True))


def _open_next(game: Game) -> Game:
    players = [seat.player for seat in game.seats.select_related("player__bot_version").order_by("seat")]
    following = play.open_game(
        kind=game.kind, players=[*players[1:], players[0]], options=game.options, terms=game.terms
    )
    following.rematch_of = game
    following.save(update_fields=["rematch_of"])
    return following


def standing_offers(game: Game, fold: Fold) -> list[dict[str, Any]]:
    """What is on offer at the table, for everybody who sits there: `what` ("abort", after the end "rematch"), the seats
    that want it (`by`), and those that said no to a rematch (`declined`)."""
    if fold.outcome() is None:
        return [{"what": "abort", "by": list(fold.abort_wanted), "declined": []}] if fold.abort_wanted else []
    if not (wanted := rematch_wishes(game)):
        return []
    no = RematchWish.objects.filter(game=game, wanted=False).order_by("seat")
    return [{"what": "rematch", "by": wanted, "declined": list(no.values_list("seat", flat=True))}]


def allowed_actions(game: Game, fold: Fold, seat: int) -> dict[str, bool]:
    """What the person in `seat` may do beside moving: `resign`, `offer_abort`, `rematch`."""
    on = fold.outcome() is None
    sits = seat not in fold.left
    policy = game.terms.get("may_abort", MAY_ABORT_AGREED)
    return {
        "resign": on and sits,
        "offer_abort": on and sits and policy != MAY_ABORT_NO and fold.abort_declined != fold.rule_events,
        "rematch": not on and bool(game.terms.get("rematch", True)) and not _somebody_gone(game),
    }
