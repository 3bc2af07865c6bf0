"""The shape of a replay (`replays.frames.payload`), for the OpenAPI document and the types made from it."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from games.play.turn_serializers import ClocksSerializer, OutcomeSerializer, TurnSerializer


class MarkSerializer(serializers.Serializer[Any]):
    """A highlight of the game. `kind` is lead, capture, chain, got, streak, clear or round."""

    kind = serializers.CharField()
    seat = serializers.IntegerField(allow_null=True)
    words = serializers.CharField()


class FrameSerializer(serializers.Serializer[Any]):
    """The game directly after one event, in the chosen view; `ms` counts from the opening."""

    version = serializers.IntegerField()
    ms = serializers.IntegerField()
    seat = serializers.IntegerField(allow_null=True)
    words = serializers.CharField()
    parts = serializers.ListField(help_text='Text, {"seat": 0} and {"card": "7S"}, in the order of the sentence.')
    marks = MarkSerializer(many=True)
    event = serializers.DictField(help_text="As the kind's events are (docs/reference/events.md).")
    observation = serializers.DictField(help_text="What the viewer saw; its fields are those of the kind.")
    offers = serializers.ListField(child=serializers.IntegerField(), help_text="Spots a flipped card may go to.")


class ReplaySeatSerializer(serializers.Serializer[Any]):
    """Who sits in a seat; `version` is a bot's."""

    seat = serializers.IntegerField()
    player = serializers.IntegerField(help_text="The id of the player.")
    name = serializers.CharField()
    bot = serializers.BooleanField()
    version = serializers.CharField(allow_null=True)
    left = serializers.CharField(help_text="How the player left; empty for one who plays.")
    player_url = serializers.CharField()


class ContinuedFromSerializer(serializers.Serializer[Any]):
    """The moment of another game that this one goes on from."""

    game = serializers.CharField()
    version = serializers.IntegerField()


class ReplayGameSerializer(serializers.Serializer[Any]):
    """What the viewer may know about a game around its log."""

    id = serializers.CharField()
    kind = serializers.CharField()
    title = serializers.CharField()
    options = serializers.DictField()
    terms = serializers.DictField()
    seats = ReplaySeatSerializer(many=True)
    status = serializers.CharField(help_text="playing, finished or aborted.")
    outcome = OutcomeSerializer(allow_null=True)
    termination = serializers.CharField(allow_null=True)
    continued = ContinuedFromSerializer(allow_null=True)
    opened_at = serializers.DateTimeField()
    finished_at = serializers.DateTimeField(allow_null=True)
    clock = ClocksSerializer()
    rematch_of = serializers.CharField(allow_null=True)
    rematch = serializers.CharField(allow_null=True)


class GroundSerializer(serializers.Serializer[Any]):
    """What `scores` count, and which is the better: highest or lowest."""

    title = serializers.CharField()
    best = serializers.CharField()


class ReplaySerializer(serializers.Serializer[Any]):
    """A replay. `scores` has one list per frame with one number per seat; `ground` names what is counted."""

    game = ReplayGameSerializer()
    eyes = serializers.CharField()
    allowed_eyes = serializers.ListField(child=serializers.CharField())
    version = serializers.IntegerField(help_text="The number of events that this viewer may see now.")
    ground = GroundSerializer()
    items = serializers.DictField(help_text="Plate Spinner: what is printed on each plate and rim; else empty.")
    frames = FrameSerializer(many=True)
    scores = serializers.ListField(child=serializers.ListField(child=serializers.IntegerField()))
    turn = TurnSerializer(allow_null=True, help_text="Your own seat's turn, as `turn/` returns it; null for others.")
