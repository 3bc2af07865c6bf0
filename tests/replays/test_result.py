"""The result of a finished game, as the card over its table and the API say it."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client

from games.common import clock
from games.models import Game, Player
from replays.result import GameResult, best_words, margin_words, result_of
from replays.review.luck import LuckPanel, luck_panel
from tests.assertions.page import Page
from tests.replays.conftest import open_game, play_on
from tests.replays.ended_games import ended_games


@pytest.mark.parametrize(
    ("placings", "scores", "left", "words"),
    [
        ([1, 2], [40, 25], False, "Bert: 15 behind."),
        ([2, 1], [9, 4], False, "Ada: 5 behind."),
        ([1, 2, 2], [9, 4, 4], False, "Bert and Cleo: 5 behind."),
        ([1, 2, 2], [0, 4, 5], False, ""),
        ([1, 1, 3], [9, 9, 4], False, ""),
        ([1, 2], [40, 25], True, ""),
        ([1, 2], [0, 0], False, ""),
        ([], [], False, ""),
    ],
)
def test_the_margin_is_that_to_the_next_place_where_scores_decided(
    placings: list[int], scores: list[int], left: bool, words: str
) -> None:
    assert margin_words({"placings": placings, "scores": scores}, ["Ada", "Bert", "Cleo"], left) == words


@pytest.mark.parametrize(
    ("kind", "placings", "scores", "words"),
    [
        ("plates", [1, 2], [4, 9], "The lowest score wins."),
        ("palace", [1, 2, 2], [0, 3, 5], ""),  # all but the winner are second (PA-23)
        ("chinese_ten", [1, 2], [9, 4], ""),
        ("plates", [], [4, 9], ""),
        ("whist", [1, 2], [4, 9], ""),
    ],
)
def test_a_result_says_when_the_lowest_score_wins(
    kind: str, placings: list[int], scores: list[int], words: str
) -> None:
    assert best_words(Game(kind=kind, outcome={"placings": placings, "scores": scores})) == words


@pytest.fixture(scope="module")
def ended(kept: None) -> dict[str, int]:
    return ended_games()


def result(game: Game, seat: int | None = None) -> GameResult | None:
    names = [each.player.name for each in game.seats.select_related("player").order_by("seat")]
    return result_of(game, seat, luck_panel(game, names))


def test_every_ending_has_its_sentence_its_places_and_no_margin_if_somebody_left(ended: dict[str, int]) -> None:
    for name, pk in ended.items():
        game = Game.objects.get(pk=pk)
        found = result(game, 0)
        assert found is not None, name
        assert found.sentence, name
        assert [row.place for row in found.seats] == sorted((game.outcome or {})["placings"]) or not found.seats[
            0
        ].place
        if any(row.left for row in found.seats) or game.status == Game.Status.ABORTED:
            assert found.margin == "", name


@pytest.mark.parametrize("name", ["played_to_its_end of 4", "forfeited of 3", "nobody_checks_in of 2"])
def test_the_page_and_the_api_say_the_same(client: Client, ended: dict[str, int], name: str) -> None:
    game = Game.objects.get(pk=ended[name])
    data: dict[str, Any] = client.get(f"/api/v1/games/{game.public_id}/result/").json()
    page = Page.of(client.get(f"/games/{game.public_id}/?part=result"))
    assert data["sentence"] in page.text
    assert all(row["name"] in page.text for row in data["seats"])
    assert page.unclosed == []


def test_the_card_says_when_much_of_a_game_is_not_explained(ended: dict[str, int]) -> None:
    game = Game.objects.get(pk=ended["played_to_its_end of 2"])
    doubt = "15 points are not explained."
    found = result_of(game, 0, LuckPanel(sentence="", doubt=doubt))
    assert found is not None
    assert doubt in found.notes


def test_a_running_game_has_no_result(client: Client, cast: dict[str, int]) -> None:
    game = play_on(open_game(list(Player.objects.filter(pk__in=[cast["Martha"], cast["Laura"]]))), 2)
    answer = client.get(f"/api/v1/games/{game.public_id}/result/")
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "not_over_yet")


def test_a_sealed_result_stays_closed_to_its_players_and_is_no_result_to_others(ended: dict[str, int]) -> None:
    game = Game.objects.get(pk=ended["played_to_its_end of 2"])
    game.terms = {**game.terms, "sealed": True}
    game.deal.revealed_at = None
    found = result(game, 0)
    assert found is not None
    assert (found.sealed, list(found.seats), found.sentence) == (
        True,
        [],
        "The result is sealed until all games of this deal are over.",
    )
    assert result(game) is None


def test_somebody_who_played_knows_at_once_what_watchers_learn_later(ended: dict[str, int]) -> None:
    game = Game.objects.get(pk=ended["played_to_its_end of 2"])
    game.terms = {**game.terms, "watch_delay": 60}
    assert game.finished_at is not None
    with clock.frozen_at(game.finished_at + timedelta(seconds=30)):
        assert result(game, 0) is not None
        assert result(game) is None
