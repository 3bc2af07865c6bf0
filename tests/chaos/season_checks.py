"""Checks of a simulated season, and the report on it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import datetime

from games.common.models import Incident
from games.models import Game, Player
from games.play.game_rows import game_batches
from replays.export.verification import check_games, check_stream, other_stream_ids
from scorebook_games.contract import Event
from tournaments.activity import describe
from tournaments.maintenance.rebuild import find_differences
from tournaments.season_pages import overview
from tournaments.seasons.models import Division, Entrant, Match, MatchGame, Round, Season
from tournaments.seasons.stream import fold_season, season_log
from tournaments.standings.models import Standing

WEEKLY = ("Recorded.", "Agreed.", "Closed.", "Paired.", "Opened.")  # titles of events in every round


def faults(*seasons: Season) -> Iterator[str]:
    """Yield everything that is wrong, in sentences, including incidents."""
    yield from harm(*seasons)
    for incident in Incident.objects.exclude(sentences__0__0="game_aborted"):
        yield f"Incident: {incident.sentence}"


def harm(*seasons: Season) -> Iterator[str]:
    """Yield what is wrong with rows and logs, which no trouble may cause."""
    yield from find_differences()
    for season in seasons:
        yield from stuck(season)
        yield from not_once(season)
    for pks in game_batches():
        yield from (f"game {public_id}: {fault}" for public_id, check in check_games(pks) for fault in check.faults)
    for pk, subject in other_stream_ids():
        yield from (f"{subject} stream {pk}: {fault}" for fault in check_stream(pk))


def stuck(season: Season) -> Iterator[str]:
    """Yield what was begun in a finished season and has not ended."""
    own = MatchGame.objects.filter(match__round__division__season=season)
    for one in own.filter(game__status=Game.Status.PLAYING):
        yield f"Game {one.game.public_id} of a finished season is still running."
    for one in own.filter(recorded_at=None):
        yield f"Game {one.game.public_id} of a finished season was never recorded."
    for match in Match.objects.filter(round__division__season=season, opens_at__isnull=False):
        yield f"{match} has not been opened."
    for round in Round.objects.filter(division__season=season, status=Round.Status.OPEN):
        yield f"{round} is still open."
    for division in Division.objects.filter(season=season, finished_at=None):
        yield f"{division} is not finished."


def not_once(season: Season) -> Iterator[str]:
    """Yield games whose result is in the stream twice, or is missing without a ruling."""
    found = Counter(event[3]["game"] for event in stored_log(season) if event[0] == "game_recorded")
    for game, times in found.items():
        if times > 1:
            yield f"Game {game} was recorded {times} times."
    own = MatchGame.objects.filter(match__round__division__season=season, game__status=Game.Status.FINISHED)
    for one in own.exclude(match__round__status=Round.Status.UNDONE).filter(ruling=MatchGame.Ruling.NONE):
        if one.game_id not in found:
            yield f"Game {one.game.public_id} is over, but its result is not recorded."


def stored_log(season: Season) -> list[Event]:
    return [event.stored() for event in season_log(season)]


def trouble_counts(season: Season) -> dict[str, int]:
    """Return how often each trouble is in the season's stream."""
    counted: Counter[str] = Counter()
    started = False
    for event in stored_log(season):
        counted[named(event, started)] += 1
        if event[0] == "round_paired":
            counted.update(f"round without a match: {rest[2]}" for rest in event[4])
            started = True
        if event[0] == "game_recorded" and event[3]["absent"]:
            counted["game with a no-show"] += 1
    return dict(sorted((name, times) for name, times in counted.items() if name))


def named(event: Event, started: bool) -> str:
    """Return the trouble of an event in words, or ""."""
    match event:
        case ["entrant_listed", _, _, str(state)]:
            return f"listed: {state}"
        case ["entrant_joined", *_] if started:
            return "entered late, or from the list of alternates"
        case ["entrant_left", _, dict(left)]:
            return f"left before it played: {left['why']}"
        case ["entrant_withdrawn", _, dict(gone)]:
            when = "before half, void" if 2 * gone["played"] < gone["of"] else "after half, the rest forfeited"
            return f"withdrawn ({gone['why']}) {when}" if gone["of"] else f"withdrawn ({gone['why']}), results stand"
        case ["match_appointed", _, _, str(how)]:
            return f"time of a match: {how}"
        case ["dispute_settled", _, _, str(how), _]:
            return f"dispute {how}"
        case [str(kind), *_] if kind in PLAIN:
            return kind.replace("_", " ")
    return ""


PLAIN = {
    *(
        "entrant_checked_in",
        "entrant_away",
        "season_paused",
        "season_resumed",
        "round_extended",
        "round_overdue",
        "match_disputed",
        "game_adjudicated",
        "game_annulled",
    ),
    *(
        "game_ordered",
        "round_undone",
        "pairing_released",
        "match_nudged",
        "playoff_opened",
        "entrants_moved",
        "points_carried",
        "entrants_placed",
        "game_replayed",
    ),
}


# the report


def timeline(season: Season) -> Iterator[str]:
    """Yield what happened in a season, in order, without the events of every week."""
    days: list[tuple[datetime, list[describe.TimelineEntry]]] = []
    before = ""
    while before != "0":
        sheet = overview.timeline_page(season, before)
        days += sheet.days
        before = str(sheet.earlier)
    lines = [line for _day, found in reversed(days) for line in reversed(found)]
    for line in lines:
        if line.what not in WEEKLY:
            text = "".join(part.name if isinstance(part, Player) else str(part) for part in line.text)
            yield f"{line.at:%a %d %b %H:%M}  {line.what} {text}"


def table_of(season: Season) -> Iterator[str]:
    """Yield the standings: the first three and the last of each division."""
    folded = fold_season(season)
    for division in season.divisions.order_by("number"):
        rows = list(Standing.objects.filter(entrant__division=division).select_related("entrant__player"))
        rows.sort(key=lambda row: (row.place, row.entrant.number))
        yield f"{division.name}: {len(rows)} entrants, {division.rounds_opened} rounds"
        for row in [*rows[:3], *rows[-1:]]:
            to = folded.moved.get(row.entrant.number)
            goes = f" → division {to}" if to else ""
            yield f"  {row.place:3}. {row.entrant.player.name:20} {row.points:6.1f}{goes}"


def placed(season: Season) -> list[str]:
    """Return the number of players in each division."""
    return [
        f"{season.entries.filter(division=division, status=Entrant.Status.IN).count()} in {division.name}"
        for division in season.divisions.order_by("number")
    ]
