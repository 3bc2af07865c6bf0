"""What the things on a table are and do: asked without an account, in the reader's language, also in a saved game."""

from __future__ import annotations

import pytest
from django.test import Client
from django.utils import translation

from scorebook_games.frames.serialize import explanations_of
from scorebook_games.kinds.plates.rules import VALUES
from scorebook_games.presentation.base import Presentation
from scorebook_games.registry import KINDS

pytestmark = pytest.mark.django_db

ADDRESS = "/api/v1/kinds/plates/explanations/"


def test_a_card_says_its_worth_as_the_rules_count_it_with_the_clause() -> None:
    found = Client().get(ADDRESS).json()["explanations"]
    worth = [line["words"] for line in found["card:K"]["lines"] if line["clause"] == "PL-5"]
    assert [str(VALUES[12]) in words for words in worth] == [True]


def test_an_unknown_kind_is_refused() -> None:
    answer = Client().get("/api/v1/kinds/whist/explanations/")
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "unknown_kind")


def test_a_kind_that_explains_nothing_has_no_explanations(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type(KINDS["plates"].presentation), "explanations", Presentation.explanations)
    assert explanations_of("plates") == {}


def test_a_page_says_where_the_explanations_are() -> None:
    with translation.override("en"):
        assert ADDRESS in Client().get("/rules/plates/introduction/").content.decode()


def test_only_an_ace_that_threatens_is_said_to_need_an_ace() -> None:
    """PA-10: with `ace: reset` an Ace plays as a 2."""
    found = explanations_of("palace")
    for key in ("card:A-reset", "card:A-threat"):
        assert found[key]["lines"][0]["words"] == "It is wild: it goes on any card."
    assert "an Ace that threatens" in found["card:2"]["lines"][0]["words"]


def test_a_joker_that_reverses_tells_what_it_goes_on_what_it_turns_and_what_counts_then() -> None:
    """PA-25"""
    found = explanations_of("palace")
    words = " ".join(line["words"] for line in found["card:*-reverse"]["lines"])
    assert all(part in words for part in ("also on an Ace that threatens", "turns play round", "card under it still"))
    assert "A joker answers it, too" in found["now:A-threat-reverse"]["lines"][1]["words"]
    assert "joker" not in found["now:A-threat"]["lines"][0]["words"]
    assert found["direction"]["name"] == "Direction of play"
