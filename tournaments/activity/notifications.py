"""Notifications of seasons: on the site at once, and by email as each person has chosen; one for each `key`."""

from __future__ import annotations

from collections.abc import Iterable

from django.urls import reverse

from games.accounts import notices
from scorebook_games.presentation.coded_text import Sentence
from tournaments.activity.subjects import REGISTRATION, SEASON_NEEDS_YOU
from tournaments.clubs.models import Membership
from tournaments.seasons.addresses import season_url
from tournaments.seasons.models import Entrant, Match, Season
from tournaments.seasons.selectors import captains


def notify_entrants(entrants: Iterable[Entrant], key: str, *sentences: Sentence) -> None:
    """Notify the people among `entrants`, the owners of the bots and the captains of the teams among them. `sentences`
    hold no person's name."""
    for entrant in entrants:
        user = _person_behind(entrant)
        if user is not None:
            url = season_url(entrant.season)
            notices.notify_users([user], REGISTRATION, key=_entrant_key(entrant, key), sentences=sentences, url=url)


def withdraw_from_entrant(entrant: Entrant, key: str) -> None:
    """Withdraw what the entrant, or the owner of the bot that it is, was asked under this key."""
    user = _person_behind(entrant)
    if user is not None:
        notices.withdraw_notices([user], _entrant_key(entrant, key))


def _person_behind(entrant: Entrant) -> int | None:
    if entrant.player.is_team:
        return captains([entrant.pk]).get(entrant.pk)
    bot = entrant.player.bot_version.bot if entrant.player.bot_version else None
    return bot.owner_id if bot else entrant.player.user_id


def _entrant_key(entrant: Entrant, key: str) -> str:
    return f"{key}:{entrant.season_id}:{entrant.number}"


def notify_match(match: Match, but: Entrant, *sentences: Sentence) -> None:
    """Notify the people of a match that something happened to the entrant `but`."""
    others = match.entrants.filter(entrant__status=Entrant.Status.IN).exclude(entrant=but)
    users = set(others.values_list("entrant__player__user", flat=True)) - {None}
    users |= set(captains(others.values_list("entrant", flat=True)).values())
    key, url = f"match:{match.pk}:{but.number}", reverse("match", args=[match.pk])
    notices.notify_users(users, REGISTRATION, key=key, sentences=sentences, url=url)


def notify_organisers(season: Season, key: str, *sentences: Sentence) -> None:
    """Notify the owner and the organisers of the club that something needs them."""
    url = season_url(season)
    notices.notify_users(_organisers(season), SEASON_NEEDS_YOU, key=f"{key}:{season.pk}", sentences=sentences, url=url)


def withdraw_from_organisers(season: Season, key: str) -> None:
    """Withdraw what the organisers were asked under this key."""
    notices.withdraw_notices(_organisers(season), f"{key}:{season.pk}")


def _organisers(season: Season) -> set[int]:
    club = season.league.club
    organising = club.memberships.filter(role__in=[Membership.Role.OWNER, Membership.Role.ORGANISER])
    return {club.owner_id, *organising.values_list("user", flat=True)}
