"""The API of the inbox and of a person's own seasons. It calls the same services as the pages."""

from __future__ import annotations

from typing import Any

from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from games.common.errors import DomainError
from games.common.numbered_pagination import PAGE_PARAMETERS, NumberedPagination
from games.common.service_views import ERROR_RESPONSE, error_responses, validated_data
from games.common.signed_in import signed_in_user
from games.play.api import PlayerSerializer
from games.play.players import player_data
from tournaments.activity import audit_log
from tournaments.activity.api import AuditLineSerializer
from tournaments.clubs.models import Club
from tournaments.clubs.permissions import may_organise, visible_to
from tournaments.entries import ladder_selectors
from tournaments.organiser import counts, inbox, my_seasons, nudges, upcoming
from tournaments.organiser.inbox_item import ITEM_TITLES
from tournaments.seasons.models import Match


class InboxItemSerializer(serializers.Serializer[Any]):
    """An item: its type, the players, and the reason why it is in the inbox. `due` is its deadline."""

    key = serializers.CharField()
    what = serializers.ChoiceField(choices=sorted(ITEM_TITLES))
    why = serializers.CharField()
    club = serializers.CharField(source="club.slug")
    season = serializers.IntegerField(source="season.pk", allow_null=True, default=None)
    since = serializers.DateTimeField()
    due = serializers.DateTimeField(allow_null=True)
    players = PlayerSerializer(many=True)
    match = serializers.IntegerField(source="match.pk", allow_null=True, default=None)
    round = serializers.IntegerField(source="match.round_id", allow_null=True, default=None)
    entrant = serializers.IntegerField(source="entrant.number", allow_null=True, default=None)
    game = serializers.CharField(source="game.public_id", allow_null=True, default=None)
    request = serializers.IntegerField(source="request.pk", allow_null=True, default=None)
    dispute = serializers.IntegerField(source="dispute.pk", allow_null=True, default=None)
    awaited = PlayerSerializer(many=True)
    nudged_at = serializers.DateTimeField(source="nudged.at", allow_null=True, default=None)


class AuditFilterSerializer(serializers.Serializer[Any]):
    """The filter of the audit log; without it, all actions are listed."""

    season = serializers.CharField(required=False, default="", allow_blank=True, help_text="The id of a season.")
    what = serializers.ChoiceField(
        required=False, default="", allow_blank=True, choices=sorted(audit_log.ACTION_LABELS)
    )
    by = serializers.CharField(
        required=False, default="", allow_blank=True, help_text='A user name; "-" for deleted accounts.'
    )
    match = serializers.CharField(required=False, default="", allow_blank=True, help_text="The id of a match.")


class NudgeSerializer(serializers.Serializer[Any]):
    """An optional message, which everyone can read in the season's timeline."""

    note = serializers.CharField(required=False, allow_blank=True, max_length=2000)


class NudgedPlayersSerializer(serializers.Serializer[Any]):
    """The players who were reminded."""

    asked = PlayerSerializer(many=True)


class UpcomingEventSerializer(serializers.Serializer[Any]):
    """Something that will happen automatically `at` a time, null for “as soon as possible”; `text` describes it."""

    what = serializers.ChoiceField(
        choices=["challenge", "check_in", "end", "match", "over", "reminder", "round", "start"]
    )
    at = serializers.DateTimeField(allow_null=True)
    season = serializers.IntegerField(source="season.pk")
    name = serializers.CharField(source="season")
    club = serializers.CharField(source="season.league.club.slug")
    text = serializers.CharField()


class MySeasonSerializer(serializers.Serializer[Any]):
    """A season that you or your bot play in. `coming_round` is the next unpaired round; `away`: you will miss it."""

    season = serializers.IntegerField()
    name = serializers.CharField()
    club = serializers.CharField()
    status = serializers.CharField()
    entrant = serializers.IntegerField()
    player = PlayerSerializer()
    entry = serializers.CharField()
    place = serializers.IntegerField(allow_null=True)
    points = serializers.FloatField(allow_null=True)
    coming_round = serializers.IntegerField(allow_null=True)
    opens_at = serializers.DateTimeField(allow_null=True)
    away = serializers.BooleanField()


class MyMatchSerializer(serializers.Serializer[Any]):
    """One of your unfinished matches. `begins_at`: its time, until it has begun. `due`: this time; then until when a
    move or the match is due."""

    match = serializers.IntegerField()
    season = serializers.IntegerField()
    round = serializers.IntegerField()
    others = PlayerSerializer(many=True)
    begins_at = serializers.DateTimeField(allow_null=True)
    due = serializers.DateTimeField(allow_null=True)
    game = serializers.CharField(allow_null=True)
    waits_for_you = serializers.BooleanField()


class MyChallengeSerializer(serializers.Serializer[Any]):
    """A challenge that needs your answer. `entrant` is the challenger's number in the season; `cost` says what
    declining costs."""

    season = serializers.IntegerField()
    entrant = serializers.IntegerField()
    player = PlayerSerializer()
    place = serializers.IntegerField()
    your_place = serializers.IntegerField()
    answer_by = serializers.DateTimeField(allow_null=True)
    cost = serializers.CharField()


class MyLeaguesSerializer(serializers.Serializer[Any]):
    seasons = MySeasonSerializer(many=True)
    challenges = MyChallengeSerializer(many=True)
    matches = MyMatchSerializer(many=True)


class SignedInView(APIView):
    """A view for users who are signed in."""

    remote_bots = "nothing"
    visible_in_impersonation = True

    permission_classes = [IsAuthenticated]
    pagination_class = NumberedPagination  # the list parameters in the OpenAPI document

    def paged(self, rows: Any, serializer: type[serializers.Serializer[Any]]) -> Response:
        pages = NumberedPagination()
        return pages.get_paginated_response(
            serializer(pages.paginate_queryset(rows, self.request, view=self), many=True).data
        )

    def organised(self, slug: str) -> Club:
        """Return the club if the user organises it. Raises `DomainError` not_organiser (403)."""
        club = get_object_or_404(visible_to(self.request.user), slug=slug)
        if not may_organise(self.request.user, club):
            sentence = _("Only the organisers of {club} can see its inbox.").format(club=club)
            raise DomainError(403, "not_organiser", sentence)
        return club


class InboxView(SignedInView):
    @extend_schema(operation_id="inbox", parameters=PAGE_PARAMETERS, responses={200: InboxItemSerializer(many=True)})
    def get(self, request: Request) -> Response:
        """Items that need you in all clubs that you organise, most urgent first."""
        return self.paged(inbox.inbox_items(list(counts.organised_clubs(signed_in_user(request)))), InboxItemSerializer)


class ClubInboxView(SignedInView):
    @extend_schema(
        operation_id="club_inbox",
        parameters=PAGE_PARAMETERS,
        responses={200: InboxItemSerializer(many=True), 403: ERROR_RESPONSE},
    )
    def get(self, request: Request, club: str) -> Response:
        """Items that need the organisers of a club, most urgent first. Errors: 403 not_organiser; 404."""
        return self.paged(inbox.inbox_items([self.organised(club)]), InboxItemSerializer)


class ClubAuditLogView(SignedInView):
    @extend_schema(
        operation_id="club_audit_log",
        parameters=[*PAGE_PARAMETERS, AuditFilterSerializer],
        responses={200: AuditLineSerializer(many=True), 400: ERROR_RESPONSE, 403: ERROR_RESPONSE},
    )
    def get(self, request: Request, club: str) -> Response:
        """Actions of organisers in a club's seasons with their reasons, latest first; filtered by `season`, person,
        `match` or action. Errors: 400 bad_filter; 403 not_organiser; 404."""
        pages = NumberedPagination()
        wanted = audit_log.AuditFilter(**{name: request.query_params.get(name, "") for name in audit_log.FILTER_PARAMS})
        found = audit_log.club_actions([self.organised(club)], wanted)
        rows = pages.paginate_queryset(found, request, view=self) or []
        return pages.get_paginated_response(AuditLineSerializer(audit_log.audit_lines(rows), many=True).data)


class UpcomingView(SignedInView):
    @extend_schema(
        operation_id="upcoming", parameters=PAGE_PARAMETERS, responses={200: UpcomingEventSerializer(many=True)}
    )
    def get(self, request: Request) -> Response:
        """What will happen automatically in all clubs that you organise, next first; events without a time come
        last."""
        clubs = list(counts.organised_clubs(signed_in_user(request)))
        return self.paged(upcoming.upcoming_events(clubs), UpcomingEventSerializer)


class ClubUpcomingView(SignedInView):
    @extend_schema(
        operation_id="club_upcoming",
        parameters=PAGE_PARAMETERS,
        responses={200: UpcomingEventSerializer(many=True), 403: ERROR_RESPONSE},
    )
    def get(self, request: Request, club: str) -> Response:
        """What will happen automatically in the seasons of a club, next first. Errors: 403 not_organiser; 404."""
        return self.paged(upcoming.upcoming_events([self.organised(club)]), UpcomingEventSerializer)


class NudgeView(SignedInView):
    write_scope = "organise"

    @extend_schema(
        operation_id="match_nudge",
        request=NudgeSerializer,
        responses={200: NudgedPlayersSerializer, **error_responses(400, 403, 409)},
    )
    def post(self, request: Request, match_id: int) -> Response:
        """Remind the players of a match to play it, at most once a day (organisers). Errors: 400 bad_note; 403
        not_organiser; 404; 409 match_over, nobody_to_nudge, nudged_lately."""
        note = validated_data(NudgeSerializer(data=request.data)).get("note", "")
        seen = Match.objects.filter(round__division__season__league__club__in=visible_to(request.user))
        match = get_object_or_404(seen.select_related("round__division__season__league__club"), pk=match_id)
        asked = nudges.nudge_match(match=match, user=signed_in_user(request), note=note)
        return Response({"asked": [player_data(player) for player in asked]})


class MySeasonsView(SignedInView):
    @extend_schema(operation_id="my_seasons", responses={200: MyLeaguesSerializer})
    def get(self, request: Request) -> Response:
        """The seasons in progress in which you or your bots play, the challenges that wait for your answer, and your
        unfinished matches. To miss a round: POST /seasons/{id}/away/."""
        user = signed_in_user(request)
        entries, player = my_seasons.current_entries(user), getattr(user, "player", None)
        return Response(
            {
                "seasons": [my_seasons.my_entry_data(entry) for entry in entries],
                "challenges": [
                    ladder_selectors.received_challenge_data(challenge)
                    for challenge in ladder_selectors.received_challenges(player)
                ],
                "matches": [my_seasons.my_match_data(match) for match in my_seasons.my_matches(entries)],
            }
        )
