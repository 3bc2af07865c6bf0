"""Who may do what with entries: people for themselves and their bots, organisers for everybody."""

from __future__ import annotations

from django.contrib.auth.models import AnonymousUser, User
from django.db.models import Q, QuerySet
from django.http import Http404
from django.utils.translation import gettext as _

from games.common.errors import DomainError
from games.common.prepared import prepared
from games.visibility import acting
from tournaments.clubs.permissions import may_organise
from tournaments.entries import availability
from tournaments.entries import services as entries
from tournaments.seasons.models import Entrant, Season
from tournaments.seasons.notes import check_note

RequestUser = User | AnonymousUser


def may_run(season: Season, user: RequestUser) -> bool:
    """Return whether `user` runs the season."""
    return may_organise(user, season.league.club)


def check_may_run(season: Season, user: RequestUser) -> None:
    """Raise `DomainError` not_organiser (403) unless `user` runs the season."""
    if not may_run(season, user):
        sentence = _("Only the organisers of {club} can run its seasons. Ask one of them.")
        raise DomainError(403, "not_organiser", sentence.format(club=season.league.club))


def own_entrants(season: Season, user: RequestUser) -> list[Entrant]:
    """Return the entries of a user and their bots that play or wait, and the teams whose captain they are."""
    if not user.pk:
        return []
    if bot := acting.bot_of(user):
        found = list(_own_rows("bot", season=season.pk, own=bot.pk))
    else:
        found = [row for whose in ("person", "owner") for row in _own_rows(whose, season=season.pk, own=user.pk)]
    for entrant in found:
        entrant.season = season
    return found


@prepared
def _own_rows(whose: str, *, season: int, own: int) -> QuerySet[Entrant]:
    rows = Entrant.objects.filter(season=season).exclude(status=Entrant.Status.OUT)
    rows = rows.select_related("division", "player__bot_version__bot")
    if whose == "bot":
        return rows.filter(player=own)
    if whose == "owner":
        return rows.filter(player__bot_version__bot__owner=own)
    return rows.filter(Q(player__user=own) | Q(members__is_captain=True) & captained_by(User(pk=own)))


def captained_by(user: RequestUser) -> Q:
    """Return the filter of teams of which the user, or a bot of theirs, is a player; for their captain with
    `members__is_captain`, in one `filter`."""
    return Q(members__player__user=user.pk) | Q(members__player__bot_version__bot__owner=user.pk)


def own_entrant(season: Season, user: RequestUser, player: int | None = None) -> Entrant:
    """Return the entry of a user, or that of their bot's `player` with that id. Raises `DomainError` not_in (409)."""
    for entrant in own_entrants(season, user):
        if entrant.player_id == player or (player is None and (not entrant.player.is_bot or acting.bot_of(user))):
            return entrant
    raise DomainError(409, "not_in", _("You are not in {season}.").format(season=season))


def find_entrant(season: Season, number: int) -> Entrant:
    """Return the entrant with that number. Raises Http404."""
    found = season.entries.select_related("division", "player__bot_version__bot").filter(number=number).first()
    if found is None:
        raise Http404(_("There is no such entrant."))
    return found


def answer_round_for(
    season: Season,
    user: RequestUser,
    round: int,
    plays: bool | None,
    *,
    player: int | None = None,
    number: int = 0,
    note: str = "",
) -> Entrant:
    """Say whether an entrant can play in a round: oneself or the `player` of one's team, or, as an organiser, the
    entrant with that `number`.

    Raises `DomainError` not_organiser (403), bot_always_plays, not_in (409), and the errors of `answer_round`.
    """
    if number:
        entrant = find_entrant(season, number)
        if entrant not in own_entrants(season, user):
            check_may_run(season, user)
            availability.check_is_asked(entrant)
            return availability.answer_round(entrant=entrant, round=round, plays=plays, by=user, note=note)
    else:
        entrant = own_entrant(season, user, player)
    availability.check_is_asked(entrant)
    return availability.answer_round(entrant=entrant, round=round, plays=plays)


def admit_as_organiser(season: Season, user: RequestUser, number: int, note: str = "") -> Entrant:
    """Admit an entrant who asked to enter.

    Raises `DomainError` not_organiser (403), and the errors of `admit_entrant`.
    """
    check_may_run(season, user)
    return entries.admit_entrant(entrant=find_entrant(season, number), by=user, note=note)


def withdraw_as_organiser(season: Season, user: RequestUser, number: int, note: str = "") -> Entrant:
    """Decline an entrant on a list, or withdraw a playing one, which needs a reason.

    Raises `DomainError` note_needed (400), not_organiser (403), and the errors of `leave_season`.
    """
    check_may_run(season, user)
    entrant = find_entrant(season, number)
    if entrant.status == entries.IN:
        check_note(note)
    return entries.leave_season(entrant=entrant, by=user, why="declined", note=note)
