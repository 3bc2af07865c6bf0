"""Calendar entries, kept up to date with their seasons.

A season's stream grows with everything that can move an entry, so an entry is right if it was made at the stream's
present version. Outdated entries are updated before a calendar is shown, and by the beat. A changed entry keeps its
`uid`, and its `sequence` and `modified` increase (RFC 5545, 3.8.7). A cancelled entry stays, with that status.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from typing import Any, Final
from uuid import NAMESPACE_OID, UUID, uuid5
from zoneinfo import ZoneInfo

from django.db import transaction
from django.db.models import Exists, F, OuterRef, Prefetch, QuerySet

from games.common import clock
from tournaments.calendar.models import CalendarEntry, CalendarState
from tournaments.calendar.timetable import check_in_time, is_by_agreement, planned_at, rounds_to_come, season_calendar
from tournaments.formats import FORMATS
from tournaments.seasons.models import Entrant, Match, MatchEntrant, Round, Season, TeamMember

WITHDRAWN: Final = Entrant.Status.WITHDRAWN
ROUND_ENTRY, MATCH_ENTRY, DEADLINE_ENTRY, ABSENCE_ENTRY = "round", "match", "deadline", "absence"
OF_PERSONS: Final = (DEADLINE_ENTRY, ABSENCE_ENTRY)  # entries that only their own player's calendar shows
GAME_DURATION: Final = timedelta(minutes=20)  # the length of a live game in calendars
MIN_ROUND_LENGTH: Final = timedelta(hours=1)  # rounds that follow one another faster share the event of their day
MAX_CALENDAR_ROUNDS: Final = 200
SEASON_BATCH_SIZE: Final = 50
ENTRY_FIELDS: Final = ("round", "last", "table", "what", "players", "begins", "ends")


@dataclass(frozen=True, slots=True)
class EntryData:
    """A calendar entry as the season has it now: of round `number`, or of the rounds up to `last`."""

    key: str
    round: int
    last: int
    table: int
    what: str
    players: tuple[int, ...]
    begins: datetime
    ends: datetime
    match: int | None = None

    def same(self, entry: CalendarEntry) -> bool:
        """Return whether the row `entry` has the same content."""
        shown = {name: getattr(entry, name) for name in ENTRY_FIELDS} | {"players": tuple(entry.players)}
        return not entry.cancelled and all(getattr(self, name) == shown[name] for name in ENTRY_FIELDS)


def outdated_seasons() -> QuerySet[Season]:
    """Return the seasons whose entries are older than their stream, latest first."""
    seasons = Season.objects.select_related("league__club", "stream").order_by("-starts_at", "-pk")
    return seasons.exclude(calendar_state__version=F("stream__version"))


def update_entries(seasons: Iterable[Season]) -> int:
    """Update the entries of these seasons; return how many entries changed."""
    return sum(_update_season(season) for season in seasons)


def cancel_removed_seasons() -> int:
    """Cancel the future entries of seasons that were removed; return how many."""
    gone = CalendarEntry.objects.filter(season=None, cancelled=False)
    return gone.update(cancelled=True, sequence=F("sequence") + 1, modified=clock.now())


def _update_season(season: Season) -> int:
    with transaction.atomic():
        CalendarState.objects.get_or_create(season=season)
        state = CalendarState.objects.select_for_update(no_key=True).get(season=season)
        fresh = Season.objects.select_related("league__club", "stream").get(pk=season.pk)
        if state.version == fresh.stream.version:
            return 0
        changed = _write(fresh, {entry.key: entry for entry in season_entries(fresh)})
        CalendarState.objects.filter(pk=state.pk).update(version=fresh.stream.version)
    return changed


def _write(season: Season, events: dict[str, EntryData]) -> int:
    now = clock.now()
    known = {entry.key: entry for entry in CalendarEntry.objects.filter(season=season)}
    new = [
        CalendarEntry(
            key=key,
            uid=uid_of(season, key),
            club=season.league.club,
            season=season,
            created=now,
            modified=now,
            match_id=event.match,
            **_fields(event),
        )
        for key, event in events.items()
        if key not in known
    ]
    moved = [known[key] for key, event in events.items() if key in known and not event.same(known[key])]
    for entry in moved:
        for name, value in _fields(events[entry.key]).items():
            setattr(entry, name, value)
        entry.cancelled = False
    gone = [entry for key, entry in known.items() if key not in events and not entry.cancelled]
    for entry in gone:
        entry.cancelled = True
    for entry in (*moved, *gone):
        entry.sequence, entry.modified = entry.sequence + 1, now
    CalendarEntry.objects.bulk_create(new)
    CalendarEntry.objects.bulk_update([*moved, *gone], [*ENTRY_FIELDS, "cancelled", "sequence", "modified"])
    return len(new) + len(moved) + len(gone)


def uid_of(season: Season, key: str) -> UUID:
    """Return the iCalendar `UID` of an entry. It is unique on all platforms: no other one has a season created in the
    same microsecond."""
    return uuid5(NAMESPACE_OID, f"scorebook/{season.stream.created.isoformat()}/{key}")


def _fields(event: EntryData) -> dict[str, Any]:
    return {name: getattr(event, name) for name in ENTRY_FIELDS} | {"players": list(event.players)}


def season_entries(season: Season) -> Iterator[EntryData]:
    """Return the entries of a season: its rounds, planned ones included, the matches of people, and the coming rounds
    that they miss."""
    yield from _round_entries(season)
    yield from _match_entries(season)
    yield from _absence_entries(season)


def _round_entries(season: Season) -> Iterator[EntryData]:
    """Return the entries of rounds, one for all divisions. Rounds that follow one another fast share an entry for each
    day."""
    if FORMATS[season.format].continuous:  # In these formats every match is a round of its own.
        return
    opened: dict[int, Round] = {}
    for row in Round.objects.filter(division__season=season).order_by("number", "opened_at"):
        opened.setdefault(row.number, row)
    by_day: dict[date, EntryData] = {}
    for number in [*opened, *(each for each in rounds_to_come(season) if each not in opened)][:MAX_CALENDAR_ROUNDS]:
        begins, ends = _span(season, number, opened.get(number))
        event = EntryData(f"season-{season.pk}-round-{number}", number, number, 0, ROUND_ENTRY, (), begins, ends)
        if ends - begins >= MIN_ROUND_LENGTH or _plays_at_round_time(season):
            yield event
            continue
        day = begins.astimezone(ZoneInfo(season.league.club.zone)).date()
        first = by_day.setdefault(day, event)
        by_day[day] = replace(first, last=number, ends=max(first.ends, ends))
    yield from by_day.values()


def _absence_entries(season: Season) -> Iterator[EntryData]:
    absent = Entrant.objects.filter(season=season, status=Entrant.Status.IN, player__bot_version=None)
    planned = rounds_to_come(season)
    for entrant in absent.exclude(away=[]).select_related("division"):
        for number in sorted(set(entrant.away) & planned.keys()):
            if number <= entrant.division.rounds_opened:
                continue
            begins, ends = _span(season, number, None)
            key, players = f"season-{season.pk}-absence-{number}-{entrant.number}", (entrant.player_id,)
            yield EntryData(key, number, number, 0, ABSENCE_ENTRY, players, begins, ends)


def _span(season: Season, number: int, row: Round | None) -> tuple[datetime, datetime]:
    begins = planned_at(season, number)
    if row is not None:
        begins = max(begins, row.opened_at)
    if _plays_at_round_time(season):
        return begins, begins + GAME_DURATION * season.games_a_match
    closes = row.closes_at if row is not None and row.closes_at else season_calendar(season).closes_at(number)
    return begins, max(begins, closes)


def _plays_at_round_time(season: Season) -> bool:
    """Return whether all matches begin with their round."""
    return check_in_time(season) is not None and not is_by_agreement(season)


def _match_entries(season: Season) -> Iterator[EntryData]:
    rows = MatchEntrant.objects.select_related("entrant__player")
    person = MatchEntrant.objects.filter(match=OuterRef("pk"), entrant__player__bot_version=None)
    standing = Match.objects.exclude(round__status=Round.Status.UNDONE).exclude(timing=Match.Timing.WALKOVER)
    standing = standing.exclude(finished_at__lt=F("begins_at"))  # decided before its time
    if season.status == Season.Status.ABANDONED:
        standing = standing.filter(finished_at__isnull=False)
    people = standing.filter(Exists(person), round__division__season=season)
    listed = people.select_related("round").prefetch_related(Prefetch("entrants", rows))
    members: dict[int, list[int]] = defaultdict(list)
    if season.competition.by_teams:
        listed = listed.prefetch_related("boards")
        there = TeamMember.objects.filter(entrant__season=season, order__isnull=False)
        for team, player in there.values_list("entrant", "player"):
            members[team].append(player)
    for match in listed:
        sides = [row.entrant for row in match.entrants.all()]
        players = tuple(side.player_id for side in sides if match.finished_at or side.status != WITHDRAWN)
        players += tuple(player for side in sides for player in _players_of_team(members[side.pk], match))
        place = (f"match-{match.pk}", match.round.number, match.round.number, match.table)
        if match.begins_at is not None:
            ends = match.begins_at + GAME_DURATION * season.games_a_match
            yield EntryData(*place, MATCH_ENTRY, players, match.begins_at, ends, match.pk)
        elif match.round.closes_at is not None:
            yield EntryData(*place, DEADLINE_ENTRY, players, match.round.closes_at, match.round.closes_at, match.pk)


def _players_of_team(members: Sequence[int], match: Match) -> list[int]:
    """Return who of a team plays in a match: those at its boards or, before they are known, all `members`."""
    if not members:
        return []
    seated = [board.player_id for board in match.boards.all() if board.player_id is not None]
    return [player for player in members if not seated or player in seated]
