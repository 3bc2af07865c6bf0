"""What the page of one seat needs to act: its legal moves in words, for whom the game waits, the clock, presence.

Only the seat's own player gets it. Who may act, which bundles were given and whose clock runs are shown as this seat
may know them.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from django.utils.translation import gettext as _

from games.clocks import services as clocks
from games.common import clock
from games.common.errors import DomainError
from games.models import Game, PendingBundle, seat_players
from games.play import endings, live_pace, offers
from games.play import services as play
from games.play.unit_of_work import GameUnit
from games.visibility import observe, presence
from scorebook_games.contract import IllegalMove, RulesError, open_action
from scorebook_games.gamelog import visibility
from scorebook_games.gamelog.events import Log
from scorebook_games.gamelog.fold import Fold
from scorebook_games.gamelog.pacing import BlankDealer, ends_bundle
from scorebook_games.gamelog.terms import BEATS, LIVE
from scorebook_games.gamelog.visibility import Viewpoint
from scorebook_games.presentation.base import MoverView
from scorebook_games.registry import KINDS


def turn_for(game: Game, viewer: Viewpoint, user: observe.User, log: Log | None = None) -> dict[str, Any] | None:
    """Return `turn_of` if `viewer` is a seat whose turn `user` may see; else None."""
    if not isinstance(viewer, int) or own_or_former_seat_or_none(game, user) != viewer:
        return None
    return turn_of(play.load_unit(game, log), viewer)


def own_or_former_seat(game: Game, user: observe.User) -> int:
    """Return the seat that `user` plays, or has left, once everybody may know that the game is over.

    Raises `DomainError` not_your_seat.
    """
    if isinstance(seat := observe.seat_or_public(game, user), int):
        return seat
    return play.own_seat(game, user) if observe.is_result_public(game) else play.seat_of(game, user)


def own_or_former_seat_or_none(game: Game, user: observe.User) -> int | None:
    """Return `own_or_former_seat`, or None for a user who plays no seat."""
    with suppress(DomainError):
        return own_or_former_seat(game, user)
    return None


def turn_of(
    unit: GameUnit, seat: int, after: Sequence[str] = (), present: Sequence[int] | None = None
) -> dict[str, Any]:
    """Return everything that `seat` needs to act at the end of `unit`, as plain JSON data
    (docs/reference/api-games.md).

    `after` are moves of an unfinished bundle: then `legal` is what may follow them, and `observation` is what the seat
    would see. `present` are the seats that look at the game, if the caller knows them. Raises `DomainError` as a bundle
    with these moves would.
    """
    game, fold, at = unit.game, unit.fold, clock.now()  # what is read below is at least as new as this time
    trial = fold_after_moves(fold, seat, after)
    acts = fold.go and seat in fold.to_act() and not fold.outcome() and seat not in fold.left
    bundle = given_bundle(game, fold, seat)
    may = offers.allowed_actions(game, fold, seat)
    may["abort_ends_game"] = may["offer_abort"] and offers.abort_ends_game(unit, seat)
    turn: dict[str, Any] = {
        "seat": seat,
        "version": fold.version,
        "may_act": acts,
        "legal": moves_of(names_in(unit), trial, seat) if acts else [],
        "any_of": any_of(game, unit.log, trial, seat) if acts else None,
        "pace": fold.pace,
        "beat": fold.beat + 1 if fold.pace == BEATS else None,
        "given": bundle,
        "waiting_for": seats_waited_for(unit),
        "clock": clocks.clock_data(game, unit.log, fold, seat, at, unit.reading),
        "present": presence.present_seats(game) if present is None else list(present),
        "offers": offers.standing_offers(game, fold),
        "may": may,
        "over": result_data(unit),
    }
    if not fold.go:
        turn["before_go"] = {"ready": list(fold.ready), "countdown": fold.countdown, "begins_at": game.begins_at}
    if bundle:
        turn["given_words"] = bundle_words(unit, seat, bundle)
    if after:
        turn["observation"] = visibility.observation(trial, seat)
    return turn


def names_in(unit: GameUnit) -> list[str]:
    """Return the players' names, in the order of the seats."""
    roster = seat_players(unit.game) if unit.roster is None else unit.roster
    return [each.name for each in roster]


def result_data(unit: GameUnit) -> dict[str, Any] | None:
    """Return how the game ended; None while it is on.

    It has `words`, the `result` unless that is sealed, and the id of the `rematch` that was opened.
    """
    game, fold = unit.game, unit.fold
    outcome = fold.outcome()
    if outcome is None:
        return None
    result, words = None, _("The result is sealed until all games of this deal are over.")
    if not observe.is_sealed(game):
        result = visibility.outcome_data(outcome)
        words = endings.outcome_sentence(result, names_in(unit), fold.left)
    return {
        "words": words,
        "result": result,
        "rematch": observe.rematch_of(game),
    }


def fold_after_moves(fold: Fold, seat: int, after: Sequence[str]) -> Fold:
    """Return `fold` as it would be after these moves of `seat`. None of them ends a bundle, so they draw nothing."""
    if not after:
        return fold
    play.check_seat(fold, seat)
    if fold.pace != BEATS:
        raise DomainError(409, "wrong_pace", _("Only games with the pace “beats” combine moves before they are sent."))
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


def moves_of(names: list[str], fold: Fold, seat: int) -> list[dict[str, Any]]:
    """Return the listed legal moves of `seat`.

    Each has its text, its words, whether it is grave, and in beats whether the bundle goes on after it.
    """
    kind = fold.opened["kind"]
    seen = MoverView(visibility.observation(fold, seat), seat, names)
    moves: list[dict[str, Any]] = []
    for text in visibility.legal_moves(fold, seat):
        worded = KINDS[kind].presentation.move_label(text, seen)
        move: dict[str, Any] = {"move": text, "words": worded.words}
        if worded.grave:
            move["grave"] = True
        if fold.pace == BEATS and not ends_bundle(fold.rules, fold.state, fold.rules.parse_move(fold.state, text)):
            move["goes_on"] = True
        moves.append(move)
    return moves


def any_of(game: Game, log: Log, fold: Fold, seat: int) -> dict[str, Any] | None:
    """Return the move that stands for very many, if the kind lists one, and how many ms the seat must wait for it when
    live.

    For example, a roll of all dice stands for every choice among them.
    """
    action = open_action(fold.rules, fold.state, seat)
    if action is None:
        return None
    wait = live_pace.wait_ms(game, log, fold, seat, action, clock.now()) if fold.pace == LIVE else 0
    return {"move": fold.rules.move_text(fold.state, action), "wait_ms": wait}


def given_bundle(game: Game, fold: Fold, seat: int) -> list[str] | None:
    """Return the bundle that the seat has given for the next beat; None if there is none, or outside of beats."""
    if fold.pace != BEATS:
        return None
    bundles = PendingBundle.objects.filter(game=game, beat=fold.beat + 1, seat=seat).values_list("moves", flat=True)
    return bundles.first()


def bundle_words(unit: GameUnit, seat: int, moves: Sequence[str]) -> list[str]:
    """Return the moves of a given bundle as their buttons named them."""
    trial, names, words = unit.fold.copy(), names_in(unit), []
    presentation = KINDS[trial.opened["kind"]].presentation
    for text in moves:
        seen = MoverView(visibility.observation(trial, seat), seat, names)
        words.append(presentation.move_label(text, seen).words)
        action = trial.rules.parse_move(trial.state, text)
        if not ends_bundle(trial.rules, trial.state, action):
            for event in trial.rules.decide(trial.state, seat, action, BlankDealer()):
                trial.rules.apply(trial.state, event)
    return words


def seats_waited_for(unit: GameUnit) -> list[int]:
    """Return the seats that the game waits for, as everybody knows; in beats, people without a bundle."""
    if unit.fold.outcome():
        return []
    return unit.people_awaited() if unit.fold.pace == BEATS else unit.fold.awaited()


def why_not(fold: Fold, seat: int, text: str, after: Sequence[str] = ()) -> dict[str, Any] | None:
    """Return what the rules say against the move `text` of `seat`, as clause and sentence; None if it is legal.

    Nothing is played. For a seat that may not act, the sentence says so. `after` are moves of an unfinished bundle.
    Raises `DomainError` as a bundle with these moves would.
    """
    play.check_seat(fold, seat)
    fold = fold_after_moves(fold, seat, after)
    try:
        action = fold.rules.parse_move(fold.state, text)
        fold.rules.decide(fold.state, seat, action, BlankDealer())
    except IllegalMove as error:
        return {"code": error.code, "clause": error.clause, "sentence": error.sentence}
    except RulesError as error:
        return {"code": error.code, "clause": "", "sentence": error.sentence}
    return None
