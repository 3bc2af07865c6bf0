"""Makes the rows of games, seasons and rating pools again from their logs, or compares them.

The tables of `tournaments.seasons.row_writer` say what the rows of a season are; ratings come from the functions that
also write them when a round closes. A comparison also holds the logs against one another: the results in a season's
stream against the games' own logs, and a pool's events against the results of closed rounds, or against the casual
games that were settled. A log is never repaired. One that cannot be read is reported, and the others are still done.
"""

from __future__ import annotations

import hashlib
import logging
import math
from array import array
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import chain, islice
from typing import Any, Final, NamedTuple

from django.db import DatabaseError, connection, transaction
from django.db.models import Count

from games.common import parallel
from games.common.table_changes import note_repair
from games.eventlog import store as eventlog
from games.models import Game, Player
from games.play.game_rows import (
    Difference,
    ReadGame,
    corrected_games,
    game_batches,
    read_games,
    row_differences,
    unread_games,
)
from scorebook_games.registry import NotInstalled
from tournaments.activity import audit_log
from tournaments.entries.eligibility import rating_pool_name
from tournaments.maintenance.recorded_results import recorded_results, result_differences
from tournaments.ratings import elo
from tournaments.ratings.casual import CASUAL_POOL, casual_events, settled_tables
from tournaments.ratings.models import Rating, RatingChange, RatingPool
from tournaments.ratings.pools import write_ratings
from tournaments.ratings.rated_events import RatingCalls
from tournaments.seasons.events.base import SeasonEvent
from tournaments.seasons.fold import SeasonFold
from tournaments.seasons.models import MatchGame, Note, Season
from tournaments.seasons.row_writer import SeasonRows
from tournaments.seasons.stream import timed_season_log

MATCH_BATCH_SIZE: Final = 50  # how many matches' logs are read at once
CASUAL_BATCH_SIZE: Final = 200  # tables that are read at once
PART_GAMES: Final = 2000  # a season of twice as many games is compared in parts
Progress = Callable[[str], None]
PoolName = tuple[str, str]  # kind and name
TimedLog = Sequence[tuple[SeasonEvent, datetime]]

logger = logging.getLogger(__name__)


class CalledEvents(NamedTuple):
    """The rating events that a season calls for, in order, or the casual games of a kind without a `season`: the digest
    of each, eight bytes, because those of all seasons are kept until the pools are compared."""

    season: int | None
    digests: array[int]


@dataclass(frozen=True, slots=True)
class SeasonPart:
    """A part of a season's matches: `number` (0 …) of `parts`. The first part has also what is said of the season."""

    season: int
    number: int
    parts: int


@dataclass(slots=True)
class SeasonFound:
    """What was found in a part of a season. `games`: id of each game whose rows were compared → what differs; `called`:
    the rating events that belong to `pool`."""

    name: str
    pool: PoolName
    games: dict[int, list[str]] = field(default_factory=dict)
    sentences: list[str] = field(default_factory=list)
    rated: bool = False
    called: CalledEvents | None = None
    unreadable: bool = False


class UnreadableLog(str):
    """A sentence about a log that cannot be read."""

    __slots__ = ()


class NotCompared(str):
    """A sentence about logs that are sound as far as their chains go, and cannot be read without a package. It is no
    difference."""

    __slots__ = ()


def summary(count: int, unread: int) -> str:
    """Return the summary: the number of differences, and how many of them are logs that cannot be read."""
    if not count:
        return "no differences"
    logs = f"; {unread} {'log' if unread == 1 else 'logs'} can't be read: `verify --all` says where" if unread else ""
    return f"differences: {count}{logs}"


def find_differences(*, write: bool = False, progress: Progress = lambda _: None, processes: int = 1) -> Iterator[str]:
    """Yield a sentence for every difference between rows and logs, or between logs; with `write`, repair the rows, and
    compare no logs. `processes` share the work; what is found, and its order, does not depend on their number. Only a
    season whose log cannot be read is compared further by some of several processes.

    Logs of kinds that are not loaded give a `NotCompared`. One that cannot be read gives an `UnreadableLog`, and its
    rows stay as they are. Without `write` all is one snapshot, and leagues go on. With `write` some games, each season
    and each pool are a transaction of their own. Only these wait meanwhile, and no page sees them half.
    """
    for why, games in unread_games().items():
        which = "Left as it is: 1 game, which" if games == 1 else f"Left as they are: {games} games, which"
        yield NotCompared(f"{which} can't be read without the package of its kind. {why}")
    yield from _repaired(progress, processes) if write else _compared(progress, processes)
    if write:
        note_repair()  # also where somebody had repaired rows by hand


def _compared(progress: Progress, processes: int) -> Iterator[str]:
    """Compare each season with its games, then all other games, then the pools."""
    expected: dict[PoolName, list[CalledEvents]] = {}
    unknown: set[PoolName] = set()  # pools with a season that could not be read
    compared: set[int] = set()  # the games of seasons
    with transaction.atomic():
        _use_snapshot()
        total = Game.objects.count()
        for of_season in _compared_seasons(processes):
            for found in of_season:
                yield from chain.from_iterable(
                    differences for game, differences in found.games.items() if game not in compared
                )
                compared |= found.games.keys()
                progress(f"{found.name}: {len(compared):,} of {total:,} games")
            # That the season's own log cannot be read is found in each part.
            yield from dict.fromkeys(chain.from_iterable(found.sentences for found in of_season))
            if any(found.unreadable for found in of_season):
                unknown.add(of_season[0].pool)
            elif of_season[0].rated and of_season[0].called:
                expected.setdefault(of_season[0].pool, []).append(of_season[0].called)
        others = filter(None, ([game for game in batch if game not in compared] for batch in game_batches()))
        done = len(compared)
        for count, sentences in parallel.in_order(_compare_games, others, processes=processes, snapshot=True):
            yield from sentences
            progress(f"{(done := done + count):,} of {total:,} games")
        expected |= _called_by_casual_games()
        pools = list(RatingPool.objects.order_by("pk"))
        wanted = [(pool.pk, _expected((pool.kind, pool.pool), expected, unknown)) for pool in pools]
        compared_pools = parallel.in_order(_compare_pool, wanted, processes=processes, snapshot=True)
        for pool, sentences in zip(pools, compared_pools, strict=True):
            yield from sentences
            progress(f"rating pool {pool}")
        for (kind, name), of_seasons in expected.items():
            if count := sum(len(each.digests) for each in of_seasons):
                yield f"Rating pool {kind}, {name} is missing; {count} games belong to it."


def _expected(
    pool: PoolName, expected: dict[PoolName, list[CalledEvents]], unknown: set[PoolName]
) -> list[CalledEvents] | None:
    """Take the rating events of a pool, season by season; None if a season of it could not be read."""
    of_seasons = expected.pop(pool, [])
    return None if pool in unknown else of_seasons


def _compared_seasons(processes: int) -> Iterator[list[SeasonFound]]:
    """Yield what was found in each season, by its parts."""
    games: dict[int, int] = dict(
        MatchGame.objects.values_list("match__round__division__season").annotate(Count("pk")).order_by()
    )
    parts = {
        pk: max(1, min(processes, games.get(pk, 0) // PART_GAMES))
        for pk in Season.objects.order_by("pk").values_list("pk", flat=True)
    }
    tasks = [SeasonPart(pk, number, count) for pk, count in parts.items() for number in range(count)]
    found = parallel.in_order(_compare_season, tasks, processes=processes, snapshot=True)
    for count in parts.values():
        yield list(islice(found, count))


def _compare_season(part: SeasonPart) -> SeasonFound:
    season = Season.objects.select_related("stream", "league").get(pk=part.season)
    found = SeasonFound(str(season), (season.kind, season.pool))
    differences = _readable_differences(season, _season_comparison(season, part, found))
    found.unreadable = _collect(differences, found.sentences)
    return found


def _collect(found: Generator[str, None, bool], sentences: list[str]) -> bool:
    """Add what is found to `sentences`; return whether the log cannot be read."""
    while True:
        try:
            sentences.append(next(found))
        except StopIteration as end:
            return bool(end.value)


def _compare_games(ids: Sequence[int]) -> tuple[int, list[str]]:
    return len(ids), [sentence for read in read_games(ids) for sentence in _game_sentences(read, row_differences(read))]


def _game_sentences(read: ReadGame, found: Iterable[Difference]) -> list[str]:
    """Return what is said of a game's rows. `unread_games` counts those whose kind is missing."""
    name = f"Game {read.game.public_id}"
    if read.error and not read.kind_is_missing:
        logger.error("%s can't be computed from its log.", name, exc_info=read.error)
        return [UnreadableLog(f"{name}: its log can't be read ({_cause(read.error)}). Its row stays as it is.")]
    return [f"{name}: {each}" for each in found]


def _compare_pool(wanted: tuple[int, list[CalledEvents] | None]) -> list[str]:
    pk, expected = wanted
    pool = RatingPool.objects.select_related("stream").get(pk=pk)
    return list(_readable_differences(pool, _pool_differences(pool, expected, write=False)))


def _repaired(progress: Progress, processes: int) -> Iterator[str]:
    total, done = Game.objects.count(), 0
    for count, sentences in parallel.in_order(_repair_games, game_batches(), processes=processes):
        yield from sentences
        progress(f"{(done := done + count):,} of {total:,} games")
    seasons = list(Season.objects.order_by("pk").values_list("pk", flat=True))
    repaired = parallel.in_order(_repair_season, seasons, processes=processes)
    for number, sentences in enumerate(repaired, start=1):
        yield from sentences
        progress(f"season {number} of {len(seasons)}")
    pools = list(RatingPool.objects.order_by("pk"))
    for pool, sentences in zip(
        pools, parallel.in_order(_repair_pool, [pool.pk for pool in pools], processes=processes), strict=True
    ):
        yield from sentences
        progress(f"rating pool {pool}")


def _repair_games(ids: Sequence[int]) -> tuple[int, list[str]]:
    with transaction.atomic():
        corrected = corrected_games(ids)
        return len(ids), _noted([sentence for read, found in corrected for sentence in _game_sentences(read, found)])


def _repair_season(pk: int) -> list[str]:
    locked = Season.objects.select_related("stream", "league").select_for_update(no_key=True, of=("self",))
    with transaction.atomic():
        season = locked.filter(pk=pk).first()
        return _noted(list(_readable_differences(season, _row_repairs(season)))) if season else []


def _repair_pool(pk: int) -> list[str]:
    with transaction.atomic():
        pool = RatingPool.objects.select_related("stream").select_for_update(no_key=True, of=("self",)).get(pk=pk)
        return _noted(list(_readable_differences(pool, _pool_differences(pool, None, write=True))))


def _noted(differences: list[str]) -> list[str]:
    """Note, in the transaction that repairs rows, that rendered pages may show them as they were: a rebuild may be
    stopped half-way."""
    if differences:
        note_repair()
    return differences


def _readable_differences(whose: Season | RatingPool, found: Iterator[str]) -> Generator[str, None, bool]:
    """Yield what is `found` in a season or pool, or that its log cannot be read; return whether it cannot."""
    name = f"Rating pool {whose}" if isinstance(whose, RatingPool) else str(whose)
    try:
        with transaction.atomic():
            yield from found
    except DatabaseError:
        raise
    except NotInstalled as error:
        yield NotCompared(f"{name} was left as it is: it can't be read without a package. {error}")
        return True
    except Exception as error:  # a damaged log may raise anything
        logger.exception("%s can't be computed from its log.", name)
        yield UnreadableLog(f"{name}: it can't be computed from its log ({_cause(error)}). Its rows stay as they are.")
        return True
    return False


def _cause(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"


def _row_repairs(season: Season) -> Iterator[str]:
    log = timed_season_log(season)
    yield from _row_differences(season, log, fold_timed(log), write=True)


def _row_differences(season: Season, log: TimedLog, state: SeasonFold, *, write: bool) -> Iterator[str]:
    """Compare or repair all rows of a season."""
    yield from SeasonRows(season, state).differences(write=write)
    yield from audit_log.action_differences(season, log, write=write)


def fold_timed(log: TimedLog, *calls: RatingCalls) -> SeasonFold:
    """Return the state after these events, with their times. `calls` follow each event."""
    state = SeasonFold(())
    for event, at in log:
        for call in calls:
            call.before(event, state)
        state.apply(event, at)
        for call in calls:
            call.after(event, state)
    return state


def _season_comparison(season: Season, part: SeasonPart, found: SeasonFound) -> Iterator[str]:
    """Compare the games of a part of a season, and in its first part also its rows and its log. `found` gets what is
    said of the games' rows, and the rating events that the season calls for."""
    log, calls = timed_season_log(season), RatingCalls()
    state = fold_timed(log, *([] if part.number else [calls]))
    if not part.number:
        yield from _row_differences(season, log, state, write=False)
        yield from _pool_name_differences(season, state)
        yield from _note_differences(season, [event for event, _at in log])
    matches = [
        match for own in state.divisions.values() for past in [*own.rounds, *own.undone] for match in past.matches
    ]
    first, end = (len(matches) * each // part.parts for each in (part.number, part.number + 1))
    for start in range(first, end, MATCH_BATCH_SIZE):
        results = recorded_results(season, state, matches[start : min(end, start + MATCH_BATCH_SIZE)])
        games = {read.game.pk: read for read in read_games([result.game for result in results])}
        found.games |= {game: _game_sentences(read, row_differences(read)) for game, read in games.items()}
        for result in results:
            yield from result_differences(result, games.get(result.game))
    found.pool = (season.kind, state.pool or "")
    found.rated = bool(state.pool and state.settings["terms"]["rated"])
    found.called = _called_events(season.pk, calls.called)


def _pool_name_differences(season: Season, state: SeasonFold) -> Iterator[str]:
    """Compare the rating pool with the entrants, who decide it."""
    if season.competition.by_teams:  # their players change, and a season keeps its pool
        return
    players = Player.objects.filter(pk__in=[pk for own in state.divisions.values() for pk in own.entrants.values()])
    if state.pool is not None and state.pool != (made := rating_pool_name(list(players))):
        yield f"{season}: its log names the rating pool {state.pool}, its entrants make {made}."


def _use_snapshot() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")


def _note_differences(season: Season, events: Iterable[SeasonEvent]) -> Iterator[str]:
    """Compare the reasons that people wrote: a note that was not blanked must have the digest in its event."""
    notes = Note.objects.filter(season=season).exclude(text="").in_bulk()
    for event in events:
        note = notes.get(event.note_id() or 0)
        if note is not None and note.digest != event.details_of()["note"][1]:
            yield f"{season}: the words of note {note.pk} are not those that the log vouches for."


def _pool_differences(pool: RatingPool, expected: list[CalledEvents] | None, write: bool) -> Iterator[str]:
    """Compare a rating pool: its stream with the results of the seasons (unless `expected` is None), and its rows with
    the fold of its stream."""
    events = [elo.read_rating_event(entry.event) for entry in eventlog.read_events(pool.stream_id)]
    if expected is not None:
        yield from _pool_event_differences(pool, [repr(event.stored()) for event in events], expected)
    rated, changes = elo.fold_ratings(events)
    yield from _rating_differences(pool, rated, write)
    yield from _rating_change_differences(pool, changes, write)


def _pool_event_differences(pool: RatingPool, events: list[str], expected: list[CalledEvents]) -> Iterator[str]:
    """Compare the events of a pool with those that follow from closed rounds, or from casual games."""
    caller = "casual game" if pool.pool == CASUAL_POOL else "closed round"
    standing: dict[int, list[int]] = {}
    for position, event in enumerate(events):
        standing.setdefault(_digest(event), []).append(position)
    missing: dict[int | None, Counter[int]] = {}  # season → the digests of events that the pool lacks
    for season, digests in expected:
        order = []
        for digest in digests:
            if standing.get(digest):
                order.append(standing[digest].pop(0) + 1)
            else:
                missing.setdefault(season, Counter())[digest] += 1
        if season is not None and order != sorted(order):
            yield f"Rating pool {pool}: the games of a season are rated out of the order of their rounds: {order}."
    for position in sorted(chain.from_iterable(standing.values())):
        yield f"Rating pool {pool}: the event {events[position]} stands in its log and no {caller} calls for it."
    for event in chain.from_iterable(_events_with(pool, *item) for item in missing.items()):
        yield f"Rating pool {pool}: a {caller} calls for the event {event}; its log lacks it."


def _called_by_casual_games() -> dict[PoolName, list[CalledEvents]]:
    """Return the rating events that the settled casual games of each kind call for."""
    kinds = set(settled_tables().order_by().values_list("kind", flat=True).distinct())
    return {(kind, CASUAL_POOL): [_called_events(None, _casual_events(kind))] for kind in sorted(kinds)}


def _casual_events(kind: str) -> Iterable[elo.RatingEvent]:
    return casual_events(settled_tables().filter(kind=kind).iterator(CASUAL_BATCH_SIZE))


def _called_events(season: int | None, events: Iterable[elo.RatingEvent]) -> CalledEvents:
    return CalledEvents(season, array("Q", [_digest(repr(event.stored())) for event in events]))


def _digest(event: str) -> int:
    return int.from_bytes(hashlib.blake2b(event.encode(), digest_size=8).digest())


def _events_with(pool: RatingPool, season: int | None, digests: Counter[int]) -> Iterator[str]:
    """Yield the events with these digests that a season, or casual games, call for. They are read again, because only a
    pool that is wrong lacks some."""
    calls, left = RatingCalls(), digests.copy()
    if season is not None:
        fold_timed(timed_season_log(Season.objects.select_related("stream").get(pk=season)), calls)
    called_for = _casual_events(pool.kind) if season is None else calls.called
    for event in (repr(called.stored()) for called in called_for):
        if left[_digest(event)]:
            left[_digest(event)] -= 1
            yield event


def _rating_differences(pool: RatingPool, rated: dict[int, elo.PlayerRating], write: bool) -> Iterator[str]:
    shown = {row.player_id: row for row in Rating.objects.filter(pool=pool)}
    different = {}
    for player, should in rated.items():
        row = shown.pop(player, None)
        if row is None or row.games != should.games or not _same_rating(row.rating, should.rating):
            row_text = f"{row.rating:.3f} from {row.games} games" if row else "no rating"
            yield f"Rating pool {pool}: player {player} has {row_text}, not {should.rating:.3f} from {should.games}."
            different[player] = should
    for player in shown:
        yield f"Rating pool {pool}: player {player} has a rating and no rated game."
    if write:
        Rating.objects.filter(pk__in=[row.pk for row in shown.values()]).delete()
        write_ratings(pool, different, [])


def _rating_change_differences(pool: RatingPool, changes: Iterable[elo.RatingStep], write: bool) -> Iterator[str]:
    rows = RatingChange.objects.filter(pool=pool)
    columns = rows.values_list("position", "player", "game", "games", "counted", "before", "after", "pk")
    shown = {(position, player): row for position, player, *row in columns.iterator()}
    different, gone = [], []
    for change in changes:
        row = shown.pop((change.position, change.player), None)
        if row is None or not _matches_change(row, change):
            row_text = f"{row[3]:.3f} → {row[4]:.3f}" if row else "no change"
            yield (
                f"Rating pool {pool}, event {change.position}: player {change.player} has {row_text}, "
                f"not {change.before:.3f} → {change.after:.3f}."
            )
            different.append(change)
            gone += [row[-1]] if row else []
    for position, player in shown:
        yield f"Rating pool {pool}: the change of player {player} at event {position} is in no log."
    if write:
        RatingChange.objects.filter(pk__in=[*gone, *[row[-1] for row in shown.values()]]).delete()
        write_ratings(pool, {}, different)


def _matches_change(row: Sequence[Any], change: elo.RatingStep) -> bool:
    game, games, counted, before, after, _pk = row
    same = (game, games, counted) == (change.game, change.games, change.counted)
    return same and _same_rating(before, change.before) and _same_rating(after, change.after)


def _same_rating(one: float, other: float) -> bool:
    """Return whether two ratings are equal, apart from rounding that differs between machines."""
    return math.isclose(one, other, rel_tol=0, abs_tol=1e-6)
