"""Inbox items about what does not go on: incomplete tables, seasons that wait, stuck games and bots in quarantine."""

from __future__ import annotations

from collections.abc import Iterator

from django.db.models import QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from games.common.prepared import prepared
from games.models import BotVersion, Game
from games.visibility.seats import attach_seats
from games.workers import waiting_reasons
from tournaments.calendar.timetable import planned_at
from tournaments.formats import FORMATS
from tournaments.organiser.inbox_item import MAX_ITEMS_PER_TYPE, InboxItem, InboxScope
from tournaments.seasons.events.rounds import RoundUndone
from tournaments.seasons.labels import why_unplayable
from tournaments.seasons.models import GOING_ON, Entrant, OrganiserAction, Season


def short_tables(scope: InboxScope) -> Iterator[InboxItem]:
    """Yield an item for each division whose next round does not fill its tables of three or more."""
    for division in scope.divisions:
        season, coming = division.season, division.rounds_opened + 1
        if season.table_size < 3 or division.is_playoff or division.finished_at or FORMATS[season.format].continuous:
            continue
        there = len([away for since, away in scope.places.get(division.pk, []) if coming not in away])
        left = there % season.table_size
        if not left or season.status not in (Season.Status.OPEN, Season.Status.RUNNING):
            continue
        sentence = _(
            "Round {round} has {n} players at tables of {size}. {missing} more would fill the last table. {rule}"
        )
        why = sentence.format(
            n=there,
            round=coming,
            size=season.table_size,
            missing=season.table_size - left,
            rule=_short_table_rule_text(season),
        )
        yield InboxItem("short", season, season.league.club, why, season.starts_at, planned_at(season, coming))


def _short_table_rule_text(season: Season) -> str:
    return {
        "bye": _("By the season’s settings, the players left over have a bye."),
        "built_in_bot": _("By the season’s settings, built-in bots fill the table."),
        "short": _("By the season’s settings, the table is played with fewer."),
    }[season.settings["short_tables"]]


def waiting_seasons(scope: InboxScope) -> Iterator[InboxItem]:
    """Yield an item for each season whose package is missing, each paused season, each season that should have started,
    each undone round, and each division in which nothing can be paired."""
    yield from _unplayable(scope)
    yield from _paused_or_unstarted(scope)
    yield from _undone_rounds(scope)
    yield from _idle_divisions(scope)


def _unplayable(scope: InboxScope) -> Iterator[InboxItem]:
    for season in scope.seasons.values():
        if why := why_unplayable(season.settings):
            yield InboxItem("missing", season, season.league.club, why, season.starts_at)


def _paused_or_unstarted(scope: InboxScope) -> Iterator[InboxItem]:
    for season in scope.seasons.values():
        club = season.league.club
        if season.status == Season.Status.PAUSED and season.paused_at:
            yield InboxItem("paused", season, club, _("The season is paused, so no round begins."), season.paused_at)
        if season.status == Season.Status.OPEN and season.starts_at <= scope.now:
            count = sum(
                len(scope.places.get(division.pk, []))
                for division in scope.divisions
                if division.season_id == season.pk
            )
            why, enough = _why_unstarted(season, count), count >= season.table_size
            yield InboxItem("unstarted", season, club, why, season.starts_at, season.starts_at, startable=enough)


def _undone_rounds(scope: InboxScope) -> Iterator[InboxItem]:
    for division in scope.divisions:
        season = division.season
        if division.on_hold and season.status in GOING_ON:
            number = division.rounds_opened + 1
            why = _("Round {number} was undone. No round is paired until you choose “Pair the round again”.").format(
                number=number
            )
            why = why if division.name == season.name else f"{division}: {why}"
            done = (
                OrganiserAction.objects.filter(stream=season.stream_id, what=RoundUndone.type).order_by("-id").first()
            )
            since = done.at if done else season.starts_at
            yield InboxItem("undone", season, season.league.club, why, since, division=division)


def _idle_divisions(scope: InboxScope) -> Iterator[InboxItem]:
    busy = {round.division_id for round in scope.rounds.values()}
    for division in scope.divisions:
        season = division.season
        idle = division.waited_at is not None and not division.finished_at and division.pk not in busy
        if idle and season.status == Season.Status.RUNNING:
            why = _("Nothing can be paired in {division} now, because not enough players are free.").format(
                division=division
            )
            yield InboxItem("idle", season, season.league.club, why, season.starts_at)


def _why_unstarted(season: Season, count: int) -> str:
    if count < season.table_size:
        sentence = ngettext(
            "The start time has passed, but only 1 of {size} needed players has entered.",
            "The start time has passed, but only {n} of {size} needed players have entered.",
            count,
        )
        return sentence.format(n=count, size=season.table_size)
    return _("The start time has passed, and {n} have entered.").format(n=count)


def failed_games(scope: InboxScope) -> Iterator[InboxItem]:
    """Yield an item for each game that failed and is being retried."""
    for game in attach_seats(list(_failed_games(MAX_ITEMS_PER_TYPE, seasons=list(scope.seasons)))):
        match = game.match_game.match
        season = scope.seasons[match.round.division.season_id]
        why = waiting_reasons.why_not_played(game, scope.now)
        players = [seat.player for seat in game.seats.all()]
        yield InboxItem("stuck", season, season.league.club, why, game.moved_at, players=players, game=game)


@prepared
def _failed_games(count: int, *, seasons: list[int]) -> QuerySet[Game]:
    of_seasons = Game.objects.filter(match_game__match__round__division__season__in=seasons)
    failed = of_seasons.filter(status=Game.Status.PLAYING, failures__gt=0)
    return failed.select_related("match_game__match__round__division").order_by("moved_at")[:count]


def quarantined_bots(scope: InboxScope) -> Iterator[InboxItem]:
    """Yield an item for each entrant that is a bot in quarantine; its games are not played."""
    for entrant in _quarantined(MAX_ITEMS_PER_TYPE, seasons=list(scope.seasons)):
        season = scope.seasons[entrant.season_id]
        why = _("The bot is in quarantine. It plays no games until its author has fixed it or you withdraw it.")
        yield InboxItem(
            "quarantine",
            season,
            season.league.club,
            why,
            entrant.joined_at,
            players=[entrant.player],
            entrant=entrant,
            alternate=scope.alternates.get(season.pk),
        )


@prepared
def _quarantined(count: int, *, seasons: list[int]) -> QuerySet[Entrant]:
    entered = Entrant.objects.filter(season__in=seasons, status=Entrant.Status.IN)
    quarantined = entered.filter(player__bot_version__state=BotVersion.State.QUARANTINED)
    return quarantined.select_related("player__bot_version__bot").order_by("joined_at")[:count]
