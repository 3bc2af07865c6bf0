"""A newcomer's first game is against a bot that answers at once, and takes at most ten minutes."""

from __future__ import annotations

from statistics import median

import pytest
from django.test import Client

from games.models import Game
from scorebook_games.registry import KINDS
from tests.assertions.page import Page
from tests.bench.first_game import games

GAMES = 16


@pytest.mark.some(2)
@pytest.mark.parametrize("kind", sorted(KINDS))
def test_a_first_game_ends_within_ten_minutes_however_its_person_plays(kind: str) -> None:
    first = KINDS[kind].presentation.first_game
    assert first
    well = games(kind, "sensible", "sensible", first.options, GAMES)
    badly = games(kind, "random", "sensible", first.options, GAMES)
    assert max(game.minutes() for game in well + badly) < 10
    assert median(game.minutes() for game in well) == pytest.approx(first.minutes, abs=1)


@pytest.mark.parametrize(("kind", "most"), [("palace", 15), ("plates", 10)])
def test_a_first_game_against_the_random_bot_is_cut_short_by_a_limit(kind: str, most: int) -> None:
    """Two random players nearly always reach the limit of a round of Plates (PL-23). Three rounds would take an
    hour."""
    first = KINDS[kind].presentation.first_game
    assert first
    assert max(game.minutes() for game in games(kind, "random", "random", first.options, GAMES)) < most


@pytest.mark.django_db
def test_play_now_is_a_short_game_against_the_sensible_bot_and_says_so() -> None:
    client = Client()
    page = Page.of(client.get("/play/"))
    assert "About 2 minutes: one round of at most 100 turns" in page.text
    client.post("/play/now/", {"kind": "plates"})
    game = Game.objects.get()
    assert "Sensible" in [seat.player.name for seat in game.seats.select_related("player")]
    assert (game.options["rounds"], game.options["turn_limit"]) == (1, 100)
