"""The form of a season's file as JSON (`tournaments.importexport.export`), for the OpenAPI document."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from games.common.sentences import SentenceSerializer


def number_list(**options: Any) -> serializers.ListField:
    """Return a field for a list of whole numbers."""
    return serializers.ListField(child=serializers.IntegerField(), **options)


def number_lists(**options: Any) -> serializers.ListField:
    """Return a field for a list of lists of whole numbers."""
    return serializers.ListField(child=number_list(), **options)


class FileRefusalSerializer(serializers.Serializer[Any]):
    """A refused challenge of a ladder. It cost the challenged entrant the `place` that went `to` another one; both are
    null if the refusal was free."""

    challenger = serializers.IntegerField()
    challenged = serializers.IntegerField()
    how = serializers.CharField()
    at = serializers.IntegerField(help_text="Seconds since 1970.")
    rounds = serializers.IntegerField(help_text="The number of rounds before it.")
    count = serializers.IntegerField(help_text="The entrant's number of refusals that count, with this one.")
    place = serializers.IntegerField(allow_null=True)
    to = serializers.IntegerField(allow_null=True)


class FileDivisionSerializer(serializers.Serializer[Any]):
    """A division, or a play-off. Entrants are given by their numbers."""

    number = serializers.IntegerField()
    name = serializers.CharField()
    seeds = number_list(help_text="The strongest first; empty if their strength was not known.")
    lots = number_list(help_text="In the order in which the lots were drawn.")
    above = serializers.IntegerField(allow_null=True, help_text="Of a play-off: the number of the higher division.")
    pairs = number_lists(help_text="Of a play-off: which entrants meet.")
    refusals = FileRefusalSerializer(many=True)
    places = number_lists(allow_null=True, help_text="Entrant and final place; null until the division is finished.")


class FileWithdrawalSerializer(serializers.Serializer[Any]):
    """A withdrawal, after `played` of the `of` matches that the entrant had."""

    why = serializers.CharField()
    played = serializers.IntegerField()
    of = serializers.IntegerField()


class FileEntrantSerializer(serializers.Serializer[Any]):
    """An entrant. `number` stands for them everywhere else in the file."""

    number = serializers.IntegerField()
    division = serializers.IntegerField()
    player = serializers.IntegerField(help_text="The id of the player.")
    name = serializers.CharField()
    bot = serializers.BooleanField()
    bot_version = serializers.IntegerField(allow_null=True)
    status = serializers.CharField(help_text="asked, waiting, in, alternate, withdrawn or out.")
    joined_at = serializers.DateTimeField()
    since = serializers.IntegerField(help_text="The first round of the entrant.")
    away = number_list(help_text="The rounds that the entrant misses.")
    carried = serializers.FloatField(help_text="Points from the season before.")
    withdrawn = FileWithdrawalSerializer(allow_null=True)


class FileByeSerializer(serializers.Serializer[Any]):
    """An entrant without a match in a round. `missing`: the opponent who did not come, for a walkover."""

    entrant = serializers.IntegerField()
    reason = serializers.CharField()
    reasons = SentenceSerializer(many=True, help_text="The same as codes.")
    kind = serializers.CharField(help_text="bye, away or walkover.")
    missing = serializers.IntegerField(allow_null=True)


class FileResultSerializer(serializers.Serializer[Any]):
    """A game's result by seat. Seats in `left` left the game."""

    scores = number_list(allow_null=True)
    placings = number_list(allow_null=True)
    termination = serializers.CharField(allow_null=True)
    left = number_list(allow_null=True)


class FileGameSerializer(FileResultSerializer):
    """A game as it counts. `played` is its own result if an organiser decided otherwise. All of it is null while the
    result is sealed."""

    number = serializers.IntegerField()
    replay = serializers.IntegerField(help_text="0, or which repetition of the game this is.")
    id = serializers.CharField(allow_null=True, help_text="Null for a game that was imported.")
    status = serializers.CharField(help_text="playing, finished or aborted.")
    seats = number_list(help_text="The entrant in each seat.")
    ruling = serializers.CharField(allow_null=True)
    absent = number_list(allow_null=True, help_text="Seats whose player did not check in.")
    deal = serializers.IntegerField(allow_null=True, help_text="Games with the same number have the same cards.")
    played = FileResultSerializer(allow_null=True)
    finished_at = serializers.DateTimeField(allow_null=True)
    log = serializers.CharField(allow_null=True, help_text="The address of the game's own export.")


class FileMatchSerializer(serializers.Serializer[Any]):
    """A match. `points` has one number per entrant; null while the result is sealed."""

    id = serializers.IntegerField()
    table = serializers.IntegerField()
    slot = serializers.CharField(help_text="The place in the bracket; empty without one.")
    reason = serializers.CharField()
    reasons = SentenceSerializer(many=True, help_text="The same as codes.")
    begins_at = serializers.DateTimeField(allow_null=True)
    timing = serializers.CharField(help_text="open, fixed, fallback, agreed or night.")
    finished_at = serializers.DateTimeField(allow_null=True)
    entrants = number_list()
    points = serializers.ListField(child=serializers.FloatField(allow_null=True), allow_null=True)
    games = FileGameSerializer(many=True)


class FileRoundSerializer(serializers.Serializer[Any]):
    """A round of a division."""

    division = serializers.IntegerField()
    number = serializers.IntegerField()
    status = serializers.CharField(help_text="open, closed or undone.")
    opened_at = serializers.DateTimeField()
    closes_at = serializers.DateTimeField(allow_null=True)
    closed_at = serializers.DateTimeField(allow_null=True)
    byes = FileByeSerializer(many=True)
    matches = FileMatchSerializer(many=True)


class FileStandingSerializer(serializers.Serializer[Any]):
    """A row of the standings."""

    division = serializers.IntegerField()
    place = serializers.IntegerField()
    entrant = serializers.IntegerField()
    points = serializers.FloatField()


class SeasonFileSerializer(serializers.Serializer[Any]):
    """A whole season. `POST seasons/import/` reads it back."""

    format = serializers.CharField(help_text="scorebook-season")
    version = serializers.IntegerField(help_text="The version of this form.")
    club = serializers.CharField()
    zone = serializers.CharField()
    league = serializers.CharField()
    season = serializers.CharField()
    status = serializers.CharField(help_text="open, running, paused, finished or abandoned.")
    starts_at = serializers.DateTimeField(allow_null=True)
    finished_at = serializers.DateTimeField(allow_null=True)
    imported_at = serializers.DateTimeField(allow_null=True)
    written_at = serializers.DateTimeField()
    paused_at = serializers.DateTimeField(allow_null=True)
    delay_seconds = serializers.IntegerField(help_text="By how much pauses have moved the calendar.")
    abandoned = serializers.CharField(allow_null=True, help_text="stands or void, if the season was abandoned.")
    settings = serializers.DictField(help_text="As `GET seasons/<id>/` has them.")
    divisions = FileDivisionSerializer(many=True)
    moved = number_lists(help_text="Entrant and next division.")
    entrants = FileEntrantSerializer(many=True)
    rounds = FileRoundSerializer(many=True)
    standings = FileStandingSerializer(many=True)
