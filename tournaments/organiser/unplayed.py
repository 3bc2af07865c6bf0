"""Inbox items about matches: disputed results, and games that are not played in time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Final

from django.db.models import Prefetch, Q, QuerySet
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from games.common.prepared import prepared
from games.models import Player
from tournaments.calendar.timetable import planned_at
from tournaments.formats import FORMATS
from tournaments.organiser import nudges
from tournaments.organiser.inbox_item import MAX_ITEMS_PER_TYPE, SOON_WITHIN, InboxItem, InboxScope
from tournaments.rulings.models import Dispute
from tournaments.seasons.models import Match, MatchEntrant, MatchGame, Round

DISPUTE_ANSWER_TIME: Final = timedelta(days=2)  # the time for answering a dispute


def disputed_results(scope: InboxScope) -> Iterator[InboxItem]:
    """Yield an item for each open dispute, also in seasons that have ended. Four queries."""
    for raised in _open_disputes(MAX_ITEMS_PER_TYPE, clubs=[club.pk for club in scope.clubs]):
        season = raised.match.round.division.season
        words = raised.note.text if raised.note else ""
        name = raised.entrant.player.name
        why = _("{name} wrote: “{words}”").format(name=name, words=words) if words else _("The text was removed.")
        players = [side.entrant.player for side in raised.match.entrants.all()]
        due = raised.raised_at + DISPUTE_ANSWER_TIME
        club = season.league.club
        yield InboxItem(
            "dispute", season, club, why, raised.raised_at, due, players, match=raised.match, dispute=raised
        )


@prepared
def _open_disputes(count: int, *, clubs: list[int]) -> QuerySet[Dispute]:
    of_clubs = Dispute.objects.filter(
        status=Dispute.Status.OPEN, match__round__division__season__league__club__in=clubs
    )
    rows = of_clubs.select_related("match__round__division__season__league__club", "entrant__player", "note")
    sides = MatchEntrant.objects.select_related("entrant__player__bot_version")
    games = MatchGame.objects.select_related("game")
    rows = rows.prefetch_related(Prefetch("match__entrants", sides), Prefetch("match__games", games))
    return rows.order_by("raised_at", "pk")[:count]


def round_due_at(round: Round) -> datetime | None:
    """Return when an open round should end: at its own end or, if it has none, at the planned start of the next round.
    None if rounds have no end."""
    season = round.division.season
    if round.closes_at is not None:
        return round.closes_at
    return None if FORMATS[season.format].continuous else planned_at(season, round.number + 1)


def unplayed_matches(scope: InboxScope) -> Iterator[InboxItem]:
    """Yield an item for each unfinished match of people in rounds that end soon or should have ended. Matches with an
    agreed time in the future are left out."""
    ends = {pk: round_due_at(round) for pk, round in scope.rounds.items()}
    near = [pk for pk, due in ends.items() if due is not None and due <= scope.now + SOON_WITHIN]
    matches = list(_unplayed(MAX_ITEMS_PER_TYPE, rounds=near, now=scope.now))
    streams = {match.pk: scope.rounds[match.round_id].division.season.stream_id for match in matches}
    nudged = nudges.recently_nudged(streams, scope.now)
    for match in matches:
        match.round = scope.rounds[match.round_id]
        season = match.round.division.season
        people = nudges.awaited_people(match)
        due = ends[match.round_id]
        late = match.round.overdue_at or (due is not None and due <= scope.now)
        untimed = match.timing == Match.Timing.FALLBACK and match.opens_at is not None
        yield InboxItem(
            "untimed" if untimed else "late" if late else "deadline",
            season,
            season.league.club,
            _why_untimed(match) if untimed else _why_unplayed(match, people),
            match.round.opened_at,
            due,
            [side.entrant.player for side in match.entrants.all()],
            match=match,
            awaited=people,
            nudged=nudged.get(match.pk),
            alternate=scope.alternates.get(season.pk),
        )


@prepared
def _unplayed(count: int, *, rounds: list[int], now: datetime) -> QuerySet[Match]:
    of_people = Q(entrants__entrant__player__user__isnull=False)
    of_people |= Q(entrants__entrant__members__player__user__isnull=False)
    wanted = Match.objects.filter(of_people, round__in=rounds, finished_at=None)
    wanted = wanted.exclude(timing=Match.Timing.AGREED, begins_at__gt=now)
    wanted = nudges.with_games(wanted.distinct().order_by("round", "table"))
    return wanted.prefetch_related("proposals__by__player")[:count]


def _why_untimed(match: Match) -> str:
    """Return who last proposed times for a match, and who has not accepted any."""
    offers = list(match.proposals.all())
    if not offers:
        text = _("No time has been proposed.")
    else:
        last = offers[-1]
        others = [side.entrant.player for side in match.entrants.all() if side.entrant_id != last.by_id]
        silent = nudges.player_names([player for player in others if player.user_id is not None])
        sentence = ngettext(
            "{name} proposed times on {day}. {others} has not accepted any.",
            "{name} proposed times, most recently on {day}. {others} has not accepted any.",
            len(offers),
        )
        day = date_format(timezone.localtime(last.made_at), "WEEKDAY_DAY_FORMAT")
        text = sentence.format(name=last.by.player.name, day=day, others=silent)
    begins = date_format(timezone.localtime(match.begins_at), "WEEKDAY_DAY_TIME_FORMAT") if match.begins_at else "–"
    return text + " " + _("If they do not agree, the match begins {at}.").format(at=begins)


def _why_unplayed(match: Match, people: Sequence[Player]) -> str:
    games = list(match.games.all())
    over = len([game for game in games if game.counts is not None])
    size = match.round.division.season.games_a_match
    waits = _("Waiting for {names}.").format(names=nudges.player_names(people)) if people else _("Nobody has to act.")
    if not over:
        return _("No game has finished.") + " " + waits
    done = ngettext("One of {size} games has finished.", "{n} of {size} games have finished.", over)
    return done.format(n=over, size=size) + " " + waits
