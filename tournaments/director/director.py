"""Runs all seasons: starts them, opens rounds, records results, closes rounds, finishes seasons and opens their
successors; takes out the entrants who are banned or gone.

The work is found by queries, never remembered. Each step is one transaction under its season's lock, and appends behind
the version of the log that it has read, so any number of processes may call any function here at any time: a step
happens once, completely or not at all. A season locked by another process is left to that process.

This module goes through all due steps (`STEPS`). Those of rounds are in `open_rounds`, `record_results` and
`close_rounds`, the others call services of `entries` and `lifecycle`; how a step begins is in
`tournaments.seasons.stream`.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from datetime import timedelta
from typing import Any

from django.db.models import Model, Q, QuerySet
from django.utils.translation import gettext as _

from games.common import clock, log_context
from games.common.errors import DomainError
from games.common.models import Incident
from games.models import Player
from games.moderation import sanctions
from scorebook_games.presentation.coded_text import Sentence, plain, sentence
from scorebook_games.registry import NotInstalled
from tournaments.activity import notifications as season_notifications
from tournaments.activity.subjects import cannot_start
from tournaments.core.event import UnknownEventType
from tournaments.director.close_rounds import close_round, expire_round, overdue_rounds, rounds_to_close
from tournaments.director.due import Rows, with_rows
from tournaments.director.open_rounds import divisions_at_rest, divisions_due, due_matches, open_matches, open_round
from tournaments.director.record_results import due_results, record_results
from tournaments.entries import services as entries
from tournaments.lifecycle import services as seasons
from tournaments.seasons.models import GOING_ON, Division, Entrant, Match, Round, Season, TeamMember
from tournaments.teams import services as teams

MATCH_BATCH_SIZE = 100  # how many matches of a season are opened in one transaction
FAILURE_REPORT_INTERVAL = timedelta(minutes=10)  # how often a step that keeps failing is reported

logger = logging.getLogger(__name__)


def advance() -> int:
    """Do all due steps in all seasons; return how many. A season that fails does not stop the others."""
    done, due = 0, with_rows([rows for rows, _go_through in STEPS])
    for rows, go_through in STEPS:
        if done or rows in due:  # a step that is done may make later ones due
            done += sum(go_through())
    return done


def seasons_to_start() -> QuerySet[Season]:
    """Return the open seasons that start by themselves and whose start time has come."""
    return seasons_starting_automatically().filter(starts_at__lte=clock.now())


def seasons_starting_automatically() -> QuerySet[Season]:
    """Return the open seasons with check-in, and those of bots that are played at a time of the week."""
    itself = Q(settings__entry__check_in_hours__gt=0) | seasons.STARTS_WEEKLY
    return Season.objects.filter(itself, status=Season.Status.OPEN)


def seasons_to_repeat() -> QuerySet[Season]:
    """Return the finished seasons whose successors are to be opened."""
    return Season.objects.filter(
        status=Season.Status.FINISHED, repeats=True, successor=None, league__club__archived_at=None
    )


def start_automatically(*, season: Season) -> bool:
    """Start a season whose time has come; if it has too few entrants, notify its organisers once instead."""
    try:
        seasons.start_season(season=season)
    except DomainError as error:
        if error.code != "season_started":
            season_notifications.notify_organisers(season, "cannot_start", cannot_start(str(season), error.code))
        return False
    return True


def entrants_without_account() -> QuerySet[Entrant]:
    """Return the entrants of open and running seasons whose accounts were deleted."""
    return _active_entrants().filter(player__user=None, player__bot_version=None, player__is_team=False)


def members_without_account() -> QuerySet[TeamMember]:
    """Return the players of teams of open and running seasons whose accounts were deleted."""
    return teams.active_members().filter(player__user=None, player__bot_version=None)


def banned_members() -> QuerySet[TeamMember]:
    """Return the players of teams whom admins have banned, and bots that admins have stopped."""
    return teams.active_members().filter(
        player__in=Player.objects.filter(sanctions.banned_players() | sanctions.stopped_bots())
    )


def banned_entrants() -> QuerySet[Entrant]:
    """Return the entrants whom admins have banned, and bots that admins have stopped."""
    return _active_entrants().filter(
        player__in=Player.objects.filter(sanctions.banned_players() | sanctions.stopped_bots())
    )


def _active_entrants() -> QuerySet[Entrant]:
    going_on = Entrant.objects.filter(season__status__in=(Season.Status.OPEN, *GOING_ON))
    return going_on.exclude(status__in=(Entrant.Status.OUT, Entrant.Status.WITHDRAWN)).select_related("season")


def _due_matches_together() -> Iterator[list[Match]]:
    """Yield the due matches of each season, in batches for one transaction each."""
    by_season: dict[int, list[Match]] = {}
    for match in due_matches():
        by_season.setdefault(match.round.division.season_id, []).append(match)
    for matches in by_season.values():
        for first in range(0, len(matches), MATCH_BATCH_SIZE):
            yield matches[first : first + MATCH_BATCH_SIZE]


def _open_together(matches: Sequence[Match]) -> int:
    """Open matches of one season in one step. If that fails, open each by itself, so that a faulty one does not stop
    the others."""
    try:
        return open_matches(matches=matches)
    except (NotInstalled, UnknownEventType):
        alone = matches[:1]  # none of this season can be opened; one is enough to report it
    except Exception:
        alone = matches
    return sum(_run_step(open_matches, matches=[match]) for match in alone)


def _run_step(step: Callable[..., Any], **what: Any) -> int:
    """Do `step`, whose first argument is a row of a season or a list of one, and return how many steps were done. A
    failure is logged and does not stop the others."""
    values = [each[0] if isinstance(each, list) else each for each in what.values()]
    with ExitStack() as about:
        try:
            about.enter_context(log_context.bound_log_context(season=season_path(values[0])))
            return int(bool(step(**what)))
        except NotInstalled as error:  # the season waits until the package is back; its organisers' inbox says so
            logger.warning("%s is not done: %s", step.__name__, error)
            return 0
        except UnknownEventType as error:  # this season stops until this installation is upgraded; others go on
            logger.error("%s is not done: %s", step.__name__, error)
            _report_failure(season_stands_still(season_path(values[0]), unknown_event(error.event_type)))
            return 0
        except Exception:
            # Ids only, here and in the incident: the names of some rows are people's names.
            rows = [f"{type(value).__name__} {value.pk}" for value in values if isinstance(value, Model)]
            logger.exception("%s failed for %s.", step.__name__, ", ".join(rows))
    _report_failure(step_failed(step.__name__, rows))
    return 0


def _seasons_with_results() -> QuerySet[Season]:
    with_results = Season.objects.filter(pk__in=due_results().values("match__round__division__season"))
    return with_results.select_related("league__club")


# The steps in their order. The query of a step finds rows if anything may be due, and then the step goes through all.
STEPS: Sequence[tuple[Rows, Callable[[], Iterable[int]]]] = (
    (seasons_to_start, lambda: (_run_step(start_automatically, season=each) for each in seasons_to_start())),
    (
        entrants_without_account,
        lambda: (_run_step(entries.leave_season, entrant=each, why="account") for each in entrants_without_account()),
    ),
    (
        banned_entrants,
        lambda: (_run_step(entries.leave_season, entrant=entrant, why="admin") for entrant in banned_entrants()),
    ),
    (
        members_without_account,
        lambda: (_run_step(teams.drop_member, member=each, why="account") for each in members_without_account()),
    ),
    (banned_members, lambda: (_run_step(teams.drop_member, member=each, why="admin") for each in banned_members())),
    (overdue_rounds, lambda: (_run_step(expire_round, round=each) for each in overdue_rounds())),
    (due_results, lambda: (_run_step(record_results, season=each) for each in _seasons_with_results())),
    (rounds_to_close, lambda: (_run_step(close_round, round=each) for each in rounds_to_close())),
    (seasons_to_repeat, lambda: (_run_step(seasons.open_successor, season=each) for each in seasons_to_repeat())),
    (divisions_at_rest, lambda: (_run_step(open_round, division=each) for each in divisions_due())),
    (due_matches, lambda: (_open_together(each) for each in _due_matches_together())),
)


def season_path(part: Season | Entrant | Division | Round | Match | TeamMember) -> str:
    """Return the path of the row's season, as club/league/season."""
    found: Any = part
    for name in ("entrant", "round", "division", "season"):
        found = getattr(found, name, found)
    path: str = found.path
    return path


def _report_failure(sentence: Sentence) -> None:
    now, sentences = clock.now(), plain([sentence])
    if not Incident.objects.filter(sentences=sentences, at__gt=now - FAILURE_REPORT_INTERVAL).exists():
        Incident.objects.create(at=now, cause=Incident.Cause.INFRASTRUCTURE, sentences=sentences)


@sentence
def season_stands_still(season: str, error: str | Sentence) -> str:
    """`season`: its path; `error`: `unknown_event`, and in incidents of before its text."""
    return _("{season} has stopped. {error} Upgrade Scorebook.").format(season=season, error=error)


@sentence
def unknown_event(type: str) -> str:
    words = _("The log has an event of the type “{type}”, which this version of Scorebook does not know.")
    return words.format(type=type)


@sentence
def step_failed(step: str, rows: Sequence[str]) -> str:
    """`rows`: those that it was about, such as "Division 3"."""
    return _("The league’s step {step} failed for {rows}.").format(step=step, rows=", ".join(rows))
