"""An upgrade to a release with changed rules of a kind, while games and a season are being played.

From version 2 on, every card of Chinese Ten counts double. Games and seasons that began before keep the old rules.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import SystemCheckError
from django.test import Client
from django.urls import reverse

from games.common import clock
from games.models import Deal, Game, Player
from games.play import continuation, unit_of_work
from games.play import services as play_services
from replays.export.verification import check_game
from scorebook_games import registry
from scorebook_games.chance import SeedDealer
from scorebook_games.contract import OptionError
from scorebook_games.kinds.chinese_ten.rules import ChineseTen, State
from scorebook_games.registry import UnknownKind, rules_for
from tests.tournaments.club import BEGIN, Start, play, play_all
from tournaments.director import director
from tournaments.entries import services as entries
from tournaments.lifecycle import services as seasons
from tournaments.maintenance.rebuild import find_differences
from tournaments.seasons.models import League, Season

pytestmark = pytest.mark.django_db(transaction=True)


class Doubled(ChineseTen):
    """Chinese Ten, version 2, for two at a table only."""

    spec = replace(ChineseTen.spec, rules_version=2)

    def resolve(self, seats: int, options: Any) -> Any:
        if seats > 2:
            raise OptionError("seats", "Two play.")
        return super().resolve(seats, options)

    def standing(self, state: State) -> tuple[tuple[int, ...], tuple[int, ...]]:
        points, places = super().standing(state)
        return tuple(2 * each for each in points), places


Upgrade = Callable[[], None]


@pytest.fixture
def upgrade(monkeypatch: pytest.MonkeyPatch) -> Upgrade:
    """Return a function that installs the new release, which keeps the old rules beside the new."""

    def put_in() -> None:
        old = registry.KINDS["chinese_ten"]
        monkeypatch.setitem(registry.KINDS, "chinese_ten", replace(old, rules=Doubled(), earlier={1: old.rules}))

    return put_in


def versions() -> set[int]:
    return set(Game.objects.values_list("rules_version", flat=True))


def total(game: Game) -> int:
    outcome = play_services.load_game(game).outcome()
    assert outcome
    return sum(outcome.scores)


def one_game(bots: list[Player], seed: bytes = b"7" * 32) -> Game:
    deal = Deal.objects.create(seed=seed)
    return play_services.open_game(kind="chinese_ten", players=bots[:2], deal=deal, terms={"rated": False})


def test_a_season_that_is_on_stays_with_its_rules_and_a_new_one_has_the_new(
    running: Start, league: League, bots: list[Player], upgrade: Upgrade
) -> None:
    old = running(3)
    with clock.frozen_at(BEGIN):
        director.advance()
    assert Game.objects.filter(status=Game.Status.PLAYING).exists()
    upgrade()
    new = begun(league, bots)
    play_out()
    for season, version in ((old, 1), (new, 2)):
        season.refresh_from_db()
        games = Game.objects.filter(match_game__match__round__division__season=season)
        assert season.status == Season.Status.FINISHED
        assert season.settings["rules_version"] == version
        assert set(games.values_list("rules_version", flat=True)) == {version}
        assert [fault for game in games for fault in check_game(game.pk)] == []
    assert list(find_differences(write=False)) == []


def play_out() -> None:
    """Play until all seasons are over, or half an hour has passed."""
    for minutes in range(30):
        with clock.frozen_at(BEGIN + timedelta(minutes=minutes)):
            director.advance()
            play_all(minutes)
        if not Season.objects.exclude(status=Season.Status.FINISHED).exists():
            break


def begun(league: League, bots: list[Player]) -> Season:
    with clock.frozen_at(BEGIN):
        season = seasons.create_season(
            league=league, name="Winter", kind="chinese_ten", options={"packs": 1}, calendar={"seconds": 60}
        )
        entries.enter_players(season=season, players=bots[4:6])
        return seasons.start_season(season=season, seed="5b" * 32)


def test_the_same_deal_and_moves_end_by_the_rules_the_game_began_with(bots: list[Player], upgrade: Upgrade) -> None:
    old = one_game(bots)
    upgrade()
    new = one_game(bots)
    for game in (old, new):
        play(game, random.Random(1))
    assert (old.rules_version, new.rules_version) == (1, 2)
    assert total(new) == 2 * total(old)


def test_a_game_in_the_middle_of_a_move_goes_on_and_is_shown_and_verified(
    bots: list[Player], upgrade: Upgrade, client: Client
) -> None:
    game = one_game(bots)
    unit = play_services.begin_unit(game)
    for _ in range(5):
        seat = unit.fold.to_act()[0]
        action = unit.fold.rules.legal_actions(unit.fold.state, seat)[0]
        dealer = SeedDealer(bytes(game.deal.seed))
        unit.take(unit.fold.rules.decide(unit.fold.state, seat, action, dealer), clock.now())
    unit_of_work.commit([unit], clock.now())
    upgrade()
    assert client.get(reverse("replay", args=[game.public_id])).status_code == 200
    play(game, random.Random(2))
    assert check_game(game.pk) == []
    assert client.get(f"/api/v1/games/{game.public_id}/").json()["rules_version"] == 1
    assert client.get(f"/api/v1/games/{game.public_id}/record/").status_code in (200, 404)


def test_a_game_that_goes_on_from_an_old_ones_moment_has_the_old_ones_rules(
    bots: list[Player], upgrade: Upgrade, django_user_model: Any
) -> None:
    game = one_game(bots)
    play(game, random.Random(3))
    upgrade()
    martha = Player.objects.create(name="Martha", user=django_user_model.objects.create_user("martha"))
    again, _made = continuation.continue_from(game, game.version // 2, 0, martha)
    assert again.rules_version == 1


@pytest.mark.slow
def test_what_the_new_rules_do_not_allow_can_still_be_played_in_a_season_that_began_before(
    running: Start, upgrade: Upgrade
) -> None:
    season = running(6, table_size=3, games_a_match=1)
    upgrade()
    play_out()
    season.refresh_from_db()
    assert season.status == Season.Status.FINISHED
    assert versions() == {1}


def test_a_release_that_has_dropped_rules_which_are_played_by_is_refused_before_it_changes_anything(
    bots: list[Player], monkeypatch: pytest.MonkeyPatch
) -> None:
    game = one_game(bots)
    monkeypatch.setitem(registry.KINDS, "chinese_ten", replace(registry.KINDS["chinese_ten"], rules=Doubled()))
    with pytest.raises(SystemCheckError, match=r"1 running games of chinese_ten use version 1"):
        call_command("migrate", verbosity=0, skip_checks=False)
    with pytest.raises(UnknownKind, match="Is this release older"):
        rules_for("chinese_ten", 1)
    monkeypatch.undo()
    play(game, random.Random(4))
    monkeypatch.setitem(registry.KINDS, "chinese_ten", replace(registry.KINDS["chinese_ten"], rules=Doubled()))
    call_command("migrate", verbosity=0, skip_checks=False)  # a finished game stops no upgrade
