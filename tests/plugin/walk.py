"""Tests of Hearts, a kind that the platform does not name, in all parts of the platform. `test_hearts.py` runs them in
a separate process, which finds the package and has the kind in SCOREBOOK_KINDS."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from games.models import Game, Player
from games.play import services as play
from games.play.roster import ensure_builtin_bot
from games.workers import runner
from scorebook_games.bots.builtin import quick_bot
from tests.factories import worlds
from tests.fixtures.players import laura, martha, person, sign_in
from tests.games.play.test_games_api import SignIn, address, post_move
from tests.tournaments.club import play_season
from tournaments.ratings.models import Rating

__all__ = ["laura", "martha", "person", "sign_in"]
ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.django_db


@pytest.fixture
def game(martha: Player, laura: Player) -> Game:
    """Return a game of one round between Martha, Laura and the bot *sensible*, or *random* if the kind has no plan."""
    players = [martha, laura, ensure_builtin_bot(quick_bot("hearts"))]
    return play.open_game(kind="hearts", players=players, options={"rounds": 1}, terms={})


def play_moves(game: Game, clients: list[Client], moves: int = 1000) -> None:
    """Let people play their first legal moves through the API, and workers the bot's moves."""
    for _ in range(moves):
        runner.play_due_games("one")
        game.refresh_from_db()
        if game.status != Game.Status.PLAYING:
            return
        [seat] = play.load_game(game).to_act()
        turn = clients[seat].get(address(game, "turn/")).json()
        answer = post_move(clients[seat], game, turn["legal"][0]["move"], turn["version"])
        assert answer.status_code == 201, answer.content


def test_people_and_bots_play_it_and_see_no_hidden_card(
    game: Game, martha: Player, laura: Player, sign_in: SignIn
) -> None:
    """The rule is HE-2."""
    clients = [sign_in(martha), sign_in(laura)]
    play_moves(game, clients, 7)
    state: Any = play.load_game(game).state
    rules: Any = play.load_game(game).rules
    for viewer, client in enumerate([*clients, Client()]):
        events = "".join(client.get(address(game, part)).content.decode() for part in ("replay/", "events/", "turn/"))
        for seat, hand in enumerate(state.hands):
            shown = [card for card in hand if f'"{rules.move_text(state, card)[5:]}"' in events]
            assert shown == (hand if seat == viewer < len(clients) else []), (viewer, seat)


def test_it_is_exported_and_verified_without_the_server(
    game: Game, martha: Player, laura: Player, sign_in: SignIn, tmp_path: Path
) -> None:
    play_moves(game, [sign_in(martha), sign_in(laura)])
    assert game.outcome
    assert game.outcome["termination"] == "rules"
    assert sum(game.outcome["scores"]) in (26, 52)
    exported = Client().get(address(game, "export/")).content
    file = tmp_path / "game.json"
    for content, code in ((exported, 0), (exported.replace(b'"rounds": 1', b'"rounds": 2'), 1)):
        file.write_bytes(content)
        ran = subprocess.run([sys.executable, "-m", "replays.verify", file], cwd=ROOT, check=False, capture_output=True)
        assert ran.returncode == code, ran.stdout + ran.stderr
    replay = json.loads(Client().get(address(game, "replay/")).content)
    assert len(replay["frames"]) > 51


def test_a_league_plays_it_in_rounds_and_rates_it() -> None:
    season = worlds.season(worlds.league(), worlds.bots(), 6, kind="hearts", table_size=3, options={"rounds": 1})
    play_season(season)
    assert season.status == "finished"
    played = Game.objects.filter(kind="hearts", status=Game.Status.FINISHED)
    assert played.count() >= 6
    page = Client().get(f"/clubs/lantern/chinese-ten/{season.slug}/").content.decode()
    assert "Gannet" in page
    assert Rating.objects.filter(pool__kind="hearts").count() == 6


def test_catalogue_rules_page_and_a_game_at_once_offer_it() -> None:
    client = Client()
    assert "HE-12" in client.get("/rules/hearts/").content.decode()
    assert "Take no hearts" in client.get("/learn/").content.decode()
    entry = client.get("/api/v1/kinds/hearts/").json()
    assert (entry["seats_min"], entry["seats_max"], entry["best"]) == (3, 5, "lowest")
    assert "For 3 players" in client.get("/play/").content.decode()
    client.force_login(User.objects.create_user("niamh"))
    client.post("/play/now/", {"kind": "hearts"})
    assert Game.objects.get().seats.count() == 3
