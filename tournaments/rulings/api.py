"""The API of rulings and disputes. It calls the same services as the pages."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from games.common.policy import policy
from games.common.service_views import ServiceViewSet, error_responses, validated_data
from games.models import Player
from tournaments.activity import audit_log
from tournaments.activity.api import AuditLineSerializer
from tournaments.rulings import disputes, substitutions
from tournaments.rulings import services as decisions
from tournaments.rulings.models import Dispute
from tournaments.seasons.api import SeasonActions
from tournaments.seasons.models import Entrant, OrganiserAction, Round
from tournaments.seasons.notes import NOTE_MAX_LENGTH

ERROR_RESPONSES = error_responses(400, 403, 404, 409)
MAX_SEATS = 8


class ReasonSerializer(serializers.Serializer[Any]):
    """A reason; the players concerned can read it."""

    note = serializers.CharField(max_length=NOTE_MAX_LENGTH)


class GameRulingSerializer(ReasonSerializer):
    """A game of a match. `version` is the version of the match that you saw; if it has changed, the request is
    refused."""

    game = serializers.IntegerField(min_value=1, max_value=1000, help_text="Number of the game in the match.")
    version = serializers.IntegerField(required=False, default=None, allow_null=True, min_value=0)


class RulingSerializer(GameRulingSerializer):
    """A result of one game, or of the whole match if no game is named."""

    game = serializers.IntegerField(
        required=False,
        default=None,
        allow_null=True,
        min_value=1,
        max_value=1000,
        help_text="Left out: the whole match.",
    )
    places = serializers.ListField(
        child=serializers.IntegerField(min_value=0, max_value=MAX_SEATS),
        max_length=MAX_SEATS,
        help_text="Place of each entrant, in the order of the match. Tied entrants share a place.",
    )
    scores = serializers.ListField(
        child=serializers.IntegerField(min_value=-(10**6), max_value=10**6),
        required=False,
        default=None,
        allow_null=True,
        max_length=MAX_SEATS,
        help_text="Score of each entrant, in the same order; required if scores count as points.",
    )


class SubstituteSerializer(ReasonSerializer):
    """The number of the team (`entrant`), the board, and the id of the player who sits there from now on."""

    entrant = serializers.IntegerField(min_value=1, max_value=32767)
    board = serializers.IntegerField(min_value=1, max_value=8)
    player = serializers.IntegerField(min_value=1, max_value=2**31)


class UndoRoundSerializer(ReasonSerializer):
    """The id of the last round of a division, as `rounds/` shows it."""

    round = serializers.IntegerField(min_value=1, max_value=2**31)


class PairAgainSerializer(ReasonSerializer):
    """The division to pair again."""

    division = serializers.IntegerField(required=False, default=1, min_value=1, max_value=1000)


class DeclineSerializer(ReasonSerializer):
    """The dispute, and the reason for declining it."""

    dispute = serializers.IntegerField(min_value=1, max_value=2**31)


class DisputeSerializer(serializers.ModelSerializer[Dispute]):
    """A dispute, as its player and the organisers see it."""

    entrant = serializers.CharField(source="entrant.player.name", read_only=True)
    reason = serializers.CharField(source="note.text", read_only=True)

    class Meta:
        model = Dispute
        fields = ["id", "match", "entrant", "status", "reason", "raised_at", "settled_at"]


class MatchRulingActions(ServiceViewSet):
    """Rulings of organisers about matches, and disputes of players."""

    @extend_schema(request=RulingSerializer, responses={201: AuditLineSerializer, **ERROR_RESPONSES})
    @action(detail=True, methods=["post"])
    def adjudicate(self, request: Request, pk: str) -> Response:
        """Set the result of a match or of one of its games, played or not (organisers). Running games are ended.
        Errors: 400 bad_places, bad_scores, note_needed; 403 not_organiser; 404 no_such_game; 409 stale_match,
        round_undone, season_over, next_round_paired, playoff_opened."""
        return self._decided(decisions.adjudicate, RulingSerializer)

    @extend_schema(request=GameRulingSerializer, responses={201: AuditLineSerializer, **ERROR_RESPONSES})
    @action(detail=True, methods=["post"])
    def annul(self, request: Request, pk: str) -> Response:
        """Annul a game, so that it does not count (organisers). Errors as for adjudicate, and 409 annulled_already,
        no_result_left."""
        return self._decided(decisions.annul_game, GameRulingSerializer)

    @extend_schema(request=GameRulingSerializer, responses={201: AuditLineSerializer, **ERROR_RESPONSES})
    @action(detail=True, methods=["post"])
    def replay(self, request: Request, pk: str) -> Response:
        """Order a replay of a game with the same seats (organisers). The old result does not count. Errors as for
        adjudicate, and 409 entrant_gone, successor_open."""
        return self._decided(decisions.order_replay, GameRulingSerializer)

    @extend_schema(request=SubstituteSerializer, responses={201: AuditLineSerializer, **ERROR_RESPONSES})
    @action(detail=True, methods=["post"])
    def substitute(self, request: Request, pk: str) -> Response:
        """Let another player of a team sit at a board, after the line-ups are known (organisers). Open games in which
        nobody has moved are replaced. Errors: 400 note_needed, bad_board; 403 not_organiser; 404; 409 lineups_hidden,
        not_in_team, plays_already, game_begun, nothing_to_play, round_undone, season_over."""
        asked, match = self.sent(SubstituteSerializer), self._match()
        team = get_object_or_404(
            Entrant.objects.select_related("player"), matches__match=match, number=asked["entrant"]
        )
        player = get_object_or_404(Player, pk=asked["player"])
        made = substitutions.substitute(
            match=match, team=team, board=asked["board"], player=player, by=request.user, note=asked["note"]
        )
        return Response(ruling_data(made), status=201)

    @extend_schema(request=ReasonSerializer, responses={201: DisputeSerializer, **ERROR_RESPONSES})
    @action(detail=True, methods=["post"])
    @policy(write_scope="play")
    def dispute(self, request: Request, pk: str) -> Response:
        """Dispute the result of a match that you or your bot played. Errors: 400 note_needed; 403 not_your_match; 409
        round_undone, season_over, disputed_already, too_many_disputes."""
        asked = self.sent(ReasonSerializer)
        return self.answered(
            DisputeSerializer, disputes.open_dispute, status=201, match=self._match(), by=request.user, **asked
        )

    @extend_schema(request=DeclineSerializer, responses={200: DisputeSerializer, **ERROR_RESPONSES})
    @action(detail=True, methods=["post"])
    def decline(self, request: Request, pk: str) -> Response:
        """Decline a dispute (organisers). The result stands. Errors: 400 note_needed; 403 not_organiser; 409
        settled_already."""
        asked = self.sent(DeclineSerializer)
        found = get_object_or_404(Dispute, pk=asked.pop("dispute"), match=self._match())
        return self.answered(DisputeSerializer, disputes.decline_dispute, dispute=found, by=request.user, **asked)

    def _match(self) -> Any:
        return get_object_or_404(
            self.get_queryset().select_related("round__division__season__league__club"), pk=self.kwargs["pk"]
        )

    def _decided(self, service: Callable[..., OrganiserAction], sent: type[serializers.Serializer[Any]]) -> Response:
        asked = validated_data(sent(data=self.request.data))
        made = service(match=self._match(), by=self.request.user, **asked)
        return Response(ruling_data(made), status=201)


class RulingActions(SeasonActions):
    """Rulings of organisers about rounds."""

    @extend_schema(request=UndoRoundSerializer, responses={201: AuditLineSerializer, **ERROR_RESPONSES})
    @action(detail=True, methods=["post"], url_path="undo-round")
    def undo_round(self, request: Request, pk: str) -> Response:
        """Undo the last round of a division (organisers). Its results do not count, running games are ended, and
        nothing is paired until pair-again. Errors: 400 note_needed; 403 not_organiser; 409 not_last_round,
        stale_round, season_over, playoff_opened, successor_open."""
        asked = validated_data(UndoRoundSerializer(data=request.data))
        rounds = Round.with_undone.filter(division__season=self.get_object())
        seen = get_object_or_404(rounds.select_related("division__season__league__club"), pk=asked["round"])
        payload = {"by": request.user, "note": asked["note"]}
        made = decisions.undo_round(division=seen.division, number=seen.number, round_id=seen.pk, **payload)
        return Response(ruling_data(made), status=201)

    @extend_schema(request=PairAgainSerializer, responses={201: AuditLineSerializer, **ERROR_RESPONSES})
    @action(detail=True, methods=["post"], url_path="pair-again")
    def pair_again(self, request: Request, pk: str) -> Response:
        """Let a division whose last round was undone be paired again (organisers). Errors: 400 note_needed; 403
        not_organiser; 409 not_on_hold, season_over."""
        made = decisions.pair_again(**self._asked(validated_data(PairAgainSerializer(data=request.data))))
        return Response(ruling_data(made), status=201)

    def _asked(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        division = get_object_or_404(
            self.get_object().divisions.select_related("season__league__club"), number=asked["division"]
        )
        return {
            "division": division,
            "by": self.request.user,
            "note": asked["note"],
        }


def ruling_data(made: OrganiserAction) -> dict[str, Any]:
    """Return a ruling as an item of the audit log."""
    return dict(AuditLineSerializer(audit_log.audit_lines([made])[0]).data)
