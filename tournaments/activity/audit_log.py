"""The audit log: what organisers did in the seasons of clubs, and why, in the same words as the seasons' timelines."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db.models import QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from games.common.errors import DomainError
from games.common.prepared import prepared
from games.models import Player
from tournaments.activity import describe, lookups
from tournaments.activity.timeline import matches_with, players_by_match
from tournaments.clubs.models import Club
from tournaments.seasons.events.base import SeasonEvent
from tournaments.seasons.events.registry import SEASON_EVENTS, read_event
from tournaments.seasons.models import Division, Entrant, Match, MatchEntrant, MatchGame, Note, OrganiserAction, Season
from tournaments.seasons.stream import action_row, organiser_actions

ACTION_LABELS: Final = {type: gettext_lazy(event.action) for type, event in SEASON_EVENTS.items() if event.action}
RULING_EVENTS: Final = [type for type, event in SEASON_EVENTS.items() if event.ruling]
MAX_ENTRANT_LINES: Final = 20  # of one entrant


@dataclass(frozen=True, slots=True)
class AuditLine:
    """A line of the audit log. `who` is None if the account was deleted; `reason` is "" if none was given or an admin
    removed its text."""

    act: OrganiserAction
    who: Player | None
    season: Season
    what: str
    text: describe.RichText
    reason: str
    note: int = 0  # id of the note's row, 0 for none

    @property
    def at(self) -> datetime:
        return self.act.at


@dataclass(frozen=True, slots=True)
class AuditFilter:
    """A filter of the audit log, as the query string has it. An empty field does not filter."""

    season: str = ""
    what: str = ""
    by: str = ""
    match: str = ""

    def __bool__(self) -> bool:
        return any((self.season, self.what, self.by, self.match))


FILTER_PARAMS: Final = ("season", "what", "by", "match")


def club_actions(clubs: Collection[Club], wanted: AuditFilter = AuditFilter()) -> QuerySet[OrganiserAction]:
    """Return what organisers did in the seasons of these clubs, latest first.

    `wanted.by` is a user name, or "-" for deleted accounts. Raises `DomainError` bad_filter (400).
    """
    rows = OrganiserAction.objects.filter(stream__season__league__club__in=clubs).select_related("by").order_by("-id")
    for name, field in (("season", "stream__season"), ("match", "match")):
        if number := getattr(wanted, name):
            if not (number.isascii() and number.isdecimal() and len(number) < 10):
                raise DomainError(400, "bad_filter", _("{name} must be a number.").format(name=name), name)
            rows = rows.filter(**{field: int(number)})
    if wanted.what:
        if wanted.what not in ACTION_LABELS:
            known = ", ".join(ACTION_LABELS)
            raise DomainError(400, "bad_filter", _("what must be one of {known}.").format(known=known), "what")
        rows = rows.filter(what=wanted.what)
    if wanted.by:
        rows = rows.filter(by__username=None) if wanted.by == "-" else rows.filter(by__username=wanted.by)
    return rows


@prepared
def latest_actions(count: int, *, clubs: list[int]) -> QuerySet[OrganiserAction]:
    """Return the first of `club_actions`."""
    rows = OrganiserAction.objects.filter(stream__season__league__club__in=clubs).select_related("by")
    return rows.order_by("-id")[:count]


def club_actors(club: Club) -> list[str]:
    """Return the user names of everybody with a line in the club's audit log, sorted."""
    acts = OrganiserAction.objects.filter(stream__season__league__club=club, by__username__isnull=False)
    return list(acts.order_by("by__username").values_list("by__username", flat=True).distinct())


def season_actions(season: Season) -> QuerySet[OrganiserAction]:
    """Return what organisers did in a season, latest first."""
    return OrganiserAction.objects.filter(stream=season.stream_id).select_related("by").order_by("-id")


def entrant_rulings(division: Division, number: str) -> list[AuditLine]:
    """Return the last `MAX_ENTRANT_LINES` rulings on results of an entrant, oldest first. A bad `number` has none."""
    if not (number.isascii() and number.isdecimal() and len(number) < 10):
        return []
    sides = MatchEntrant.objects.filter(entrant__division=division, entrant__number=int(number))
    rows = OrganiserAction.objects.filter(match__in=sides.values("match"), what__in=RULING_EVENTS).order_by("-id")
    return audit_lines(list(rows[:MAX_ENTRANT_LINES]))[::-1]


def audit_lines(acts: Sequence[OrganiserAction]) -> list[AuditLine]:
    """Build the lines for `acts`, which may be of several seasons. Eight queries, nine if players of teams are
    named."""
    streams = sorted({act.stream_id for act in acts})
    by_stream = {season.stream_id: season for season in _seasons(streams=streams)}
    users = sorted({act.by_id for act in acts if act.by_id is not None})
    players = {player.user_id: player for player in _players(users=users)}
    names = _load_lookups(acts)
    described = []
    for act in acts:
        season = by_stream[act.stream_id]
        season_names = lookups.EventLookups(
            names.players.get(season.pk, {}),
            names.games,
            names.matches,
            names.notes,
            names.players_of,
            names.divisions.get(season.pk, {}),
            members=names.members,
        )
        events = [read_event(event) for event in act.events]
        lines = describe.describe_events([(act.at, event) for event in events], season_names)
        parts = [part for line in lines for part in (" ", *line.text)][1:]
        note = events[0].note_id() or 0
        described.append(
            AuditLine(act, players.get(act.by_id), season, lines[0].what, parts, names.notes.get(note, ""), note)
        )
    return described


@dataclass(frozen=True, slots=True)
class _Lookups:
    """As `lookups.EventLookups`, for several seasons: season id → entrant number → player, and season id → division
    number → name."""

    players: dict[int, dict[int, Player]]
    games: dict[int, MatchGame]
    matches: dict[int, Match]
    notes: dict[int, str]
    players_of: dict[int, list[Player]]
    divisions: dict[int, dict[int, str]]
    members: dict[int, Player]


def _load_lookups(acts: Sequence[OrganiserAction]) -> _Lookups:
    refers = lookups.references(read_event(event) for act in acts for event in act.events)
    streams = sorted({act.stream_id for act in acts})
    players: dict[int, dict[int, Player]] = {}
    for entrant in _entrants(streams=streams, numbers=sorted(refers.entrants)):
        players.setdefault(entrant.season_id, {})[entrant.number] = entrant.player
    games = {game.game_id: game for game in _games(games=sorted(refers.games))}
    notes = dict(_notes(notes=sorted(refers.notes)))
    matches = {match.pk: match for match in matches_with(matches=sorted(refers.matches))}
    sides = players_by_match(refers.sides)
    divisions: dict[int, dict[int, str]] = {}
    for season, number, name in _divisions(streams=streams):
        divisions.setdefault(season, {})[number] = name
    several = {season: named for season, named in divisions.items() if len(named) > 1}
    members = Player.objects.select_related("bot_version").in_bulk(refers.players) if refers.players else {}
    return _Lookups(players, games, matches, notes, sides, several, members)


@prepared
def _seasons(*, streams: list[int]) -> QuerySet[Season]:
    return Season.objects.filter(stream__in=streams).select_related("league__club")


@prepared
def _players(*, users: list[int]) -> QuerySet[Player]:
    return Player.objects.filter(user__in=users)


@prepared
def _entrants(*, streams: list[int], numbers: list[int]) -> QuerySet[Entrant]:
    entrants = Entrant.objects.filter(season__stream__in=streams, number__in=numbers)
    return entrants.select_related("player__bot_version")


@prepared
def _games(*, games: list[int]) -> QuerySet[MatchGame]:
    return MatchGame.objects.filter(game__in=games).select_related("match__round__division")


@prepared
def _notes(*, notes: list[int]) -> QuerySet[Note, tuple[int, str]]:
    return Note.objects.filter(pk__in=notes).values_list("pk", "text")


@prepared
def _divisions(*, streams: list[int]) -> QuerySet[Division, tuple[int, int, str]]:
    return Division.objects.filter(season__stream__in=streams).values_list("season", "number", "name")


def action_differences(season: Season, log: Sequence[tuple[SeasonEvent, datetime]], *, write: bool) -> Iterator[str]:
    """Yield a sentence for each difference between the organisers' actions in the season's `log` and their rows.

    With `write`, missing rows are added. A row without an action in the stream stays: nothing is removed from an audit
    log. One query.
    """
    actions = dict(organiser_actions(event for event, _at in log))
    stored = OrganiserAction.objects.filter(stream=season.stream_id).values_list("version", "events")
    rows = {version: [read_event(event) for event in events] for version, events in stored}
    for version in sorted(actions.keys() | rows.keys()):
        if actions.get(version) != rows.get(version):
            yield f"{season}: the action at version {version} is missing in the log or in the rows."
    if write:
        OrganiserAction.objects.bulk_create(
            action_row(season.stream, version, events, log[version - 1][1])
            for version, events in actions.items()
            if version not in rows
        )
