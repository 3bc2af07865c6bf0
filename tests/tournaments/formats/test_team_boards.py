"""Which board plays which game of a match of teams, and what a match of teams can be."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from games.common.errors import DomainError
from tournaments.formats import FORMATS
from tournaments.formats.team_boards import BoardGame, board_games, board_games_of_all_pairs
from tournaments.seasons.settings import parse_settings

TEAM_FORMATS = [key for key, format in FORMATS.items() if format.by_teams]


def first_moves(games: tuple[BoardGame, ...], boards: int) -> list[int]:
    """Return first moves minus second moves of each player, of both teams."""
    balance = Counter({(side, board): 0 for side in (0, 1) for board in range(1, boards + 1)})
    for game in games:
        odd = game.number % 2
        balance[0, game.first] += 1 if odd else -1
        balance[1, game.other] += -1 if odd else 1
    return list(balance.values())


def test_the_first_moves_alternate_from_board_to_board() -> None:
    assert [(game.first, game.other) for game in board_games(4, 4)] == [(1, 1), (2, 2), (3, 3), (4, 4)]
    assert first_moves(board_games(4, 4), 4) == [1, -1, 1, -1, -1, 1, -1, 1]


def test_with_two_games_at_a_board_both_players_move_first_once() -> None:
    games = board_games(3, 6)
    assert [(game.first, game.wave) for game in games] == [(1, 0), (1, 1), (2, 0), (2, 1), (3, 0), (3, 1)]
    assert set(first_moves(games, 3)) == {0}


@pytest.mark.parametrize("boards", range(2, 9))
def test_in_scheveningen_everybody_meets_everybody_once_and_moves_first_as_often_as_second(boards: int) -> None:
    games = board_games_of_all_pairs(boards, boards**2)
    assert [game.number for game in games] == list(range(1, boards**2 + 1))
    assert len({(game.first, game.other) for game in games}) == boards**2
    for wave in range(boards):
        together = [game for game in games if game.wave == wave]
        assert len({game.first for game in together}) == len({game.other for game in together}) == boards
    assert all(abs(balance) <= boards % 2 for balance in first_moves(games, boards))


@pytest.mark.parametrize("key", TEAM_FORMATS)
def test_a_season_of_teams_has_a_game_for_each_board_if_nothing_else_is_asked(key: str) -> None:
    settings = parse_settings({"kind": "chinese_ten", "format": key})
    games = FORMATS[key].board_games(settings.games_a_match, settings.format_options)
    assert len(games) == settings.games_a_match
    assert {game.first for game in games} == {1, 2, 3, 4}
    assert settings.tie_breaks[0] == "board_points"


@pytest.mark.parametrize(
    ("asked", "field"),
    [({"games_a_match": 6}, "games_a_match"), ({"table_size": 3, "kind": "plates"}, "table_size")],
)
def test_what_no_match_of_teams_can_be_is_refused(asked: dict[str, Any], field: str) -> None:
    with pytest.raises(DomainError) as refused:
        parse_settings({"kind": "chinese_ten", "format": TEAM_FORMATS[0], **asked})
    assert (refused.value.code, refused.value.field) == ("bad_format", field)
