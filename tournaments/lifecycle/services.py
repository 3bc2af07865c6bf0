"""Creates, changes, removes and starts seasons, and opens their successors. The stream holds what happened; the rows
are for lists and pages."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import count
from typing import Any, Final
from zoneinfo import ZoneInfo

from django.db import transaction
from django.db.models import Q
from django.utils import translation
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from games.accounts.languages import mail_language
from games.common import clock
from games.common.errors import DomainError
from games.eventlog import store as eventlog
from games.eventlog.models import Stream
from games.models import Player
from tournaments.activity import notifications as season_notifications
from tournaments.activity import subjects
from tournaments.entries import invitations
from tournaments.entries import services as entries
from tournaments.entries.eligibility import check_terms_for_entered, rating_pool_name
from tournaments.lifecycle import divisions
from tournaments.seasons.aggregate import SeasonAggregate
from tournaments.seasons.events.entries import EntrantListed
from tournaments.seasons.events.lifecycle import SeasonChanged, SeasonCreated, SeasonRemoved, SeasonStarted
from tournaments.seasons.models import Division, Entrant, League, Round, Season
from tournaments.seasons.pairing import format_of
from tournaments.seasons.schedule import BOTS_AT_ONCE, RULE_WEEKDAYS, SeasonCalendar, parse_calendar
from tournaments.seasons.settings import BOTS_ONLY, RESOLVED, SeasonSettings, parse_settings
from tournaments.seasons.stream import append_events, lock_season
from tournaments.teams import services as teams

NOBODY_CHALLENGES = gettext_lazy(
    "A ladder needs challengers, and built-in bots do not challenge. Enter a person or an uploaded bot into "
    "{season}, or choose another format."
)
# Seasons of bots that are played at once, each at the next of these times of the week. Until then bots enter.
STARTS_WEEKLY: Final = Q(
    repeats=True,
    settings__entry__players=BOTS_ONLY,
    settings__calendar__rule=RULE_WEEKDAYS,
    settings__calendar__bots=BOTS_AT_ONCE,
)
# beginning in December, March, June and September
PARTS_OF_THE_YEAR = (
    gettext_lazy("Winter {year}"),
    gettext_lazy("Spring {year}"),
    gettext_lazy("Summer {year}"),
    gettext_lazy("Autumn {year}"),
)


def create_season(
    *, league: League, name: str, starts_at: datetime | None = None, repeats: bool = False, **settings: Any
) -> Season:
    """Create a season that is open for entries, with these settings (`tournaments.seasons.settings`); missing ones have
    their defaults. Raises `DomainError`: what `parse_settings` raises (400), bad_name (400) or name_taken (409)."""
    agreed = parse_settings(settings)
    now = clock.now()
    with transaction.atomic():
        slug = _free_slug(league, name)
        season = Season.objects.create(
            league=league,
            name=name,
            slug=slug,
            stream=eventlog.create(subject=Stream.Subject.SEASON, at=now),
            starts_at=starts_at or now,
            repeats=repeats,
            settings=agreed.plain(),
        )
        changed = SeasonAggregate.of_new(season)
        changed.record(SeasonCreated(agreed.logged()))
        _name_divisions(changed, agreed)
        changed.commit()
    return season


def change_season(*, season: Season, name: str, starts_at: datetime | None, repeats: bool, **settings: Any) -> Season:
    """Change name, calendar and settings (complete, as for `create_season`) of a season that has not started. If all
    are as before, nothing is written. Raises `DomainError` as `create_season` does, and season_started,
    bot_in_live_season, guest_in_rated_season (409)."""
    agreed = parse_settings(settings)
    with transaction.atomic():
        locked = lock_season(season)
        if locked.status != Season.Status.OPEN:
            raise DomainError(
                409, "season_started", _("{held} has started, so its settings cannot be changed.").format(held=locked)
            )
        wanted = (name, starts_at or locked.starts_at, repeats, agreed.plain())
        if (locked.name, locked.starts_at, locked.repeats, locked.settings) == wanted:
            return locked
        check_terms_for_entered(locked, agreed.terms)
        locked.name, locked.slug, locked.repeats = name, _free_slug(locked.league, name, locked), repeats
        locked.starts_at, locked.settings = starts_at or locked.starts_at, agreed.plain()
        locked.save(update_fields=["name", "slug", "repeats", "starts_at", "settings"])
        changed = SeasonAggregate(locked)
        changed.record(SeasonChanged(agreed.logged()))
        _name_divisions(changed, agreed)
        changed.commit()
    return locked


def _name_divisions(changed: SeasonAggregate, agreed: SeasonSettings) -> None:
    """Name the divisions of `agreed`: their names are in no event."""
    several = len(agreed.divisions) > 1
    for number, tier in enumerate(agreed.divisions, start=1):
        usual = _("Division {number}").format(number=number) if several else changed.row.name
        changed.describe_row(Division, number, name=tier.name or usual[:60])


def remove_season(*, season: Season) -> None:
    """Remove a season in which nothing was paired. Its stream is kept, with a last event that says so. Raises
    `DomainError` season_gone (404), season_played (409)."""
    with transaction.atomic():
        locked = Season.objects.select_for_update(no_key=True).filter(pk=season.pk).first()
        if locked is None:
            raise DomainError(404, "season_gone", _("This season has already been removed."))
        check_unplayed(locked)
        append_events(locked.stream, [SeasonRemoved()], clock.now())
        locked.delete()


def check_unplayed(season: Season) -> None:
    """Raise `DomainError` season_played (409) if anything of the season was paired."""
    if Round.objects.filter(division__season=season).exists():
        sentence = _("{held} has started and cannot be deleted.").format(held=season)
        raise DomainError(409, "season_played", sentence)


def start_season(*, season: Season, seed: str | None = None) -> Season:
    """Close the entries, place the entrants in divisions, and fix the seed of all drawing (64 hex digits; random unless
    given).

    Entrants who did not check in are left out, and waiting ones get their places; those still waiting become alternates
    or are removed. From now on the director opens rounds. Raises `DomainError` 409: season_started, check_in_on,
    too_few_entrants, nobody_challenges.
    """
    with transaction.atomic():
        locked = lock_season(season)
        if locked.status != Season.Status.OPEN:
            raise DomainError(409, "season_started", _("{held} has already started.").format(held=locked))
        entry, changed = locked.rules().entry, SeasonAggregate(locked)
        if entry.check_in_hours:
            _leave_out_absent(changed)
        _close_entry_lists(changed, keep=entry.alternates)
        entrants = list(locked.entries.filter(status=Entrant.Status.IN).select_related("player__bot_version__bot"))
        divisions.place_in_divisions(changed, entrants)
        _check_enough_entrants(changed)
        _check_challengers(locked, entrants)
        pool = rating_pool_name(teams.players_of(entrants))
        changed.record(SeasonStarted.of(seed or secrets.token_hex(32), pool))
        changed.commit()
    return locked


def _leave_out_absent(changed: SeasonAggregate) -> None:
    """Remove the people who did not check in, and admit waiting ones who did. Raises `DomainError` check_in_on (409)
    before the season's start time."""
    season = changed.row
    if clock.now() < season.starts_at:
        sentence = _("Check-in for {held} is open until its start time. It starts automatically.")
        raise DomainError(409, "check_in_on", sentence.format(held=season))
    absent = season.entries.filter(status__in=(entries.IN, entries.WAITING), checked_in_at=None)
    gone = list(absent.filter(player__bot_version=None).select_related("player", "season__league__club"))
    entries.remove_entrants(changed, gone, "not_checked_in")
    season_notifications.notify_entrants(gone, "not_checked_in", subjects.not_checked_in(str(season)))
    entries.admit_waiting(changed)


def _close_entry_lists(changed: SeasonAggregate, *, keep: bool) -> None:
    """Make waiting entrants alternates if `keep`; remove the others. Invitations stay if the season takes late
    entries."""
    season = changed.row
    listed = season.entries.filter(status__in=(entries.WAITING, entries.ASKED, entries.INVITED))
    for entrant in listed.select_related("player__bot_version__bot"):
        entrant.season = season
        if entrant.status == entries.INVITED:
            if keep or season.rules().entry.late_rounds:
                continue  # the invitation can still be accepted
            entries.remove_entrants(changed, [entrant], "not_accepted")
            sentence = subjects.invitation_lapsed(str(season))
        elif keep and entrant.status == entries.WAITING:
            changed.record(EntrantListed(entrant.number, entrant.player_id, entries.ALTERNATE))
            sentence = subjects.now_alternate(str(season))
        else:
            entries.remove_entrants(changed, [entrant], "no_place")
            sentence = subjects.no_place_left(str(season))
        season_notifications.notify_entrants([entrant], "no_place", sentence)


def _check_enough_entrants(changed: SeasonAggregate) -> None:
    """Raise `DomainError` too_few_entrants (409) unless each division has enough entrants for the format."""
    season, format = changed.row, format_of(changed.state)
    for division in season.divisions.filter(is_playoff=False):
        count = len(changed.state.division(division.number).entrants)
        why_unplayable = format.why_unplayable(count, season.table_size, season.settings["format_options"])
        if why_unplayable:
            place = season if season.divisions.count() == 1 else f"{season}, {division}"
            sentence = _("{held} cannot start yet. {why}").format(held=place, why=why_unplayable)
            raise DomainError(409, "too_few_entrants", sentence, "entrants")


def _check_challengers(season: Season, entrants: Sequence[Entrant]) -> None:
    """Raise `DomainError` nobody_challenges (409) for a ladder in which nothing would ever be paired: built-in bots
    never challenge, and nobody else has entered or can enter later."""
    entry = season.rules().entry
    if not season.competition.by_challenge or entry.late_rounds or entry.alternates:
        return
    if not any(can_challenge(entrant.player) for entrant in entrants):
        raise DomainError(409, "nobody_challenges", NOBODY_CHALLENGES.format(season=season), "entrants")


def can_challenge(player: Player) -> bool:
    """Return whether somebody can challenge for `player`: a person or a bot's author."""
    bot = player.bot_version.bot if player.bot_version else None
    return player.user_id is not None or (bot is not None and bot.owner_id is not None)


def kept_settings(season: Season) -> dict[str, Any]:
    """Return the settings with which a season like this one is created."""
    kept = {name: value for name, value in season.settings.items() if name not in RESOLVED}
    options = {**season.competition.earlier_options, **season.settings["format_options"]}
    return {**kept, "format_options": options}


def entrants_who_stayed(season: Season) -> list[Player]:
    """Return the bots and the people with an account who play or played to the end, in the order of entry."""
    stayed = season.entries.filter(status=Entrant.Status.IN).select_related("player__bot_version__bot")
    players = [entrant.player for entrant in stayed.order_by("number")]
    return [player for player in players if player.is_bot or player.user_id is not None]


def open_successor(*, season: Season) -> Season | None:
    """Open the next season after a finished one that `repeats`, enter everybody who stayed, and start it unless there
    is a check-in or it waits for its time of the week (`STARTS_WEEKLY`). Return None if the season does not repeat, is
    not finished or has a successor."""
    with transaction.atomic():
        locked = lock_season(season)
        if locked.status != Season.Status.FINISHED or not locked.repeats or locked.successor_id:
            return None
        hours = locked.rules().entry.check_in_hours
        starts_at = clock.now() + timedelta(hours=hours) if hours else next_weekly_start(locked)
        with translation.override(mail_language(locked.league.club.owner)):
            name = current_name(locked.league)
        successor = create_season(
            league=locked.league, name=name, starts_at=starts_at, repeats=True, **kept_settings(locked)
        )
        locked.successor = successor
        locked.save(update_fields=["successor"])
        if locked.competition.by_teams:
            entered = teams.enter_teams_again(before=locked, season=successor)
        else:
            entering = entrants_who_stayed(locked)
            entered = entries.enter_players(season=successor, players=invitations.who_stays(successor, entering))
        invitations.notify_entered(successor, entered)
        return successor if starts_at else start_season(season=successor)


def next_weekly_start(season: Season) -> datetime | None:
    """Return when a season like this one starts by itself (`STARTS_WEEKLY`); None if it does not wait for a time."""
    if not Season.objects.filter(STARTS_WEEKLY, pk=season.pk).exists():
        return None
    calendar = parse_calendar(season.settings["calendar"])
    return SeasonCalendar(calendar, clock.now(), season.league.club.zone).opens_at(1)


def current_name(league: League) -> str:
    """Return the name of a new season in the reader's language, such as “Autumn 2026”, with a number if the league has
    one of that name."""
    name = part_of_the_year(league.club.zone)
    taken = set(league.seasons.filter(name__startswith=name).values_list("name", flat=True))
    return name if name not in taken else _first_free(name, taken)


def part_of_the_year(zone: str) -> str:
    """Return the present part of the year in a time zone, such as “Autumn 2026”."""
    local = clock.now().astimezone(ZoneInfo(zone))
    year = local.year + (local.month == 12)  # the winter that begins in December is named after the next year
    return str(PARTS_OF_THE_YEAR[local.month % 12 // 3]).format(year=year)


def _first_free(name: str, taken: set[str]) -> str:
    numbered = (_("{name}, no. {number}").format(name=name, number=number) for number in count(len(taken) + 1))
    return next(each for each in numbered if each not in taken)


def _free_slug(league: League, name: str, season: Season | None = None) -> str:
    """Return the part of the address for a season's name. It is unique in the league, which is locked. Raises
    `DomainError` bad_name (400), name_taken (409)."""
    slug = slugify(name)
    if not slug or len(name) > 60:
        sentence = _("A season's name must have 1 to 60 characters and contain a letter or digit.")
        raise DomainError(400, "bad_name", sentence, "name")
    League.objects.select_for_update(no_key=True).get(pk=league.pk)
    others = league.seasons.exclude(pk=season.pk) if season else league.seasons.all()
    if others.filter(slug=slug).exists():
        sentence = _("{name} already has a season {name2}. Choose another name.").format(name=league.name, name2=name)
        raise DomainError(409, "name_taken", sentence, "name")
    return slug
