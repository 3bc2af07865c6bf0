"""The author of a bot may know its cards, so the two never play in the same game that counts."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from games.accounts.tokens import newest_player
from games.bots import uploads
from games.bots.remote import services as remote_bots
from games.common.errors import DomainError
from games.models import Game, Player
from games.play import services as play
from tests.games.bots.conftest import FIRST
from tests.games.bots.test_faults import seated
from tests.games.conftest import BuiltInBot, Person
from tests.tournaments.club import new_club
from tournaments.entries import services as entries
from tournaments.lifecycle import services as seasons
from tournaments.seasons.models import League, Season

pytestmark = pytest.mark.django_db
TERMS: dict[str, Any] = {"move_seconds": 60}


@pytest.fixture
def dora(person: Person) -> Player:
    return person("Dora")


@pytest.fixture
def puffin(dora: Player) -> Player:
    """Return Dora's remote bot."""
    assert dora.user
    return newest_player(remote_bots.create_bot(owner=dora.user, name="Puffin"))


@pytest.fixture
def gannet(dora: Player) -> Player:
    """Return Dora's uploaded bot."""
    assert dora.user
    return seated(uploads.upload_version(bot=uploads.new_bot(owner=dora.user, name="Gannet"), data=FIRST.encode()))


def opened(*players: Player, rated: bool) -> Game:
    return play.open_game(kind="chinese_ten", players=players, terms={**TERMS, "rated": rated})


def test_a_rated_game_with_ones_own_bot_is_refused_with_a_code_and_a_sentence(
    dora: Player, puffin: Player, gannet: Player, built_in: BuiltInBot
) -> None:
    for bot in (puffin, gannet):
        with pytest.raises(DomainError, match=f"{bot.name} is a bot of Dora. They cannot play together") as no:
            opened(dora, built_in("random"), bot, rated=True)
        assert (no.value.status, no.value.code) == (409, "own_bot")
    assert not Game.objects.exists()


def test_others_bots_and_built_in_ones_may_sit_there(
    dora: Player, puffin: Player, person: Person, built_in: BuiltInBot
) -> None:
    assert opened(dora, built_in("random"), built_in("sensible"), rated=True)
    assert opened(person("Emil"), puffin, rated=True)


def test_unrated_they_may_play_and_everybody_is_told(
    dora: Player, puffin: Player, person: Person, client: Client
) -> None:
    game = opened(dora, puffin, person("Emil"), rated=False)
    words = "Puffin is a bot of Dora, who also plays here and may see its cards."
    assert client.get(f"/api/v1/games/{game.public_id}/").json()["own_bots"] == words
    assert words in client.get(f"/games/{game.public_id}/").content.decode()
    other = opened(person("Otto"), puffin, rated=False)
    assert client.get(f"/api/v1/games/{other.public_id}/").json()["own_bots"] == ""


@pytest.fixture
def season() -> Season:
    club = new_club(name="Lantern Street", slug="lantern", owner=User.objects.create_user("niamh"))
    league = League.objects.create(club=club, name="Ten", slug="ten")
    return seasons.create_season(
        league=league, name="Spring", kind="chinese_ten", format="round_robin", terms=TERMS, calendar={"seconds": 60}
    )


@pytest.mark.parametrize("order", [0, 1])
def test_a_rated_season_has_the_bot_or_its_owner(order: int, season: Season, dora: Player, puffin: Player) -> None:
    first, second = [dora, puffin] if order == 0 else [puffin, dora]
    entries.enter_season(season=season, player=first)
    with pytest.raises(DomainError, match="Only one of them can enter a rated season") as refused:
        entries.enter_season(season=season, player=second)
    assert (refused.value.status, refused.value.code) == (409, "own_bot_in_rated_season")


def test_an_unrated_season_has_both_and_is_not_rated_afterwards(season: Season, dora: Player, puffin: Player) -> None:
    settings = {"kind": "chinese_ten", "format": "round_robin", "calendar": {"seconds": 60}}
    named: dict[str, Any] = {"name": "Spring", "starts_at": None, "repeats": False}
    unrated = seasons.change_season(season=season, **named, **whole(season, settings, rated=False))
    for player in (dora, puffin):
        entries.enter_season(season=unrated, player=player)
    with pytest.raises(DomainError) as refused:
        seasons.change_season(season=unrated, **named, **whole(unrated, settings, rated=True))
    assert refused.value.code == "own_bot_in_rated_season"


def whole(season: Season, settings: dict[str, Any], *, rated: bool) -> dict[str, Any]:
    """Return the settings with those of `season`, with its terms rated or not."""
    kept = ("table_size", "games_a_match", "options", "points", "tie_breaks")
    return {**settings, **{name: getattr(season, name) for name in kept}, "terms": {**TERMS, "rated": rated}}
