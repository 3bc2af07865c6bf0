"""The room of a season: its entrants and the members of its club talk there.

While games of a season are sealed, whoever has played a deal could tell others its cards. So only quick phrases can be
sent until the season has ended.
"""

from __future__ import annotations

from typing import Final

from django.utils.translation import gettext as _

from games.common.errors import DomainError
from games.talk.rooms import RequestUser, Room, RoomFinder, add_room, room_not_found
from games.talk.switch import TalkSwitch
from tournaments.clubs.permissions import may_see, role_of
from tournaments.clubs.talk import club_rules
from tournaments.entries.permissions import captained_by
from tournaments.seasons.addresses import season_url
from tournaments.seasons.models import Entrant, Season

SEASON: Final = "season"
ENDED: Final = (Season.Status.FINISHED, Season.Status.ABANDONED)


def register_room() -> None:
    """Let seasons have a room."""
    add_room(SEASON, RoomFinder(_by_key, _by_pk))


def _by_key(key: str, user: RequestUser) -> Room:
    return _by_pk(int(key) if key.isascii() and key.isdecimal() and len(key) < 19 else 0, user)


def _by_pk(pk: int, user: RequestUser) -> Room:
    season = Season.objects.select_related("league__club").filter(pk=pk).first()
    if season is None or not may_see(user, season.league.club):
        raise room_not_found()
    return season_room(season, user)


def season_room(season: Season, user: RequestUser) -> Room:
    """Return the room of a season as `user` finds it."""
    rules = club_rules(season.league.club, user)
    sealed = bool(season.terms.get("sealed")) and season.status not in ENDED
    refusal = None
    if not belongs(season, user):
        sentence = _("Only members of {club} and entrants of the season talk here.")
        refusal = DomainError(403, "not_in_season", sentence.format(club=season.league.club))
    return Room(
        place=SEASON,
        pk=season.pk,
        key=str(season.pk),
        title=_("Talk of the season"),
        about=_("Members of the club and entrants of the season read it."),
        address=season_url(season),
        switch=TalkSwitch.PHRASES if sealed and rules.switch == TalkSwitch.ON else rules.switch,
        may_remove=rules.organises,
        refusal=refusal,
    )


def belongs(season: Season, user: RequestUser) -> bool:
    """Return whether `user` is a member of the season's club, or an entrant of the season or a player of a team."""
    if user.pk is None:
        return False
    if role_of(user, season.league.club):
        return True
    entrants = season.entries.exclude(status=Entrant.Status.OUT)
    return entrants.filter(player__user=user.pk).exists() or entrants.filter(captained_by(user)).exists()
