"""The pace "beats": bundles are given in secret, and the last one takes the beat (docs/adr/0006-paces.md).

Built-in bots give theirs last, when a worker takes the beat (`games.workers.runner`): they are no rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from django.db import transaction
from django.utils.translation import gettext as _

from games.clocks import services as clocks
from games.common import clock
from games.common.errors import DomainError
from games.engines.base import IllegalMove
from games.eventlog import store as eventlog
from games.eventlog.models import Stream
from games.gamelog import events as ev
from games.gamelog import visibility
from games.gamelog.fold import Fold
from games.gamelog.pacing import FaultyBundle, check_bundle
from games.gamelog.terms import BEATS
from games.models import Game, PendingBundle
from games.play import services as play
from games.play.unit_of_work import GameUnit
from games.play.wake_up import wake_players, wake_sandboxes


class BundleReceipt(NamedTuple):
    """A bundle was taken in for `beat`, which waits for the people in the seats `waiting_for` still."""

    beat: int
    waiting_for: list[int]


def give_bundle(*, game: Game, seat: int, beat: int, moves: Sequence[str]) -> BundleReceipt:
    """Keep `moves` as the bundle of `seat` for the next beat, in the place of one given before; take the beat if it was
    the last. `game` is brought up to date.

    Raises `DomainError`: malformed_move (400), not_your_seat (403), and 409: game_over, wrong_pace, stale_beat (with
    `beat`, the next one), clock_expired, illegal_move; errors in a move have its `index`.
    """
    _check(_unit_in_time(game, seat, beat), seat, beat, moves)
    _keep(PendingBundle(game=game, beat=beat, seat=seat, moves=list(moves), at=clock.now()))
    for _attempt in range(play.MAX_APPEND_TRIES):
        try:
            step = play.begin_unit(game)
            if step.fold.beat >= beat:
                raise _stale_beat(step.fold)
        except DomainError:
            if _came_too_late(game, seat, beat):
                raise
            return BundleReceipt(beat, [])
        waiting_for = step.people_awaited()
        if waiting_for and game.deadline:
            clocks.renew_deadline(game)  # it may have been this seat's
        if waiting_for and seat in step.fold.awaited():  # that another seat gave a bundle nobody may know
            eventlog.announce_state(game.pk)
        if waiting_for or (_left_to_worker(step) if play.programs_due(step) else play.take_beat(step)):
            return BundleReceipt(beat, waiting_for)
    return BundleReceipt(beat, [])


def _keep(bundle: PendingBundle) -> None:
    """Store a bundle, or replace it, once whoever changes the game just now has committed.

    Of two who give the last bundles within transactions that go on (`games.play.idempotency_field.run_once`) neither
    would see the other's.
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
    """Where the game stands, if the clock of `seat` has not run out since the beat before `beat` was taken."""
    taken = [entry.version for entry in eventlog.read_events(game.stream_id) if entry.event[:2] == [ev.BEAT, beat - 1]]
    return play.begin_unit_in_time(game, seat, taken[0] if taken else 0)


def _check(step: GameUnit, seat: int, beat: int, moves: Sequence[str]) -> None:
    """Raise `DomainError` unless that bundle may be given now."""
    fold = step.fold
    play.check_seat(fold, seat)
    if fold.pace != BEATS:
        raise DomainError(
            409,
            "wrong_pace",
            _("This game is not played in beats (its pace is {pace}). Send single moves.").format(pace=fold.pace),
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
    """Whether the beat has been taken without that bundle: those that it took are no rows any more."""
    return PendingBundle.objects.filter(game=game, seat=seat, beat=beat).delete()[0] > 0


def _left_to_worker(step: GameUnit) -> bool:
    """Whether a worker was told to ask the built-in bots and take the beat; not if the game has moved on meanwhile."""
    changed = Game.objects.filter(pk=step.game.pk, version=step.expected).update(awaits_worker=True)
    (wake_sandboxes if step.game.sandboxed else wake_players)()
    return changed > 0


def pending_bundles(game: Game, fold: Fold) -> list[PendingBundle]:
    """The bundles that have been given for the next beat."""
    return list(PendingBundle.objects.filter(game=game, beat=fold.beat + 1))
