"""What leagues store about a person who exports their data.

One function collects it instead of a receiver in each package: an entry joins rows of seasons, calendar and standings,
and the file keeps its order.
"""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.db.models import Q

from games.models import Player
from tournaments.calendar.models import CalendarAddress, ProposalAnswer
from tournaments.clubs.models import Club, ClubEvent, ClubPost, Invitation, JoinRequest, Membership
from tournaments.ratings.models import Rating
from tournaments.seasons.models import Entrant, Note, OrganiserAction, SealedLineup, TeamMember
from tournaments.webhooks.models import Webhook


def league_data_of(sender: type[User], player: Player | None, **_signal: Any) -> dict[str, Any]:  # noqa: ARG001
    """Return the seasons that `player` entered with the places, their ratings and their clubs."""
    if player is None:
        return {}
    user = player.user_id
    memberships = Membership.objects.filter(user=user, user__isnull=False).select_related("club")
    requests = JoinRequest.objects.filter(user=user, user__isnull=False).select_related("club")
    about = ClubEvent.objects.filter(about=user, about__isnull=False).select_related("club").order_by("id")
    in_teams = TeamMember.objects.filter(player=player).select_related("entrant__player", "entrant__season__league")
    entries = Entrant.objects.filter(player=player).select_related("division__season__league__club", "standing")
    ratings = Rating.objects.filter(player=player).select_related("pool")
    return {
        **_organiser_data(user),
        "seasons": [
            {
                "club": entry.division.season.league.club.name,
                "season": str(entry.division.season),
                "status": entry.status,
                "joined": entry.joined_at,
                "checked_in": entry.checked_in_at,
                "away": entry.away,
                "promised": entry.promised,
                "proposed_times": list(entry.proposals.values("made_at", "times", "status")),
                "answered_times": list(ProposalAnswer.objects.filter(entrant=entry).values("at", "times")),
                "place": entry.standing.place if hasattr(entry, "standing") else None,
            }
            for entry in entries
        ],
        "teams": [
            {"team": row.entrant.player.name, "season": str(row.entrant.season), "order": row.order} for row in in_teams
        ],
        "ratings": [
            {"kind": rating.pool.kind, "pool": rating.pool.pool, "rating": rating.rating, "games": rating.games}
            for rating in ratings
        ],
        "clubs": [
            {"club": membership.club.name, "role": membership.role, "since": membership.created}
            for membership in memberships
        ],
        "club_requests": [
            {"club": request.club.name, "words": request.words, "state": request.state, "asked": request.created}
            for request in requests
        ],
        "club_events": [
            {"club": each.club.name, "type": each.type, "at": each.at, "reason": each.reason} for each in about
        ],
    }


def _organiser_data(user: int | None) -> dict[str, Any]:
    """Return what `user` wrote and decided in clubs and seasons."""
    if user is None:
        return {}
    posts = ClubPost.objects.filter(by=user).order_by("pk")
    return {
        "notes": list(Note.objects.filter(author=user).values("text", "created", "season__name")),
        "organiser_actions": [
            {"events": act.events, "at": act.at} for act in OrganiserAction.objects.filter(by=user).order_by("pk")
        ],
        "lineups": list(SealedLineup.objects.filter(by=user).values("match", "players", "at")),
        "club_news": list(posts.values("club__name", "title", "text", "created", "edited_at")),
        "club_acts": list(ClubEvent.objects.filter(by=user).order_by("pk").values("club__name", "type", "at")),
        "club_invitations_made": list(
            Invitation.objects.filter(by=user).order_by("pk").values("club__name", "prefix", "created", "used")
        ),
        "clubs_offered": list(Club.objects.filter(offered_to=user).values_list("name", flat=True)),
        "webhooks": [
            {
                "url": hook.shown_url,
                "events": hook.events,
                "club__name": hook.club.name if hook.club else None,
                "created": hook.created,
            }
            for hook in Webhook.objects.filter(Q(user=user) | Q(made_by=user)).select_related("club")
        ],
        "calendar_address": list(CalendarAddress.objects.filter(user=user).values("created", "used_at")),
    }
