"""The pace "beats": bundles are given in secret, and the last one completes the beat (docs/adr/0006-paces.md).

Built-in bots give their bundles last, when a worker takes the beat (`games.workers.runner`). They have no rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from django.db import transaction
from django.utils.translation import gettext as _

from games.clocks import services as clocks
from games.common import clock
from games.common.errors import DomainError
from games.eventlog import store as eventlog
from games.eventlog.models import Stream
from games.models import Game, PendingBundle
from games.play import services as play
from games.play.unit_of_work import GameUnit
from games.play.wake_up import wake_players, wake_sandboxes
from scorebook_games.contract import IllegalMove
from scorebook_games.gamelog import events as ev
from scorebook_games.gamelog import visibility
from scorebook_games.gamelog.fold import Fold
from scorebook_games.gamelog.pacing import FaultyBundle, check_bundle
from scorebook_games.gamelog.terms import BEATS


class BundleReceipt(NamedTuple):
    """A bundle was accepted for `beat`. The people in the seats `waiting_for` have not given theirs yet."""

    beat: int
    waiting_for: list[int]


def give_bundle(*, game: Game, seat: int, beat: int, moves: Sequence[str]) -> BundleReceipt:
    """Store `moves` as the bundle of `seat` for the next beat, in place of an earlier one.

    If it was the last, take the beat.

    `game` is refreshed. Raises `DomainError`: malformed_move (400), not_your_seat (403), and 409: game_over,
    wrong_pace, stale_beat (with `beat`, the next one), clock_expired, illegal_move. Errors in a move have its `index`.
    """
    _check(_unit_in_time(game, seat, beat), seat, beat, moves)
    _keep(PendingBundle(game=game, beat=beat, seat=seat, moves=list(moves), at=clock.now()))
    for _attempt in range(play.MAX_APPEND_TRIES):
        try:
            unit = play.begin_unit(game)
            if unit.fold.beat >= beat:
                raise _stale_beat(unit.fold)
        except DomainError:
            if _came_too_late(game, seat, beat):
                raise
            return BundleReceipt(beat, [])
        waiting_for = unit.people_awaited()
        if not waiting_for and not play.programs_due(unit):
            if play.take_beat(unit):
                return BundleReceipt(beat, [])
            continue
        if waiting_for and game.deadline:
            clocks.renew_deadline(game)  # it may have been this seat's
        if seat in unit.fold.awaited():  # nobody may know that another seat gave a bundle
            eventlog.announce_state(game.pk)
        if waiting_for or _left_to_worker(unit):
            return BundleReceipt(beat, waiting_for)
    return BundleReceipt(beat, [])


def _keep(bundle: PendingBundle) -> None:
    """Store or replace a bundle, after the transaction that changes the game at the moment has committed.

    Without this lock, two players who give the last bundles at the same time in longer transactions
    (`config.http.idempotency`) would not see each other's bundle.
    """
    with transaction.atomic():
        Stream.objects.select_for_update(no_key=True).get(pk=bundle.game.stream_id)
        PendingBundle.objects.bulk_create(
            [bundle],
            update_conflicts=True,
            unique_fields=["game", "beat", "seat"],
            update_fields=["moves"],
        )


def _unit_in_time(game: Game, seat: int, beat: int) -> GameUnit:
    """Return the unit of the game now.

    Raises `DomainError` if the clock of `seat` ran out since the beat before `beat`.
    """
    taken = [entry.version for entry in eventlog.read_events(game.stream_id) if entry.event[:2] == [ev.BEAT, beat - 1]]
    return play.begin_unit_in_time(game, seat, taken[0] if taken else 0)


def _check(unit: GameUnit, seat: int, beat: int, moves: Sequence[str]) -> None:
    """Raise `DomainError` unless this bundle may be given now."""
    fold = unit.fold
    play.check_seat(fold, seat)
    if fold.pace != BEATS:
        raise DomainError(
            409,
            "wrong_pace",
            _("This game’s pace is “{pace}”, not “beats”. Send single moves.").format(pace=fold.pace),
        )
    if beat != fold.beat + 1:
        raise _stale_beat(fold)
    try:
        check_bundle(fold.rules, fold.state, seat, moves)
    except FaultyBundle as faulty:
        error = faulty.error
        if not isinstance(error, IllegalMove):
            raise DomainError(400, error.code, error.sentence, index=faulty.index) from faulty
        legal = visibility.legal_moves(fold, seat)
        extra: dict[str, Any] = {
            "reason": error.code,
            "clause": error.clause,
            "legal_moves": legal,
            "index": faulty.index,
        }
        raise DomainError(409, "illegal_move", error.sentence, **extra) from faulty


def _stale_beat(fold: Fold) -> DomainError:
    sentence = _("This is not the next beat. Load the game again: the next beat is {value}.").format(
        value=fold.beat + 1
    )
    return DomainError(409, "stale_beat", sentence, beat=fold.beat + 1)


def _came_too_late(game: Game, seat: int, beat: int) -> bool:
    """Return whether the beat was taken without this bundle. The rows of the bundles that it took are deleted."""
    return PendingBundle.objects.filter(game=game, seat=seat, beat=beat).delete()[0] > 0


def _left_to_worker(unit: GameUnit) -> bool:
    """Leave the beat to a worker, which asks the built-in bots.

    Return False if the game has moved on in the meantime.
    """
    changed = Game.objects.filter(pk=unit.game.pk, version=unit.expected).update(awaits_worker=True)
    (wake_sandboxes if unit.game.sandboxed else wake_players)()
    return changed > 0


def pending_bundles(game: Game, fold: Fold) -> list[PendingBundle]:
    """Return the bundles that have been given for the next beat."""
    return list(PendingBundle.objects.filter(game=game, beat=fold.beat + 1))
