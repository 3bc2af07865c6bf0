"""Sentences of the log in answers of the API: the code and the parameters for programs, the text for people."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rest_framework import serializers

from scorebook_games.presentation.coded_text import Sentence


class SentenceSerializer(serializers.Serializer[Any]):
    """A sentence. `code` and `params` do not depend on a language; `text` is in the language of the request."""

    code = serializers.CharField()
    params = serializers.DictField(help_text="Numbers, codes, and sentences as `[code, params]`.")
    text = serializers.CharField()

    def to_representation(self, instance: Sequence[Any] | Mapping[str, Any]) -> dict[str, Any]:
        """Return a stored sentence, or one that `sentence_data` has returned, for people and programs."""
        return dict(instance) if isinstance(instance, Mapping) else sentence_data(instance)


def sentence_data(stored: Sequence[Any]) -> dict[str, Any]:
    """Return a stored sentence for people and programs."""
    code, params = stored
    return {"code": code, "params": params, "text": str(Sentence(code, params))}


def sentences_data(stored: Iterable[Sequence[Any]]) -> list[dict[str, Any]]:
    """Return stored sentences for people and programs."""
    return [sentence_data(each) for each in stored]


def stored_sentences(data: Iterable[Mapping[str, Any]]) -> list[Sequence[Any]]:
    """Return sentences as they are stored, from the form that `sentences_data` gives them."""
    return [(each.get("code"), each.get("params")) for each in data]
