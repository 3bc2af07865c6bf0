"""What a club allows people to write in its games and seasons, and who may remove messages there."""

from __future__ import annotations

from games.talk.rooms import ClubRules, RequestUser
from tournaments.clubs.models import Club
from tournaments.clubs.permissions import may_organise


def rules_of_club(club_id: int, user: RequestUser) -> ClubRules:
    """Return the rules of the club with that id (`games.talk.rooms.register_club_rules`)."""
    return club_rules(Club.objects.get(pk=club_id), user)


def club_rules(club: Club, user: RequestUser) -> ClubRules:
    """Return what may be written in the club, and whether `user` may remove messages."""
    return ClubRules(club.talk, may_organise(user, club))
