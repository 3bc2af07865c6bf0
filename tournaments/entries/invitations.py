"""Who an organiser may enter into a season, and who must agree first.

A member of the club has agreed to play there: an organiser enters them, they are notified, and they can decline.
Everybody else is invited to the season, and enters it by accepting. So it is with the owners of bots.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from django.contrib.auth.models import AnonymousUser, User
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from games.accounts import notices
from games.accounts.models import Notice
from games.accounts.viewers import for_viewer
from games.common.errors import DomainError
from games.common.prepared import prepared
from games.models import Player
from games.visibility import acting
from tournaments.activity import subjects
from tournaments.activity.subjects import REGISTRATION, SEASON_INVITATION
from tournaments.clubs.members import club_players
from tournaments.clubs.models import ClubEvent
from tournaments.clubs.permissions import visible_to
from tournaments.entries import services as entries
from tournaments.entries.eligibility import check_players
from tournaments.seasons.addresses import season_url
from tournaments.seasons.aggregate import SeasonAggregate
from tournaments.seasons.models import GOING_ON, Entrant, Season
from tournaments.seasons.stream import lock_season

MAX_OPEN_INVITATIONS: Final = 100  # unanswered invitations to all seasons of a club
OWN_PART: Final = "#yours"  # the part of a season's page with what one can do oneself


def enter_or_invite(*, season: Season, players: Sequence[Player], by: User | AnonymousUser) -> list[Entrant]:
    """Enter `players` for the organiser `by`, and invite those who are not of the club. All of them are notified.

    Raises `DomainError`: not_member, too_many_invitations (409), and the errors of `enter_players`. Then nobody has
    entered.
    """
    with transaction.atomic():
        outside = _outsiders(season, players, by)
        _check_invitations(season, players, outside)
        entered = entries.enter_players(season=season, players=players, invited=outside)
        _notify_invited(season, [each for each in entered if each.status == Entrant.Status.INVITED])
        notify_entered(season, [each for each in entered if each.status != Entrant.Status.INVITED], by)
    return entered


def notify_entered(season: Season, entrants: Sequence[Entrant], by: User | AnonymousUser | None = None) -> None:
    """Notify the people among `entrants`, and the owners of the bots among them, that they were entered by `by`."""
    users = _people_behind(entrants) - {by.pk if by else None}
    sentence, url = subjects.entered_by_organiser(str(season)), season_url(season) + OWN_PART
    notices.notify_users(users, REGISTRATION, key=_entered_key(season), sentences=[sentence], url=url)


def was_entered(season: Season, user: User | AnonymousUser) -> bool:
    """Return whether `user` was notified that an organiser entered them or their bots."""
    return user.pk is not None and _notices(user=user.pk, key=_entered_key(season)).exists()


@prepared
def _notices(*, user: int, key: str) -> QuerySet[Notice]:
    return Notice.objects.filter(user=user, key=key).order_by()


def _entered_key(season: Season) -> str:
    return f"entered:{season.pk}"


def _notify_invited(season: Season, entrants: Sequence[Entrant]) -> None:
    users = _people_behind(entrants)
    sentence, url = subjects.invited_to_season(str(season)), season_url(season) + OWN_PART
    notices.notify_users(users, SEASON_INVITATION, key=entries.invitation_key(season), sentences=[sentence], url=url)


def _people_behind(entrants: Sequence[Entrant]) -> set[int]:
    return {user for entrant in entrants if (user := entries.person_behind(entrant.player)) is not None}


def _outsiders(season: Season, players: Sequence[Player], by: User | AnonymousUser) -> set[int]:
    """Return the players who are not of the season's club, and are neither `by` nor a bot of theirs."""
    agreed = club_players(season.league.club) | Q(user=by.pk) | Q(bot_version__bot__owner=by.pk)
    known = set(Player.objects.filter(agreed, pk__in=[player.pk for player in players]).values_list("pk", flat=True))
    return {player.pk for player in players} - known


def _check_invitations(season: Season, players: Sequence[Player], outside: Collection[int]) -> None:
    if not outside:
        return
    club = season.league.club
    if club.is_private:
        name = next(player.name for player in players if player.pk in outside)
        sentence = _("{name} is not a member of {club}, which is private. Invite them to the club first.")
        raise DomainError(409, "not_member", sentence.format(name=name, club=club), "players")
    held = Season.objects.filter(league__club=club, status__in=(Season.Status.OPEN, *GOING_ON))
    waiting = Entrant.objects.filter(season__in=held, status=Entrant.Status.INVITED)
    if waiting.count() + len(outside) > MAX_OPEN_INVITATIONS:
        sentence = _("A club can have {most} open invitations to its seasons. Wait for answers, or invite fewer.")
        raise DomainError(409, "too_many_invitations", sentence.format(most=MAX_OPEN_INVITATIONS), "players")


def who_stays(season: Season, players: Sequence[Player]) -> list[Player]:
    """Return those of `players` who go on to the next season: without the people who have left the club since, or whose
    bots' owners have."""
    club = season.league.club
    ended = ClubEvent.objects.filter(club=club, type__in=[ClubEvent.Type.LEFT, ClubEvent.Type.REMOVED])
    gone = set(ended.values_list("about", flat=True)) - set(club.memberships.values_list("user", flat=True)) - {None}
    return [player for player in players if entries.person_behind(player) not in gone]


def first_own_invitations(user: acting.User, count: int) -> list[Entrant]:
    """Return the first of `own_invitations`. One query."""
    return list(_own_invitations(user, count))


@for_viewer
def _own_invitations(viewer: acting.User, count: int) -> QuerySet[Entrant]:
    return own_invitations(viewer)[:count]


def own_invitations(user: acting.User) -> QuerySet[Entrant]:
    """Return the unanswered invitations of `user` and their bots to seasons that they may see, the latest first."""
    mine = Q(player__user=user.pk) | Q(player__bot_version__bot__owner=user.pk)
    seen = Q(season__league__club__in=visible_to(user), season__status__in=(Season.Status.OPEN, *GOING_ON))
    rows = Entrant.objects.filter(mine, seen, status=Entrant.Status.INVITED)
    return rows.select_related("season__league__club", "player__bot_version__bot").order_by("-joined_at", "-pk")


def open_invitation(season: Season, player: Player) -> Entrant | None:
    """Return the unanswered invitation of a player to a season, or None."""
    found = season.entries.filter(player=player, status=Entrant.Status.INVITED)
    return found.select_related("player__bot_version__bot").first()


def accept_invitation(*, entrant: Entrant) -> Entrant:
    """Enter a season as it was offered, or get on a list of it if it has no place.

    Raises `DomainError`: not_invited, season_started, other_pool (409), and the errors of
    `eligibility.check_players`.
    """
    with transaction.atomic():
        locked = lock_season(entrant.season)
        invited = entries.current_entrant(locked, entrant)
        if invited.status != Entrant.Status.INVITED:
            raise DomainError(
                409, "not_invited", _("{name} has no open invitation to this season.").format(name=invited)
            )
        check_players(locked, [invited.player])
        changed = SeasonAggregate(locked)
        entries.admit(changed, invited)
        changed.commit()
        return entries.current_entrant(locked, invited)
