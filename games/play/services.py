"""The services of play: here games are opened, moved on, left and ended, for all callers.

A change is decided on a fold of the log and then appended at the version that it was decided on. The rows that lists
and queries need (`Game`, `Seat`, `Deal`) are written in the same transaction. A change that comes second is not stored
and is decided again. Watchers and workers are notified after the commit.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext as _

from games.clocks import outages
from games.clocks import services as clocks
from games.common import clock, log_context
from games.common.errors import DomainError, Expected
from games.common.incidents import game_aborted
from games.common.models import Incident
from games.eventlog import store as eventlog
from games.models import Game, PendingBundle, Seat, SeatPlayer, game_by_public_id, seat_players
from games.play import check_in, departures, live_pace, unit_of_work
from games.play.departures import FORFEITED, RESIGNED
from games.play.openings import ContinuationSource, Opening, open_game, open_many
from games.play.unit_of_work import ConcurrentAppend, GameUnit, wake_workers
from games.visibility import acting, audience, observe
from scorebook_games.chance import SeedDealer
from scorebook_games.contract import Event, IllegalMove, MalformedMove
from scorebook_games.gamelog import events as ev
from scorebook_games.gamelog import visibility
from scorebook_games.gamelog.endings import aborted
from scorebook_games.gamelog.events import Log, RecordedEvent, events_of
from scorebook_games.gamelog.fold import Fold, fold_game
from scorebook_games.gamelog.pacing import beat_events, towards_go
from scorebook_games.gamelog.terms import BEATS, LIVE
from scorebook_games.presentation.coded_text import Sentence, plain
from scorebook_games.registry import KINDS

__all__ = ["ContinuationSource", "DomainError", "MoveResult", "Opening", "open_game", "open_many"]

logger = logging.getLogger(__name__)

UPLOADED_BOT: Final = "upload"  # stands in place of a built-in bot's name for a bot that runs in a sandbox
MAX_APPEND_TRIES: Final = 20  # how many other writers may come first before a move is given up


@dataclass(frozen=True, slots=True)
class MoveResult:
    """The result of a move.

    It has the game's version after the move, the events since the version that the mover knew, as the mover may see
    them, and the state of the game.
    """

    version: int
    events: list[RecordedEvent]
    unit: GameUnit = field(compare=False)


def find_game(public_id: str, user: observe.User | None = None) -> Game:
    """Return the game with this public id, with its deal, if `user` may know of it.

    With None, the caller must check this later by `requested_viewpoint`. Raises `DomainError` game_not_found.
    """
    try:
        game = game_by_public_id(public_id.upper())
    except Game.DoesNotExist:
        raise observe.game_not_found() from None
    if user is not None and not audience.is_visible(game, user):
        raise observe.game_not_found()
    return game


def seat_of(game: Game, user: observe.User) -> int:
    """Return the seat that `user` plays. Raises `DomainError` not_your_seat."""
    seat = observe.seat_or_public(game, user)
    if not isinstance(seat, int):
        raise DomainError(403, "not_your_seat", _("You do not play in this game; you can watch it."))
    return seat


def own_seat(game: Game, user: observe.User) -> int:
    """Return the seat that `user` played, to the end or not. Raises `DomainError` not_your_seat."""
    known = user.pk is not None and not acting.is_impersonated(user)
    rows = Seat.objects.filter(acting.rows_of_user(user), game=game).values_list("seat", flat=True)
    seat = rows.first() if known else None
    if seat is None:
        raise DomainError(403, "not_your_seat", _("You did not play in this game."))
    return seat


def load_game(game: Game) -> Fold:
    """Return the game as its log has it now."""
    return fold_game(entry.event for entry in eventlog.read_events(game.stream_id))


def load_unit(game: Game, log: Log | None = None) -> GameUnit:
    """Return an empty unit at the end of `log`, which is read if it is None, and folded once."""
    log = eventlog.read_log(game.stream_id) if log is None else log
    roster = seat_players(game)
    reading = clocks.ClockReading(game, log, roster) if clocks.needs_reckoning(game) else None
    fold = reading.reckoning.fold.branch() if reading else fold_game(entry.event for entry in events_of(log))
    return GameUnit(game, fold, programs_of(roster, fold), log, reading=reading, roster=roster)


def programs_of(roster: Sequence[SeatPlayer], fold: Fold) -> dict[int, str]:
    """Return the programs that play seats, by seat: a name in `BUILTIN_BOTS`, or `UPLOADED_BOT`."""
    return {each.seat: each.program for each in roster if each.is_ours and each.program} | fold.taken_over


def play_move(*, game: Game, seat: int, text: str, expected_version: int, is_fresh: bool = False) -> MoveResult:
    """Play the move `text` in `seat`, decided by its player at `expected_version`.

    `game` is refreshed, but for the first try of a caller who has just read it (`is_fresh`). Raises `DomainError`:
    malformed_move (400), not_your_seat (403), too_soon (429, with `wait_ms`), and 409: game_over, not_started,
    wrong_pace, clock_expired, stale_version (with `version`), illegal_move (with `clause` and `legal_moves`).
    """
    with log_context.bound_log_context(game=game.public_id):
        return _move(game, seat, text, expected_version, is_fresh)


def _move(game: Game, seat: int, text: str, expected_version: int, is_fresh: bool) -> MoveResult:
    for attempt in range(MAX_APPEND_TRIES):
        try:
            unit = begin_unit_in_time(game, seat, expected_version, is_fresh=is_fresh and attempt == 0)
            events = decide_move(unit, seat, text, expected_version)
        except DomainError as error:
            raise _expired_since(game, seat, expected_version) or error from error
        if not events:  # a pass leaves no trace: its own version would show it to the others
            return _result(unit, seat, expected_version, unit.fold.version)
        if unit.fold.abort_wanted:
            events = [[ev.ABORT_DECLINED, seat], *events]
        unit.take(events, clock.now())
        try:
            unit_of_work.commit([unit], clock.now())
        except ConcurrentAppend:  # nothing was stored
            continue
        return _result(unit.following(), seat, expected_version, unit.fold.version)
    raise _stale(game.version)


def _result(unit: GameUnit, seat: int, known: int, version: int) -> MoveResult:
    """Return the result at `version` of a move by `seat`, whose player knew version `known`."""
    entries = [entry for entry in events_of(unit.log) if known < entry.version <= version]
    return MoveResult(version, observe.visible_events(unit.game, entries, seat, over=False), unit)


def begin_unit(game: Game, *, is_fresh: bool = False) -> GameUnit:
    """Return an empty unit of the game now. `game` is refreshed, unless it `is_fresh`, which means just read, and its
    log ends at the version of its row. Raises `DomainError` game_over."""
    log = eventlog.read_log(game.stream_id) if is_fresh else []
    if is_fresh and game.status == Game.Status.PLAYING and log[-1][-1].version == game.version:
        return load_unit(game, log)
    game.refresh_from_db(from_queryset=Game.objects.select_related("deal"))
    if game.status != Game.Status.PLAYING:
        raise DomainError(409, "game_over", _("The game is over, so no more moves are accepted."), version=game.version)
    return load_unit(game)


def begin_unit_in_time(game: Game, seat: int, known: int, *, is_fresh: bool = False) -> GameUnit:
    """Return `begin_unit` after handling all clocks that have run out by now.

    Raises `DomainError` game_over, and clock_expired if the clock of `seat` was among them or ran out since version
    `known`.
    """
    unit = begin_unit(game, is_fresh=is_fresh)
    if not unit.fold.go or not expire_clocks(game=game):
        return unit
    if late := _expired_since(game, seat, known):
        raise late
    return begin_unit(game)


def _expired_since(game: Game, seat: int, known: int) -> DomainError | None:
    """Return the error for `seat` if its clock has run out after version `known`, else None."""
    if [ev.EXPIRED, seat] not in [entry.event for entry in eventlog.read_events(game.stream_id, after=known)]:
        return None
    sentence = _(
        "Your clock ran out before your move arrived. The game’s terms decide what happens. Load the game again."
    )
    return DomainError(409, "clock_expired", sentence, version=game.version)


def decide_move(unit: GameUnit, seat: int, text: str, expected_version: int) -> list[Event]:
    """Return the events that the move `text` of `seat` leads to from the end of `unit`. Does not change `unit`.

    If one seat may act, the mover must have known the latest version. If several might act as far as everybody knows,
    or on the pace "live", an older move is stale only if another seat's action has made it illegal. Raises
    `DomainError`.
    """
    game, fold = unit.game, unit.fold
    check_seat(fold, seat)
    if fold.pace == BEATS:
        raise DomainError(
            409, "wrong_pace", _("This game’s pace is “beats”. Send a bundle of moves for the next beat.")
        )
    try:
        action = fold.rules.parse_move(fold.state, text)
        if expected_version != fold.version and not _raced(unit, seat, expected_version):
            raise _stale(fold.version)
        events = fold.rules.decide(fold.state, seat, action, _dealer(game))
        live_pace.check_wait(game, unit.log, fold, seat, action, clock.now())
        return events
    except MalformedMove as error:
        raise DomainError(400, error.code, error.sentence) from error
    except IllegalMove as error:
        if expected_version != fold.version:
            raise _stale(fold.version) from error
        legal = visibility.legal_moves(fold, seat)
        raise DomainError(
            409, "illegal_move", error.sentence, reason=error.code, clause=error.clause, legal_moves=legal
        ) from error


def _raced(unit: GameUnit, seat: int, known: int) -> bool:
    """Return whether a move decided at version `known` still counts.

    On the pace "live" it does. Otherwise several seats might have acted then, and `seat` must have been allowed to act
    ever since.
    """
    if not 1 < known < unit.fold.version:
        return False
    if unit.fold.pace == LIVE:
        return True
    events = [entry.event for entry in events_of(unit.log)]
    past = fold_game(events[:known])
    if len(past.to_act_seen(visibility.PUBLIC)) < 2:
        return False
    for event in events[known:]:
        if seat not in past.to_act():
            return False
        past.apply(event)
    return True


def check_seat(fold: Fold, seat: int) -> None:
    """Raise `DomainError` not_your_seat, game_over or not_started if the player of `seat` can do nothing now."""
    if seat not in range(fold.seats) or seat in fold.left:
        raise DomainError(403, "not_your_seat", _("You do not play seat {seat} in this game.").format(seat=seat))
    if fold.outcome():
        raise DomainError(409, "game_over", _("The game is over, so no more moves are accepted."), version=fold.version)
    if not fold.go:
        raise DomainError(
            409, "not_started", _("The game has not begun yet. Confirm that you are ready, and wait for GO.")
        )


def _dealer(game: Game) -> SeedDealer:
    return SeedDealer(bytes(game.deal.seed))


def _stale(version: int) -> DomainError:
    sentence = _("The game has changed and is at version {version} now. Load it again.").format(version=version)
    return DomainError(409, "stale_version", sentence, version=version)


def leave_game(*, game: Game, seat: int, how: str) -> None:
    """Let the player of `seat` leave; `how` is "resigned" or "forfeited" (docs/reference/common-rules.md, Leaving).

    With two seats, the game ends and the other player is first. With more, the term `leaver` decides. `game` is
    refreshed. Raises `DomainError` game_over, not_your_seat.
    """
    if how not in (RESIGNED, FORFEITED):
        raise ValueError(f"A player is {RESIGNED} or {FORFEITED}, not {how!r}.")

    def gone(unit: GameUnit) -> list[Event]:
        if seat not in range(unit.fold.seats) or seat in unit.fold.left:
            raise DomainError(
                403, "not_your_seat", _("There is no player in seat {seat} who could leave.").format(seat=seat)
            )
        return departures.leave_events(unit.fold, seat, how, unit.programs)

    change_game(game, gone)


def mark_ready(*, game: Game, seat: int) -> None:
    """Record that the person in `seat` is ready for GO or checks in; if already so, nothing changes.

    When all are ready and it is time, the countdown begins. Raises `DomainError` game_over, not_your_seat, and 409
    started after GO.
    """

    def ready_events(unit: GameUnit) -> list[Event]:
        fold = unit.fold
        if seat not in range(fold.seats) or seat in unit.programs:
            raise DomainError(403, "not_your_seat", _("You do not play seat {seat} in this game.").format(seat=seat))
        if fold.go:
            raise DomainError(409, "started", _("The game has already begun, so there is no check-in any more."))
        if seat in fold.ready:
            return []
        if seat in fold.left:
            raise DomainError(
                403,
                "not_your_seat",
                _("You have lost your seat in this game, because you left or did not check in on time."),
            )
        others = set(check_in.missing(fold, unit.programs)) - {seat}
        begins = check_in.begins_at(fold, unit.game.opened_at)
        early = begins is not None and clock.now() < begins
        countdown = [] if others or early or fold.countdown else towards_go(fold, _dealer(unit.game))
        return [[ev.READY, seat], *countdown]

    change_game(game, ready_events)


def abort_game(*, game: Game, reason: str | Sentence = "") -> None:
    """End the game without a result. A `reason` is stored as an incident for admins. Raises `DomainError` game_over."""
    with transaction.atomic():
        change_game(game, lambda _unit: [aborted()])
        if not reason:
            return
        Incident.objects.create(
            at=clock.now(),
            cause=Incident.Cause.INFRASTRUCTURE,
            game=game,
            sentences=plain([game_aborted(game.public_id, reason)]),
        )


def expire_clocks(*, game: Game) -> bool:
    """Do what the clocks require; return whether there was anything.

    Before GO this is the countdown or GO itself, later what the terms say for seats whose time has run out. Then `game`
    is refreshed.
    """
    if game.deadline is None or game.deadline > clock.now():
        return False

    def late(unit: GameUnit) -> list[Event]:
        due = unit.game.deadline
        if due is None or due > clock.now() or unit.game.version != unit.expected:
            return []
        return _expiry(unit) if unit.fold.go else _before_go(unit)

    with Expected("game_over"):
        if change_game(game, late):
            return True
        clocks.renew_deadline(game)  # something outside the log may have put the deadline off
    return False


def _before_go(unit: GameUnit) -> list[Event]:
    """Return the events after the time to be ready, to check in, or of the countdown is over."""
    fold, dealer = unit.fold, _dealer(unit.game)
    absent = check_in.missing(fold, unit.programs)
    if fold.appointed is not None and not fold.countdown and absent:
        due = unit.game.deadline
        assert due, "It is due."
        if outages.is_outage_at(clock.now()) or outages.due_after_outages(due) > clock.now():
            return []  # nobody was able to check in
        return check_in.events_without_absent(fold, absent, unit.programs, dealer)
    return towards_go(fold, dealer)


def _expiry(unit: GameUnit) -> list[Event]:
    """Return the events of the clocks that have run out by now."""
    at, dealer = clock.now(), _dealer(unit.game)
    seats = clocks.expired_seats(unit.game, unit.log, at, unit.reading)
    if not seats or not departures.costs_a_bundle(unit.fold):
        return departures.expiry_events(unit.fold.branch(), seats, unit.programs, dealer)
    stand_ins = {seat: departures.stand_in_bundle(unit.fold, seat, dealer) for seat in seats}
    events: list[Event] = [[ev.EXPIRED, seat] for seat in seats]
    beat = unit.fold.beat + 1
    if set(unit.people_awaited()) - set(seats) or UPLOADED_BOT in unit.programs.values():
        unit.stand_ins = [
            PendingBundle(game=unit.game, beat=beat, seat=seat, moves=moves, at=at) for seat, moves in stand_ins.items()
        ]
        return events
    unit.bundles = list(PendingBundle.objects.filter(game=unit.game, beat=beat))
    bundles = {bundle.seat: bundle.moves for bundle in unit.bundles}
    return [
        *events,
        *bank_charges(unit, at),
        *departures.beat_with_programs(unit.fold, {**stand_ins, **bundles}, unit.programs, dealer),
    ]


def bank_charges(unit: GameUnit, at: datetime) -> list[Event]:
    """Return the events that record what a beat, taken now, costs the banks of people."""
    if unit.game.played_by_workers or not unit.game.terms.get("bank_seconds"):
        return []
    return clocks.beat_charges(unit.game, unit.log, at, unit.reading)


def expire_due_games(limit: int = 100) -> int:
    """Expire every clock that has run out, the oldest first; return in how many games."""
    due = Game.objects.filter(status=Game.Status.PLAYING, deadline__lte=clock.now(), kind__in=KINDS)
    return sum(_expire_one(game) for game in due.order_by("deadline")[:limit])


def _expire_one(game: Game) -> bool:
    """Do `expire_clocks` for one game. A failure is logged and does not stop the other games."""
    with log_context.bound_log_context(game=game.public_id):
        try:
            return expire_clocks(game=game)
        except Exception:
            logger.exception("The clocks of game %s cannot be read.", game.public_id)
            return False


def retry_game(*, game: Game) -> None:
    """Let workers try again at once a game that failed or that they gave up.

    Raises `DomainError` game_over, not_failed (409).
    """
    failed = Game.objects.filter(Q(failures__gt=0) | Q(retry_at__isnull=False), pk=game.pk, status=Game.Status.PLAYING)
    if not failed.update(failures=0, retry_at=None):
        check_not_over(game)
        raise DomainError(
            409, "not_failed", _("Game {game} has not failed. It continues automatically.").format(game=game.public_id)
        )
    wake_workers([game])


def check_not_over(game: Game) -> None:
    """Raise `DomainError` game_over (409) unless the game is on, by its row."""
    if not Game.objects.filter(pk=game.pk, status=Game.Status.PLAYING).exists():
        raise DomainError(409, "game_over", _("Game {game} is over.").format(game=game.public_id))


def change_game(game: Game, events_from: Callable[[GameUnit], list[Event]]) -> bool:
    """Store what `events_from` makes of the game now, and try again until nobody else comes first."""
    with log_context.bound_log_context(game=game.public_id):
        return _change_game(game, events_from)


def _change_game(game: Game, events_from: Callable[[GameUnit], list[Event]]) -> bool:
    for _attempt in range(MAX_APPEND_TRIES):
        unit = begin_unit(game)
        events = events_from(unit)
        if not events:
            return False
        at = clock.now()
        unit.take(events, at)
        try:
            unit_of_work.commit([unit], at)
        except ConcurrentAppend:
            continue
        _look_for_bundles(unit)
        return True
    raise _stale(game.version)


def _look_for_bundles(unit: GameUnit) -> None:
    """Take a beat that waited only for a player who has just left or been given a bundle: nobody else would take it."""
    fold = unit.fold
    on = fold.pace == BEATS and fold.go and fold.outcome() is None
    if on and not unit.people_awaited() and not programs_due(unit):
        take_beat(unit.following())


def take_beat(unit: GameUnit) -> bool:
    """Take the next beat of a game of people with the bundles given; return False if somebody else came first."""
    unit.bundles = list(PendingBundle.objects.filter(game=unit.game, beat=unit.fold.beat + 1))
    bundles = {bundle.seat: bundle.moves for bundle in unit.bundles}
    at = clock.now()
    taken = beat_events(unit.fold, bundles, _dealer(unit.game))
    unit.take([*bank_charges(unit, at), *taken], at)
    try:
        unit_of_work.commit([unit], at)
    except ConcurrentAppend:
        return False
    return True


def programs_due(unit: GameUnit) -> bool:
    """Return whether built-in bots, also those that replace leavers, have something to do at the end of the unit."""
    programs = unit.programs.keys() | unit.fold.taken_over.keys()
    return any(seat in programs for seat in unit.fold.to_act())
