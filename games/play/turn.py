"""What the page of one seat needs to act: its legal moves in words, for whom the game waits, the clock, presence.

Nobody but the seat's own player ever gets it. All of it is made for that seat: who is to act, what has been given in
beats and whose clock runs come as this seat may know them.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from django.utils.translation import gettext as _

from games.clocks import services as clocks
from games.common import clock
from games.common.errors import DomainError
from games.engines.base import IllegalMove, LargeSets, RulesError
from games.gamelog import visibility
from games.gamelog.events import Log
from games.gamelog.fold import Fold
from games.gamelog.pacing import BlankDealer, ends_bundle
from games.gamelog.terms import BEATS, LIVE
from games.gamelog.visibility import Viewpoint
from games.models import Game, PendingBundle, Seat
from games.play import endings, live_pace, offers
from games.play import services as play
from games.play.move_labels import MoverView, move_label
from games.play.unit_of_work import GameUnit
from games.visibility import observe, presence


def turn_for(game: Game, viewer: Viewpoint, user: observe.User, log: Log | None = None) -> dict[str, Any] | None:
    """`turn_of` where `viewer` is the seat whose turn `user` may have; else None."""
    if not isinstance(viewer, int) or own_or_former_seat_or_none(game, user) != viewer:
        return None
    return turn_of(play.load_unit(game, log), viewer)


def own_or_former_seat(game: Game, user: observe.User) -> int:
    """The seat that `user` plays, or has played; to whoever has left, once everybody may know that the game is over.
    Raises `DomainError` not_your_seat."""
    return play.own_seat(game, user) if observe.is_result_public(game) else play.seat_of(game, user)


def own_or_former_seat_or_none(game: Game, user: observe.User) -> int | None:
    """`own_or_former_seat`; None for who plays no seat."""
    with suppress(DomainError):
        return own_or_former_seat(game, user)
    return None


def turn_of(unit: GameUnit, seat: int, after: Sequence[str] = ()) -> dict[str, Any]:
    """Everything that `seat` needs to act where the game stands in `unit`, as plain JSON data
    (docs/reference/api-games.md).

    `after` are moves of a bundle in the making: then `legal` is what may follow them and `observation` what the seat
    would see. Raises `DomainError` as a bundle with them would.
    """
    game, fold = unit.game, unit.fold
    trial = fold_after_moves(fold, seat, after)
    acts = fold.go and seat in fold.to_act() and not fold.outcome() and seat not in fold.left
    given = given_bundle(game, fold, seat)
    turn: dict[str, Any] = {
        "seat": seat,
        "version": fold.version,
        "may_act": acts,
        "legal": moves_of(game, trial, seat) if acts else [],
        "any_of": any_of(game, unit.log, trial, seat) if acts else None,
        "pace": fold.pace,
        "beat": fold.beat + 1 if fold.pace == BEATS else None,
        "given": given,
        "waiting_for": seats_waited_for(unit),
        "clock": clocks.clock_data(game, unit.log, fold, seat, clock.now()),
        "present": presence.present_seats(game),
        "offers": offers.standing_offers(game, fold),
        "may": offers.allowed_actions(game, fold, seat),
        "over": result_data(game, fold),
    }
    if not fold.go:
        turn["before_go"] = {"ready": list(fold.ready), "countdown": fold.countdown, "begins_at": game.begins_at}
    if after:
        turn["observation"] = visibility.observation(trial, seat)
    return turn


def result_data(game: Game, fold: Fold) -> dict[str, Any] | None:
    """How the game ended, in `words`, with its `result` unless that is sealed, and the id of the `rematch` that was
    opened; None while it is on."""
    outcome = fold.outcome()
    if outcome is None:
        return None
    result, words = None, _("The result is sealed until all games of this deal are over.")
    if not observe.is_sealed(game):
        names = [seat.player.name for seat in game.seats.select_related("player").order_by("seat")]
        result = visibility.outcome_data(outcome)
        words = endings.outcome_sentence(result, names, fold.left)
    return {
        "words": words,
        "result": result,
        "rematch": observe.rematch_of(game),
    }


def fold_after_moves(fold: Fold, seat: int, after: Sequence[str]) -> Fold:
    """`fold` as it would be after those moves of `seat`, none of which ends a bundle: such moves draw nothing."""
    if not after:
        return fold
    play.check_seat(fold, seat)
    if fold.pace != BEATS:
        raise DomainError(409, "wrong_pace", _("Only games in beats put moves together before they are sent."))
    trial = fold.copy()
    for index, text in enumerate(after):
        try:
            action = fold.rules.parse_move(trial.state, text)
            if ends_bundle(fold.rules, trial.state, action):
                raise DomainError(
                    400, "malformed_move", _("A move that ends the bundle must be sent, not tried."), index=index
                )
            for event in fold.rules.decide(trial.state, seat, action, BlankDealer()):
                fold.rules.apply(trial.state, event)
        except RulesError as error:
            raise DomainError(409, "illegal_move", error.sentence, index=index) from error
    return trial


def moves_of(game: Game, fold: Fold, seat: int) -> list[dict[str, Any]]:
    """The legal moves that are listed for `seat`: their text, their words, whether they are grave, and in beats
    whether the bundle goes on after them."""
    kind = fold.opened["kind"]
    names = list(Seat.objects.filter(game=game).values_list("player__name", flat=True))
    seen = MoverView(visibility.observation(fold, seat), seat, names)
    moves: list[dict[str, Any]] = []
    for text in visibility.legal_moves(fold, seat):
        worded = move_label(kind, text, seen)
        move: dict[str, Any] = {"move": text, "words": worded.words}
        if worded.grave:
            move["grave"] = True
        if fold.pace == BEATS and not ends_bundle(fold.rules, fold.state, fold.rules.parse_move(fold.state, text)):
            move["goes_on"] = True
        moves.append(move)
    return moves


def any_of(game: Game, log: Log, fold: Fold, seat: int) -> dict[str, Any] | None:
    """The move that stands for very many, where the kind lists one: any of its things will do (`roll 1335` for every
    choice among these dice). With it how long, in ms, the seat has to wait for it on the pace "live"."""
    legal = visibility.legal_moves(fold, seat)
    if not isinstance(fold.rules, LargeSets) or not legal or not legal[-1].startswith("roll "):
        return None
    wait = 0
    if fold.pace == LIVE:
        wait = live_pace.wait_ms(game, log, fold, seat, fold.rules.parse_move(fold.state, legal[-1]), clock.now())
    return {"move": legal[-1], "wait_ms": wait}


def given_bundle(game: Game, fold: Fold, seat: int) -> list[str] | None:
    """The bundle that the seat has given for the next beat; None for none, or outside of beats."""
    if fold.pace != BEATS:
        return None
    given = PendingBundle.objects.filter(game=game, beat=fold.beat + 1, seat=seat).values_list("moves", flat=True)
    return given.first()


def seats_waited_for(unit: GameUnit) -> list[int]:
    """The seats without which the game does not go on, as everybody knows; in beats people without a bundle."""
    if unit.fold.outcome():
        return []
    return unit.people_awaited() if unit.fold.pace == BEATS else unit.fold.awaited()


def why_not(fold: Fold, seat: int, text: str) -> dict[str, Any] | None:
    """What the rules say against the move `text` of `seat`: clause and sentence; None where it is legal.

    Nothing is played. A seat that is not to act hears that."""
    play.check_seat(fold, seat)
    try:
        action = fold.rules.parse_move(fold.state, text)
        fold.rules.decide(fold.state, seat, action, BlankDealer())
    except IllegalMove as error:
        return {"code": error.code, "clause": error.clause, "sentence": error.sentence}
    except RulesError as error:
        return {"code": error.code, "clause": "", "sentence": error.sentence}
    return None
