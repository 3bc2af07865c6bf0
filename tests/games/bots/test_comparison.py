"""What the deals of a comparison come to on the platform; the interval: `tests.scorebook_games.analysis`."""

from __future__ import annotations

from games.bots.comparison import means
from games.models import Game


def test_the_second_game_of_a_deal_is_looked_at_from_the_other_seat() -> None:
    def game(part: str, *placings: int) -> Game:
        return Game(part=part, status="finished", outcome={"placings": list(placings)})

    assert means([game("0000", 1, 2), game("0000", 2, 1)]) == [1.0]
    assert means([game("0000", 1, 2), game("0000", 1, 2)]) == [0.5]
    assert means([game("0000", 1, 1), game("0000", 1, 2), game("0001", 1, 2)]) == [0.25]
