"""The API of what is computed about finished games: the luck ledger, and the review for a seat."""

from __future__ import annotations

from typing import Any, Final

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import NotAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from games.accounts.people import player_of_user
from games.common.service_views import ErrorSerializer, error_responses
from games.models import Game, Player
from games.play import services as play
from games.play.turn import own_or_former_seat_or_none
from replays.frames.payload import game_data
from replays.review import reviews
from replays.review.luck import luck_data
from replays.review.models import GameReview
from replays.review.review_page import review_data


class ValueFunctionSerializer(serializers.Serializer[Any]):
    """A value function by which the game has a ledger."""

    version = serializers.IntegerField()
    hash = serializers.CharField()


class SeatLuckSerializer(serializers.Serializer[Any]):
    """A seat's account, in shares of 1: result = start + luck + own + others + unexplained + departures. Errors are
    standard errors, 0 where all means are exact. `own` and `others` are null in a ledger without a policy."""

    seat = serializers.IntegerField()
    result = serializers.FloatField(
        help_text="The share of the opponents that it finished ahead of; if the game has no result, its last value."
    )
    start = serializers.FloatField(help_text="What the game was worth before the first card.")
    luck = serializers.FloatField(help_text="What all draws were worth.")
    own = serializers.FloatField(
        allow_null=True, help_text="What its own decisions were worth beside the usual ones; without a choice 0."
    )
    others = serializers.FloatField(allow_null=True, help_text="The same of the others’ decisions, for this seat.")
    unexplained = serializers.FloatField(help_text="What changed the value for no reason that it foresees.")
    departures = serializers.FloatField(help_text="What departures, and an end by the table, were worth.")
    start_error = serializers.FloatField()
    luck_error = serializers.FloatField()
    own_error = serializers.FloatField(allow_null=True)
    others_error = serializers.FloatField(allow_null=True)
    unexplained_error = serializers.FloatField()
    adjusted = serializers.FloatField(help_text="result − luck: has the same mean as the result.")


class LedgerEntrySerializer(serializers.Serializer[Any]):
    """What the draws or the decision at one event were worth to each seat, or what is not explained since then; rounded
    to a millionth."""

    version = serializers.IntegerField(help_text="The event.")
    sort = serializers.CharField(help_text="chance, decision, unexplained or table.")
    seat = serializers.IntegerField(allow_null=True, help_text="Who decided; null if it is no decision.")
    gains = serializers.ListField(child=serializers.FloatField())
    usual = serializers.ListField(
        child=serializers.CharField(), help_text="The moves that a decision was compared with, in notation; else empty."
    )


class LuckSerializer(serializers.Serializer[Any]):
    """A game's luck ledger. `seats` and `entries` are empty unless `state` is done."""

    game = serializers.CharField()
    kind = serializers.CharField()
    state = serializers.CharField(help_text="done, waiting, none or failed.")
    reason = serializers.CharField(
        help_text="With none: no_value_function, other_rules, no_kind, not_dealt or continued. Otherwise empty."
    )
    value_version = serializers.IntegerField(allow_null=True)
    value_hash = serializers.CharField(allow_null=True, help_text="Identifies weights and program.")
    policy = serializers.CharField(
        help_text="The built-in bot whose moves are the usual ones; empty if the ledger compares no decisions."
    )
    value_functions = ValueFunctionSerializer(many=True, help_text="All by which the game has a ledger, newest first.")
    seats = SeatLuckSerializer(many=True)
    entries = LedgerEntrySerializer(many=True)


class LuckView(APIView):
    """The luck ledger of a finished game."""

    remote_bots = "read"
    visible_in_impersonation = True

    @extend_schema(
        parameters=[
            OpenApiParameter("value", str, description="The hash of a value function. Default: the newest ledger.")
        ],
        responses={200: LuckSerializer, 404: ErrorSerializer, 409: ErrorSerializer},
    )
    def get(self, request: Request, public_id: str) -> Response:
        """What luck and what play were worth to each seat of a finished game, and each draw and decision by itself.
        Errors: 404 game_not_found, no_such_ledger; 409 not_open_yet."""
        game = play.find_game(public_id, request.user)
        return Response(luck_data(game, request.query_params.get("value")))


SEAT: Final = OpenApiParameter("seat", int, OpenApiParameter.PATH, description="The seat, from 0.")


class ExampleSerializer(serializers.Serializer[Any]):
    """How a game may go on after a move."""

    moves = serializers.ListField(child=serializers.CharField(), help_text="Each with its player, in your language.")
    share = serializers.IntegerField(help_text="The seat’s share of the result at the end of this line, in percent.")


class MistakeSerializer(serializers.Serializer[Any]):
    """A mistake, with moves in your language."""

    version = serializers.IntegerField(help_text="How many events had happened.")
    step = serializers.IntegerField(help_text="The step of the replay after which it was decided.")
    event = serializers.IntegerField(help_text="The event of the move.")
    move = serializers.CharField()
    best = serializers.CharField(help_text="The better move.")
    cost = serializers.FloatField(help_text="What the move cost beside the better one, in shares of 1.")
    error = serializers.FloatField(help_text="The standard error of `cost`.")
    strong = serializers.CharField(help_text="What the strong bot plays there; empty if it was not asked.")
    better = ExampleSerializer(allow_null=True, help_text="An example in which the better move ends better.")
    made = ExampleSerializer(allow_null=True, help_text="The same for the move that was made, with the same luck.")


class CurvePointSerializer(serializers.Serializer[Any]):
    """The seat's chance after `version` events, from its own knowledge, in shares of 1."""

    version = serializers.IntegerField()
    what = serializers.ChoiceField(["deal", "decision", "turn", "end"])
    seat = serializers.IntegerField(allow_null=True)
    chance = serializers.FloatField(allow_null=True, help_text="Null if it was not measured.")
    error = serializers.FloatField(allow_null=True, help_text="One standard error.")


class ReviewDetailsSerializer(serializers.Serializer[Any]):
    """The whole review, with moves in notation: `scorebook_games.review` describes each field."""

    schema = serializers.IntegerField()
    method = serializers.CharField()
    kind = serializers.CharField()
    rules_version = serializers.IntegerField()
    seats = serializers.IntegerField()
    seat = serializers.IntegerField()
    seen = serializers.CharField(help_text="SHA-256 of all that the seat was shown.")
    budget = serializers.IntegerField(help_text="In positions, as is `spent`.")
    spent = serializers.IntegerField()
    finished = serializers.BooleanField()
    result = serializers.FloatField(allow_null=True)
    policy = serializers.ChoiceField(
        ["sensible", "random"],
        help_text="How all seats play on in the games that give the chances: they hold against such players only.",
    )
    curve = CurvePointSerializer(many=True)
    decisions = serializers.ListField(child=serializers.DictField())
    mistakes = serializers.ListField(child=serializers.DictField())
    swings = serializers.ListField(child=serializers.DictField())
    skipped = serializers.DictField(child=serializers.IntegerField())
    unmeasured = serializers.DictField(child=serializers.IntegerField(), required=False)
    summary = serializers.ListField(help_text="Codes and parameters.")


class ReviewSerializer(serializers.Serializer[Any]):
    """The review of a game for one seat. `review` is null unless `state` is done."""

    game = serializers.CharField()
    seat = serializers.IntegerField()
    state = serializers.ChoiceField(["not_asked", *GameReview.State.values])
    progress = serializers.IntegerField(help_text="In percent.")
    method = serializers.CharField(help_text="The version of the method, and a hash of its program.")
    summary = serializers.ListField(child=serializers.CharField(), help_text="Sentences in your language.")
    mistakes = MistakeSerializer(many=True)
    review = ReviewDetailsSerializer(allow_null=True)


class ReviewView(APIView):
    """The review of a finished game for one seat."""

    write_scope = "play"
    remote_bots = "nothing"
    visible_in_impersonation = True

    @extend_schema(parameters=[SEAT], responses={200: ReviewSerializer, **error_responses(400, 404, 409)})
    def get(self, request: Request, public_id: str, seat: int) -> Response:
        """What the chances of a seat were over the game, from its own knowledge, and what its mistakes cost. Errors:
        400 bad_seat; 404 game_not_found; 409 not_open_yet."""
        game = play.find_game(public_id, request.user)
        return Response(_data(game, seat, reviews.find_review(game, seat), request))

    @extend_schema(parameters=[SEAT], request=None, responses={202: ReviewSerializer, **error_responses(400, 404, 409)})
    def post(self, request: Request, public_id: str, seat: int) -> Response:
        """Ask for the review. A worker makes it; read it here. A repeated request changes nothing. Errors: 400
        bad_seat; 404 game_not_found; 409 not_open_yet, too_many_reviews."""
        game, player = self.asked(request, public_id)
        row = reviews.request_review(game=game, seat=seat, player=player)
        return Response(_data(game, seat, row, request), status=202)

    @extend_schema(parameters=[SEAT], request=None, responses={204: None, **error_responses(404, 409)})
    def delete(self, request: Request, public_id: str, seat: int) -> Response:
        """Cancel a review that you asked for and that is not finished. Errors: 404 game_not_found; 409
        nothing_to_cancel."""
        game, player = self.asked(request, public_id)
        reviews.cancel_review(game=game, seat=seat, player=player)
        return Response(status=204)

    def asked(self, request: Request, public_id: str) -> tuple[Game, Player]:
        """Return the game, and who asks. Raises `DomainError` game_not_found (404), and NotAuthenticated."""
        player = player_of_user(request.user)
        if player is None:
            raise NotAuthenticated
        return play.find_game(public_id, request.user), player


def _data(game: Game, seat: int, row: GameReview | None, request: Request) -> dict[str, Any]:
    names = [each["name"] for each in game_data(game)["seats"]]
    return review_data(game, seat, row, names, own=own_or_former_seat_or_none(game, request.user) == seat)
