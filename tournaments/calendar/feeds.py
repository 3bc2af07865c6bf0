"""Calendars to subscribe to: a club's, a season's, a player's; and under a secret address what one person may see."""

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
from games.kinds import KINDS
from games.models import Player
from tournaments.calendar import entries as calendar_entries
from tournaments.calendar import ical
from tournaments.calendar.entries import DEADLINE, MATCH
from tournaments.calendar.models import CalendarAddress, CalendarEntry
from tournaments.clubs.permissions import may_see, visible_to
from tournaments.models import Club, Season

PAST: Final = timedelta(days=60)  # so long what is over stays in a calendar
MOST: Final = 1000
USED: Final = timedelta(hours=1)  # how exactly it is known when an address was used
SECRET_BYTES: Final = 24

Viewer = User | AnonymousUser


def of_club(request: HttpRequest, club: str, viewer: Viewer | None = None) -> HttpResponseBase:
    """A club's calendar: the rounds of its seasons, and the matches that begin at a time."""
    found, viewer = get_object_or_404(Club, slug=club), viewer or request.user
    _seen_by(viewer, found)
    calendar_entries.drop_removed()
    calendar_entries.bring_up(calendar_entries.behind().filter(league__club=found)[: calendar_entries.AT_ONCE])
    return _feed(request, found.name, _shown().filter(club=found).exclude(what=DEADLINE), viewer)


def of_season(
    request: HttpRequest, club: str, league: str, season: str, viewer: Viewer | None = None
) -> HttpResponseBase:
    """A season's calendar."""
    seasons = Season.objects.select_related("league__club")
    found = get_object_or_404(seasons, league__club__slug=club, league__slug=league, slug=season)
    viewer = viewer or request.user
    _seen_by(viewer, found.league.club)
    calendar_entries.bring_up(calendar_entries.behind().filter(pk=found.pk))
    return _feed(request, str(found), _shown().filter(season=found).exclude(what=DEADLINE), viewer)


def of_player(request: HttpRequest, player_id: int, viewer: Viewer | None = None) -> HttpResponseBase:
    """A player's matches, as far as everybody may see them."""
    found = get_object_or_404(Player, pk=player_id)
    return _feed(request, found.name, _of_player(found), viewer or request.user)


def of_mine(request: HttpRequest, viewer: Viewer) -> HttpResponseBase:
    """One's own matches, in whatever club, and until when the others are to be played."""
    found = get_object_or_404(Player, user=viewer.pk)
    return _feed(request, _("My matches"), _of_player(found), viewer)


def secret(request: HttpRequest, secret: str, rest: str) -> HttpResponseBase:
    """Any of these under a secret address, as its owner may see it."""
    viewer = owner_of(secret)
    parts = rest.removesuffix(".ics").split("/")
    match parts:
        case ["me"]:
            return of_mine(request, viewer)
        case ["clubs", club]:
            return of_club(request, club, viewer)
        case ["clubs", club, league, season]:
            return of_season(request, club, league, season, viewer)
        case ["players", number] if number.isdecimal() and len(number) < 10:
            return of_player(request, int(number), viewer)
    raise Http404("There is no such calendar.")


def new_address(user: User) -> str:
    """A secret address for `user`; an older one is found no more. It is told here and never again."""
    made = secrets.token_urlsafe(SECRET_BYTES)
    with transaction.atomic():
        CalendarAddress.objects.filter(user=user).delete()
        CalendarAddress.objects.create(user=user, digest=_digest(made), created=clock.now())
    return made


def revoke_address(user: User) -> bool:
    """Let the secret address of `user` be found no more; whether there was one."""
    return bool(CalendarAddress.objects.filter(user=user).delete()[0])


def address_of(user: User) -> CalendarAddress | None:
    """What is known of the secret address of `user`."""
    return CalendarAddress.objects.filter(user=user).first()


def owner_of(secret: str) -> User:
    """Whose secret that is. Raises Http404."""
    found = CalendarAddress.objects.select_related("user").filter(digest=_digest(secret), user__is_active=True).first()
    if found is None:
        raise Http404("There is no such calendar.")
    now = clock.now()
    stale = CalendarAddress.objects.filter(pk=found.pk).filter(Q(used_at=None) | Q(used_at__lt=now - USED))
    stale.update(used_at=now)
    return found.user


def _digest(secret: str) -> bytes:
    return hashlib.sha256(secret.encode(errors="replace")).digest()


def _seen_by(viewer: Viewer, club: Club) -> None:
    if not may_see(viewer, club):
        raise Http404("There is no such calendar.")


def _of_player(player: Player) -> QuerySet[CalendarEntry]:
    own = Season.objects.filter(divisions__entrants__player=player)
    calendar_entries.bring_up(calendar_entries.behind().filter(pk__in=own)[: calendar_entries.AT_ONCE])
    return _shown().filter(players__contains=[player.pk])


def _shown() -> QuerySet[CalendarEntry]:
    recent = CalendarEntry.objects.filter(ends__gt=clock.now() - PAST)
    return recent.select_related("season__league", "club").order_by("begins", "pk")


def _feed(request: HttpRequest, name: str, listed: QuerySet[CalendarEntry], viewer: Viewer) -> HttpResponseBase:
    listed = listed.filter(club__in=visible_to(viewer))
    found = list(listed[:MOST])
    body = ical.written(name, _lines(found))
    etag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
    changed = max((entry.modified for entry in found), default=None)
    response = HttpResponse(body, content_type="text/calendar; charset=utf-8")
    response["Content-Disposition"] = 'inline; filename="scorebook.ics"'
    response["Cache-Control"] = "private, no-cache" if viewer.pk else "no-cache"
    response["ETag"] = etag
    if changed is not None:
        response["Last-Modified"] = http_date(changed.timestamp())
    return get_conditional_response(request, etag=etag, response=response) or response


def _lines(found: Sequence[CalendarEntry]) -> Iterable[ical.Shown]:
    ids = {pk for entry in found for pk in entry.players}
    players = Player.objects.select_related("bot_version").in_bulk(ids)
    return [_line(entry, [players[pk].name for pk in entry.players if pk in players]) for entry in found]


def _line(entry: CalendarEntry, names: Sequence[str]) -> ical.Shown:
    season = entry.season
    league = str(season) if season else entry.club.name
    words = _("Round {round}").format(round=entry.round)
    if entry.last > entry.round:
        words = _("Rounds {first}–{last}").format(first=entry.round, last=entry.last)
    if entry.what in (MATCH, DEADLINE):
        words = " – ".join(names)
    if entry.what == DEADLINE:
        words = _("{match}: to be played by now").format(match=words)
    about = _("{league}, round {round}").format(league=league, round=entry.round)
    return ical.Shown(
        uid=str(entry.uid),
        summary=f"{league}: {words}",
        description=f"{KINDS[season.kind].spec.title}: {about}" if season else about,
        url=settings.SCOREBOOK_ADDRESS + _page(entry),
        begins=entry.begins,
        ends=entry.ends if entry.ends > entry.begins else None,
        sequence=entry.sequence,
        created=entry.created,
        modified=entry.modified,
        cancelled=entry.cancelled,
        busy=entry.what == MATCH,
    )


def _page(entry: CalendarEntry) -> str:
    if entry.match_id is not None:
        return reverse("match", args=[entry.match_id])
    if entry.season is not None:
        return reverse("season", args=[entry.club.slug, entry.season.league.slug, entry.season.slug])
    return reverse("club", args=[entry.club.slug])
