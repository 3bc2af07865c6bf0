"""Ends rounds whose time is up, and closes and rates finished rounds."""

from __future__ import annotations

from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet

from games.clocks import outages
from games.common import clock
from games.models import Game
from tournaments.activity import notifications as season_notifications
from tournaments.activity.subjects import round_overdue
from tournaments.director import overdue_games
from tournaments.director.finish_divisions import finish_if_over
from tournaments.entries import services as entries
from tournaments.seasons.aggregate import SeasonAggregate
from tournaments.seasons.events.rounds import RoundClosed, RoundOverdue
from tournaments.seasons.fold import DivisionState
from tournaments.seasons.models import GOING_ON, Match, MatchGame, Round, Season
from tournaments.seasons.settings import FORFEIT_UNPLAYED
from tournaments.seasons.stream import lock_running_season


def overdue_rounds() -> QuerySet[Round]:
    """Return open rounds of running seasons whose time is up and was not recorded, or whose games must be ended now."""
    late = Round.objects.filter(
        status=Round.Status.OPEN, closes_at__lte=clock.now(), division__season__status=Season.Status.RUNNING
    )
    to_end = games_past_deadline().filter(match__round=OuterRef("pk"))
    untold = Q(overdue_at=None) | Q(Exists(to_end), division__season__settings__on_round_deadline=FORFEIT_UNPLAYED)
    return late.filter(untold).select_related("division__season__league__club")


def games_past_deadline() -> QuerySet[MatchGame]:
    """Return the unfinished games that end with their round. A match with a later time of its own, or opened later, has
    its clocks instead."""
    later = Q(match__begins_at__gt=F("match__round__closes_at"))
    later |= Q(game__opened_at__gte=F("match__round__closes_at"), number=1, replay=0)
    return MatchGame.objects.filter(recorded_at=None, game__status=Game.Status.PLAYING).exclude(later)


def expire_round(*, round: Round) -> bool:
    """Record that the time of a round is up, and treat its unfinished games as the season's settings say.

    Returns whether this call recorded it or ended any game.
    """
    now = clock.now()
    with transaction.atomic():
        season = lock_running_season(round.division.season_id, Season.Status.RUNNING)
        late = Round.objects.filter(pk=round.pk, status=Round.Status.OPEN, closes_at__lte=now)
        if season is None or not late.exists() or outages.due_after_outages(late.get().closes_at or now) > now:
            return False
        on = games_past_deadline().filter(match__round=round)
        games = list(on.select_related("game").order_by("match__table", "number"))
        if recorded := late.filter(overdue_at=None).exists():
            changed, listed = SeasonAggregate(season), [game.game_id for game in games]
            changed.record(RoundOverdue.of(round.division.number, round.number, listed))
            changed.commit()
        if season.settings["on_round_deadline"] == FORFEIT_UNPLAYED:
            return sum(overdue_games.forfeit_waiting_seats(game.game) for game in games) > 0 or recorded
        if recorded and games:
            sentence = round_overdue(round.number, str(season), len(games))
            key = f"overdue:{round.pk}:{int(now.timestamp())}"
            season_notifications.notify_organisers(season, key, sentence)
    return recorded


def rounds_to_close() -> QuerySet[Round]:
    """Return open rounds with nothing left to record."""
    unrecorded = MatchGame.objects.filter(match__round=OuterRef("pk"), recorded_at=None)
    waiting = Match.objects.filter(round=OuterRef("pk"), opens_at__isnull=False)
    going_on = Round.objects.filter(division__season__status__in=GOING_ON, status=Round.Status.OPEN)
    return going_on.filter(~Exists(unrecorded), ~Exists(waiting)).select_related("division__season__league__club")


def close_round(*, round: Round) -> bool:
    """Close a finished round, and finish the season after its last one. Standings and ratings follow from the events.

    Returns whether this call closed it.
    """
    with transaction.atomic():
        season = lock_running_season(round.division.season_id)
        if season is None or MatchGame.objects.filter(match__round=round, recorded_at=None).exists():
            return False
        if Match.objects.filter(round=round, opens_at__isnull=False).exists():
            return False
        if not Round.objects.filter(pk=round.pk, status=Round.Status.OPEN).exists():
            return False
        changed, division = SeasonAggregate(season), round.division
        changed.record(RoundClosed(division.number, round.number))
        _withdraw_absent(changed, changed.state.division(division.number))
        finish_if_over(changed, division)
        changed.commit()
    return True


def _withdraw_absent(season: SeasonAggregate, division: DivisionState) -> None:
    """Withdraw the entrants who missed as many rounds as the season allows. Withdrawn entrants are in no more rounds,
    so each is counted once."""
    most = season.row.settings["max_no_shows"]
    if not most or division.above is not None:
        return
    for entrant in sorted(entrant for entrant, count in division.missed().items() if count >= most):
        if season.state.entrants[entrant].gone is None:
            entries.withdraw_from(season, season.row.entries.get(number=entrant), "no_shows")
