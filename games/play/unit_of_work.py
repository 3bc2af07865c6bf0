"""Stores a change of games: events and the rows that belong to them, in one transaction. Then it notifies everybody."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import reduce
from operator import or_
from typing import Any, Final

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Q

from games.clocks import services as clocks
from games.common.after_commit import after_commit
from games.eventlog import store as eventlog
from games.models import Deal, Game, PendingBundle, Seat, SeatPlayer
from games.play import check_in, faults
from games.play.models import Fault
from games.play.signals import game_over, moved_on
from games.play.wake_up import sweep_in, wake_players, wake_sandboxes
from scorebook_games.contract import ABORTED, Event
from scorebook_games.gamelog import events as ev
from scorebook_games.gamelog import visibility
from scorebook_games.gamelog.endings import check_ending
from scorebook_games.gamelog.events import Log, recorded
from scorebook_games.gamelog.fold import Fold
from scorebook_games.gamelog.pacing import COUNTDOWN_SECONDS, READY_TIMEOUT_SECONDS
from scorebook_games.gamelog.terms import BEATS

MILLISECOND: Final = timedelta(milliseconds=1)


@dataclass(slots=True, eq=False)
class GameUnit:
    """A change to store: `events` took `game` from the end of its `log` to `fold`.

    - `programs`: which built-in bot plays which seat before these events.
    - `attempt`: a runner's fence. The unit is stored only while the game's attempt is still this one.
    - `bundles`: the rows from which a beat among the events was made. The unit is stored only if they are unchanged,
      and it deletes them.
    - `stand_ins`: bundles that are stored with the unit, for seats whose clock has run out.
    - `users`: the users by seat of a game that is not stored yet.
    - `faults`: faults of bots, stored with the events.
    - `reading`: what is known of the clocks at the end of the log, so that the log is folded once; None if the game
      needs none, or the caller computes it from the log. `roster`: who sits at the game, if the caller has read it.
    """

    game: Game
    fold: Fold
    programs: dict[int, str]
    log: Log
    events: list[Event] = field(default_factory=list)
    times: list[int] = field(default_factory=list)
    attempt: int | None = None
    bundles: list[PendingBundle] = field(default_factory=list)
    stand_ins: list[PendingBundle] = field(default_factory=list)
    users: Mapping[int, int] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)
    reading: clocks.ClockReading | None = None
    roster: Sequence[SeatPlayer] | None = None

    @property
    def expected(self) -> int:
        """The version that the events follow."""
        return self.log[-1][-1].version if self.log else 0

    @property
    def grown_log(self) -> Log:
        """The log with the events."""
        batch = recorded(self.expected, self.times, self.events)
        return [*self.log, batch] if batch else self.log

    def following(self) -> GameUnit:
        """Return an empty unit that continues from where this one was stored."""
        log = self.grown_log
        if self.reading:
            self.reading.reckoning.take_new(log[-1:])
        unit = GameUnit(self.game, self.fold, self.programs, log, attempt=self.attempt)
        unit.reading, unit.roster = self.reading, self.roster
        return unit

    def take(self, events: Sequence[Event], at: datetime) -> None:
        """Apply `events`, which happened at `at`, to the fold, and keep them for storing.

        Time never runs backwards within a log, even if a machine's clock does. Raises `ImpossibleEnding` for an end
        that nobody could verify.
        """
        since = max(self._since(at), self.times[-1] if self.times else self._since(self.game.moved_at))
        for event in events:
            if event[0] == ev.ENDED:
                check_ending(self.fold, event)
            self.fold.apply(event)
        self.events += events
        self.times += [since] * len(events)

    def people_awaited(self) -> list[int]:
        """Return the people that the game waits for; in beats, those without a bundle for the next one."""
        programs = self.programs.keys() | self.fold.taken_over.keys()
        people = [seat for seat in self.fold.awaited() if seat not in programs]
        if people and self.fold.pace == BEATS and self.game.pk:
            bundles = PendingBundle.objects.filter(game=self.game, beat=self.fold.beat + 1, seat__in=people)
            gave = set(bundles.values_list("seat", flat=True))
            people = [seat for seat in people if seat not in gave]
        return people

    def _since(self, at: datetime) -> int:
        return (at - self.game.opened_at) // MILLISECOND

    def moved_at(self) -> datetime:
        """Return when the last event so far happened."""
        if not self.times:
            return self.game.moved_at
        return self.game.opened_at + timedelta(milliseconds=self.times[-1])


class ConcurrentAppend(Exception):
    """Somebody else changed the games of `units` first. Nothing was stored."""

    def __init__(self, units: list[GameUnit]) -> None:
        super().__init__(f"{len(units)} units were overtaken.")
        self.units = units


def commit(units: Sequence[GameUnit], at: datetime) -> None:
    """Append the units' events and update rows, in one transaction; then notify.

    Raises `ConcurrentAppend` with the units whose game is no longer at their version, is over, or has another attempt.
    Then nothing is stored of any unit.
    """
    with transaction.atomic():
        _append_events(units, at)
        _update_rows(units, at)
        _announce(units)


def _append_events(units: Sequence[GameUnit], at: datetime) -> None:
    """Append the events. Raises `ConcurrentAppend` with the units whose log is no longer at their version."""
    versions = _append(units, at)
    if late := [unit for unit, version in zip(units, versions, strict=True) if version is None]:
        raise ConcurrentAppend(late)


def _update_rows(units: Sequence[GameUnit], at: datetime) -> None:
    """Write all rows that follow from the events.

    Raises `ConcurrentAppend` with the units that may no longer be stored.
    """
    _store_stand_ins(units)
    rows = [row_of(unit, at) for unit in units]
    kept = _update_games(units, rows)
    if late := [unit for unit in units if unit.game.pk not in kept]:
        raise ConcurrentAppend(late)
    _use_up_bundles(units)
    _mark_leavers(units)
    faults.store_faults([fault for unit in units for fault in unit.faults])
    if over := [unit for unit in units if unit.fold.outcome()]:
        _finish(over, at)
    for unit, row in zip(units, rows, strict=True):
        for name, value in row.items():
            setattr(unit.game, name, value)


def _announce(units: Sequence[GameUnit]) -> None:
    """Notify watchers, people and workers after the commit."""
    eventlog.announce_many({unit.game.pk: unit.fold.version for unit in units})
    notify_people(units)
    sweep_at_go(units)
    wake_workers([unit.game for unit in units if unit.attempt is None])


def wake_workers(games: Collection[Game]) -> None:
    """Wake the workers for those games in which a program is to move."""
    if any(game.awaits_worker and not game.sandboxed for game in games):
        wake_players()
    if any(game.awaits_worker and game.sandboxed for game in games):
        wake_sandboxes()


def _append(units: Sequence[GameUnit], at: datetime) -> Sequence[int | None]:
    if len(units) == 1:
        unit = units[0]
        return [eventlog.append(unit.game.stream_id, unit.events, expected=unit.expected, times=unit.times, at=at)]
    return eventlog.append_many(
        [eventlog.Append(unit.game.stream_id, unit.events, unit.expected, unit.times, at) for unit in units]
    )


def row_of(unit: GameUnit, at: datetime) -> dict[str, Any]:
    """Return the columns of the game's row after the unit."""
    fold = unit.fold
    outcome = fold.outcome()
    programs = unit.programs | fold.taken_over
    people = [] if outcome else unit.people_awaited()
    to_act = [] if outcome else fold.to_act()
    status = Game.Status.PLAYING
    if outcome:
        status = Game.Status.ABORTED if outcome.termination == ABORTED else Game.Status.FINISHED
    return {
        "version": fold.version,
        "to_act": [] if outcome else fold.awaited(),
        "awaited_since": [] if outcome else awaited_since(unit),
        "awaits_worker": any(seat in programs for seat in to_act) and not (people and fold.pace == BEATS),
        "played_by_workers": all(seat in programs for seat in range(fold.seats)),
        "deadline": None if outcome else _deadline(unit, people, at),
        "status": status.value,
        "outcome": visibility.outcome_data(outcome) if outcome else None,
        "moved_at": max(at, unit.moved_at()),
        "begins_at": check_in.begins_at(fold, unit.game.opened_at),
        "finished_at": at if outcome else None,
    }


def awaited_since(unit: GameUnit) -> list[int]:
    """Return for each seat that the game waits for the version since when it does. Each beat begins anew."""
    beat = any(event[0] == ev.BEAT for event in unit.events)
    since = {} if beat else dict(zip(unit.game.to_act, unit.game.awaited_since, strict=False))
    return [since.get(seat, unit.fold.version) for seat in unit.fold.awaited()]


def _deadline(unit: GameUnit, people: Sequence[int], at: datetime) -> datetime | None:
    """Return when the first clock of the awaited people will have run out, or when GO is due."""
    if not unit.fold.go:
        return go_due(unit, at)
    if not people:
        return None
    if unit.reading:
        unit.reading.reckoning.take_new(unit.grown_log[-1:])
        running = unit.reading.clocks(again=True)  # the stream's row is locked: this sees what others have committed
    elif unit.game.pk:
        running = clocks.clocks_of(unit.game, unit.grown_log)
    else:
        running = clocks.clocks_at_opening(unit.game, unit.programs, unit.users, unit.grown_log[0])
    return running.deadline() if running else None


def go_due(unit: GameUnit, at: datetime) -> datetime:
    """Return when the waiting time or the countdown is over."""
    if _begins_countdown(unit):
        return at + timedelta(seconds=COUNTDOWN_SECONDS)
    if not unit.fold.countdown and (due := check_in.next_event_due(unit.fold, unit.game.opened_at, unit.programs)):
        return due
    return unit.game.deadline or at + timedelta(seconds=READY_TIMEOUT_SECONDS)


def _begins_countdown(unit: GameUnit) -> bool:
    return any(event[0] == ev.COUNTDOWN for event in unit.events)


def sweep_at_go(units: Sequence[GameUnit]) -> None:
    """Let workers look again when a countdown that begins now is over."""
    if any(map(_begins_countdown, units)):
        sweep_in(COUNTDOWN_SECONDS)


# A runner's append renews its lease, and the end of a game, by whoever, releases it. Only rule events count as success,
# because a game that kills its workers gets an @attempt from each of them.
_UPDATE_GAMES: Final = """
    UPDATE games_game AS game SET
        version = new.version, to_act = new.to_act, awaited_since = new.awaited_since,
        awaits_worker = new.awaits_worker, played_by_workers = new.played_by_workers,
        deadline = new.deadline, status = new.status, outcome = new.outcome,
        moved_at = new.moved_at, begins_at = new.begins_at, finished_at = new.finished_at,
        leased_by = CASE WHEN new.status = 'playing' THEN game.leased_by ELSE '' END,
        leased_until = CASE
            WHEN new.status <> 'playing' THEN NULL
            WHEN new.attempt IS NULL THEN game.leased_until
            ELSE clock_timestamp() + make_interval(secs => %s) END,
        failures = CASE WHEN new.progress THEN 0 ELSE game.failures END
    FROM jsonb_to_recordset(%s) AS new (
        id bigint, attempt integer, expected integer, progress boolean, version integer, to_act smallint[],
        awaited_since integer[], awaits_worker boolean, played_by_workers boolean,
        deadline timestamptz, status text, outcome jsonb,
        moved_at timestamptz, begins_at timestamptz, finished_at timestamptz)
    WHERE game.id = new.id AND game.version = new.expected AND game.status = 'playing'
        AND (new.attempt IS NULL OR game.attempt = new.attempt)
    RETURNING game.id
"""
_UPDATE_SEATS: Final = """
    UPDATE games_seat AS seat SET score = new.score, "placing" = new."placing"
    FROM jsonb_to_recordset(%s) AS new (game bigint, seat smallint, score integer, "placing" smallint)
    WHERE seat.game_id = new.game AND seat.seat = new.seat
"""
_REVEAL: Final = """
    UPDATE games_deal SET revealed_at = %s
    WHERE id = ANY(%s) AND NOT EXISTS (
        SELECT FROM games_game game WHERE game.deal_id = games_deal.id AND game.status = 'playing')
    RETURNING id
"""


def _update_games(units: Sequence[GameUnit], rows: Sequence[dict[str, Any]]) -> set[int]:
    """Write the games' rows; return the ids of those that were still where their unit began."""
    data = [
        {
            **row,
            "id": unit.game.pk,
            "attempt": unit.attempt,
            "expected": unit.expected,
            "progress": any(not ev.is_table_event(event) for event in unit.events),
        }
        for unit, row in zip(units, rows, strict=True)
    ]
    with connection.cursor() as cursor:
        cursor.execute(_UPDATE_GAMES, [settings.SCOREBOOK_LEASE_SECONDS, json.dumps(data, default=datetime.isoformat)])
        return {row[0] for row in cursor.fetchall()}


def _use_up_bundles(units: Sequence[GameUnit]) -> None:
    """Delete the bundles that the units used.

    Raises `ConcurrentAppend` if one was replaced or deleted in the meantime.
    """
    for unit in units:
        if unit.bundles:
            same = reduce(or_, [Q(pk=bundle.pk, moves=bundle.moves) for bundle in unit.bundles])
            if PendingBundle.objects.filter(same).delete()[0] < len(unit.bundles):
                raise ConcurrentAppend([unit])


def _store_stand_ins(units: Sequence[GameUnit]) -> None:
    """Store bundles for players whose clock has run out. A bundle given at the last moment stays."""
    if stand_ins := [bundle for unit in units for bundle in unit.stand_ins]:
        PendingBundle.objects.bulk_create(stand_ins, ignore_conflicts=True)


def _mark_leavers(units: Sequence[GameUnit]) -> None:
    """Record in the seats' rows who has left."""
    for unit in units:
        for event in unit.events:
            if event[0] == ev.LEFT:
                Seat.objects.filter(game=unit.game, seat=event[1]).update(left=event[2])


def _finish(units: Sequence[GameUnit], at: datetime) -> None:
    """Write what follows the end of games: the seats' results, and the deal's secret if no game of it is left."""
    results = [
        {"game": unit.game.pk, "seat": seat, "score": score, "placing": placing}
        for unit in units
        if (outcome := unit.fold.outcome())
        for seat, (score, placing) in enumerate(zip(outcome.scores, outcome.placings, strict=True))
    ]
    with connection.cursor() as cursor:
        cursor.execute(_UPDATE_SEATS, [json.dumps(results)])
    if in_beats := [unit.game.pk for unit in units if unit.fold.pace == BEATS]:
        PendingBundle.objects.filter(game__in=in_beats).delete()
    revealed = _reveal({unit.game.deal_id for unit in units}, at)
    for unit in units:
        if unit.game.deal_id in revealed:
            unit.game.deal.revealed_at = at
    after_commit(_send_game_over, [(unit.game.pk, _has_people(unit)) for unit in units])


def _has_people(unit: GameUnit) -> bool:
    """Return whether somebody sits or sat in the game who is no program."""
    return bool(unit.fold.taken_over) or not unit.game.played_by_workers


def _reveal(deals: Collection[int], at: datetime) -> list[int]:
    """Reveal those deals of which no game is on, and return them.

    The lock lets one of two games that end at the same time see that the other one is over.
    """
    locked = Deal.objects.select_for_update().filter(pk__in=deals).order_by("pk")
    with connection.cursor() as cursor:
        cursor.execute(_REVEAL, [at, list(locked.values_list("pk", flat=True))])
        return [row[0] for row in cursor.fetchall()]


def notify_people(units: Sequence[GameUnit]) -> None:
    """Notify people, after the commit, that games in which they play have moved on."""
    if moved := [unit.game.pk for unit in units if not unit.game.played_by_workers]:
        after_commit(_send_moved_on, moved)


def _send_moved_on(game_ids: Sequence[int]) -> None:
    moved_on.send_robust(sender=Game, game_ids=game_ids)


def _send_game_over(games: Sequence[tuple[int, bool]]) -> None:
    with_people = [game_id for game_id, has_people in games if has_people]
    game_over.send_robust(sender=Game, game_ids=[game_id for game_id, _ in games], with_people=with_people)
