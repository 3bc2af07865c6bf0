"""Entering and leaving a season through the API: short calls of the services in `tournaments.entries`."""

from __future__ import annotations

from typing import Any

from django.db.models import Q, QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from games.common.cursor_pagination import NewestFirstPagination
from games.common.policy import policy
from games.play.api import PlayerSerializer
from games.play.service_views import error_responses
from games.visibility import acting
from tournaments.entries import challenges
from tournaments.entries import permissions as entry_permissions
from tournaments.entries import services as entries
from tournaments.entries.ladder_selectors import ladder_rows, refusal_rule_text, rung_data
from tournaments.seasons.api import SeasonActions
from tournaments.seasons.models import Entrant, Season
from tournaments.seasons.settings import MAX_ROUNDS
from tournaments.seasons.stream import fold_season

ERROR_RESPONSES = error_responses(400, 403, 409)


class EntrySerializer(serializers.ModelSerializer[Entrant]):
    """Somebody who has entered a season, or waits to: `since` is the first round that they could be paired in."""

    player = PlayerSerializer(read_only=True)
    division = serializers.IntegerField(source="division.number", read_only=True)

    class Meta:
        model = Entrant
        fields = ["id", "number", "division", "player", "status", "joined_at", "checked_in_at", "away", "since"]


class EntrantChoiceSerializer(serializers.Serializer[Any]):
    """Yourself, or the `player` of a version of your bot."""

    player = serializers.IntegerField(required=False, min_value=1, max_value=2**31)


class LeaveSerializer(EntrantChoiceSerializer):
    """Who leaves, and why if they want to say it."""

    note = serializers.CharField(required=False, allow_blank=True, max_length=2000)


class AwaySerializer(EntrantChoiceSerializer):
    """The rounds that are to be paired without you: all of them, anew."""

    rounds = serializers.ListField(child=serializers.IntegerField(min_value=1, max_value=MAX_ROUNDS), max_length=200)


class EntrantReasonSerializer(serializers.Serializer[Any]):
    """The number of an entrant, and a reason, which everybody sees."""

    entrant = serializers.IntegerField(min_value=1, max_value=32767)
    note = serializers.CharField(required=False, allow_blank=True, max_length=2000)


class LadderChallengeSerializer(EntrantChoiceSerializer):
    """Who asks, and the number of the entrant who is asked."""

    entrant = serializers.IntegerField(min_value=1, max_value=32767)


class ChallengeAnswerSerializer(LadderChallengeSerializer):
    """Who answers, the number of the entrant who has challenged them, and a reason, which everybody sees."""

    note = serializers.CharField(required=False, allow_blank=True, max_length=2000)


class RungSerializer(serializers.Serializer[Any]):
    """A place of a ladder. `challenged` is whom its entrant has asked; `accepted` whether that needs no answer any
    more, `answer_by` until when it is awaited. `lost`: the last place that was lost by refusing, in words."""

    place = serializers.IntegerField()
    entrant = serializers.IntegerField()
    player = PlayerSerializer()
    playing = serializers.BooleanField()
    challenged = PlayerSerializer(allow_null=True)
    accepted = serializers.BooleanField(allow_null=True)
    answer_by = serializers.DateTimeField(allow_null=True)
    you_may_challenge = serializers.BooleanField()
    waits_for_you = serializers.BooleanField()
    lost = serializers.CharField()


class LadderSerializer(serializers.Serializer[Any]):
    """A division's ladder from the top, and what the season says of refusing."""

    division = serializers.IntegerField()
    rule = serializers.CharField()
    rungs = RungSerializer(many=True)


class EntrantNumberPagination(NewestFirstPagination):
    """In the order of asking."""

    ordering = ("number", "id")


class EntryActions(SeasonActions):
    """How people enter, leave and challenge, and how organisers let them in or take them out."""

    @extend_schema(responses=EntrySerializer(many=True), filters=False)
    @action(detail=True, pagination_class=EntrantNumberPagination, filterset_class=None)
    @policy(visible_in_impersonation=True)
    def entrants(self, request: Request, pk: str) -> Response:
        """Who plays, who waits and who has withdrawn. Who asks to be let in is seen by themselves and organisers."""
        return self.paged(self._seen(self.get_object()), EntrySerializer)

    def _seen(self, season: Season) -> QuerySet[Entrant]:
        rows = season.entries.exclude(status=Entrant.Status.OUT).select_related("division", "player__bot_version")
        if not entry_permissions.may_run(season, self.request.user):
            own = acting.rows_of_user(self.request.user) if self.request.user.pk else Q(pk=None)
            rows = rows.filter(~Q(status=Entrant.Status.ASKED) | own)
        return rows

    @extend_schema(request=LeaveSerializer, responses={200: EntrySerializer, **ERROR_RESPONSES})
    @action(detail=True, methods=["post"])
    @policy(write_scope="play", remote_bots="everything")
    def leave(self, request: Request, pk: str) -> Response:
        """Take back your entry; once the season is being played that is to withdraw for good, and what becomes of the
        results is in its settings. Errors: 409 no_player, not_in, season_over."""
        asked, _season, entrant = self._own(LeaveSerializer)
        note = asked.get("note", "")
        return self.answered(EntrySerializer, entries.leave_season, entrant=entrant, by=request.user, note=note)

    @extend_schema(request=EntrantChoiceSerializer, responses={200: EntrySerializer, **ERROR_RESPONSES})
    @action(detail=True, methods=["post"], url_path="check-in")
    @policy(write_scope="play", remote_bots="everything")
    def check_in(self, request: Request, pk: str) -> Response:
        """Say that you are there for the start. Errors: 409 no_check_in, too_early, too_late, not_in."""
        return self.answered(EntrySerializer, entries.check_in_entrant, entrant=self._own(EntrantChoiceSerializer)[2])

    @extend_schema(request=AwaySerializer, responses={200: EntrySerializer, **ERROR_RESPONSES})
    @action(detail=True, methods=["post"])
    @policy(write_scope="play", remote_bots="everything")
    def away(self, request: Request, pk: str) -> Response:
        """Say in which rounds you are away: those of them that are not paired yet go on without you. Errors: 400
        bad_rounds; 409 not_in, season_over."""
        asked, _season, entrant = self._own(AwaySerializer)
        return self.answered(EntrySerializer, entries.set_away_rounds, entrant=entrant, rounds=asked["rounds"])

    @extend_schema(request=LadderChallengeSerializer, responses={200: EntrySerializer, **ERROR_RESPONSES})
    @action(detail=True, methods=["post"])
    @policy(write_scope="play", remote_bots="everything")
    def challenge(self, request: Request, pk: str) -> Response:
        """Ask somebody for a match, in a ladder. Errors: 404; 409 no_challenges, not_in, cannot_challenge (with
        the reason)."""
        asked, season, entrant = self._own(LadderChallengeSerializer)
        challenges.create_challenge(entrant=entrant, other=entry_permissions.find_entrant(season, asked["entrant"]))
        return self.show(entrant, EntrySerializer)

    @extend_schema(request=LadderChallengeSerializer, responses={200: EntrySerializer, **ERROR_RESPONSES})
    @action(detail=True, methods=["post"], url_path="accept-challenge")
    @policy(write_scope="play", remote_bots="everything")
    def accept_challenge(self, request: Request, pk: str) -> Response:
        """Say that you will play `entrant`, who has challenged you. Errors: 404; 409 not_in, no_challenge,
        not_going_on."""
        asked, season, entrant = self._own(LadderChallengeSerializer)
        challenges.accept_challenge(
            entrant=entrant, challenger=entry_permissions.find_entrant(season, asked["entrant"])
        )
        return self.show(entrant, EntrySerializer)

    @extend_schema(request=ChallengeAnswerSerializer, responses={200: EntrySerializer, **ERROR_RESPONSES})
    @action(detail=True, methods=["post"], url_path="decline-challenge")
    @policy(write_scope="play", remote_bots="everything")
    def decline_challenge(self, request: Request, pk: str) -> Response:
        """Refuse `entrant`, who has challenged you, at the price that the season has set. Errors: 400 bad_note; 404;
        409 not_in, no_challenge, not_going_on, no_refusals, challenge_accepted, bots_refuse_nothing."""
        asked, season, entrant = self._own(ChallengeAnswerSerializer)
        challenger = entry_permissions.find_entrant(season, asked["entrant"])
        challenges.decline_challenge(
            entrant=entrant, challenger=challenger, by=request.user, note=asked.get("note", "")
        )
        return self.show(entrant, EntrySerializer)

    @extend_schema(request=EntrantChoiceSerializer, responses={200: EntrySerializer, **ERROR_RESPONSES})
    @action(detail=True, methods=["post"], url_path="withdraw-challenge")
    @policy(write_scope="play", remote_bots="everything")
    def withdraw_challenge(self, request: Request, pk: str) -> Response:
        """Take back your challenge, as long as it is not paired. Errors: 409 not_in, not_going_on."""
        _asked, _season, entrant = self._own(EntrantChoiceSerializer)
        challenges.withdraw_challenge(entrant=entrant)
        return self.show(entrant, EntrySerializer)

    @extend_schema(responses=LadderSerializer(many=True), filters=False)
    @action(detail=True, pagination_class=None, filterset_class=None)
    @policy(visible_in_impersonation=True)
    def ladder(self, request: Request, pk: str) -> Response:
        """The ladders of a season's divisions as they stand, with the challenges that wait; empty for other formats,
        and before the start."""
        season = self.get_object()
        if season.format != "ladder" or season.status == Season.Status.OPEN:
            return Response([])
        folded = fold_season(season)
        shown = [
            {
                "division": division.number,
                "rule": refusal_rule_text(folded),
                "rungs": [rung_data(rung) for rung in ladder_rows(folded, division, request.user)],
            }
            for division in season.divisions.select_related("season")
        ]
        return Response(shown)

    @extend_schema(request=EntrantReasonSerializer, responses={200: EntrySerializer, **ERROR_RESPONSES})
    @action(detail=True, methods=["post"])
    def admit(self, request: Request, pk: str) -> Response:
        """Let in who asks (organisers). Errors: 403 not_organiser; 404; 409 not_asking."""
        number = self.sent(EntrantReasonSerializer)["entrant"]
        return self.show(entry_permissions.admit_as_organiser(self.get_object(), request.user, number), EntrySerializer)

    @extend_schema(request=EntrantReasonSerializer, responses={200: EntrySerializer, **ERROR_RESPONSES})
    @action(detail=True, methods=["post"])
    def withdraw(self, request: Request, pk: str) -> Response:
        """Take somebody out: decline who asks or waits; withdraw who plays, with a `note` (organisers). Errors: 400
        note_needed; 403 not_organiser; 404; 409 not_in, season_over."""
        asked = {"note": "", **self.sent(EntrantReasonSerializer)}
        out = entry_permissions.withdraw_as_organiser(self.get_object(), request.user, asked["entrant"], asked["note"])
        return self.show(out, EntrySerializer)

    def _own(self, sent: type[EntrantChoiceSerializer]) -> tuple[dict[str, Any], Season, Entrant]:
        """What was sent, the season, and whose entry it is about. Raises as `permissions.own_entrant`."""
        asked = self.sent(sent)
        season = self.get_object()
        return asked, season, entry_permissions.own_entrant(season, self.request.user, asked.get("player"))
