"""Who sees a club, and what a user may do in it. Only this module decides.

A private club, its seasons, matches and games are visible to its members. Its owner and organisers set up and run its
seasons; admins of the platform may do everything that an owner may. A remote bot sees what members see if its owner is
a member, and never has a higher role.
"""

from __future__ import annotations

from typing import Any

from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser, User
from django.db.models import QuerySet

from games.accounts.staff import is_admin
from games.common.prepared import prepared
from games.visibility import acting
from tournaments.clubs.models import Club, Membership

OWNER_ROLES = (Membership.Role.OWNER.value,)
ORGANISER_ROLES = (Membership.Role.OWNER.value, Membership.Role.ORGANISER.value)


def visible_to(user: AbstractBaseUser | AnonymousUser) -> QuerySet[Club]:
    """Return the clubs that `user` may see: the public ones, their own, and all for an admin."""
    return Club.objects.exclude(pk__in=closed_to(user))


def listed_for(user: AbstractBaseUser | AnonymousUser) -> QuerySet[Club]:
    """Return the visible clubs that lists show. An archived club is found only by its address."""
    return visible_to(user).filter(archived_at=None)


def closed_to(user: AbstractBaseUser | AnonymousUser) -> QuerySet[Club, Any]:
    """Return the ids of the clubs that `user` may not see. `games.visibility.audience` uses it too."""
    private = Club.objects.filter(visibility=Club.Visibility.PRIVATE).values("pk")
    if user.pk is None:
        return private
    if is_admin(user):
        return private.none()
    return private.exclude(memberships__user=user.pk)


def may_see(user: AbstractBaseUser | AnonymousUser, club: Club) -> bool:
    """Return whether `user` may see the club and everything in it."""
    return not club.is_private or visible_to(user).filter(pk=club.pk).exists()


def role_of(user: User | AnonymousUser, club: Club) -> str:
    """Return "owner", "organiser" or "member"; "" for anybody else."""
    return roles_of(user, club).get(club.pk, "")


def roles_of(user: AbstractBaseUser | AnonymousUser, club: Club | None = None) -> dict[int, str]:
    """Return club id → role of `user`, for all of their clubs or for this one. One query."""
    if user.pk is None:
        return {}
    roles = dict(_roles(user=user.pk, **({"club": club.pk} if club else {})))
    return roles if acting.bot_of(user) is None else dict.fromkeys(roles, Membership.Role.MEMBER.value)


@prepared
def _roles(*, user: int, **which: Any) -> QuerySet[Membership, tuple[int, str]]:
    return Membership.objects.filter(user=user, **which).values_list("club", "role")


def may_organise(user: User | AnonymousUser, club: Club) -> bool:
    """Return whether `user` may set up, start and change seasons of the club, and admit people."""
    return is_admin(user) or role_of(user, club) in ORGANISER_ROLES


def may_own(user: User | AnonymousUser, club: Club) -> bool:
    """Return whether `user` may change the club's settings, its organisers and its owner."""
    return is_admin(user) or role_of(user, club) in OWNER_ROLES
