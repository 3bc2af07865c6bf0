"""A turn limit is reached in the middle of a bundle. Plate Spinner counts every assign as a move (PS-17)."""

from __future__ import annotations

import pytest

from games.eventlog import store as eventlog
from games.models import Deal, Game, Player
from games.play import beats
from games.play import services as play
from games.workers import runner
from scorebook_games.contract import Event
from scorebook_games.gamelog import events as ev
from scorebook_games.gamelog import visibility
from tests.games.conftest import BuiltInBot, Person

pytestmark = pytest.mark.django_db


def opened(players: list[Player], turn_limit: int, seed: bytes) -> Game:
    deal = Deal.objects.create(seed=seed)
    return play.open_game(kind="plate_spinner", players=players, options={"turn_limit": turn_limit}, deal=deal)


def last_events(game: Game) -> list[Event]:
    return [entry.event for entry in eventlog.read_events(game.stream_id)][-2:]


@pytest.mark.parametrize("turn_limit", [1, 2, 3])
@pytest.mark.parametrize(
    "seed", [pytest.param(bytes([number]) * 32, marks=pytest.mark.slow if number > 1 else ()) for number in range(4)]
)
def test_built_in_bots_bring_a_game_to_its_limit_also_where_an_assign_meets_it(
    built_in: BuiltInBot, turn_limit: int, seed: bytes
) -> None:
    """A bot completes its bundle, and the game ends when the bundle is taken (PS-17)."""
    game = opened([built_in("random") for _ in range(3)], turn_limit, seed)
    assert runner.play_due_games("one") == 1
    game.refresh_from_db()
    assert game.outcome
    assert game.outcome["termination"] == "turn_limit"
    assert last_events(game)[1] == ["ended", "turn_limit"]


def test_a_person_gives_a_whole_bundle_though_its_first_assign_will_meet_the_limit(
    person: Person,
) -> None:
    """A bundle is any number of assigns and then a roll, whatever the limit is (PS-17)."""
    game = opened([person("Martha"), person("Laura")], 1, bytes(32))
    fold = play.load_game(game)
    assign = [next(text for text in visibility.legal_moves(fold, seat) if text.startswith("assign")) for seat in (0, 1)]
    for seat in (0, 1):
        rest = list(fold.rules.observation(fold.state, seat)["players"][seat]["dice"])
        rest.remove(assign[seat].split(" ")[1])
        beats.give_bundle(game=game, seat=seat, beat=1, moves=[assign[seat], f"roll {''.join(rest)}"])

    kinds = [entry.event[0] for entry in eventlog.read_events(game.stream_id)]
    assert kinds[-3:] == [ev.BEAT, "assigned", "ended"]
    assert game.status == Game.Status.FINISHED
