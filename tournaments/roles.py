"""What a user may do in a club: its owner and organisers set up and run its seasons, and so may the house's admins."""

from __future__ import annotations

from django.contrib.auth.models import AnonymousUser, User

from tournaments.models import Club, Membership

ORGANISING = (Membership.Role.OWNER.value, Membership.Role.ORGANISER.value)


def role_of(user: User | AnonymousUser, club: Club) -> str:
    """owner, organiser or member; "" for anybody else."""
    if not user.is_authenticated:
        return ""
    if club.owner_id == user.pk:
        return Membership.Role.OWNER.value
    return Membership.objects.filter(club=club, user=user).values_list("role", flat=True).first() or ""


def may_organise(user: User | AnonymousUser, club: Club) -> bool:
    """Whether `user` may set up, start and change seasons of the club."""
    return bool(user.is_authenticated and user.is_staff) or role_of(user, club) in ORGANISING
