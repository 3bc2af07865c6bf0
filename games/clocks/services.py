"""Clocks, which the server decides: how long each player may think, and whose time is up (docs/how-to/play.md).

The other modules of `games.clocks` compute; this one gives them logs and rows. `games.clocks.vacations` and
`games.clocks.outages` store what stops clocks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Final
from zoneinfo import ZoneInfo

from django.db import transaction

from games.clocks import outages
from games.clocks.hours import ONE_DAY, Stop
from games.clocks.models import Vacation
from games.clocks.reckoning import Clocks, Reckoning, SeatClock, TimeControl, reckon, time_control_of
from games.eventlog import store as eventlog
from games.eventlog.models import Stream
from games.models import Game, PendingBundle, SeatPlayer, seat_players
from scorebook_games.contract import Event
from scorebook_games.gamelog.events import Batch, Log
from scorebook_games.gamelog.fold import Fold
from scorebook_games.gamelog.terms import BEATS, LIVE, MAY_ABORT_EARLY
from scorebook_games.registry import KINDS

LIVE_KIND: Final = "live"
CORRESPONDENCE: Final = "correspondence"
Viewpoint = int | str | None  # see games.visibility.observe


class ClockReading:
    """What one request or one watched game knows of a game's clocks: its reckoning, who sits there, and what stops
    their clocks. Each is read once.

    - `roster`: who sits in the game.
    - `reckoning`: the reckoning after the batches taken so far.
    """

    def __init__(self, game: Game, log: Log, roster: Sequence[SeatPlayer] | None = None) -> None:
        self.game = game
        self.roster = seat_players(game) if roster is None else roster
        self.reckoning = reckon(log, frozenset(each.seat for each in self.roster if each.is_ours))
        self._stops: dict[int, list[Stop]] | None = None

    def take(self, game: Game, news: Log) -> None:
        """Take new batches of the log, and the game's row as it is now."""
        self.game, self._stops = game, None
        self.reckoning.take_new(news)

    def clocks(self, *, again: bool = False) -> Clocks | None:
        """Return the clocks; None if the game has none. With `again`, read once more what stops them."""
        rate = time_control_of(self.game.terms)
        if rate is None:
            return None
        if self._stops is None or again:
            users = {each.seat: each.user for each in self.roster if each.user is not None}
            self._stops = _stops_by_seat(self.game, rate, users, len(self.roster))
        bundles = _bundle_times(self.game, self.reckoning)
        return Clocks(rate, self.reckoning, self.game.opened_at, self._stops, bundles)


def needs_reckoning(game: Game) -> bool:
    """Return whether a change of the game, or its turn, asks whose turn began when."""
    return time_control_of(game.terms) is not None or game.terms.get("may_abort") == MAY_ABORT_EARLY


def clocks_of(game: Game, log: Log, known: ClockReading | None = None) -> Clocks | None:
    """Return the clocks of a stored game after `log`; None if it has none.

    `known` is what the caller knows of them after the same log.
    """
    if time_control_of(game.terms) is None:
        return None
    return (known or ClockReading(game, log)).clocks()


def clocks_at_opening(game: Game, programs: Iterable[int], users: Mapping[int, int], first: Batch) -> Clocks | None:
    """Return the clocks of a game that is being opened with the events `first`; `users` sit in its seats."""
    rate = time_control_of(game.terms)
    if rate is None:
        return None
    reckoning = reckon([first], frozenset(programs))
    return Clocks(rate, reckoning, game.opened_at, _stops_by_seat(game, rate, users, reckoning.fold.seats))


def _stops_by_seat(game: Game, rate: TimeControl, users: Mapping[int, int], seats: int) -> dict[int, list[Stop]]:
    """Return what stops the clock of each seat; `users` sit in its seats."""
    away = outages.stops_since(game.opened_at, live=rate.live)
    vacations = {} if rate.live else stops_of(users, game.terms["vacation_days"], game.opened_at)
    return {seat: sorted([*away, *vacations.get(seat, ())]) for seat in range(seats)}


def _bundle_times(game: Game, reckoning: Reckoning) -> dict[int, datetime]:
    """Return when each seat gave its bundle for the next beat of the reckoning."""
    fold = reckoning.fold
    if fold.pace != BEATS or game.pk is None:
        return {}
    rows = PendingBundle.objects.filter(game=game, beat=fold.beat + 1, seat__in=reckoning.running)
    return dict(rows.values_list("seat", "at"))


# -- what stops a person's clock


def stops_of(users: Mapping[int, int], days_a_year: int, opened_at: datetime) -> dict[int, list[Stop]]:
    """Return by seat when the people who sit there (seat → user) are on vacation, and for which the game's limit allows
    it.

    The game honours `days_a_year` days of each calendar year. Only vacations that end after `opened_at` are returned.
    """
    if not days_a_year:
        return {}
    taken: dict[int, list[Vacation]] = {user: [] for user in users.values()}
    for vacation in Vacation.objects.filter(user__in=taken):
        taken[vacation.user_id].append(vacation)
    stops = {seat: honoured_vacations(taken[user], days_a_year) for seat, user in users.items()}
    return {seat: [stop for stop in each if stop.end > opened_at] for seat, each in stops.items()}


def honoured_vacations(vacations: Iterable[Vacation], days_a_year: int) -> list[Stop]:
    """Return the days of vacations, in order, of which the first `days_a_year` of each calendar year count."""
    count: dict[int, int] = {}
    stops: list[Stop] = []
    for vacation in sorted(vacations, key=lambda vacation: vacation.start):
        for day in days(vacation.start, vacation.end):
            count[day.year] = count.get(day.year, 0) + 1
            if count[day.year] <= days_a_year:
                stops.append(Stop(_midnight(day, vacation.zone), _midnight(day + ONE_DAY, vacation.zone), "vacation"))
    return stops


def days(start: date, end: date) -> Iterator[date]:
    """Yield each day from `start` to `end`."""
    return (start + timedelta(days=count) for count in range((end - start).days + 1))


def _midnight(day: date, zone: str) -> datetime:
    return datetime.combine(day, time(), ZoneInfo(zone)).astimezone(UTC)


# -- for the table


def expired_seats(game: Game, log: Log, at: datetime, known: ClockReading | None = None) -> list[int]:
    """Return the seats whose time is up, the first to run out first; none while the platform is away."""
    clocks = clocks_of(game, log, known)
    return [] if clocks is None or outages.is_outage_at(at) else clocks.expired(at)


def beat_charges(game: Game, log: Log, at: datetime, known: ClockReading | None = None) -> list[Event]:
    """Return the events that record what a beat, taken now, costs the banks.

    There are none while the platform is away, because the length of the outage is not known yet.
    """
    clocks = None if outages.is_outage_at(at) else clocks_of(game, log, known)
    return clocks.charges(at) if clocks else []


def seats_that_moved(game: Game, log: Log, known: ClockReading | None = None) -> set[int]:
    """Return the seats that have made a move."""
    return (known or ClockReading(game, log)).reckoning.moved


def renew_deadline(game: Game) -> None:
    """Set the deadline in the game's row again, after something outside its log has changed it.

    A writer of the log locks the stream's row until its commit, and reads what stops clocks after that. So one of the
    two sees everything.
    """
    with transaction.atomic():
        Stream.objects.select_for_update(no_key=True).get(pk=game.stream_id)
        game.refresh_from_db(fields=["status", "version", "deadline", "terms", "opened_at"])
        clocks = clocks_of(game, eventlog.read_log(game.stream_id)) if game.status == Game.Status.PLAYING else None
        if clocks and clocks.reckoning.fold.go and game.deadline != (deadline := clocks.deadline()):
            game.deadline = deadline
            Game.objects.filter(pk=game.pk).update(deadline=deadline)
            eventlog.announce_state(game.pk)


def renew_deadlines(games: Iterable[Game]) -> None:
    """Do `renew_deadline` for several games, each in its own transaction."""
    for game in games:
        renew_deadline(game)


def settle_outages() -> int:
    """Set the deadlines again that new outages change; return how many outages there were."""
    new = list(outages.unsettled_outages())
    if new:
        playing = Game.objects.filter(status=Game.Status.PLAYING, deadline__isnull=False, kind__in=KINDS)
        renew_deadlines(playing.iterator())
        outages.mark_settled(new)
    return len(new)


# -- what a viewer may know


def has_clocks(game: Game) -> bool:
    """Return whether a game that is on may have clocks to show."""
    return time_control_of(game.terms) is not None or game.terms.get("pace") == LIVE


def no_clock_data(at: datetime) -> dict[str, Any]:
    """Return the clock data of a game in which no clock runs."""
    return {"kind": None, "at": at, "deadline": None, "seats": []}


def clock_data(
    game: Game, log: Log, fold: Fold, viewer: Viewpoint, at: datetime, known: ClockReading | None = None
) -> dict[str, Any]:
    """Return the clocks as `viewer` may know them at this time, with the game at `fold` after `log`, as plain data.

    `known` is as for `clocks_of`. `kind` is "live", "correspondence" or None. `at` is the time of all figures.
    `deadline` is when the first clock will have run out, or GO is due. `seats` has for each seat: `running`, the ms
    left `move_ms` and `bank_ms`, its own `deadline`, and why it is `paused`. The public does not see which seats have
    given a bundle in beats, and viewers with a delay see the clocks as they were.
    """
    if viewer is None:
        at -= timedelta(seconds=game.terms["watch_delay"])
    data = no_clock_data(at)
    if fold.outcome() is not None:
        return data
    if not fold.go:
        return {**data, "deadline": game.deadline if game.version == fold.version else None}
    clocks = clocks_of(game, log, known)
    if clocks is None:
        return data
    if viewer is None:
        clocks = replace(clocks, given={})
    kind = LIVE_KIND if clocks.rate.live else CORRESPONDENCE
    seats = [_plain(clocks.clock(seat, at)) for seat in range(fold.seats)]
    return {"kind": kind, "at": at, "deadline": clocks.deadline(), "seats": seats}


def _plain(each: SeatClock) -> dict[str, Any]:
    return {
        "seat": each.seat,
        "running": each.running,
        "move_ms": each.move // timedelta(milliseconds=1),
        "bank_ms": each.bank // timedelta(milliseconds=1),
        "deadline": each.deadline,
        "paused": each.paused,
    }
