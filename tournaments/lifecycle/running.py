"""Pauses, resumes, extends and abandons: each is an event of the season with an author and a reason."""

from __future__ import annotations

from datetime import datetime, timedelta
from math import ceil

from django.db import transaction
from django.utils.translation import gettext as _

from games.common import clock
from games.common.errors import DomainError, Expected
from games.models import Game
from games.play import services as play
from scorebook_games.presentation.coded_text import Sentence
from tournaments.activity import notifications as season_notifications
from tournaments.activity import subjects
from tournaments.calendar import scheduling
from tournaments.entries.services import Actor
from tournaments.lifecycle.results import close_open_rounds
from tournaments.seasons.aggregate import SeasonAggregate
from tournaments.seasons.events.lifecycle import SeasonAbandoned, SeasonPaused, SeasonResumed
from tournaments.seasons.events.rounds import RoundExtended
from tournaments.seasons.models import GOING_ON, Entrant, Match, MatchGame, Round, Season
from tournaments.seasons.notes import audit_payload, check_note
from tournaments.seasons.schedule import RULE_EVERY, SECONDS_PER_DAY
from tournaments.seasons.stream import lock_season

STANDINGS_STAND, STANDINGS_VOID = "stands", "void"
MAX_EXTENSION = timedelta(days=366)


def pause_season(*, season: Season, by: Actor, note: str = "") -> Season:
    """Open no more rounds until the season is resumed; what is being played goes on and counts. Raises `DomainError`
    not_running (409)."""
    with transaction.atomic():
        locked = _lock_with_status(season, (Season.Status.RUNNING,))
        changed = SeasonAggregate(locked)
        changed.record(SeasonPaused(audit_payload(locked, by, note)))
        changed.commit()
        _notify_entrants(locked, subjects.season_paused(str(locked)))
    return locked


def resume_season(*, season: Season, by: Actor, note: str = "") -> Season:
    """Resume the season. Future rounds, ends of open rounds, and matches that should have begun during the pause are
    later by its length, rounded up to whole days if the calendar has whole days. Raises `DomainError` not_paused
    (409)."""
    with transaction.atomic():
        locked = _lock_with_status(season, (Season.Status.PAUSED,))
        changed = SeasonAggregate(locked)
        assert locked.paused_at, "A paused season knows since when."
        calendar = locked.settings["calendar"]
        unit = 1 if calendar["rule"] == RULE_EVERY and calendar["seconds"] % SECONDS_PER_DAY else SECONDS_PER_DAY
        delay = ceil((changed.at - locked.paused_at).total_seconds() / unit) * unit
        changed.record(SeasonResumed.of(delay, audit_payload(locked, by, note)))
        _reschedule_matches(changed, timedelta(seconds=delay))
        changed.commit()
        _notify_entrants(locked, subjects.season_resumed(str(locked)))
    return locked


def _reschedule_matches(changed: SeasonAggregate, delay: timedelta) -> None:
    """Move matches that should have been opened during the pause by `delay`, so that they do not all begin now. Nobody
    agreed to the new time, so it becomes a fallback time, and the players may agree on another one."""
    missed = Match.objects.filter(round__division__season=changed.row, opens_at__lte=changed.at)
    for match in missed.order_by("pk"):
        assert match.begins_at, "What waits to be opened has a time."
        how = Match.Timing.FALLBACK if match.timing == Match.Timing.AGREED else match.timing
        scheduling.schedule_match(changed, match, match.begins_at + delay, str(how))


def extend_round(*, round: Round, until: datetime, by: Actor, note: str = "") -> Round:
    """Extend an open round to `until`; nothing changes if it ends then already. Raises `DomainError`: bad_time (400),
    round_closed, no_end (409)."""
    now = clock.now()
    with transaction.atomic():
        locked = _lock_with_status(round.division.season, GOING_ON)
        extended = Round.objects.select_related("division").get(pk=round.pk)
        if extended.status != Round.Status.OPEN:
            raise DomainError(
                409, "round_closed", _("Round {number} is already closed.").format(number=extended.number)
            )
        if extended.closes_at is None:
            raise DomainError(409, "no_end", _("This round has no deadline to extend."))
        if not now < until <= now + MAX_EXTENSION:
            raise DomainError(400, "bad_time", _("Choose a time within the next year."), "until")
        if extended.closes_at == until.replace(microsecond=0):
            return extended
        changed, number = SeasonAggregate(locked), extended.division.number
        changed.record(RoundExtended(number, extended.number, int(until.timestamp()), audit_payload(locked, by, note)))
        changed.commit()
        extended.refresh_from_db()
        _notify_entrants(locked, subjects.round_extended(extended.number, str(locked)))
    return extended


def abandon_season(*, season: Season, how: str, by: Actor, note: str) -> Season:
    """End a season early. Games in progress are aborted; closed rounds stay rated. `how`: `stands`, all games that are
    over count, also those of open rounds, and the standings are final; or `void`, there are none. Raises `DomainError`:
    bad_choice, note_needed (400), not_running (409)."""
    check_note(note)
    if how not in (STANDINGS_STAND, STANDINGS_VOID):
        sentence = _("Choose what happens to the standings: {choices}, not {how!r}.")
        raise DomainError(
            400, "bad_choice", sentence.format(choices=f"{STANDINGS_STAND}, {STANDINGS_VOID}", how=how), "how"
        )
    with transaction.atomic():
        locked = _lock_with_status(season, GOING_ON)
        for one in _games_on(locked):
            _abort_if_playing(one.game)
        changed = SeasonAggregate(locked)
        changed.record(SeasonAbandoned.of(how, audit_payload(locked, by, note)))
        if how == STANDINGS_STAND:
            close_open_rounds(changed)
        changed.commit()
        scheduling.lapse_proposals(Match.objects.filter(round__division__season=locked))
        _notify_entrants(locked, subjects.season_abandoned(str(locked)))
    return locked


def _lock_with_status(season: Season, wanted: tuple[str, ...]) -> Season:
    locked = lock_season(season)
    if locked.status in wanted:
        return locked
    if wanted == (Season.Status.PAUSED,):
        raise DomainError(409, "not_paused", _("{season} is not paused.").format(season=locked))
    raise DomainError(409, "not_running", _("{season} is not being played now.").format(season=locked))


def _games_on(season: Season) -> list[MatchGame]:
    games = MatchGame.objects.filter(match__round__division__season=season, game__status=Game.Status.PLAYING)
    return list(games.select_related("game").order_by("pk"))


def _abort_if_playing(game: Game) -> None:
    """Abort a game; do nothing if it has just ended by itself. It is no incident: an organiser has decided it."""
    with Expected("game_over"):
        play.abort_game(game=game)


def _notify_entrants(season: Season, sentence: Sentence) -> None:
    entrants = season.entries.filter(status__in=(Entrant.Status.IN, Entrant.Status.ALTERNATE))
    playing = list(entrants.select_related("player__bot_version__bot"))
    for entrant in playing:
        entrant.season = season
    season_notifications.notify_entrants(playing, f"running:{season.stream.version}", sentence)
