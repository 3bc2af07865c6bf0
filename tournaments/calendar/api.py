"""The API of match times and calendars. It calls the same services as the pages."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.shortcuts import get_object_or_404
from django.urls import reverse
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.permissions import IsAuthenticated, IsAuthenticatedOrReadOnly
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from games.accounts import people
from games.accounts.api import PersonSerializer
from games.common.policy import policy
from games.common.service_views import error_responses, validated_data
from games.common.signed_in import signed_in_user
from tournaments.calendar import feeds, scheduling
from tournaments.calendar.models import Proposal
from tournaments.calendar.upcoming import match_times_data, upcoming_match_data, upcoming_matches
from tournaments.clubs.permissions import visible_to
from tournaments.seasons.models import Match

ERROR_RESPONSES = error_responses(400, 403, 409)


class ProposalAnswerSerializer(serializers.Serializer[Any]):
    """A player's answer to a proposal: the accepted times; an empty list declines."""

    by = PersonSerializer()
    times = serializers.ListField(child=serializers.DateTimeField())
    at = serializers.DateTimeField()


class ProposalSerializer(serializers.Serializer[Any]):
    """Proposed times for a match. `status`: open, agreed, declined, countered, withdrawn or lapsed."""

    id = serializers.IntegerField()
    by = PersonSerializer()
    times = serializers.ListField(child=serializers.DateTimeField())
    made_at = serializers.DateTimeField()
    answer_by = serializers.DateTimeField()
    status = serializers.CharField()
    chosen = serializers.DateTimeField(allow_null=True)
    answers = ProposalAnswerSerializer(many=True)


class MatchTimesSerializer(serializers.Serializer[Any]):
    """The time of a match. `how`: open, fixed, fallback (unless the players agree on another time), agreed or night.
    `open`: you may propose a time. Only the players of the match and organisers see the proposals."""

    begins_at = serializers.DateTimeField(allow_null=True)
    how = serializers.CharField()
    opens_at = serializers.DateTimeField()
    closes_at = serializers.DateTimeField(allow_null=True)
    open = serializers.BooleanField()
    proposals = ProposalSerializer(many=True)


class AcceptedTimesSerializer(serializers.Serializer[Any]):
    """Times with their zone."""

    times = serializers.ListField(child=serializers.DateTimeField(), max_length=scheduling.MAX_TIMES, required=False)


class UpcomingMatchSerializer(serializers.Serializer[Any]):
    """One of your matches that has not begun. `answer_wanted`: a proposal needs your answer."""

    id = serializers.IntegerField()
    season = serializers.IntegerField()
    league = serializers.CharField()
    kind = serializers.CharField()
    round = serializers.IntegerField()
    others = PersonSerializer(many=True)
    begins_at = serializers.DateTimeField(allow_null=True)
    how = serializers.CharField()
    closes_at = serializers.DateTimeField(allow_null=True)
    answer_wanted = serializers.BooleanField()


class MyCalendarSerializer(serializers.Serializer[Any]):
    """Your secret calendar address, with the times of its creation and last use. `address` is shown only when it is
    created."""

    created = serializers.DateTimeField(allow_null=True)
    used_at = serializers.DateTimeField(allow_null=True)
    address = serializers.CharField(required=False)


class TimesView(APIView):
    """The time of a match."""

    write_scope = "play"
    remote_bots = "read"
    visible_in_impersonation = True

    permission_classes = [IsAuthenticatedOrReadOnly]

    @extend_schema(responses=MatchTimesSerializer)
    def get(self, request: Request, match_id: int) -> Response:
        """The time of the match, and how it was set."""
        return Response(match_times_data(_find_match(request, match_id), request.user))

    @extend_schema(request=AcceptedTimesSerializer, responses={201: MatchTimesSerializer, **ERROR_RESPONSES})
    def post(self, request: Request, match_id: int) -> Response:
        """Propose one to five times to the others. This answers their open proposal. Errors: 400 bad_times, 403
        not_in_match, 409 not_by_agreement, too_late, too_many_proposals."""
        match = _find_match(request, match_id)
        scheduling.propose(match=match, user=request.user, times=_match_times_data(request))
        return Response(match_times_data(_find_match(request, match_id), request.user), status=201)


class ProposalView(APIView):
    """A proposal for the time of a match."""

    write_scope = "play"
    remote_bots = "nothing"

    permission_classes = [IsAuthenticated]

    @extend_schema(request=None, responses={200: MatchTimesSerializer, **error_responses(403, 409)})
    def delete(self, request: Request, match_id: int, proposal_id: int) -> Response:
        """Withdraw your proposal. Errors: 403 not_in_match, not_your_proposal; 409 proposal_closed."""
        scheduling.withdraw_proposal(proposal=_find_proposal(request, match_id, proposal_id), user=request.user)
        return Response(match_times_data(_find_match(request, match_id), request.user))


class AcceptView(APIView):
    write_scope = "play"
    remote_bots = "nothing"
    permission_classes = [IsAuthenticated]

    @extend_schema(request=AcceptedTimesSerializer, responses={200: MatchTimesSerializer, **ERROR_RESPONSES})
    def post(self, request: Request, match_id: int, proposal_id: int) -> Response:
        """Accept some of the proposed times; all, if you name none. Errors: 400 bad_times; 403 not_in_match,
        own_proposal; 409 not_by_agreement, too_late, proposal_closed."""
        proposal = _find_proposal(request, match_id, proposal_id)
        scheduling.accept_proposal(proposal=proposal, user=request.user, times=_match_times_data(request))
        return Response(match_times_data(_find_match(request, match_id), request.user))


class DeclineView(APIView):
    write_scope = "play"
    remote_bots = "nothing"
    permission_classes = [IsAuthenticated]

    @extend_schema(request=None, responses={200: MatchTimesSerializer, **error_responses(403, 409)})
    def post(self, request: Request, match_id: int, proposal_id: int) -> Response:
        """Decline all proposed times. Errors as for accepting."""
        scheduling.decline_proposal(proposal=_find_proposal(request, match_id, proposal_id), user=request.user)
        return Response(match_times_data(_find_match(request, match_id), request.user))


class MyMatchesView(APIView):
    remote_bots = "nothing"
    visible_in_impersonation = True
    permission_classes = [IsAuthenticated]

    @extend_schema(responses=UpcomingMatchSerializer(many=True))
    def get(self, request: Request) -> Response:
        """Your matches that have not begun, next first, and the proposals that wait for your answer."""
        return Response([upcoming_match_data(line) for line in upcoming_matches(people.player_of_user(request.user))])


class MyCalendarView(APIView):
    write_scope = "account"
    remote_bots = "nothing"
    rate_limit = "guess"
    visible_in_impersonation = False
    permission_classes = [IsAuthenticated]

    @extend_schema(responses=MyCalendarSerializer)
    def get(self, request: Request) -> Response:
        """Whether you have a secret calendar address."""
        return Response(_calendar_address_data(signed_in_user(request)))

    @extend_schema(request=None, responses={201: MyCalendarSerializer})
    @policy(secret_answer=True)
    def post(self, request: Request) -> Response:
        """Create a secret address, under which a calendar program finds your matches. An older address stops
        working."""
        user = signed_in_user(request)
        path = reverse("calendar-secret", args=[feeds.new_address(user), "me.ics"])
        return Response({**_calendar_address_data(user), "address": settings.SCOREBOOK_BASE_URL + path}, status=201)

    @extend_schema(request=None, responses={204: None})
    def delete(self, request: Request) -> Response:
        """Remove the secret address."""
        feeds.revoke_address(signed_in_user(request))
        return Response(status=204)


def _find_match(request: Request, match_id: int) -> Match:
    matches = Match.objects.select_related("round__division__season__league__club")
    return get_object_or_404(matches, pk=match_id, round__division__season__league__club__in=visible_to(request.user))


def _find_proposal(request: Request, match_id: int, proposal_id: int) -> Proposal:
    return get_object_or_404(Proposal, pk=proposal_id, match=_find_match(request, match_id))


def _match_times_data(request: Request) -> list[Any]:
    return list(validated_data(AcceptedTimesSerializer(data=request.data)).get("times", ()))


def _calendar_address_data(user: User) -> dict[str, Any]:
    address = feeds.find_address(user)
    return {"created": address.created if address else None, "used_at": address.used_at if address else None}
