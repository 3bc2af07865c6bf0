"""The rules of a kind never end. Workers leave its games, and games of other kinds continue."""

from __future__ import annotations

from typing import Any

import pytest

from games.common.models import Incident
from games.models import Game
from games.operations import status
from games.play import services as play
from games.workers import leases, runner
from scorebook_games.contract import Dealer, Event
from scorebook_games.registry import KINDS
from tests.games.conftest import BuiltInBot
from tests.games.racing_kind import Grab, kind_of

pytestmark = pytest.mark.django_db


class Endless(Grab):
    """A kind like Grab that hangs in one of its methods from the first decision on."""

    def __init__(self, method: str) -> None:
        self.method = method
        self.decided = False

    def decide(self, state: Any, seat: int, action: int, dealer: Dealer) -> list[Event]:
        self.decided = True
        self.hang("decide")
        return super().decide(state, seat, action, dealer)

    def apply(self, state: Any, event: Event) -> None:
        self.hang("apply")
        super().apply(state, event)

    def hang(self, method: str) -> None:
        while self.decided and method == self.method:
            pass


@pytest.mark.some(1)
@pytest.mark.parametrize("method", ["decide", "apply"])
def test_a_kind_that_hangs_is_parked_with_its_name_and_the_others_are_played_on(
    grab: str, built_in: BuiltInBot, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    monkeypatch.setattr(runner, "STEP_SECONDS", 0.2)
    monkeypatch.setitem(KINDS, grab, kind_of(Endless(method)))
    bots = [built_in("random"), built_in("random")]
    first, second = (play.open_game(kind=grab, players=bots) for _ in range(2))
    other = play.open_game(kind="chinese_ten", players=bots)

    assert runner.play_due_games("one") == 1

    other.refresh_from_db()
    assert other.status == Game.Status.FINISHED
    for game in (first, second):
        before = game.version
        game.refresh_from_db()
        assert (game.status, game.version, game.leased_by) == (Game.Status.PLAYING, before, "")
    assert not leases.due_games().exists()
    [incident] = Incident.objects.all()
    assert "ran for more than 0.2 s" in incident.sentence
    assert "2 games of this kind wait for an admin." in incident.sentence
    assert "test_hanging_kind.py" in incident.detail
    [one, two] = status.collect_status().stuck_games
    assert one.reason == two.reason
    assert one.reason.startswith(f"The rules of {KINDS[grab].spec.title} did not come to an end")

    monkeypatch.setitem(KINDS, grab, kind_of(Grab()))
    play.retry_game(game=first)
    assert runner.play_due_games("two") == 1
