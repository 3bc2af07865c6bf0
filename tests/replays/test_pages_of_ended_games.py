"""Every page and every address of the API about a game has an answer, whatever way the game ended in."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from games.models import Game
from tests.permissions.requests import Asker
from tests.permissions.table_rows import SAFE, rows
from tests.replays.ended_games import ended_games

OF_GAMES = ("<over>", "<ours>", "<match_game>", "<beats>")  # in the table of permissions; all are a <game>


def addresses() -> list[object]:
    """Return (method, address) of whatever the table of permissions asks about a game. What changes something, and the
    API, are slow."""
    found = set()
    for row in rows():
        address = row.address
        for name in OF_GAMES:
            address = address.replace(name, "<game>")
        if "<game>" in address:
            found.add((row.method, address))
    return [
        pytest.param(method, address, marks=() if method in SAFE and "/api/" not in address else pytest.mark.slow)
        for method, address in sorted(found)
    ]


@pytest.fixture(scope="module")
def ended(kept: None) -> dict[str, int]:
    return ended_games()


def unlike(ended: dict[str, int], *, all_of_them: bool = False) -> Iterator[tuple[str, Game]]:
    """Return, with their names, those games that differ in how they ended or whether somebody left; `all_of_them`: also
    in who left and how, in how far they came, and whether they continue another game."""
    seen = set()
    for name, pk in ended.items():
        game = Game.objects.get(pk=pk)
        left = tuple(game.seats.order_by("seat").values_list("left", flat=True))
        shape: tuple[object, ...] = (game.outcome and game.outcome["termination"], any(left))
        if all_of_them:
            shape = (*shape, left, game.version < 8, game.continued_at is None)
        if shape not in seen:
            seen.add(shape)
            yield name, game


def check_answers(ended: dict[str, int], method: str, address: str, *, all_of_them: bool) -> None:
    failed = []
    for name, game in unlike(ended, all_of_them=all_of_them):
        player = game.seats.get(seat=0).player.user
        body = {"version": game.version, "seat": 0}
        answer = Asker.signed_in(player).ask(method, address.replace("<game>", game.public_id), body)
        if answer.response.status_code >= 500:
            failed.append(f"{name}: {answer.response.status_code}")
    assert failed == []


@pytest.mark.some(3)
@pytest.mark.parametrize(("method", "address"), addresses())
def test_it_has_an_answer(ended: dict[str, int], method: str, address: str) -> None:
    check_answers(ended, method, address, all_of_them=False)


@pytest.mark.slow
@pytest.mark.parametrize(("method", "address"), addresses())
def test_it_has_an_answer_whoever_left(ended: dict[str, int], method: str, address: str) -> None:
    check_answers(ended, method, address, all_of_them=True)


@pytest.mark.some(1)
@pytest.mark.parametrize("address", ["/games/<game>/", "/games/<game>/embed/", "/games/<game>/broadcast/"])
def test_a_visitor_is_shown_its_page(ended: dict[str, int], address: str) -> None:
    for _name, game in unlike(ended):
        assert Asker().ask("GET", address.replace("<game>", game.public_id)).outcome == "200"
