"""Computes standings and ratings again from the logs, and compares them with the rows that pages show.

Each season and each rating pool is folded from its own stream. The results in a season's stream are compared with the
games' logs, and a pool's events with the results of closed rounds. Rows can be repaired. A log never is: differences
are only reported. A log that cannot be read is reported too, and the others are still compared.
"""

from __future__ import annotations

import logging
import math
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from itertools import chain
from typing import Any

from django.db import DatabaseError, connection, transaction

from games.eventlog import store as eventlog
from games.models import Game, Player, Seat
from scorebook_games.contract import Event
from scorebook_games.gamelog.events import RecordedEvent
from scorebook_games.gamelog.fold import fold_game
from tournaments.activity import audit_log
from tournaments.core.no_shows import no_show_seats
from tournaments.entries.eligibility import rating_pool_name
from tournaments.ratings import elo, official_fit
from tournaments.ratings.elo import RatingEvent
from tournaments.ratings.models import Rating, RatingChange, RatingPool, Strength
from tournaments.ratings.pools import write_ratings
from tournaments.ratings.rated_events import rating_events_of
from tournaments.rulings.models import Dispute
from tournaments.scoring.points import json_number
from tournaments.seasons.events.base import SeasonEvent
from tournaments.seasons.events.rulings import DisputeSettled, MatchDisputed
from tournaments.seasons.fold import DivisionState, MatchState, SeasonFold
from tournaments.seasons.models import Bye, Division, ImportedGame, Match, MatchEntrant, MatchGame, Note, Round, Season
from tournaments.seasons.stream import fold_season, season_log
from tournaments.standings.models import Standing
from tournaments.standings.store import division_standings, match_points, write_standings

Progress = Callable[[str], None]

logger = logging.getLogger(__name__)


class UnreadableLog(str):
    """A sentence about a log that cannot be read."""

    __slots__ = ()


def summary(count: int, unread: int) -> str:
    """Return the summary: the number of differences, and how many of them are logs that cannot be read."""
    if not count:
        return "no differences"
    logs = f"; {unread} {'log' if unread == 1 else 'logs'} can't be read: `verify --all` says where" if unread else ""
    return f"differences: {count}{logs}"


def find_differences(*, write: bool = False, progress: Progress = lambda _: None) -> Iterator[str]:
    """Yield a sentence for every difference between rows and logs; `write` repairs the rows.

    A log that cannot be read gives an `UnreadableLog`, and its rows stay as they are. All of it is one transaction.
    Without `write` it reads a snapshot, and leagues go on; with `write`, leagues wait until it ends.
    """
    with transaction.atomic():
        if not write:
            _use_snapshot()
        seasons = Season.objects.select_related("stream", "league").order_by("pk")
        pools = RatingPool.objects.select_related("stream").order_by("pk")
        if write:
            seasons = seasons.select_for_update(no_key=True, of=("self",))
            pools = pools.select_for_update(no_key=True, of=("self",))
        expected: dict[tuple[str, str], list[list[RatingEvent]]] = {}
        unknown: set[tuple[str, str]] = set()  # pools with a season that could not be read
        listed = list(seasons)
        for done, season in enumerate(listed, start=1):
            unread = yield from _readable_differences(season, _season_and_ratings(season, expected, write, progress))
            if unread:
                unknown.add((season.kind, season.pool))
            progress(f"season {done} of {len(listed)}")
        for pool in pools:
            of_seasons = expected.pop((pool.kind, pool.pool), [])
            known = None if (pool.kind, pool.pool) in unknown else of_seasons
            yield from _readable_differences(pool, _pool_differences(pool, known, write))
            progress(f"rating pool {pool}")
        for (kind, name), of_seasons in expected.items():
            if any(of_seasons):
                yield f"Rating pool {kind}, {name} is missing; {sum(map(len, of_seasons))} games belong to it."


def _readable_differences(whose: Season | RatingPool, found: Iterator[str]) -> Generator[str, None, bool]:
    """Yield what is `found` in a season or pool, or that its log cannot be read; return whether it cannot."""
    name = f"Rating pool {whose}" if isinstance(whose, RatingPool) else str(whose)
    try:
        with transaction.atomic():
            yield from found
    except DatabaseError:
        raise
    except Exception as error:  # a damaged log may raise anything
        logger.exception("%s can't be computed from its log.", name)
        yield UnreadableLog(f"{name}: it can't be computed from its log ({_cause(error)}). Its rows stay as they are.")
        return True
    return False


def _cause(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"


def _season_and_ratings(
    season: Season, expected: dict[tuple[str, str], list[list[RatingEvent]]], write: bool, progress: Progress
) -> Iterator[str]:
    """Yield a season's differences, and add the rating events of its games to `expected`."""
    folded = fold_season(season)
    yield from _season_differences(season, folded, write, progress)
    if folded.pool and folded.settings["terms"]["rated"]:
        expected.setdefault((season.kind, folded.pool), []).append(_rating_events(season))


def _use_snapshot() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")


def _rating_events(season: Season) -> list[RatingEvent]:
    """Return the rating events that follow from the season's closed rounds and later corrections."""
    return rating_events_of(season_log(season))


def _season_differences(season: Season, folded: SeasonFold, write: bool, progress: Progress) -> Iterator[str]:
    yield from _status_differences(season, folded, write)
    yield from _entrant_differences(season, folded, write)
    yield from _note_differences(season)
    yield from _dispute_differences(season, season_log(season))
    yield from audit_log.action_differences(season, write=write)
    for division in season.divisions.all():
        own = folded.division(division.number)
        matches = [match for past in own.rounds for match in past.matches]
        undone = [match for past in own.undone for match in past.matches]
        for done, match in enumerate([*matches, *undone], start=1):
            yield from _result_differences(season, folded, match)
            yield from _imported_result_differences(season, match, write)
            progress(f"{season}: match {done} of {len(matches)}")
        yield from _round_differences(season, division, own, write)
        yield from _match_time_differences(season, division, matches, write)
        yield from _bye_differences(division, own)
        yield from _slot_differences(division, matches)
        yield from _pairing_differences(division, matches)
        yield from _match_point_differences(division, folded, matches, write)
        yield from _standing_differences(season, folded, division, own, write)
        yield from _ruling_differences(season, division, own, write)
        if own.above is None:
            yield from _strength_differences(season, folded, division, own, write)


def _status_differences(season: Season, folded: SeasonFold, write: bool) -> Iterator[str]:
    """Compare the season's own row: status, settings, delay and rating pool. The entrants decide the pool."""
    divisions = folded.divisions.values()
    status = folded.status()
    if season.status != status:
        yield f"{season}: the row says {season.status}, the log {status}."
    agreed = season.rules()
    if agreed.logged() != folded.settings:
        yield f"{season}: the settings of the row are not those of the log."
    if season.delay_seconds != folded.delay:
        yield f"{season}: the row is delayed by {season.delay_seconds} seconds, the log by {folded.delay}."
    if folded.pool is not None:
        players = Player.objects.filter(pk__in=[pk for division in divisions for pk in division.entrants.values()])
        if folded.pool != rating_pool_name(list(players)):
            made = rating_pool_name(list(players))
            yield f"{season}: its log names the rating pool {folded.pool}, its entrants make {made}."
        if season.pool != folded.pool:
            yield f"{season}: the row names the rating pool {season.pool}, the log {folded.pool}."
    if write:
        Season.objects.filter(pk=season.pk).update(status=status, pool=folded.pool or "", delay_seconds=folded.delay)


def _entrant_differences(season: Season, folded: SeasonFold, write: bool) -> Iterator[str]:
    """Compare the entrants: players, divisions, status, away rounds and check-ins."""
    rows = {row.number: row for row in season.entries.select_related("division")}
    for one in sorted(set(rows) ^ set(folded.entrants)):
        yield f"{season}: entrant {one} is in the {'rows' if one in rows else 'log'} only."
    divisions = {division.number: division for division in season.divisions.all()}
    for one, logged in folded.entrants.items():
        row = rows.get(one)
        if row is None:
            continue
        has = (row.player_id, row.status, row.division.number, row.since, tuple(row.away), bool(row.checked_in_at))
        should = (logged.player, logged.status, logged.division, logged.since, logged.away, logged.checked_in)
        if has != should:
            yield f"{season}: entrant {one} is {has} in the row, {should} in the log."
            if write and logged.division in divisions:
                row.status, row.division, row.since = logged.status, divisions[logged.division], logged.since
                row.away = list(logged.away)
                row.save()


def _note_differences(season: Season) -> Iterator[str]:
    """Compare the reasons that people wrote: a note that was not blanked must have the digest in its event."""
    notes = Note.objects.filter(season=season).exclude(text="").in_bulk()
    for event in season_log(season):
        note = notes.get(event.note_id() or 0)
        if note is not None and note.digest != event.details_of()["note"][1]:
            yield f"{season}: the words of note {note.pk} are not those that the log vouches for."


# Long because every comparison of a result uses the same rows and logs.
def _result_differences(season: Season, folded: SeasonFold, match: MatchState) -> Iterator[str]:
    """Compare the results of a match in the season's log with the games' own logs, and the players of each seat."""
    wanted = [record["game"] for _, record in match.logged]
    games = {game.pk: game for game in Game.objects.filter(pk__in=wanted).select_related("stream")}
    logs = _logs_of([game.stream_id for game in games.values()])
    seated = _players_by_seat(wanted)
    for played, record in match.logged:
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
        except Exception as error:  # a damaged log may raise anything
            yield UnreadableLog(f"{where}: its own log can't be read ({_cause(error)}).")
            continue
        for name in recorded:
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


def _imported_result_differences(season: Season, match: MatchState, write: bool) -> Iterator[str]:
    """Compare the imported results of a match: rows and season's log."""
    if not match.imported:
        return
    logged = {(number, result["replay"]): (ruling, result) for number, ruling, result in match.imported}
    rows = {(row.number, row.replay): row for row in ImportedGame.objects.filter(match=match.id)}
    for played in sorted(logged.keys() | rows.keys()):
        row = rows.get(played)
        has = row and (row.ruling, row.result)
        if has == logged.get(played):
            continue
        yield f"{season}, match {match.id}, imported game {played[0]}: row and log differ."
        if write and row is not None and played not in logged:
            row.delete()
        elif write:
            ruling, result = logged[played]
            ImportedGame.objects.update_or_create(
                match_id=match.id, number=played[0], replay=played[1], defaults={"ruling": ruling, "result": result}
            )


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


def _round_differences(season: Season, division: Division, own: DivisionState, write: bool) -> Iterator[str]:
    """Compare the rounds: which there are, and their status and ends."""
    rows = {row.number: row for row in division.rounds.all()}
    logged = {past.number: past for past in own.rounds}
    for missing in sorted(set(rows) ^ set(logged)):
        yield f"{season}: round {missing} is in the {'rows' if missing in rows else 'log'} only."
    for played, past in logged.items():
        status = Round.Status.CLOSED if past.closed else Round.Status.OPEN
        row = rows.get(played)
        if row is None:
            continue
        if row.status != status:
            yield f"{season}: round {played} is {row.status} in its row, {status} in the log."
        closes = int(row.closes_at.timestamp()) if row.closes_at else None
        if closes != past.closes:
            yield f"{season}: the time of round {played} is up at {closes} in its row, {past.closes} in the log."
        if (row.overdue_at is None) != (past.overdue is None):
            yield f"{season}: row and log differ about whether round {played} was not over in its time."
        if write and (row.status, closes) != (status, past.closes):
            until = datetime.fromtimestamp(past.closes, UTC) if past.closes is not None else None
            Round.objects.filter(pk=row.pk).update(status=status, closes_at=until)


def _match_time_differences(
    season: Season, division: Division, matches: Iterable[MatchState], write: bool
) -> Iterator[str]:
    """Compare the times of matches. Only a match without games may wait to be opened."""
    logged = {match.id: match for match in matches}
    for row in Match.objects.filter(round__division=division):
        match = logged.get(row.pk)
        has = int(row.begins_at.timestamp()) if row.begins_at else None
        if match is None:
            continue
        opened = bool(match.games or match.imported)
        if (has, row.opens_at is None) == (match.begins, opened):
            continue
        yield f"{season}: match {row.pk} begins at {has} in its row, {match.begins} in the log, or waits for no reason."
        if write:
            begins = datetime.fromtimestamp(match.begins, UTC) if match.begins is not None else None
            opens = (row.opens_at or begins) if not opened else None
            Match.objects.filter(pk=row.pk).update(begins_at=begins, opens_at=opens)


def _bye_differences(division: Division, own: DivisionState) -> Iterator[str]:
    """Compare the byes: who had no match in a round, and of what kind."""
    rows = Bye.objects.filter(round__division=division).exclude(round__status=Round.Status.UNDONE)
    has = set(rows.values_list("round__number", "entrant__number", "kind", "missing__number"))
    should = {
        (past.number, entrant, kind, missing)
        for past in own.rounds
        for kind, rests in (
            ("bye", dict.fromkeys(past.byes)),
            ("away", dict.fromkeys(past.away)),
            ("walkover", past.walkovers),
        )
        for entrant, missing in rests.items()
    }
    for played, entrant, kind, _missing in sorted(has ^ should, key=str):
        where = "rows" if (played, entrant, kind, _missing) in has else "log"
        yield f"{division.season}, round {played}: that entrant {entrant} has none ({kind}) is in the {where} only."


def _slot_differences(division: Division, matches: Iterable[MatchState]) -> Iterator[str]:
    """Compare the matches' places in a bracket."""
    slots = dict(Match.objects.filter(round__division=division).values_list("pk", "slot"))
    for match in matches:
        has = slots.get(match.id)
        if has != match.slot:
            yield f"{division.season}, match {match.id}: the row stands at {has}, the log at {match.slot}."


def _pairing_differences(division: Division, matches: Sequence[MatchState]) -> Iterator[str]:
    """Compare the entrants of each match, in the order of the first game's seats, and the games played in it."""
    sides: dict[int, list[int]] = {}
    rows = MatchEntrant.objects.filter(match__round__division=division).order_by("order")
    for pk, entrant in rows.values_list("match", "entrant__number"):
        sides.setdefault(pk, []).append(entrant)
    for match in matches:
        if sides.get(match.id) != list(match.entrants):
            text = f"the rows have the entrants {sides.get(match.id)}, the log {list(match.entrants)}."
            yield f"{division.season}, match {match.id}: {text}"
    of_rows = MatchGame.objects.filter(match__in=[match.id for match in matches]).order_by("replay")
    last = {(match, played): game for match, played, game in of_rows.values_list("match", "number", "game")}
    told_games = {(match.id, played): game for match in matches for played, game in match.games.items()}
    for (match_id, played), game in sorted(last.items() ^ told_games.items()):
        where = "rows" if last.get((match_id, played)) == game else "log"
        yield f"{division.season}, match {match_id}: that its game {played} is game {game} is in the {where} only."


def _match_point_differences(
    division: Division, folded: SeasonFold, matches: Iterable[MatchState], write: bool
) -> Iterator[str]:
    points = folded.points()
    wanted = {
        (match.id, entrant): json_number(worth)
        for match in matches
        for entrant, worth in match_points(points, match).items()
    }
    rows = MatchEntrant.objects.filter(match__round__division=division).select_related("entrant")
    wrong = []
    for row in rows:
        should = wanted.get((row.match_id, row.entrant.number))
        if row.points != should:
            text = f"entrant {row.entrant.number} has {row.points} points, not {should}."
            yield f"{division.season}, match {row.match_id}: {text}"
            row.points = should
            wrong.append(row)
    if write:
        MatchEntrant.objects.bulk_update(wrong, ["points"])


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


def _ruling_differences(season: Season, division: Division, own: DivisionState, write: bool) -> Iterator[str]:
    """Compare the rulings on games, and whether the division is on hold."""
    if division.on_hold != own.on_hold:
        yield f"{season}: row and log differ about whether {division} waits for a word to be paired anew."
        if write:
            Division.objects.filter(pk=division.pk).update(on_hold=own.on_hold)
    wanted = {
        game: (match, number) for past in own.rounds for match in past.matches for number, game in match.games.items()
    }
    rows = MatchGame.objects.filter(match__round__division=division).exclude(match__round__status=Round.Status.UNDONE)
    for row in rows.select_related("game"):
        ruling, result = _expected_ruling(row, *wanted.get(row.game_id, (None, 0)))
        if (row.ruling, row.result) != (ruling, result):
            yield f"{season}, match {row.match_id}, game {row.number}: the row says {row.ruling!r}, the log {ruling!r}."
            if write:
                MatchGame.objects.filter(pk=row.pk).update(ruling=ruling, result=result)


def _expected_ruling(row: MatchGame, match: MatchState | None, number: int) -> tuple[str, dict[str, Any] | None]:
    """Return the ruling and result that a game's row should have; `match` is None for a game that was replaced."""
    if match is None:
        aborted = row.game.status == Game.Status.ABORTED
        return (row.ruling if aborted else MatchGame.Ruling.REPLACED), None
    if number in match.annulled:
        return MatchGame.Ruling.ANNULLED, None
    record = match.records.get(number, {})
    if record.get("adjudicated"):
        return MatchGame.Ruling.ADJUDICATED, {name: record[name] for name in ("scores", "placings")}
    return MatchGame.Ruling.NONE, None


def _dispute_differences(season: Season, events: Iterable[SeasonEvent]) -> Iterator[str]:
    """Compare the disputes and their answers."""
    disputed: dict[tuple[int, int], str] = {}
    for event in events:
        if isinstance(event, MatchDisputed):
            disputed[event.match, event.entrant] = "open"
        elif isinstance(event, DisputeSettled):
            disputed[event.match, event.entrant] = event.how
    rows = Dispute.objects.filter(match__round__division__season=season).order_by("pk")
    logged = {
        (match, entrant): status for match, entrant, status in rows.values_list("match", "entrant__number", "status")
    }
    for match, entrant in sorted(logged.items() ^ disputed.items()):
        yield f"{season}: row and log differ about the dispute {match}: {entrant}."
