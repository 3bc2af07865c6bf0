"""The form of a replay (`replays.frames.payload`) and of a game's export (`replays.export.game_json`), for the OpenAPI
document and the types made from it."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from games.models import Game
from games.play.turn_serializers import ClocksSerializer, OutcomeSerializer, TurnSerializer
from scorebook_games.presentation.base import ZONE_SORTS


class MarkSerializer(serializers.Serializer[Any]):
    """A highlight of the game. `kind` is lead, capture, chain, got, streak, clear or round."""

    kind = serializers.CharField()
    seat = serializers.IntegerField(allow_null=True)
    words = serializers.CharField()


class TableZoneSerializer(serializers.Serializer[Any]):
    """Cards, dice or words that lie together on a table."""

    title = serializers.CharField()
    sort = serializers.ChoiceField(choices=ZONE_SORTS)
    items = serializers.ListField(
        child=serializers.CharField(allow_null=True), help_text="Cards, dice or words; null is a card face down."
    )
    seat = serializers.IntegerField(allow_null=True, help_text="Whose it is; null for the table's.")
    count = serializers.IntegerField(help_text="How many there are; `items` may hold fewer.")


class RuleReasonSerializer(serializers.Serializer[Any]):
    """Why an event followed from the rules: a sentence, and the clause of the rules."""

    words = serializers.CharField()
    clause = serializers.CharField()


def part_schema(name: str, kind: str) -> dict[str, Any]:
    return {"type": "object", "properties": {name: {"type": kind}}, "required": [name]}


@extend_schema_field({"oneOf": [{"type": "string"}, part_schema("seat", "integer"), part_schema("card", "string")]})
class PartField(serializers.JSONField):
    """A part of a sentence: text, a player by seat, or a card."""


class FrameSerializer(serializers.Serializer[Any]):
    """The game directly after one event, in the chosen view; `ms` counts from the opening."""

    version = serializers.IntegerField()
    ms = serializers.IntegerField()
    seat = serializers.IntegerField(allow_null=True)
    words = serializers.CharField()
    parts = serializers.ListField(
        child=PartField(), help_text='Text, {"seat": 0} and {"card": "7S"}, in the order of the sentence.'
    )
    marks = MarkSerializer(many=True)
    event = serializers.DictField(help_text="As the kind's events are (docs/reference/events.md).")
    observation = serializers.DictField(help_text="What the viewer saw; the fields depend on the kind.")
    offers = serializers.ListField(child=serializers.IntegerField(), help_text="Spots a flipped card may go to.")
    why = RuleReasonSerializer(required=False, help_text="Only for events that followed from a rule.")
    zones = TableZoneSerializer(many=True, required=False, help_text="Only for kinds whose presentation makes them.")


class ReplaySeatSerializer(serializers.Serializer[Any]):
    """The player of a seat; `version` is the version of a bot. An `agent` is a bot whose moves a language model
    chooses."""

    seat = serializers.IntegerField()
    player = serializers.IntegerField(help_text="The id of the player.")
    name = serializers.CharField()
    bot = serializers.BooleanField()
    agent = serializers.BooleanField()
    version = serializers.CharField(allow_null=True)
    left = serializers.CharField(help_text="How the player left; empty for players who have not left.")
    player_url = serializers.CharField(allow_null=True, help_text="Null in an export as one page.")


class ContinuedFromSerializer(serializers.Serializer[Any]):
    """The event of another game from which this game continues."""

    game = serializers.CharField()
    version = serializers.IntegerField()


class ReplayGameSerializer(serializers.Serializer[Any]):
    """Data about a game besides its log, as far as the viewer may see it."""

    id = serializers.CharField()
    kind = serializers.CharField()
    title = serializers.CharField()
    options = serializers.DictField()
    terms = serializers.DictField()
    seats = ReplaySeatSerializer(many=True)
    status = serializers.ChoiceField(choices=Game.Status.values)
    outcome = OutcomeSerializer(allow_null=True)
    termination = serializers.CharField(allow_null=True)
    continued = ContinuedFromSerializer(allow_null=True)
    opened_at = serializers.DateTimeField()
    finished_at = serializers.DateTimeField(allow_null=True)
    clock = ClocksSerializer()
    rematch_of = serializers.CharField(allow_null=True)
    rematch = serializers.CharField(allow_null=True)


class GroundSerializer(serializers.Serializer[Any]):
    """What `scores` count, and which score is better."""

    title = serializers.CharField()
    best = serializers.ChoiceField(choices=("highest", "lowest"))
    goal = serializers.CharField(help_text="Which score wins, in words.")


class ReplaySerializer(serializers.Serializer[Any]):
    """A replay. `scores` has one list per frame with one number per seat; `ground` names what is counted."""

    game = ReplayGameSerializer()
    viewpoint = serializers.CharField()
    eyes = serializers.CharField(help_text="Former name of `viewpoint`, until the next release.")
    allowed_viewpoints = serializers.ListField(child=serializers.CharField())
    allowed_eyes = serializers.ListField(
        child=serializers.CharField(), help_text="Former name of `allowed_viewpoints`, until the next release."
    )
    version = serializers.IntegerField(help_text="The number of events that this viewer may see now.")
    ground = GroundSerializer()
    items = serializers.DictField(help_text="What is printed on the things of the game, by id; empty for most kinds.")
    frames = FrameSerializer(many=True)
    scores = serializers.ListField(child=serializers.ListField(child=serializers.IntegerField()))
    asks = serializers.CharField(
        help_text="What the seats that are to act are asked for after the last frame, or empty."
    )
    turn = TurnSerializer(allow_null=True, help_text="Your own seat's turn, as `turn/` returns it; null for others.")


class FilePlayerSerializer(serializers.Serializer[Any]):
    """A player of an exported game."""

    id = serializers.IntegerField()
    name = serializers.CharField()


class FileGameFactsSerializer(serializers.Serializer[Any]):
    """The facts around an exported game's log; `players` has one per seat."""

    id = serializers.CharField()
    kind = serializers.CharField()
    rules_version = serializers.IntegerField()
    options = serializers.DictField()
    seats = serializers.IntegerField()
    players = FilePlayerSerializer(many=True)
    opened_at = serializers.DateTimeField()
    finished_at = serializers.DateTimeField(allow_null=True)
    continued = ContinuedFromSerializer(allow_null=True)
    status = serializers.CharField(help_text="finished or aborted.")
    outcome = OutcomeSerializer(allow_null=True)


class FileBatchSerializer(serializers.Serializer[Any]):
    """A batch of the log: `count` events from number `seq` on, each with its time in ms since the opening."""

    seq = serializers.IntegerField()
    count = serializers.IntegerField()
    times = serializers.ListField(child=serializers.IntegerField())
    at = serializers.DateTimeField()
    body = serializers.CharField(help_text="The stored bytes in base64 (docs/explanation/event-log.md).")


class FileLogSerializer(serializers.Serializer[Any]):
    """The log of an exported game; `head` is the last link of its hash chain."""

    version = serializers.IntegerField(help_text="The number of events.")
    head = serializers.CharField()
    batches = FileBatchSerializer(many=True)


class GameFileSerializer(serializers.Serializer[Any]):
    """An exported game, which `python -m replays.verify FILE` verifies. `seed` and `salt` are hexadecimal."""

    format = serializers.CharField(help_text="scorebook-game")
    schema = serializers.IntegerField(help_text="The version of this form.")
    game = FileGameFactsSerializer()
    seed = serializers.CharField()
    salt = serializers.CharField()
    log = FileLogSerializer()


class RatingStepSerializer(serializers.Serializer[Any]):
    """A player's rating before and after a game, in whole points."""

    before = serializers.IntegerField()
    after = serializers.IntegerField()


class SeatResultSerializer(serializers.Serializer[Any]):
    """A seat's result; null where there is nothing."""

    seat = serializers.IntegerField()
    player = serializers.IntegerField()
    name = serializers.CharField()
    place = serializers.IntegerField(allow_null=True)
    score = serializers.IntegerField(allow_null=True)
    left = serializers.CharField(help_text="How the player left; empty for one who stayed.")
    rating = RatingStepSerializer(allow_null=True)
    points = serializers.FloatField(
        source="points.value", default=None, allow_null=True, help_text="The points of the match so far."
    )
    luck = serializers.CharField(
        source="luck.sentence", default=None, allow_null=True, help_text="Luck and play in a sentence."
    )


class ResultMomentSerializer(serializers.Serializer[Any]):
    """A draw or decision that mattered: the event that shows it, and for whom it was worth what."""

    version = serializers.IntegerField()
    worth = serializers.CharField()
    words = serializers.CharField()


class ResultSerializer(serializers.Serializer[Any]):
    """How a game ended. A `sealed` one shows nothing else until all games of its deal are over."""

    sealed = serializers.BooleanField()
    sentence = serializers.CharField(help_text="Who won and why.")
    margin = serializers.CharField(help_text="By how much; empty if scores did not decide.")
    best = serializers.CharField(help_text="Says that the lowest score wins; empty otherwise.")
    seats = SeatResultSerializer(many=True, help_text="In the order of their places.")
    moments = ResultMomentSerializer(many=True, help_text="The two that mattered most, in the order of the game.")
    match = serializers.CharField(help_text="The match of which it is a game; empty for others.")
    notes = serializers.ListField(child=serializers.CharField(), help_text="What is missing or uncertain, and why.")
    waits = serializers.BooleanField(help_text="Whether luck or ratings are still to come.")
