"""The replay's page and API: who may see what, and what works without JavaScript."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.cache import caches
from django.test import Client

from games.bots.remote.services import create_bot
from games.common import clock, page_cache
from games.eventlog.models import Batch
from games.models import Game, Player
from games.play import offers
from scorebook_games.presentation.base import Presentation, Zone
from scorebook_games.registry import KINDS
from tests.assertions.page import Page
from tests.factories.games import TO_THE_END
from tests.replays.conftest import open_game, play_on

pytestmark = pytest.mark.django_db


@pytest.fixture
def martha(cast: dict[str, int]) -> Player:
    return Player.objects.select_related("user").get(pk=cast["Martha"])


@pytest.fixture
def laura(cast: dict[str, int]) -> Player:
    return Player.objects.select_related("user").get(pk=cast["Laura"])


@pytest.fixture
def finished(cast: dict[str, int]) -> Game:
    return Game.objects.get(pk=cast["finished"])


@pytest.fixture
def live(martha: Player, laura: Player) -> Game:
    return play_on(open_game([martha, laura]), 4)


def signed_in(player: Player) -> Client:
    browser = Client()
    assert player.user
    browser.force_login(player.user)
    return browser


def replay(browser: Client, game: Game, query: str = "") -> dict[str, Any]:
    answer = browser.get(f"/api/v1/games/{game.public_id}/replay/{query}")
    assert answer.status_code == 200, answer.content
    data: dict[str, Any] = answer.json()
    return data


def refused(browser: Client, path: str) -> tuple[int, str]:
    answer = browser.get(path)
    return answer.status_code, answer.json()["error"]["code"]


def embedded(page: str, name: str) -> Any:
    found = re.search(rf'<script id="{name}" type="application/json">(.*?)</script>', page, re.DOTALL)
    assert found
    return json.loads(found[1])


def test_a_finished_game_is_open_through_every_eye(client: Client, finished: Game) -> None:
    data = replay(client, finished)
    assert data["viewpoint"] == "all"
    assert data["allowed_viewpoints"] == ["all", "0", "1", "public"]
    assert data["game"]["outcome"] == finished.outcome
    assert data["version"] == finished.version == data["frames"][-1]["version"]
    assert len(data["scores"]) == len(data["frames"])
    assert data["frames"][0]["words"] == "The cards are dealt: 20 to each player and four on the table."


def test_a_finished_game_is_told_once_and_then_only_that_it_is_still_so(client: Client, finished: Game) -> None:
    address = f"/api/v1/games/{finished.public_id}/replay/"
    first = client.get(address, headers={"Accept-Encoding": "gzip"})
    asked = {"Accept-Encoding": "gzip", "If-None-Match": first["ETag"]}
    assert (first["Content-Encoding"], client.get(address, headers=asked).status_code) == ("gzip", 304)


def test_a_seats_replay_of_a_finished_game_shows_no_other_hand(client: Client, finished: Game) -> None:
    data = replay(client, finished, "?viewpoint=1")
    assert all(frame["observation"]["seat"] == 1 and "hands" not in frame["observation"] for frame in data["frames"])
    assert data["frames"][0]["event"]["hands"][0] == [None] * 20


def test_while_a_game_is_on_nobody_sees_more_than_their_own_eyes(client: Client, live: Game, martha: Player) -> None:
    assert replay(client, live)["allowed_viewpoints"] == ["public"]
    own = replay(signed_in(martha), live)
    assert own["allowed_viewpoints"] == ["0", "public"]
    assert own["frames"][0]["event"]["hands"][1] == [None] * 20
    assert own["frames"][0]["event"]["deck"] == [None] * 60
    assert own["game"]["outcome"] is None


@pytest.mark.parametrize(
    ("viewpoint", "error"),
    [("all", (403, "not_your_viewpoint")), ("1", (403, "not_your_viewpoint")), ("9", (400, "bad_viewpoint"))],
)
def test_eyes_that_are_not_open_are_refused(live: Game, martha: Player, viewpoint: str, error: tuple[int, str]) -> None:
    assert refused(signed_in(martha), f"/api/v1/games/{live.public_id}/replay/?viewpoint={viewpoint}") == error


def test_bad_questions_get_a_code_and_a_status(client: Client, live: Game) -> None:
    address = f"/api/v1/games/{live.public_id}"
    assert refused(client, "/api/v1/games/NOTAGAME/replay/") == (404, "game_not_found")
    assert refused(client, f"{address}/replay/?since=-1") == (400, "bad_version")
    assert refused(client, f"{address}/export/") == (409, "not_open_yet")
    assert refused(client, f"{address}/export/?as=pdf") == (400, "bad_form")


def test_only_what_is_new_comes_after_a_version(client: Client, live: Game) -> None:
    whole = replay(client, live)
    half = whole["frames"][2]["version"]
    news = replay(client, live, f"?since={half}")
    assert news["frames"] == whole["frames"][3:]
    assert news["scores"] == whole["scores"][3:]
    assert news["version"] == whole["version"]


def test_what_is_new_is_told_as_the_whole_is_and_again_to_whoever_asks(
    client: Client, martha: Player, laura: Player
) -> None:
    game = play_on(open_game([martha, laura]), 6)
    browsers = [client, signed_in(martha), signed_in(laura)]
    for _ in range(3):
        before = game.version
        play_on(game, 1)
        for browser in browsers:
            whole = replay(browser, game)
            for since in (before, 1, before):
                new = replay(browser, game, f"?since={since}")
                place = next((i for i, each in enumerate(whole["frames"]) if each["version"] > since), None)
                assert new["frames"] == ([] if place is None else whole["frames"][place:])
                assert len(new["scores"]) == len(new["frames"])


@pytest.mark.slow
def test_who_is_asked_for_a_rematch_comes_to_the_table_and_to_the_replay_when_it_is_settled(
    finished: Game, martha: Player, laura: Player
) -> None:
    address = f"/games/{finished.public_id}/"

    def at_table(player: Player, query: str = "") -> bool:
        page = signed_in(player).get(address + query).content.decode()
        return embedded(page, "replay-data")["turn"] is not None

    assert not at_table(martha)
    offers.offer_rematch(game=finished, seat=0)
    assert (at_table(laura), at_table(laura, "?look=1"), at_table(martha)) == (True, False, False)
    assert at_table(martha, "?viewpoint=0")  # she waits at this address
    offers.offer_rematch(game=finished, seat=1)
    assert not at_table(laura, "?viewpoint=1")


def test_the_page_says_what_the_clock_is_and_what_it_costs(martha: Player, laura: Player) -> None:
    game = open_game([martha, laura], move_seconds=30, bank_seconds=300, expiry="random")
    page = embedded(signed_in(martha).get(f"/games/{game.public_id}/").content.decode(), "replay-page")
    assert (
        page["clock"]
        == "30 seconds per move and a bank of 5 minutes; if a player’s time runs out, a random move is played"
    )


def test_the_public_sees_a_game_with_its_delay_and_a_player_at_once(
    client: Client, martha: Player, laura: Player
) -> None:
    game = play_on(open_game([martha, laura], watch_delay=60), 4)
    assert replay(client, game)["frames"] == []
    assert len(replay(signed_in(martha), game)["frames"]) == game.version - 1
    with clock.frozen_at(clock.now() + timedelta(seconds=61)):
        assert len(replay(client, game)["frames"]) == game.version - 1


def test_a_spectator_is_told_how_late_they_see_a_game_and_a_player_is_not(
    client: Client, martha: Player, laura: Player
) -> None:
    game = play_on(open_game([martha, laura], watch_delay=60), 4)
    address, late = f"/games/{game.public_id}/", "Shown 1 minute late"
    assert late in Page.of(client.get(address)).text
    assert embedded(client.get(f"{address}broadcast/").content.decode(), "replay-page")["late"] == late
    assert late in Page.of(client.get(f"{address}embed/")).text
    assert late not in Page.of(signed_in(martha).get(address)).text


def test_the_head_says_at_once_to_whoever_played_that_the_game_is_over(
    client: Client, martha: Player, laura: Player
) -> None:
    game = play_on(open_game([martha, laura], watch_delay=60), TO_THE_END)
    states = [re.findall(r"status-word (\w+)", head_of(browser, game)) for browser in (signed_in(martha), client)]
    assert states == [["done"], ["live"]]
    assert "Shown 1 minute late" in head_of(client, game)
    with clock.frozen_at(clock.now() + timedelta(seconds=61)):
        assert "Shown 1 minute late" not in head_of(client, game)


def head_of(browser: Client, game: Game) -> str:
    """Return the head of a game's page, which replaces itself when the game ends."""
    page = browser.get(f"/games/{game.public_id}/").content.decode()
    return page.partition('data-fresh="head"')[2].partition("</header>")[0]


def test_a_bot_that_a_language_model_plays_for_is_an_agent_wherever_its_game_is_shown(
    client: Client, martha: Player, finished: Game
) -> None:
    assert martha.user
    bot = create_bot(owner=martha.user, name="Owl", agent=True)
    finished.seats.filter(seat=0).update(player=Player.objects.get(bot_version__bot=bot))
    data = replay(client, finished)
    assert [(seat["bot"], seat["agent"]) for seat in data["game"]["seats"]] == [(True, True), (False, False)]
    page = client.get(f"/games/{finished.public_id}/").content.decode()
    assert (page.count(">AGENT<"), page.count(">BOT<")) == (2, 0)  # in the head and on the result


def test_who_only_watched_a_game_is_led_to_others_when_it_is_over(
    client: Client, martha: Player, finished: Game
) -> None:
    path = f"/games/{finished.public_id}/"
    watch = 'href="/watch/">Watch other games'
    assert watch in client.get(path).content.decode()
    assert watch in client.get(f"{path}?part=result").content.decode()
    assert watch not in signed_in(martha).get(path).content.decode()


def test_an_export_is_a_file_that_names_the_game(client: Client, finished: Game) -> None:
    answer = client.get(f"/api/v1/games/{finished.public_id}/export/")
    assert answer["Content-Disposition"] == f'attachment; filename="chinese_ten-{finished.public_id}.json"'
    assert answer.json()["game"]["id"] == finished.public_id
    text = client.get(f"/api/v1/games/{finished.public_id}/export/?as=text")
    assert text["Content-Type"] == "text/plain; charset=utf-8"
    assert "Seat 0: Martha" in text.content.decode()


def test_the_page_tells_the_whole_game_in_words(client: Client, finished: Game) -> None:
    page = client.get(f"/games/{finished.public_id}/").content.decode()
    frames = embedded(page, "replay-data")["frames"]
    assert page.count("<li value=") == len(frames) == finished.version - 1
    assert frames[5]["words"] in page
    assert "The final position" in page
    assert finished.outcome
    assert f"<b>{finished.outcome['scores'][0]}</b>" in page


def test_the_page_of_a_finished_game_carries_a_seal_and_its_downloads(client: Client, finished: Game) -> None:
    page = client.get(f"/games/{finished.public_id}/").content.decode()
    facts = embedded(page, "replay-page")
    assert facts["seal"]["sound"]
    assert f"{finished.version} events. The hash chain is unbroken" in facts["seal"]["sentence"]
    assert facts["json"] == f"/api/v1/games/{finished.public_id}/export/?as=json"


def test_a_seal_over_a_changed_result_says_what_is_wrong(client: Client, finished: Game) -> None:
    assert finished.outcome
    scores = [score + 5 for score in finished.outcome["scores"]]
    Game.objects.filter(pk=finished.pk).update(outcome={**finished.outcome, "scores": scores})
    seal = embedded(client.get(f"/games/{finished.public_id}/").content.decode(), "replay-page")["seal"]
    assert not seal["sound"]
    assert "fault" in seal["sentence"]


def test_the_page_of_a_live_game_has_neither_seal_nor_downloads(client: Client, live: Game) -> None:
    page = client.get(f"/games/{live.public_id}/").content.decode()
    facts = embedded(page, "replay-page")
    assert (facts["seal"], facts["json"]) == (None, "")
    assert facts["events"] == f"/api/v1/games/{live.public_id}/events/"
    assert "Current position" in page
    assert "In progress" in page


def test_the_page_opens_through_the_eyes_in_its_address(client: Client, finished: Game) -> None:
    page = client.get(f"/games/{finished.public_id}/?viewpoint=1").content.decode()
    assert embedded(page, "replay-data")["viewpoint"] == "1"


def test_a_sealed_game_shows_that_it_was_played_and_nothing_of_the_result(
    client: Client, martha: Player, laura: Player
) -> None:
    game = open_game([martha, laura], sealed=True)
    assert refused(client, f"/api/v1/games/{game.public_id}/replay/") == (403, "sealed")
    answer = client.get(f"/games/{game.public_id}/")
    assert answer.status_code == 403
    page = answer.content.decode()
    assert "Martha" in page
    assert "Sealed" in page
    assert "replay-data" not in page


def test_a_page_through_eyes_that_are_not_open_says_so_and_offers_those_that_are(client: Client, live: Game) -> None:
    answer = client.get(f"/games/{live.public_id}/?viewpoint=all")
    assert answer.status_code == 403
    assert "While a game is in progress you can see it only from your own view" in answer.content.decode()


def test_there_is_no_page_for_a_game_that_is_not_there(client: Client) -> None:
    assert client.get("/games/NOTAGAME/").status_code == 404


def test_a_players_name_cannot_break_out_of_the_page(client: Client, martha: Player, laura: Player) -> None:
    laura.name = "</script><script>alert(1)//"
    laura.save()
    game = play_on(open_game([martha, laura]), 2)
    assert "<script>alert" not in client.get(f"/games/{game.public_id}/").content.decode()


def test_one_replay_asks_the_database_a_handful_of_questions(
    client: Client, martha: Player, laura: Player, django_assert_max_num_queries: Any
) -> None:
    game = play_on(play_on(open_game([martha, laura]), 41))
    assert Batch.objects.filter(stream=game.stream_id).count() > 40
    with django_assert_max_num_queries(11):
        replay(client, game)


def link_preview(client: Client, path: str) -> dict[str, str]:
    """Return what a chat program shows of a link."""
    tags = [attrs for tag, attrs in Page.of(client.get(path)).tags if tag == "meta"]
    return {attrs.get("property", attrs.get("name", "")): attrs.get("content", "") for attrs in tags}


def test_a_link_to_a_game_says_what_it_is_and_nothing_that_is_hidden(client: Client, live: Game) -> None:
    found = link_preview(client, f"/games/{live.public_id}/?viewpoint=public")
    assert found["og:title"] == "Chinese Ten: Martha, Laura"
    assert found["og:description"] == "In progress: watch it move by move."
    assert found["og:url"] == f"http://testserver/games/{live.public_id}/"
    assert found["twitter:card"] == "summary_large_image"


class Zoned(Presentation):
    """A presentation that has zones of the table."""

    def zones(self, seen: Mapping[str, Any]) -> list[Zone]:
        return [Zone("Deck", "pile", count=seen["deck"]), Zone("Hand", "hand", seen["hand"] or [], seat=seen["seat"])]


def test_frames_have_the_zones_of_a_kind_whose_presentation_makes_them(
    monkeypatch: pytest.MonkeyPatch, live: Game, martha: Player
) -> None:
    frame = replay(signed_in(martha), live)["frames"][-1]
    assert "zones" not in frame
    monkeypatch.setitem(KINDS, live.kind, replace(KINDS[live.kind], presentation=Zoned()))
    seen = replay(signed_in(martha), live)["frames"][-1]
    deck, hand = seen["zones"]
    assert deck == {"title": "Deck", "sort": "pile", "items": [], "seat": None, "count": seen["observation"]["deck"]}
    assert hand["items"] == seen["observation"]["hand"]
    assert hand["count"] == len(hand["items"])


def test_a_page_says_where_the_kind_brings_its_board(
    monkeypatch: pytest.MonkeyPatch, finished: Game, tmp_path: Path
) -> None:
    def board() -> str:
        page = Client().get(f"/games/{finished.public_id}/").content.decode()
        found = re.search(r'<script id="replay-page" type="application/json">(.*?)</script>', page)
        assert found
        address: str = json.loads(found[1])["board"]
        return address

    assert board() == ""
    (tmp_path / "ui").mkdir()
    (tmp_path / "ui" / "board.js").write_text("export const board = {};\n")
    monkeypatch.setitem(KINDS, finished.kind, replace(KINDS[finished.kind], folder=tmp_path))
    monkeypatch.setattr("replays.views.static", lambda name: f"/static/{name}")
    caches[page_cache.CACHE].clear()  # which kinds have boards changes with the installed packages alone
    assert board() == f"/static/kinds/{finished.kind}/board.js"


def test_the_page_for_broadcasters_has_a_players_game_as_the_public_sees_it(martha: Player, live: Game) -> None:
    address = f"/games/{live.public_id}/broadcast/"
    page = signed_in(martha).get(address).content.decode()
    assert 'class="embed broadcast"' in page
    assert embedded(page, "replay-page")["broadcast"]
    data = embedded(page, "replay-data")
    assert (data["viewpoint"], data["allowed_viewpoints"], data["turn"]) == ("public", ["public"], None)
    assert signed_in(martha).get(f"{address}?viewpoint=0").status_code == 403
