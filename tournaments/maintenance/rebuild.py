"""Makes the rows of games, seasons and rating pools again from their logs, or compares them.

`tournaments.seasons.projection` says what the rows of a season are; standings, official tables and ratings come from
the functions that also write them when a round closes. A comparison also holds the logs against one another: the
results in a season's stream against the games' own logs, and a pool's events against the results of closed rounds. A
log is never repaired. One that cannot be read is reported, and the others are still done.
"""

from __future__ import annotations

import logging
import math
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from datetime import datetime
from itertools import chain
from typing import Any

from django.db import DatabaseError, connection, transaction

from games.common.table_changes import note_repair
from games.eventlog import store as eventlog
from games.models import Game, Player, Seat
from games.play.game_rows import stored_differences, unread_games
from scorebook_games.contract import Event
from scorebook_games.gamelog.events import RecordedEvent
from scorebook_games.gamelog.fold import fold_game
from scorebook_games.registry import UnknownKind
from tournaments.activity import audit_log
from tournaments.core.no_shows import no_show_seats
from tournaments.entries.eligibility import rating_pool_name
from tournaments.ratings import elo, official_fit
from tournaments.ratings.elo import RatingEvent
from tournaments.ratings.models import Rating, RatingChange, RatingPool, Strength
from tournaments.ratings.pools import write_ratings
from tournaments.ratings.rated_events import RatingCalls
from tournaments.scoring.points import json_number
from tournaments.seasons.aggregate import Follower
from tournaments.seasons.events.base import SeasonEvent
from tournaments.seasons.fold import DivisionState, MatchState, SeasonFold
from tournaments.seasons.models import Division, Note, Season
from tournaments.seasons.pairing import division_standings
from tournaments.seasons.row_writer import SeasonRows
from tournaments.seasons.stream import timed_season_log
from tournaments.standings.models import Standing
from tournaments.standings.store import write_standings

MATCH_BATCH_SIZE = 50  # how many matches' logs are read at once
Progress = Callable[[str], None]
TimedLog = Sequence[tuple[SeasonEvent, datetime]]

logger = logging.getLogger(__name__)


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


def find_differences(*, write: bool = False, progress: Progress = lambda _: None) -> Iterator[str]:
    """Yield a sentence for every difference between rows and logs, or between logs; with `write`, repair the rows, and
    compare no logs.

    Logs of kinds that are not loaded give a `NotCompared`. One that cannot be read gives an `UnreadableLog`, and its
    rows stay as they are. Without `write` all is one snapshot, and leagues go on. With `write` some games, each season
    and each pool are a transaction of their own. Only these wait meanwhile, and no page sees them half.
    """
    for why, games in unread_games().items():
        which = "Left as it is: 1 game, which" if games == 1 else f"Left as they are: {games} games, which"
        yield NotCompared(f"{which} can't be read without the package of its kind. {why}")
    yield from _repaired(progress) if write else _compared(progress)
    if write:
        note_repair()  # rendered pages may show the rows as they were


def _compared(progress: Progress) -> Iterator[str]:
    expected: dict[tuple[str, str], list[list[RatingEvent]]] = {}
    unknown: set[tuple[str, str]] = set()  # pools with a season that could not be read
    with transaction.atomic():
        _use_snapshot()
        yield from stored_differences(write=False, progress=progress, unreadable=_unreadable_game)
        seasons = list(Season.objects.select_related("stream", "league").order_by("pk"))
        for done, season in enumerate(seasons, start=1):
            if (yield from _readable_differences(season, _season_comparison(season, expected, progress))):
                unknown.add((season.kind, season.pool))
            progress(f"season {done} of {len(seasons)}")
        for pool in RatingPool.objects.select_related("stream").order_by("pk"):
            of_seasons = expected.pop((pool.kind, pool.pool), [])
            known = None if (pool.kind, pool.pool) in unknown else of_seasons
            yield from _readable_differences(pool, _pool_differences(pool, known, write=False))
            progress(f"rating pool {pool}")
        for (kind, name), of_seasons in expected.items():
            if any(of_seasons):
                yield f"Rating pool {kind}, {name} is missing; {sum(map(len, of_seasons))} games belong to it."


def _repaired(progress: Progress) -> Iterator[str]:
    yield from stored_differences(write=True, progress=progress, unreadable=_unreadable_game)
    seasons = list(Season.objects.order_by("pk").values_list("pk", flat=True))
    for done, pk in enumerate(seasons, start=1):
        locked = Season.objects.select_related("stream", "league").select_for_update(no_key=True, of=("self",))
        with transaction.atomic():
            if (season := locked.filter(pk=pk).first()) is not None:
                yield from _readable_differences(season, _row_repairs(season))
        progress(f"season {done} of {len(seasons)}")
    for pk in RatingPool.objects.order_by("pk").values_list("pk", flat=True):
        with transaction.atomic():
            pool = RatingPool.objects.select_related("stream").select_for_update(no_key=True, of=("self",)).get(pk=pk)
            yield from _readable_differences(pool, _pool_differences(pool, None, write=True))
        progress(f"rating pool {pool}")


def _readable_differences(whose: Season | RatingPool, found: Iterator[str]) -> Generator[str, None, bool]:
    """Yield what is `found` in a season or pool, or that its log cannot be read; return whether it cannot."""
    name = f"Rating pool {whose}" if isinstance(whose, RatingPool) else str(whose)
    try:
        with transaction.atomic():
            yield from found
    except DatabaseError:
        raise
    except UnknownKind as error:
        yield NotCompared(f"{name} was left as it is: it can't be read without the package of its kind. {error}")
        return True
    except Exception as error:  # a damaged log may raise anything
        logger.exception("%s can't be computed from its log.", name)
        yield UnreadableLog(f"{name}: it can't be computed from its log ({_cause(error)}). Its rows stay as they are.")
        return True
    return False


def _unreadable_game(game: Game, error: Exception) -> UnreadableLog:
    logger.error("Game %s can't be computed from its log.", game.public_id, exc_info=error)
    return UnreadableLog(f"Game {game.public_id}: its log can't be read ({_cause(error)}). Its row stays as it is.")


def _cause(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"


def _row_repairs(season: Season) -> Iterator[str]:
    log = timed_season_log(season)
    yield from _row_differences(season, log, fold_timed(log), write=True)


def _row_differences(season: Season, log: TimedLog, state: SeasonFold, *, write: bool) -> Iterator[str]:
    """Compare or repair all rows of a season."""
    yield from SeasonRows(season, state).differences(write=write)
    for division in season.divisions.all():
        own = state.division(division.number)
        yield from _standing_differences(season, state, division, own, write)
        if own.above is None:
            yield from _strength_differences(season, state, division, own, write)
    yield from audit_log.action_differences(season, log, write=write)


def fold_timed(log: TimedLog, *followers: Follower) -> SeasonFold:
    """Return the state after these events, with their times. `followers` are called after each event."""
    state = SeasonFold(())
    for event, at in log:
        state.apply(event, at)
        for follower in followers:
            follower(event, state)
    return state


def _season_comparison(
    season: Season, expected: dict[tuple[str, str], list[list[RatingEvent]]], progress: Progress
) -> Iterator[str]:
    """Compare a season's rows and its log, and add the rating events of its games to `expected`."""
    log, calls = timed_season_log(season), RatingCalls()
    state = fold_timed(log, calls.follow)
    yield from _row_differences(season, log, state, write=False)
    yield from _pool_name_differences(season, state)
    yield from _note_differences(season, [event for event, _at in log])
    matches = [
        match for own in state.divisions.values() for past in [*own.rounds, *own.undone] for match in past.matches
    ]
    for first in range(0, len(matches), MATCH_BATCH_SIZE):
        batch = matches[first : first + MATCH_BATCH_SIZE]
        yield from _result_differences(season, state, batch)
        progress(f"{season}: match {first + len(batch)} of {len(matches)}")
    if state.pool and state.settings["terms"]["rated"]:
        expected.setdefault((season.kind, state.pool), []).append(calls.after(0))


def _pool_name_differences(season: Season, state: SeasonFold) -> Iterator[str]:
    """Compare the rating pool with the entrants, who decide it."""
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


# Long because every comparison of a result uses the same rows and logs.
def _result_differences(season: Season, folded: SeasonFold, matches: Sequence[MatchState]) -> Iterator[str]:
    """Compare the results of matches in the season's log with the games' own logs, and the players of each seat."""
    results = [(match, played, record) for match in matches for played, record in match.logged]
    wanted = [record["game"] for _match, _played, record in results]
    games = {game.pk: game for game in Game.objects.filter(pk__in=wanted).select_related("stream")}
    logs = _logs_of([game.stream_id for game in games.values()])
    seated = _players_by_seat(wanted)
    for match, played, record in results:
        game = games.get(record["game"])
        where = f"{season}, match {match.id}, game {played}"
        if game is None:
            yield f"{where}: the season's log names game {record['game']}, and there is none."
            continue
        where = f"{where} ({game.public_id})"
        names = ("head", "termination", "scores", "placings", "left", "absent", "deal")
        recorded = {name: record[name] for name in names if name in record}
        try:
            events = [entry.event for entry in logs(game.stream_id)]
            found = _result_from_log(game, events)
        except UnknownKind:  # what was recorded of its chain can still be compared
            found = {"head": bytes(game.stream.head).hex()}
        except Exception as error:  # a damaged log may raise anything
            yield f"{where}: its own log can't be read ({_cause(error)})."
            continue
        for name in [name for name in recorded if name in found]:
            if recorded[name] != found[name]:
                yield f"{where}: the season's log has the {name} {recorded[name]}, the game's own {found[name]}."
        players = [folded.entrants[entrant].player if entrant else None for entrant in record["seats"]]
        logged = events[0][1].get("players") or seated[game.pk]  # older logs name no players
        for source, has in (("the game's own log", logged), ("the rows", seated[game.pk])):
            if [player and one for player, one in zip(players, has, strict=False)] != players:
                yield f"{where}: by the season's log the players {players} sat in its seats, by {source} {has}."


def _logs_of(streams: Sequence[int]) -> Callable[[int], list[RecordedEvent]]:
    """Return a function that gives a stream's events. The streams are read at once, unless one of them cannot be
    read."""
    try:
        return eventlog.read_streams(streams).__getitem__
    except ValueError:
        return eventlog.read_events


def _players_by_seat(games: Iterable[int]) -> dict[int, list[int]]:
    """Return game → the players of its seats, as the rows say."""
    seated: dict[int, list[int]] = {game: [] for game in games}
    for game, player in Seat.objects.filter(game__in=seated).order_by("seat").values_list("game", "player"):
        seated[game].append(player)
    return seated


def _result_from_log(game: Game, events: Sequence[Event]) -> dict[str, Any]:
    """Return a game's result according to the events of its own log."""
    folded = fold_game(events)
    outcome = folded.outcome()
    return {
        "head": bytes(game.stream.head).hex(),
        "termination": outcome.termination if outcome else None,
        "scores": list(outcome.scores) if outcome else None,
        "placings": list(outcome.placings) if outcome else None,
        "left": sorted(folded.left),
        "absent": no_show_seats(events),
        "deal": game.deal_id,
    }


def _standing_differences(
    season: Season, folded: SeasonFold, division: Division, own: DivisionState, write: bool
) -> Iterator[str]:
    """Compare the rows of a division's standings; there are none before its first round is closed."""
    shown = {row.entrant.number: row for row in _standing_rows(division)}
    wanted = division_standings(folded, own)
    wrong = False
    for position, row in enumerate(wanted, start=1):
        has = shown.pop(row.entrant, None)
        should = (row.place, json_number(row.points), row.plain())
        if has is None or (has.place, has.points, has.row) != should:
            row_text = "no row" if has is None else f"place {has.place} with {has.points}"
            also = " and other sums" if has and (has.place, has.points) == should[:2] else ""
            yield (
                f"{season}: entrant {row.entrant} has {row_text}{also} in the standings, not place {row.place} "
                f"with {should[1]}."
            )
            wrong = True
        elif (has.division_id, has.position) != (division.pk, position):
            row_text = f"entrant {row.entrant} is row {has.position} of the standings, not {position} of {division}."
            yield f"{season}: {row_text}"
            wrong = True
    for entrant in shown:
        yield f"{season}: entrant {entrant} stands in the standings before a round was closed."
    if write:
        Standing.objects.filter(pk__in=[row.pk for row in shown.values()]).delete()
        if wrong:
            write_standings(division, wanted)


def _strength_differences(
    season: Season, folded: SeasonFold, division: Division, own: DivisionState, write: bool
) -> Iterator[str]:
    """Compare the official table of a division of bots."""
    rows = {
        row.entrant.number: row for row in Strength.objects.filter(entrant__division=division).select_related("entrant")
    }
    wanted = official_fit.fit_strengths(folded, own)
    wrong = False
    for entrant, should in wanted.items():
        has = rows.pop(entrant, None)
        if has is None or not _same_strength(has, should):
            wrong = True
            row_text = f"{has.rating:.3f} ± {has.half:.3f} in place {has.place}" if has else "no row"
            yield (
                f"{season}: entrant {entrant} has {row_text} in the official table, not {should.rating:.3f} ± "
                f"{should.half:.3f} in place {should.place}."
            )
    for entrant in rows:
        yield f"{season}: entrant {entrant} stands in the official table and does not belong there."
    if write and (wrong or rows):
        official_fit.write_strengths(division, folded)


def _same_strength(has: Strength, should: Strength) -> bool:
    names = ("place", "low", "high", "games", "won", "lost", "connected")
    same = all(getattr(has, name) == getattr(should, name) for name in names)
    figures = [(has.rating, should.rating), (has.half, should.half)]
    figures += [
        (a, b)
        for mine, theirs in zip(has.chances, should.chances, strict=False)
        for a, b in zip(mine, theirs, strict=True)
    ]
    return same and len(has.chances) == len(should.chances) and all(_nearly_equal(a, b) for a, b in figures)


def _standing_rows(division: Division) -> Iterable[Standing]:
    return Standing.objects.filter(entrant__division=division).select_related("entrant")


def _pool_differences(pool: RatingPool, expected: list[list[RatingEvent]] | None, write: bool) -> Iterator[str]:
    """Compare a rating pool: its stream with the results of the seasons (unless `expected` is None), and its rows with
    the fold of its stream."""
    events = [elo.read_rating_event(entry.event) for entry in eventlog.read_events(pool.stream_id)]
    if expected is not None:
        yield from _pool_event_differences(pool, events, expected)
    rated, changes = elo.fold_ratings(events)
    yield from _rating_differences(pool, rated, write)
    yield from _rating_change_differences(pool, changes, write)


def _pool_event_differences(
    pool: RatingPool, events: list[RatingEvent], expected: list[list[RatingEvent]]
) -> Iterator[str]:
    """Compare the events of a pool with those that follow from closed rounds."""
    has, should = (Counter(repr(event.stored()) for event in some) for some in (events, chain(*expected)))
    for event in (has - should).elements():
        yield f"Rating pool {pool}: the event {event} stands in its log and no closed round calls for it."
    for event in (should - has).elements():
        yield f"Rating pool {pool}: a closed round calls for the event {event}; its log lacks it."
    standing: dict[str, list[int]] = {}
    for position, each in enumerate(events, start=1):
        standing.setdefault(repr(each.stored()), []).append(position)
    for of_season in expected:
        order = [standing[key].pop(0) for each in of_season if standing.get(key := repr(each.stored()))]
        if order != sorted(order):
            yield f"Rating pool {pool}: the games of a season are rated out of the order of their rounds: {order}."


def _rating_differences(pool: RatingPool, rated: dict[int, elo.PlayerRating], write: bool) -> Iterator[str]:
    shown = {row.player_id: row for row in Rating.objects.filter(pool=pool)}
    wrong = {}
    for player, should in rated.items():
        row = shown.pop(player, None)
        if row is None or row.games != should.games or not _same_rating(row.rating, should.rating):
            row_text = f"{row.rating:.3f} from {row.games} games" if row else "no rating"
            yield f"Rating pool {pool}: player {player} has {row_text}, not {should.rating:.3f} from {should.games}."
            wrong[player] = should
    for player in shown:
        yield f"Rating pool {pool}: player {player} has a rating and no rated game."
    if write:
        Rating.objects.filter(pk__in=[row.pk for row in shown.values()]).delete()
        write_ratings(pool, wrong, [])


def _rating_change_differences(pool: RatingPool, changes: Iterable[elo.RatingStep], write: bool) -> Iterator[str]:
    shown = {(row.position, row.player_id): row for row in RatingChange.objects.filter(pool=pool)}
    wrong, gone = [], []
    for change in changes:
        row = shown.pop((change.position, change.player), None)
        if row is None or not _matches_change(row, change):
            row_text = f"{row.before:.3f} → {row.after:.3f}" if row else "no change"
            yield (
                f"Rating pool {pool}, event {change.position}: player {change.player} has {row_text}, "
                f"not {change.before:.3f} → {change.after:.3f}."
            )
            wrong.append(change)
            gone += [row.pk] if row else []
    for position, player in shown:
        yield f"Rating pool {pool}: the change of player {player} at event {position} is in no log."
    if write:
        RatingChange.objects.filter(pk__in=[*gone, *[row.pk for row in shown.values()]]).delete()
        write_ratings(pool, {}, wrong)


def _matches_change(row: RatingChange, change: elo.RatingStep) -> bool:
    same = (row.game_id, row.games, row.counted) == (change.game, change.games, change.counted)
    return same and _same_rating(row.before, change.before) and _same_rating(row.after, change.after)


def _same_rating(one: float, other: float) -> bool:
    """Return whether two ratings are equal, apart from rounding that differs between machines."""
    return math.isclose(one, other, rel_tol=0, abs_tol=1e-6)


def _nearly_equal(one: float, other: float) -> bool:
    """Return whether two figures are equal that were computed by approximation."""
    return math.isclose(one, other, rel_tol=0, abs_tol=1e-4)
