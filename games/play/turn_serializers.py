"""The shape of the result of `games.play.turn.turn_of`, for the OpenAPI document and the types made from it."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from games.clocks.services import CORRESPONDENCE, LIVE_KIND
from scorebook_games.gamelog.terms import PACES


def seats(**options: Any) -> serializers.ListField:
    return serializers.ListField(child=serializers.IntegerField(), **options)


class OutcomeSerializer(serializers.Serializer[Any]):
    """How a game ended: `placings` and `scores` by seat; places are shared where players are level."""

    termination = serializers.CharField()
    scores = serializers.ListField(child=serializers.IntegerField())
    placings = serializers.ListField(child=serializers.IntegerField())


@extend_schema_field(OutcomeSerializer)
class OutcomeField(serializers.JSONField):
    """An outcome in a column that is returned as it is stored, because lists have hundreds."""


@extend_schema_field({"type": "object", "additionalProperties": {}})
class NamedValuesField(serializers.JSONField):
    """Values by name in a column that is returned as it is stored."""


class LegalMoveSerializer(serializers.Serializer[Any]):
    """A legal move: its text, and its words."""

    move = serializers.CharField()
    words = serializers.CharField()
    grave = serializers.BooleanField(
        required=False, help_text="It destroys something: ask the player for confirmation."
    )
    goes_on = serializers.BooleanField(required=False, help_text="In beats: the bundle continues after it.")


class AnyOfSerializer(serializers.Serializer[Any]):
    """A move pattern for a very large number of moves: any choice among its things is legal."""

    move = serializers.CharField()
    wait_ms = serializers.IntegerField(help_text="Time in ms that the seat must wait for it in a live game.")


class SeatClockSerializer(serializers.Serializer[Any]):
    """One seat's clock, as of the clocks' `at`."""

    seat = serializers.IntegerField()
    running = serializers.BooleanField()
    move_ms = serializers.IntegerField(help_text="Time left for this move.")
    bank_ms = serializers.IntegerField(help_text="Time left for the game.")
    deadline = serializers.DateTimeField(allow_null=True)
    paused = serializers.CharField(help_text="Why the clock is stopped; empty while it runs.")


class ClocksSerializer(serializers.Serializer[Any]):
    """The clocks at the time `at`, as far as the viewer may see them; `kind` is null for a game without clocks."""

    kind = serializers.ChoiceField(choices=(LIVE_KIND, CORRESPONDENCE), allow_null=True)
    at = serializers.DateTimeField()
    deadline = serializers.DateTimeField(
        allow_null=True, help_text="When the first clock runs out, or the game begins."
    )
    seats = SeatClockSerializer(many=True)


class StandingOfferSerializer(serializers.Serializer[Any]):
    """An open offer at the table. A rematch is offered after the end."""

    what = serializers.ChoiceField(choices=("abort", "rematch"))
    by = seats(help_text="The seats that agree.")
    declined = seats(help_text="The seats that declined a rematch.")


class AllowedSerializer(serializers.Serializer[Any]):
    """What the player may do besides moving."""

    resign = serializers.BooleanField()
    offer_abort = serializers.BooleanField()
    abort_ends_game = serializers.BooleanField(
        help_text="Whether `offer-abort/` ends the game at once, because nobody else has to agree."
    )
    rematch = serializers.BooleanField()


class OverSerializer(serializers.Serializer[Any]):
    """How the game ended."""

    words = serializers.CharField()
    result = OutcomeSerializer(allow_null=True, help_text="Null while it is sealed.")
    rematch = serializers.CharField(allow_null=True, help_text="The id of the game that follows.")


class BeforeGoSerializer(serializers.Serializer[Any]):
    """A game that has not begun: the seats that are ready, and when it begins."""

    ready = seats()
    countdown = serializers.BooleanField()
    begins_at = serializers.DateTimeField(allow_null=True)


class TurnSerializer(serializers.Serializer[Any]):
    """Everything that a seat needs to act."""

    seat = serializers.IntegerField()
    version = serializers.IntegerField(help_text="The number of events in the game; a move refers to it.")
    may_act = serializers.BooleanField()
    legal = LegalMoveSerializer(many=True)
    any_of = AnyOfSerializer(allow_null=True)
    pace = serializers.ChoiceField(choices=PACES)
    beat = serializers.IntegerField(allow_null=True, help_text="In beats: the number of the next beat.")
    given = serializers.ListField(
        child=serializers.CharField(), allow_null=True, help_text="In beats: the bundle that you have submitted."
    )
    given_words = serializers.ListField(
        child=serializers.CharField(), required=False, help_text="The same moves in words, if there is a bundle."
    )
    waiting_for = seats(help_text="The seats that the game waits for.")
    clock = ClocksSerializer()
    present = seats(help_text="The seats whose players have the game open.")
    offers = StandingOfferSerializer(many=True)
    may = AllowedSerializer()
    over = OverSerializer(allow_null=True, help_text="Null while the game is in progress.")
    before_go = BeforeGoSerializer(required=False)
    observation = serializers.DictField(
        required=False, help_text="With `after`: what the seat would see; the fields depend on the kind."
    )
