"""What people offer one another beside their moves: to abort the game, and to play a rematch.

An offer to abort is in the log, and a move of any person ends it. A wish for a rematch comes when the log is closed, so
it is a row, and the next game points back to this one.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any, Final

from django.db import transaction
from django.utils.translation import gettext as _

from games.clocks import services as clocks
from games.common import clock
from games.common.errors import DomainError
from games.eventlog import store as eventlog
from games.models import Game
from games.play import services as play
from games.play.departures import people
from games.play.models import RematchWish
from games.play.signals import ABORT, FOLLOWING, REMATCH, offered
from games.play.unit_of_work import GameUnit
from scorebook_games.contract import Event
from scorebook_games.gamelog import events as ev
from scorebook_games.gamelog.endings import aborted
from scorebook_games.gamelog.fold import Fold
from scorebook_games.gamelog.terms import MAY_ABORT_AGREED, MAY_ABORT_EARLY, MAY_ABORT_NO, stored_terms

REMATCH_WISH_VALID_FOR: Final = timedelta(days=1)  # a wish older than this no longer counts; the player may be gone


def offer_abort(*, game: Game, seat: int) -> None:
    """Offer to abort the game, or agree to an offer of another player.

    The game is aborted when all people who still play agree. If the terms allow it, one person is enough until each of
    them has made a move. A second offer changes nothing. Raises `DomainError` game_over, may_not_abort, declined (409),
    not_your_seat (403).
    """

    def offered(unit: GameUnit) -> list[Event]:
        fold = unit.fold
        _check_person(unit, seat)
        if seat in fold.abort_wanted:
            return []
        policy = _policy(unit)
        if policy == MAY_ABORT_NO:
            raise DomainError(409, "may_not_abort", _("This game cannot be aborted. You can resign."))
        if fold.abort_declined == fold.rule_events:
            sentence = _("The others want to play on. You can propose it again after the next moves.")
            raise DomainError(409, "declined", sentence)
        event: Event = [ev.ABORT_ACCEPTED if fold.abort_wanted else ev.ABORT_OFFERED, seat]
        return [event, aborted()] if abort_ends_game(unit, seat) else [event]

    with transaction.atomic():
        if play.change_game(game, offered):
            _notify_abort_offer(game, seat)


def _notify_abort_offer(game: Game, seat: int) -> None:
    """Notify the others of a new offer to abort. People who look at the table see it there."""
    if game.status != Game.Status.PLAYING or play.load_game(game).abort_wanted != [seat]:
        return
    seats = list(game.seats.filter(player__user__isnull=False).select_related("player"))
    by = next(each.player for each in seats if each.seat == seat)
    users = [each.player.user_id for each in seats if each.seat != seat and not each.left and each.player.user_id]
    offered.send(sender=Game, what=ABORT, game=game, users=users, by=by, key=f"abort:{game.pk}:{game.version}")


def accept_abort(*, game: Game, seat: int) -> None:
    """Agree to an offer to abort. Raises `DomainError` as `offer_abort`, and 409 no_offer if there is none."""
    if not play.begin_unit(game).fold.abort_wanted:
        raise _no_offer()
    offer_abort(game=game, seat=seat)


def decline_abort(*, game: Game, seat: int) -> None:
    """Go on playing, which ends the offer, also one's own.

    Raises `DomainError` game_over, no_offer (409), not_your_seat (403).
    """

    def declined(unit: GameUnit) -> list[Event]:
        _check_person(unit, seat)
        if not unit.fold.abort_wanted:
            raise _no_offer()
        return [[ev.ABORT_DECLINED, seat]]

    play.change_game(game, declined)


def _policy(unit: GameUnit) -> str:
    return str(unit.game.terms.get("may_abort", MAY_ABORT_AGREED))


def abort_ends_game(unit: GameUnit, seat: int) -> bool:
    """Return whether an offer of `seat` to abort ends the game at once, because nobody else has to agree."""
    playing = set(people(unit.fold, unit.programs))
    if not playing - {*unit.fold.abort_wanted, seat}:
        return True
    return _policy(unit) == MAY_ABORT_EARLY and bool(
        playing - clocks.seats_that_moved(unit.game, unit.log, unit.reading)
    )


def _check_person(unit: GameUnit, seat: int) -> None:
    if seat not in people(unit.fold, unit.programs):
        raise DomainError(403, "not_your_seat", _("You do not play seat {seat} in this game.").format(seat=seat))


def _no_offer() -> DomainError:
    return DomainError(409, "no_offer", _("There is no proposal to abort this game any more. Load the game again."))


def offer_rematch(*, game: Game, seat: int) -> Game | None:
    """Ask for another game of the same kind, options and terms, with everybody one seat further.

    This game must be over. The next one is not rated, because its players have chosen each other.

    When all people of this game have asked within a day, the next game is opened and returned; until then None. Only
    one game is opened, however often they ask. Raises `DomainError` 409 still_on, no_rematch.
    """
    with transaction.atomic():
        _wish(game, seat, wanted=True)
        following = Game.objects.filter(rematch_of=game).first()
        if following is None and not set(_people_of(game)) - set(rematch_wishes(game)):
            following = _open_next(game)
        _notify_rematch(game, seat, following)
    return following


def _notify_rematch(game: Game, seat: int, following: Game | None) -> None:
    """Notify the others of the wish, or that the next game has begun."""
    seats = list(game.seats.filter(player__user__isnull=False).select_related("player"))
    users = [each.player.user_id for each in seats if each.seat != seat and each.player.user_id is not None]
    if following is not None:
        offered.send(sender=Game, what=FOLLOWING, game=following, users=users, by=None, key=f"rematch:{following.pk}")
        return
    by = next(each.player for each in seats if each.seat == seat)
    offered.send(sender=Game, what=REMATCH, game=game, users=users, by=by, key=f"rematch:{game.pk}:{seat}")


def decline_rematch(*, game: Game, seat: int) -> None:
    """Decline a rematch, or withdraw a wish.

    Raises `DomainError` 409 still_on, no_rematch; opened, if the next game exists.
    """
    with transaction.atomic():
        _wish(game, seat, wanted=False)
        if Game.objects.filter(rematch_of=game).exists():
            raise DomainError(409, "opened", _("The rematch has already begun. You can propose to abort it there."))


def rematch_wishes(game: Game) -> list[int]:
    """Return the seats whose players want a rematch."""
    since = clock.now() - REMATCH_WISH_VALID_FOR
    wanted = RematchWish.objects.filter(game=game, wanted=True, at__gt=since)
    return list(wanted.order_by("seat").values_list("seat", flat=True))


def _wish(game: Game, seat: int, *, wanted: bool) -> None:
    """Store a wish with the game's row locked, so that simultaneous wishes see one another."""
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
    """Return whether others want a rematch, and the player of `seat` has not answered."""
    answered = RematchWish.objects.filter(game=game, seat=seat, at__gt=clock.now() - REMATCH_WISH_VALID_FOR)
    return bool(rematch_wishes(game)) and not answered.exists() and not Game.objects.filter(rematch_of=game).exists()


def _somebody_gone(game: Game) -> bool:
    """Return whether a seat's player has deleted the account."""
    return game.seats.filter(player__user=None, player__bot_version=None).exists()


def _people_of(game: Game) -> list[int]:
    return list(game.seats.filter(player__user__isnull=False).values_list("seat", flat=True))


def _open_next(game: Game) -> Game:
    players = [seat.player for seat in game.seats.select_related("player__bot_version").order_by("seat")]
    following = play.open_game(
        kind=game.kind,
        players=[*players[1:], players[0]],
        options=game.options,
        terms={**stored_terms(game.terms), "rated": False},
    )
    following.rematch_of = game
    following.save(update_fields=["rematch_of"])
    return following


def standing_offers(game: Game, fold: Fold) -> list[dict[str, Any]]:
    """Return the current offer at the table, for everybody who sits there; None if there is none.

    `what` is "abort", or "rematch" after the end. `by` are the seats that want it, and `declined` those that declined a
    rematch.
    """
    if fold.outcome() is None:
        return [{"what": "abort", "by": list(fold.abort_wanted), "declined": []}] if fold.abort_wanted else []
    if not (wanted := rematch_wishes(game)):
        return []
    no = RematchWish.objects.filter(game=game, wanted=False).order_by("seat")
    return [{"what": "rematch", "by": wanted, "declined": list(no.values_list("seat", flat=True))}]


def allowed_actions(game: Game, fold: Fold, seat: int) -> dict[str, bool]:
    """Return what the person in `seat` may do beside moving: `resign`, `offer_abort`, `rematch`."""
    on = fold.outcome() is None
    sits = seat not in fold.left
    policy = game.terms.get("may_abort", MAY_ABORT_AGREED)
    return {
        "resign": on and sits,
        "offer_abort": on and sits and policy != MAY_ABORT_NO and fold.abort_declined != fold.rule_events,
        "rematch": not on and bool(game.terms.get("rematch", True)) and not _somebody_gone(game),
    }
