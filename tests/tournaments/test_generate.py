"""A small version of the club of a million games: the data of the benchmarks are consistent, and are made once."""

from __future__ import annotations

from argparse import Namespace

import pytest

from games.eventlog import store as eventlog
from games.models import Game
from scorebook_games.chance import commitment
from scorebook_games.gamelog.events import GENESIS, next_head
from tests.bench import generate
from tournaments.maintenance.rebuild import find_differences
from tournaments.ratings.models import RatingChange

pytestmark = pytest.mark.django_db(transaction=True)

SMALL = {"DEALT": 2, "FIELD": 4, "SWISS_ROUNDS": 2, "GAMES_A_MATCH": 1, "CROWD": 5, "KINDS_OF_CROWDS": ("chinese_ten",)}
WISH = Namespace(games=40, entrants=8, seed=1, in_seasons=0.7, seconds=float("inf"))


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in SMALL.items():
        monkeypatch.setattr(generate, name, value)
    monkeypatch.setattr(generate, "LEAGUES", (("chinese_ten", False), ("chinese_ten", True)))


@pytest.mark.slow
def test_every_log_verifies_and_nothing_differs_from_the_logs() -> None:
    assert generate.generate(WISH)
    made = Game.objects.exclude(audience_club_id=None).select_related("stream", "deal")
    assert made.count() == 40
    assert made.filter(match_game=None).count() == 12
    for game in made:
        head = GENESIS
        for batch in eventlog.stored_batches(game.stream_id):
            head = next_head(head, batch.body, batch.times)
        assert head == bytes(game.stream.head)
        opened = eventlog.read_events(game.stream_id)[0].event[1]
        assert opened["commitment"] == commitment(bytes(game.salt), bytes(game.deal.seed))
    assert list(find_differences()) == []
    assert RatingChange.objects.count() == 2 * made.exclude(match_game=None).count()


@pytest.mark.slow
def test_it_goes_on_where_it_was_stopped_and_makes_nothing_twice() -> None:
    while not generate.generate(Namespace(**{**vars(WISH), "seconds": 0})):
        pass
    names = sorted(Game.objects.values_list("public_id", flat=True))
    assert generate.generate(WISH)
    assert sorted(Game.objects.values_list("public_id", flat=True)) == names
