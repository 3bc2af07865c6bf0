"""Who sees a club, and what a user may do in it: the one place that decides.

A private club, its seasons, matches and games are for its members. Its owner and organisers set up and run its seasons;
the platform's admins may do all that an owner may. A remote bot sees what a member sees where its owner is a member,
and never has more than that role.
"""

from __future__ import annotations

from typing import Any

from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser, User
from django.db.models import QuerySet

from games.accounts.staff import is_admin
from games.visibility import acting
from tournaments.clubs.models import Club, Membership

OWNER_ROLES = (Membership.Role.OWNER.value,)
ORGANISER_ROLES = (Membership.Role.OWNER.value, Membership.Role.ORGANISER.value)


def visible_to(user: AbstractBaseUser | AnonymousUser) -> QuerySet[Club]:
    """The clubs that `user` may see: the public ones, those they belong to, and all for an admin."""
    return Club.objects.exclude(pk__in=closed_to(user))


def listed_for(user: AbstractBaseUser | AnonymousUser) -> QuerySet[Club]:
    """Those of them that lists show: an archived club is found by its address alone."""
    return visible_to(user).filter(archived_at=None)


def closed_to(user: AbstractBaseUser | AnonymousUser) -> QuerySet[Club, Any]:
    """The ids of the clubs that `user` may not see; `games.visibility.audience` asks for them too."""
    private = Club.objects.filter(visibility=Club.Visibility.PRIVATE).values("pk")
    if user.pk is None:
        return private
    if is_admin(user):
        return private.none()
    return private.exclude(memberships__user=user.pk)


def may_see(user: AbstractBaseUser | AnonymousUser, club: Club) -> bool:
    """Whether `user` may see the club and all that is in it."""
    return not club.is_private or visible_to(user).filter(pk=club.pk).exists()


def role_of(user: User | AnonymousUser, club: Club) -> str:
    """owner, organiser or member; "" for anybody else."""
    return roles_of(user, club=club).get(club.pk, "")


def roles_of(user: AbstractBaseUser | AnonymousUser, **which: Any) -> dict[int, str]:
    """The role of `user` in each of their clubs, or in `which` of them, by the club's id. One query."""
    if user.pk is None:
        return {}
    found = dict(Membership.objects.filter(user=user.pk, **which).values_list("club", "role"))
    return found if acting.bot_of(user) is None else dict.fromkeys(found, Membership.Role.MEMBER.value)


def may_organise(user: User | AnonymousUser, club: Club) -> bool:
    """Whether `user` may set up, start and change seasons of the club, and let people in."""
    return is_admin(user) or role_of(user, club) in ORGANISER_ROLES


def may_own(user: User | AnonymousUser, club: Club) -> bool:
    """Whether `user` may change what the club is, who organises it, and whose it is."""
    return is_admin(user) or role_of(user, club) in OWNER_ROLES
