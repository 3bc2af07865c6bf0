"""Who did what in the seasons of clubs, and why: the audit list, told in the words of the seasons' timelines."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.contrib.auth.models import User
from django.db.models import QuerySet

from games import log
from games.models import Player
from tournaments import events as ev
from tournaments import happened
from tournaments.models import Act, Club, Entrant, Match, MatchGame, Note, Season
from tournaments.season_sheet import players_of


@dataclass(frozen=True, slots=True)
class Done:
    """One line: who (None: has deleted the account), when, in which season, and what in words."""

    at: datetime
    who: Player | None
    season: Season
    what: str
    said: happened.Said


def acts_of(clubs: Collection[Club]) -> QuerySet[Act]:
    """What was done in the seasons of these clubs, the latest first."""
    return Act.objects.filter(stream__season__league__club__in=clubs).order_by("-id")


def tell(acts: Sequence[Act]) -> list[Done]:
    """Lines for `acts`, of whatever seasons. Seven queries."""
    seasons = Season.objects.filter(stream__in={act.stream_id for act in acts}).select_related("league__club")
    by_stream = {season.stream_id: season for season in seasons}
    who = {player.user_id: player for player in Player.objects.filter(user__in={act.by_id for act in acts})}
    names = _names(acts)
    told = []
    for act in acts:
        season = by_stream[act.stream_id]
        own = happened.Names(names.players.get(season.pk, {}), names.games, names.matches, names.notes, names.sides)
        for line in happened.tell([(act.at, act.event)], own):
            told.append(Done(act.at, who.get(act.by_id), season, line.what, line.said))
    return told


@dataclass(frozen=True, slots=True)
class _Known:
    """As `happened.Names`; entrants by season first, since each counts its own."""

    players: dict[int, dict[int, Player]]
    games: dict[int, MatchGame]
    matches: dict[int, Match]
    notes: dict[int, str]
    sides: dict[int, list[Player]]


def _names(acts: Sequence[Act]) -> _Known:
    events = [act.event for act in acts]
    entrants = Entrant.objects.filter(
        season__stream__in={act.stream_id for act in acts}, number__in=happened.entrants_in(events)
    )
    players: dict[int, dict[int, Player]] = {}
    for entrant in entrants.select_related("player__bot_version"):
        players.setdefault(entrant.season_id, {})[entrant.number] = entrant.player
    games = MatchGame.objects.filter(game__in=happened.games_in(events)).select_related("match__round__division")
    notes = Note.objects.filter(pk__in=happened.notes_in(events)).values_list("pk", "text")
    matches = Match.objects.filter(pk__in=happened.matches_in(events)).select_related("round").in_bulk()
    sides = players_of(happened.nudged_in(events))
    return _Known(players, {each.game_id: each for each in games}, matches, dict(notes), sides)


def differences(season: Season, *, write: bool) -> Iterator[str]:
    """What `rebuild` finds: acts of the season's stream without a row, and rows without an act. Two queries."""
    logged = {
        version: entry for version, entry in enumerate(log.read(season.stream_id), start=1) if ev.is_act(entry.event)
    }
    rows = dict(Act.objects.filter(stream=season.stream_id).values_list("version", "event"))
    for version in sorted(set(logged) | set(rows)):
        if version not in logged or rows.get(version) != logged[version].event:
            yield f"{season}: the act at version {version} is not in both the log and the rows."
    if write and rows != {version: entry.event for version, entry in logged.items()}:
        Act.objects.filter(stream=season.stream_id).delete()
        Act.objects.bulk_create(_row(season, version, entry) for version, entry in logged.items())


def _row(season: Season, version: int, entry: log.Entry) -> Act:
    by = User.objects.filter(pk=entry.event[-1]["by"]).first()
    at = season.stream.created + timedelta(milliseconds=entry.ms)
    return Act(stream=season.stream, version=version, event=entry.event, by=by, at=at)
