"""A name in a right-to-left script moves nothing beside it."""

from __future__ import annotations

from django.template import Context, Template

from games.accounts.notices import title_with_players
from games.common.bidi import isolated
from games.models import Player
from games.play.endings import outcome_sentence

FIRST, SECOND = "محمد", "أحمد علي"
APART = [f"\u2068{name}\u2069" for name in (FIRST, SECOND)]


def test_a_name_with_right_to_left_letters_is_isolated_and_no_other() -> None:
    assert [isolated(name) for name in (FIRST, SECOND)] == APART
    assert isolated("Áine 2") == "Áine 2"


def test_names_are_isolated_in_lists_sentences_and_titles() -> None:
    players = [Player(pk=number, name=name) for number, name in enumerate((FIRST, SECOND), 1)]
    shown = Template("{% load players %}{% players who %}").render(Context({"who": players}))
    assert [shown.index(name) for name in APART] == sorted(shown.index(name) for name in APART)
    outcome = {"termination": "resigned", "placings": [1, 2]}
    assert outcome_sentence(outcome, [FIRST, SECOND], [1]) == f"{APART[1]} resigned. {APART[0]} wins."
    assert title_with_players("Plates", [FIRST]) == f"Plates with {APART[0]}"
