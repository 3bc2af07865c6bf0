"""Calendar feeds of clubs, seasons and players, and of one person under a secret address."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable, Sequence
from datetime import timedelta
from typing import Final

from django.conf import settings
from django.contrib.auth.models import AnonymousUser, User
from django.db import transaction
from django.db.models import Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.cache import get_conditional_response
from django.utils.http import http_date
from django.utils.translation import gettext as _

from games.common import clock
from games.common.policy import policy
from games.models import Player
from scorebook_games.registry import KINDS
from tournaments.calendar import entries as calendar_entries
from tournaments.calendar import ical
from tournaments.calendar.entries import ABSENCE_ENTRY, DEADLINE_ENTRY, MATCH_ENTRY, OF_PERSONS
from tournaments.calendar.models import CalendarAddress, CalendarEntry
from tournaments.clubs.models import Club
from tournaments.clubs.permissions import may_see, visible_to
from tournaments.seasons.models import Season

FEED_HISTORY: Final = timedelta(days=60)  # how long past entries stay in a feed
MAX_FEED_ENTRIES: Final = 1000
LAST_USED_PRECISION: Final = timedelta(hours=1)  # how exactly the last use of an address is recorded
SECRET_BYTES: Final = 24

RequestUser = User | AnonymousUser


def club_feed(request: HttpRequest, club: str, viewer: RequestUser | None = None) -> HttpResponseBase:
    """Serve a club's calendar: the rounds of its seasons, and the matches with a time."""
    found_club, viewer = get_object_or_404(Club, slug=club), viewer or request.user
    _visible_entries(viewer, found_club)
    calendar_entries.cancel_removed_seasons()
    calendar_entries.update_entries(
        calendar_entries.outdated_seasons().filter(league__club=found_club)[: calendar_entries.SEASON_BATCH_SIZE]
    )
    return _feed(
        request, found_club.name, _listed_entries().filter(club=found_club).exclude(what__in=OF_PERSONS), viewer
    )


def season_feed(
    request: HttpRequest, club: str, league: str, season: str, viewer: RequestUser | None = None
) -> HttpResponseBase:
    """Serve a season's calendar."""
    seasons = Season.objects.select_related("league__club")
    found_season = get_object_or_404(seasons, league__club__slug=club, league__slug=league, slug=season)
    viewer = viewer or request.user
    _visible_entries(viewer, found_season.league.club)
    calendar_entries.update_entries(calendar_entries.outdated_seasons().filter(pk=found_season.pk))
    return _feed(
        request, str(found_season), _listed_entries().filter(season=found_season).exclude(what__in=OF_PERSONS), viewer
    )


def player_feed(request: HttpRequest, player_id: int, viewer: RequestUser | None = None) -> HttpResponseBase:
    """Serve a player's matches, as far as everybody may see them."""
    player = get_object_or_404(Player, pk=player_id)
    return _feed(request, player.name, _player_entries(player).exclude(what=ABSENCE_ENTRY), viewer or request.user)


def own_feed(request: HttpRequest, viewer: RequestUser) -> HttpResponseBase:
    """Serve one's own matches in all clubs, the deadlines of those without a time, and the rounds that one misses."""
    player = get_object_or_404(Player, user=viewer.pk)
    return _feed(request, _("My matches"), _player_entries(player), viewer)


@policy(secret_parameters=("secret",))
def secret_feed(request: HttpRequest, secret: str, rest: str) -> HttpResponseBase:
    """Serve any of these feeds under a secret address, with what the owner of the secret may see."""
    viewer = secret_owner(secret)
    parts = rest.removesuffix(".ics").split("/")
    match parts:
        case ["me"]:
            return own_feed(request, viewer)
        case ["clubs", club]:
            return club_feed(request, club, viewer)
        case ["clubs", club, league, season]:
            return season_feed(request, club, league, season, viewer)
        case ["players", number] if number.isdecimal() and len(number) < 10:
            return player_feed(request, int(number), viewer)
    raise Http404(_("There is no such calendar."))


def new_address(user: User) -> str:
    """Create a secret address for `user`, which replaces an older one. The secret is returned only here."""
    made = secrets.token_urlsafe(SECRET_BYTES)
    with transaction.atomic():
        CalendarAddress.objects.filter(user=user).delete()
        CalendarAddress.objects.create(user=user, digest=_digest(made), created=clock.now())
    return made


def revoke_address(user: User) -> bool:
    """Revoke the secret address of `user`; return whether there was one."""
    return bool(CalendarAddress.objects.filter(user=user).delete()[0])


def find_address(user: User) -> CalendarAddress | None:
    """Return the row of the secret address of `user`, or None."""
    return CalendarAddress.objects.filter(user=user).first()


def secret_owner(secret: str) -> User:
    """Return the owner of a secret. Raises Http404."""
    address = (
        CalendarAddress.objects.select_related("user").filter(digest=_digest(secret), user__is_active=True).first()
    )
    if address is None:
        raise Http404(_("There is no such calendar."))
    now = clock.now()
    stale = CalendarAddress.objects.filter(pk=address.pk).filter(
        Q(used_at=None) | Q(used_at__lt=now - LAST_USED_PRECISION)
    )
    stale.update(used_at=now)
    return address.user


def _digest(secret: str) -> bytes:
    return hashlib.sha256(secret.encode(errors="replace")).digest()


def _visible_entries(viewer: RequestUser, club: Club) -> None:
    if not may_see(viewer, club):
        raise Http404(_("There is no such calendar."))


def _player_entries(player: Player) -> QuerySet[CalendarEntry]:
    player_seasons = Season.objects.filter(divisions__entrants__player=player)
    calendar_entries.update_entries(
        calendar_entries.outdated_seasons().filter(pk__in=player_seasons)[: calendar_entries.SEASON_BATCH_SIZE]
    )
    return _listed_entries().filter(players__contains=[player.pk])


def missed_rounds(player: Player) -> list[CalendarEntry]:
    """Return the coming rounds in which `player` is absent, the next first. At most two queries."""
    entries = _player_entries(player).filter(what=ABSENCE_ENTRY, season__isnull=False, cancelled=False)
    return list(entries.filter(ends__gt=clock.now())[:MAX_FEED_ENTRIES])


def _listed_entries() -> QuerySet[CalendarEntry]:
    recent = CalendarEntry.objects.filter(ends__gt=clock.now() - FEED_HISTORY)
    return recent.select_related("season__league", "club").order_by("begins", "pk")


def _feed(request: HttpRequest, name: str, listed: QuerySet[CalendarEntry], viewer: RequestUser) -> HttpResponseBase:
    listed = listed.filter(club__in=visible_to(viewer))
    entries = list(listed[:MAX_FEED_ENTRIES])
    body = ical.render_calendar(name, _feed_events(entries))
    etag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
    changed = max((entry.modified for entry in entries), default=None)
    response = HttpResponse(body, content_type="text/calendar; charset=utf-8")
    response["Content-Disposition"] = 'inline; filename="scorebook.ics"'
    response["Cache-Control"] = "private, no-cache" if viewer.pk else "no-cache"
    response["ETag"] = etag
    if changed is not None:
        response["Last-Modified"] = http_date(changed.timestamp())
    return get_conditional_response(request, etag=etag, response=response) or response


def _feed_events(found: Sequence[CalendarEntry]) -> Iterable[ical.CalendarEvent]:
    ids = {pk for entry in found for pk in entry.players}
    players = Player.objects.select_related("bot_version").in_bulk(ids)
    return [_feed_event(entry, _names([players[pk] for pk in entry.players if pk in players])) for entry in found]


def _names(players: Sequence[Player]) -> list[str]:
    """Return the names of those who meet in a match: the players, or the teams without their players."""
    return [each.name for each in players if each.is_team] or [each.name for each in players]


def _feed_event(entry: CalendarEntry, names: Sequence[str]) -> ical.CalendarEvent:
    season = entry.season
    league = str(season) if season else entry.club.name
    words = _("Round {round}").format(round=entry.round)
    if entry.last > entry.round:
        words = _("Rounds {first}–{last}").format(first=entry.round, last=entry.last)
    if entry.what in (MATCH_ENTRY, DEADLINE_ENTRY):
        words = " – ".join(names)
    if entry.what == DEADLINE_ENTRY:
        words = _("{match}: play by this time").format(match=words)
    if entry.what == ABSENCE_ENTRY:
        words = _("you are absent in round {round}").format(round=entry.round)
    about = _("{league}, round {round}").format(league=league, round=entry.round)
    return ical.CalendarEvent(
        uid=str(entry.uid),
        summary=f"{league}: {words}",
        description=f"{KINDS[season.kind].spec.title}: {about}" if season else about,
        url=settings.SCOREBOOK_BASE_URL + _entry_url(entry),
        begins=entry.begins,
        ends=entry.ends if entry.ends > entry.begins else None,
        sequence=entry.sequence,
        created=entry.created,
        modified=entry.modified,
        cancelled=entry.cancelled,
        busy=entry.what == MATCH_ENTRY,
    )


def _entry_url(entry: CalendarEntry) -> str:
    if entry.match_id is not None:
        return reverse("match", args=[entry.match_id])
    if entry.season is not None:
        address = reverse("season", args=[entry.club.slug, entry.season.league.slug, entry.season.slug])
        return f"{address}#availability" if entry.what == ABSENCE_ENTRY else address
    return reverse("club", args=[entry.club.slug])
