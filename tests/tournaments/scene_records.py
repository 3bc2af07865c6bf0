"""Runs each scene of a season once: how often its service read the log, what it recorded, and whom it notified."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from django.db import transaction

from games.accounts.models import Notice
from games.common import clock
from games.eventlog import store as eventlog
from games.eventlog.models import Stream
from tests.chaos.story import NOW, Scene, scenes
from tests.tournaments.read_counts import counted_streams
from tournaments.activity.subjects import NUDGE, REGISTRATION, SEASON_NEEDS_YOU
from tournaments.calendar.subjects import TIME_AGREED
from tournaments.organiser import nudges
from tournaments.rulings.subjects import CORRECTED
from tournaments.seasons.events.base import Audience, SeasonEvent
from tournaments.seasons.events.registry import read_event
from tournaments.seasons.models import Entrant, Match, MatchEntrant, Season, TeamMember

SUBJECTS: Final = (REGISTRATION, SEASON_NEEDS_YOU, CORRECTED, TIME_AGREED, NUDGE)  # of season events
BOT: Final = "a bot"  # stands for every bot, because bots are not notified
Users = frozenset[str]


@dataclass(frozen=True)
class Recorded:
    """A new event, with the users whom each audience of its class names."""

    event: type[SeasonEvent]
    audiences: dict[Audience, Users]


@dataclass(frozen=True)
class Acted:
    """The result of a scene. `reads` has a number for each season whose log was read: how often it was read. `folds`
    counts the folds of all seasons together. `created` counts the new seasons, whose empty logs are folded without a
    read."""

    reads: tuple[int, ...]
    folds: int
    created: int
    recorded: tuple[Recorded, ...]
    notified: Users


class Cast:
    """The organisers, entrants and matches of all seasons at one moment, by the streams of the seasons."""

    def __init__(self) -> None:
        self.versions = dict(Stream.objects.filter(subject=Stream.Subject.SEASON).values_list("pk", "version"))
        self.organisers = {each.stream_id: each.league.club.owner.username for each in Season.objects.all()}
        self.entrants: dict[tuple[int, int], str] = {}  # (stream, number) → user
        self.listed: defaultdict[int, set[str]] = defaultdict(set)
        members: defaultdict[int, set[str]] = defaultdict(set)  # of teams, by entrant
        for entrant, name in TeamMember.objects.values_list("entrant", "player__user__username"):
            members[entrant].add(name or BOT)
        for one in Entrant.objects.select_related("season", "player__user"):
            user = one.player.user.username if one.player.user else BOT
            self.entrants[one.season.stream_id, one.number] = user
            if one.status not in (Entrant.Status.OUT, Entrant.Status.WITHDRAWN):
                self.listed[one.season.stream_id] |= members.get(one.pk, {user})
        self.matches: defaultdict[int, set[str]] = defaultdict(set)
        self.matches_of: defaultdict[tuple[int, int], set[int]] = defaultdict(set)  # (stream, number) → matches
        self.rounds: defaultdict[tuple[int, int, int], set[str]] = defaultdict(set)
        for side in MatchEntrant.objects.select_related("match__round__division__season", "entrant__player__user"):
            round = side.match.round
            user = side.entrant.player.user.username if side.entrant.player.user else BOT
            users = members.get(side.entrant_id, {user})
            self.matches[side.match_id] |= users
            if side.match.finished_at is None:
                self.matches_of[round.division.season.stream_id, side.entrant.number].add(side.match_id)
            self.rounds[round.division.season.stream_id, round.division.number, round.number] |= users
        self.opponents = {
            entrant: set().union(*(self.matches[pk] for pk in matches)) for entrant, matches in self.matches_of.items()
        }
        waiting = nudges.with_games(Match.objects.select_related("round"))
        people = {match.pk: nudges.awaited_people(match) for match in waiting}
        self.awaited = {pk: {each.user.username for each in own if each.user} for pk, own in people.items()}


# The users whom an audience names, from the event, its stream, and the casts before and after the scene.
NAMED: Final[dict[Audience, Callable[[Any, int, Cast, Cast], set[str]]]] = {
    Audience.ENTRANT: lambda event, stream, _old, new: {new.entrants[stream, event.entrant]},
    Audience.OPPONENTS: lambda event, stream, old, _new: old.opponents.get((stream, event.entrant), set()),
    Audience.CHALLENGER: lambda event, stream, _old, new: {new.entrants[stream, event.challenger]},
    Audience.CHALLENGED: lambda event, stream, _old, new: {new.entrants[stream, event.challenged]},
    Audience.MATCH: lambda event, _stream, _old, new: new.matches[event.match],
    Audience.AWAITED: lambda event, _stream, old, _new: old.awaited[event.match],
    Audience.ROUND: lambda event, stream, old, _new: old.rounds[stream, event.division, event.number],
    Audience.ENTRANTS: lambda _event, stream, old, _new: old.listed[stream],
    Audience.ORGANISERS: lambda _event, stream, old, _new: {old.organisers[stream]},
}


@cache
def acted(scene: Scene) -> Acted:
    """Run the scene in the transaction of a test, and undo it: with the rows of all scenes, of which PostgreSQL has no
    statistics before a commit, a question takes a minute. The result holds no rows, so it is kept for other tests."""
    with transaction.atomic():
        done = _acted(scene)
        transaction.set_rollback(True)
    return done


def _acted(scene: Scene) -> Acted:
    with clock.frozen_at(NOW):
        call = scene.prepare()
    old = Cast()
    Notice.objects.all().delete()
    with clock.frozen_at(NOW + scene.later), counted_streams() as counts:
        call()
    new, recorded = Cast(), []
    for stream in new.versions:
        for entry in eventlog.read_events(stream)[old.versions.get(stream, 0) :]:
            event = read_event(entry.event)
            audiences = {each: frozenset(NAMED[each](event, stream, old, new)) for each in event.audience}
            recorded.append(Recorded(type(event), audiences))
    reads = tuple(counts[stream] for stream in new.versions if counts[stream])
    notified = Notice.objects.filter(subject__in=SUBJECTS).values_list("user__username", flat=True)
    created = len(new.versions.keys() - old.versions.keys())
    return Acted(reads, counts["folds"], created, tuple(recorded), frozenset(notified))


SCENES: Final = {scene.name: scene for scene in scenes() if not scene.parts}
