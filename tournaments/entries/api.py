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
from games.common.page_cache import cached_answer
from games.common.policy import policy
from games.common.service_views import error_responses
from games.play.api import PlayerSerializer
from games.visibility import acting
from tournaments.entries import availability, challenges, invitations
from tournaments.entries import permissions as entry_permissions
from tournaments.entries import services as entries
from tournaments.entries.availability_selectors import coming_rounds, round_counts
from tournaments.entries.ladder_selectors import ladder_rows, refusal_rule_text, rung_data
from tournaments.seasons.api import SeasonActions, season_answer_version
from tournaments.seasons.models import Entrant, Season
from tournaments.seasons.settings import MAX_ROUNDS
from tournaments.seasons.stream import fold_season

ERROR_RESPONSES = error_responses(400, 403, 409)


class EntrySerializer(serializers.ModelSerializer[Entrant]):
    """An entrant of a season, or a player on its waiting list. `away` are the rounds that they miss, `promised` those
    in which they have said to play, `called` those that an alternate plays for others, and `since` is the first round
    in which they can be paired."""

    player = PlayerSerializer(read_only=True)
    division = serializers.IntegerField(source="division.number", read_only=True)

    class Meta:
        model = Entrant
        fields = [
            "id",
            "number",
            "division",
            "player",
            "status",
            "joined_at",
            "checked_in_at",
            "away",
            "promised",
            "called",
            "since",
        ]


class EntrantChoiceSerializer(serializers.Serializer[Any]):
    """The entrant: yourself by default, or the `player` of a version of your bot."""

    player = serializers.IntegerField(required=False, min_value=1, max_value=2**31)


class LeaveSerializer(EntrantChoiceSerializer):
    """The entrant who leaves, and an optional reason."""

    note = serializers.CharField(required=False, allow_blank=True, max_length=2000)


class AwaySerializer(EntrantChoiceSerializer):
    """All rounds that you will miss; this replaces the earlier list."""

    rounds = serializers.ListField(child=serializers.IntegerField(min_value=1, max_value=MAX_ROUNDS), max_length=200)


class RoundAnswerSerializer(EntrantChoiceSerializer):
    """Whether an entrant `plays` in a round: yes, no, or null to take the answer back. Organisers name another entrant
    by its number, with a reason that everyone can read."""

    round = serializers.IntegerField(min_value=1, max_value=MAX_ROUNDS)
    plays = serializers.BooleanField(allow_null=True)
    entrant = serializers.IntegerField(required=False, min_value=1, max_value=32767)
    note = serializers.CharField(required=False, allow_blank=True, max_length=2000)


class ComingRoundSerializer(serializers.Serializer[Any]):
    """A round that is not paired, and how many entrants with a place have said that they play (`yes`), that they do not
    (`no`), and nothing (`silent`). `opens_at` is null if nobody can know it."""

    round = serializers.IntegerField(source="round.number")
    opens_at = serializers.DateTimeField(source="round.opens_at", allow_null=True)
    yes = serializers.IntegerField()
    no = serializers.IntegerField()
    silent = serializers.IntegerField()


class AvailabilitySerializer(serializers.Serializer[Any]):
    """The coming rounds of a division. `absence`: what follows if an entrant misses a round, in words; "" if the format
    has no rounds to miss."""

    division = serializers.IntegerField()
    absence = serializers.CharField()
    rounds = ComingRoundSerializer(many=True)


class EntrantReasonSerializer(serializers.Serializer[Any]):
    """The number of an entrant, and a reason, which everyone can read."""

    entrant = serializers.IntegerField(min_value=1, max_value=32767)
    note = serializers.CharField(required=False, allow_blank=True, max_length=2000)


class LadderChallengeSerializer(EntrantChoiceSerializer):
    """The entrant who acts, and the number of the other one."""

    entrant = serializers.IntegerField(min_value=1, max_value=32767)


class ChallengeAnswerSerializer(LadderChallengeSerializer):
    """The challenged entrant, the number of the challenger, and a reason, which everyone can read."""

    note = serializers.CharField(required=False, allow_blank=True, max_length=2000)


class RungSerializer(serializers.Serializer[Any]):
    """A place of a ladder. `challenged`: whom its entrant has challenged. `accepted`: the challenge needs no answer any
    more. `answer_by`: the deadline of the answer. `lost`: the last place lost by refusing, in words."""

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
    """The ladder of a division from the top, and the season's rule about refusals."""

    division = serializers.IntegerField()
    rule = serializers.CharField()
    rungs = RungSerializer(many=True)


class EntrantNumberPagination(NewestFirstPagination):
    """Pages in the order of the requests."""

    ordering = ("number", "id")


class EntryActions(SeasonActions):
    """Entering, leaving and challenging, and the organisers' decisions about entries."""

    @extend_schema(responses=EntrySerializer(many=True), filters=False)
    @action(detail=True, pagination_class=EntrantNumberPagination, filterset_class=None)
    @policy(visible_in_impersonation=True)
    @cached_answer(season_answer_version)
    def entrants(self, request: Request, pk: str) -> Response:
        """Entrants, the waiting list, and those who have withdrawn. Open requests and invitations are shown only to the
        player and to organisers."""
        return self.paged(self._seen(self.get_object()), EntrySerializer)

    def _seen(self, season: Season) -> QuerySet[Entrant]:
        rows = season.entries.exclude(status=Entrant.Status.OUT).select_related("division", "player__bot_version")
        if not entry_permissions.may_run(season, self.request.user):
            my_rows = acting.rows_of_user(self.request.user) if self.request.user.pk else Q(pk=None)
            rows = rows.filter(~Q(status__in=(Entrant.Status.ASKED, Entrant.Status.INVITED)) | my_rows)
        return rows

    @extend_schema(request=LeaveSerializer, responses={200: EntrySerializer, **ERROR_RESPONSES})
    @action(detail=True, methods=["post"])
    @policy(write_scope="play", remote_bots="everything")
    def leave(self, request: Request, pk: str) -> Response:
        """Cancel your entry. After the start this is a permanent withdrawal, and the season's settings say what happens
        to the results. Errors: 409 no_player, not_in, season_over."""
        asked, _season, entrant = self._own(LeaveSerializer)
        note = asked.get("note", "")
        return self.answered(EntrySerializer, entries.leave_season, entrant=entrant, by=request.user, note=note)

    @extend_schema(request=EntrantChoiceSerializer, responses={200: EntrySerializer, **ERROR_RESPONSES})
    @action(detail=True, methods=["post"], url_path="accept-invitation")
    @policy(write_scope="play", remote_bots="everything")
    def accept_invitation(self, request: Request, pk: str) -> Response:
        """Accept the invitation of an organiser to this season. To decline: POST /seasons/{id}/leave/. Errors: 409
        not_in, not_invited, season_started, and as for joining."""
        return self.answered(
            EntrySerializer, invitations.accept_invitation, entrant=self._own(EntrantChoiceSerializer)[2]
        )

    @extend_schema(request=EntrantChoiceSerializer, responses={200: EntrySerializer, **ERROR_RESPONSES})
    @action(detail=True, methods=["post"], url_path="check-in")
    @policy(write_scope="play", remote_bots="everything")
    def check_in(self, request: Request, pk: str) -> Response:
        """Check in for the start. Errors: 409 no_check_in, too_early, too_late, not_in."""
        return self.answered(EntrySerializer, entries.check_in_entrant, entrant=self._own(EntrantChoiceSerializer)[2])

    @extend_schema(request=AwaySerializer, responses={200: EntrySerializer, **ERROR_RESPONSES})
    @action(detail=True, methods=["post"])
    @policy(write_scope="play", remote_bots="everything")
    def away(self, request: Request, pk: str) -> Response:
        """Set all rounds that you will miss. Rounds that are not paired yet are played without you. For one round: POST
        /seasons/{id}/answer-round/. Bots are always available. Errors: 400 bad_rounds; 409 bot_always_plays, not_in,
        season_over."""
        asked, _season, entrant = self._own(AwaySerializer)
        availability.check_is_asked(entrant)
        return self.answered(EntrySerializer, availability.set_away_rounds, entrant=entrant, rounds=asked["rounds"])

    @extend_schema(responses=AvailabilitySerializer(many=True), filters=False)
    @action(detail=True, pagination_class=None, filterset_class=None)
    @policy(visible_in_impersonation=True)
    def availability(self, request: Request, pk: str) -> Response:
        """The coming rounds of each division, with how many people and teams can play. Who that is: GET
        /seasons/{id}/entrants/, by `away` and `promised`."""
        season = self.get_object()
        divisions = season.divisions.all()
        for division in divisions:
            division.season = season
        shown = [
            {
                "division": division.number,
                "absence": season.competition.absence(season.table_size),
                "rounds": round_counts(division, coming_rounds(division)),
            }
            for division in divisions
        ]
        return Response(AvailabilitySerializer(shown, many=True).data)

    @extend_schema(request=RoundAnswerSerializer, responses={200: EntrySerializer, **ERROR_RESPONSES})
    @action(detail=True, methods=["post"], url_path="answer-round")
    @policy(write_scope="play", remote_bots="everything")
    def answer_round(self, request: Request, pk: str) -> Response:
        """Say whether you, your team or (organisers) another entrant can play in a coming round. Bots are always
        available. Errors: 400 bad_rounds, bad_note; 403 not_organiser; 404; 409 bot_always_plays, not_in, no_rounds,
        round_paired, season_over."""
        asked = self.sent(RoundAnswerSerializer)
        entrant = entry_permissions.answer_round_for(
            self.get_object(),
            request.user,
            asked["round"],
            asked["plays"],
            player=asked.get("player"),
            number=asked.get("entrant", 0),
            note=asked.get("note", ""),
        )
        return self.show(entrant, EntrySerializer)

    @extend_schema(request=LadderChallengeSerializer, responses={200: EntrySerializer, **ERROR_RESPONSES})
    @action(detail=True, methods=["post"])
    @policy(write_scope="play", remote_bots="everything")
    def challenge(self, request: Request, pk: str) -> Response:
        """Challenge an entrant of a ladder. Errors: 404; 409 no_challenges, not_in, cannot_challenge (with the
        reason)."""
        asked, season, entrant = self._own(LadderChallengeSerializer)
        challenges.create_challenge(entrant=entrant, other=entry_permissions.find_entrant(season, asked["entrant"]))
        return self.show(entrant, EntrySerializer)

    @extend_schema(request=LadderChallengeSerializer, responses={200: EntrySerializer, **ERROR_RESPONSES})
    @action(detail=True, methods=["post"], url_path="accept-challenge")
    @policy(write_scope="play", remote_bots="everything")
    def accept_challenge(self, request: Request, pk: str) -> Response:
        """Accept the challenge of `entrant`. Errors: 404; 409 not_in, no_challenge, not_going_on."""
        asked, season, entrant = self._own(LadderChallengeSerializer)
        challenges.accept_challenge(
            entrant=entrant, challenger=entry_permissions.find_entrant(season, asked["entrant"])
        )
        return self.show(entrant, EntrySerializer)

    @extend_schema(request=ChallengeAnswerSerializer, responses={200: EntrySerializer, **ERROR_RESPONSES})
    @action(detail=True, methods=["post"], url_path="decline-challenge")
    @policy(write_scope="play", remote_bots="everything")
    def decline_challenge(self, request: Request, pk: str) -> Response:
        """Decline the challenge of `entrant`, at the cost that the season has set. Errors: 400 bad_note; 404; 409
        not_in, no_challenge, not_going_on, no_refusals, challenge_accepted, bots_refuse_nothing."""
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
        """Withdraw your challenge before it is paired. Errors: 409 not_in, not_going_on."""
        _asked, _season, entrant = self._own(EntrantChoiceSerializer)
        challenges.withdraw_challenge(entrant=entrant)
        return self.show(entrant, EntrySerializer)

    @extend_schema(responses=LadderSerializer(many=True), filters=False)
    @action(detail=True, pagination_class=None, filterset_class=None)
    @policy(visible_in_impersonation=True)
    def ladder(self, request: Request, pk: str) -> Response:
        """The ladders of a season's divisions with their open challenges; empty for other formats, and before the
        start."""
        season = self.get_object()
        if not season.competition.by_challenge or season.status == Season.Status.OPEN:
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
        """Accept a request to enter, with a `note` if you like (organisers). Errors: 403 not_organiser; 404; 409
        not_asking, season_started, other_pool."""
        asked = {"note": "", **self.sent(EntrantReasonSerializer)}
        out = entry_permissions.admit_as_organiser(self.get_object(), request.user, asked["entrant"], asked["note"])
        return self.show(out, EntrySerializer)

    @extend_schema(request=EntrantReasonSerializer, responses={200: EntrySerializer, **ERROR_RESPONSES})
    @action(detail=True, methods=["post"])
    def withdraw(self, request: Request, pk: str) -> Response:
        """Remove an entrant: decline a request or waiting player, or withdraw an entrant with a `note` (organisers).
        Errors: 400 note_needed; 403 not_organiser; 404; 409 not_in, season_over."""
        asked = {"note": "", **self.sent(EntrantReasonSerializer)}
        out = entry_permissions.withdraw_as_organiser(self.get_object(), request.user, asked["entrant"], asked["note"])
        return self.show(out, EntrySerializer)

    def _own(self, sent: type[EntrantChoiceSerializer]) -> tuple[dict[str, Any], Season, Entrant]:
        """Return the season, the valid request data, and the entrant concerned. Raises as `permissions.own_entrant`
        does."""
        asked = self.sent(sent)
        season = self.get_object()
        return asked, season, entry_permissions.own_entrant(season, self.request.user, asked.get("player"))
