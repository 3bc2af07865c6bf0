"""A game's luck on pages and in the API: when it is shown, in which words, and at which addresses."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from games.common import clock
from games.models import Deal, Game, Player
from games.play import services as play
from replays.review import luck
from replays.review.luck import Figure, doubt_sentence, luck_sentence, rounded_parts
from replays.review.models import LuckLedger
from replays.review.tasks import compute_ledgers
from scorebook_games.registry import KINDS
from tests.replays.conftest import open_game, play_on

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def played(cast: dict[str, int]) -> int:
    """Return the id of a finished game of Martha and Laura that has a ledger."""
    compute_ledgers()
    return cast["finished"]


@pytest.fixture
def game(played: int) -> Game:
    return Game.objects.get(pk=played)


@pytest.fixture
def martha(cast: dict[str, int]) -> Player:
    return Player.objects.select_related("user").get(pk=cast["Martha"])


@pytest.fixture
def laura(cast: dict[str, int]) -> Player:
    return Player.objects.select_related("user").get(pk=cast["Laura"])


def data_of(client: Client, game: Game, query: str = "") -> Any:
    answer = client.get(f"/api/v1/games/{game.public_id}/luck/{query}")
    return answer.json() if answer.status_code == 200 else (answer.status_code, answer.json()["error"]["code"])


def page_of(client: Client, game: Game) -> str:
    return client.get(f"/games/{game.public_id}/").content.decode()


def test_the_api_gives_numbers_and_codes(client: Client, game: Game) -> None:
    data = data_of(client, game)
    assert (data["game"], data["state"], data["reason"]) == (game.public_id, "done", "")
    assert data["value_functions"] == [{"version": data["value_version"], "hash": data["value_hash"]}]
    for seat in data["seats"]:
        parts = [seat[name] for name in ("start", "luck", "own", "others", "unexplained", "departures")]
        assert sum(parts) == pytest.approx(seat["result"], abs=1e-9)
        assert seat["adjusted"] == pytest.approx(seat["result"] - seat["luck"], abs=1e-9)
        errors = [seat[f"{name}_error"] for name in ("start", "luck", "own", "others", "unexplained")]
        assert min(errors) >= 0 < seat["luck_error"]
    assert data["policy"] == "sensible"
    assert {entry["sort"] for entry in data["entries"]} == {"chance", "decision", "unexplained"}
    assert [len(entry["gains"]) for entry in data["entries"]] == [2] * len(data["entries"])
    assert all(bool(entry["usual"]) == (entry["sort"] == "decision") for entry in data["entries"])


def test_a_ledger_is_found_by_the_hash_of_its_value_function(client: Client, game: Game) -> None:
    value_hash = data_of(client, game)["value_hash"]
    assert data_of(client, game, f"?value={value_hash}")["value_hash"] == value_hash
    assert data_of(client, game, "?value=nothing") == (404, "no_such_ledger")


def test_the_page_says_luck_and_play_of_each_seat_and_links_what_mattered(client: Client, game: Game) -> None:
    row = LuckLedger.objects.get(game=game)
    section = page_of(client, game).split('id="luck"')[1].split("</section>")[0]
    _, points, *_ = luck.rounded_account(row, 0)
    assert f"{abs(points)} ± " in section
    assert "Seat 1, <b>Martha</b>:" in section
    assert 'href="/help/explanation/luck/"' in section
    moments = luck.luck_panel(game, ["Martha", "Laura"])
    assert moments
    assert len(moments.moments) == 3
    biggest = max(row.entries, key=lambda entry: max(map(abs, entry[3])))
    assert biggest[0] in [moment.version for moment in moments.moments]
    assert any(" instead of the usual “" in moment.words for moment in moments.moments)
    for moment in moments.moments:
        assert f'href="?viewpoint=all#{moment.version}"' in section
        assert moment.words
        replayed = client.get(
            f"/api/v1/games/{game.public_id}/replay/?since={moment.version - 1}&until={moment.version}"
        )
        [frame] = replayed.json()["frames"]
        assert frame["version"] == moment.version, "list, curve and viewer have the same number"
        assert frame["words"] in moment.words or (" chose “" in moment.words and moment.worth.startswith("Decision"))
        assert " of 100 for " in moment.worth


def test_each_figure_of_a_seat_is_on_its_page_and_the_rounded_ones_add_up(game: Game) -> None:
    panel = luck.luck_panel(game, ["Martha", "Laura"])
    assert panel
    for seat, row in enumerate(panel.seats):
        figures = [part.rsplit(" ", 1)[1].replace("−", "-") for part in row.account.split(" · ")]
        *parts, result = map(int, figures)
        assert sum(parts) == result == round(100 * LuckLedger.objects.get(game=game).result[seat])


@pytest.mark.parametrize(
    ("parts", "whole", "points"),
    [
        ([0.5, 0.384, 0.043, 0.073], 1.0, [50, 39, 4, 7]),
        ([0.5, -0.384, -0.043, -0.073], 0.0, [50, -39, -4, -7]),
        ([0.25, 0.25, 0.25, 0.25], 1.0, [25, 25, 25, 25]),
    ],
)
def test_rounded_points_have_the_rounded_sum(parts: list[float], whole: float, points: list[int]) -> None:
    assert rounded_parts(parts, whole) == points


@pytest.mark.parametrize(
    ("luck", "play", "words"),
    [
        (Figure(38), Figure(4), "38 of 100 points of luck, play worth +4 of 100"),
        (Figure(1), Figure(0), "1 of 100 points of luck, play as good as usual"),
        (Figure(1), Figure(0, 2), "1 of 100 points of luck, play worth 0 ± 2 of 100"),
        (Figure(-31, 22), Figure(-4, 3), "31 ± 22 of 100 points of bad luck, play worth −4 ± 3 of 100"),
        (Figure(0), Figure(7), "No luck either way, play worth +7 of 100"),
        (Figure(-3, 22), Figure(7), "Luck unclear (−3 ± 22 of 100 points), play worth +7 of 100"),
        (Figure(38, 4), None, "38 ± 4 of 100 points of luck"),
    ],
)
def test_luck_and_how_exactly_it_is_known_in_one_sentence(luck: Figure, play: Figure | None, words: str) -> None:
    assert luck_sentence(luck, play) == words


def test_a_page_says_when_much_is_not_explained_and_when_decisions_were_not_compared(game: Game) -> None:
    row = LuckLedger.objects.get(game=game)
    row.unexplained = [0.094, -0.094]
    assert doubt_sentence(row) == ""
    row.start, row.own, row.others, row.departures = [0.503, 0.497], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0]
    row.luck, row.unexplained, row.result = [0.353, -0.353], [0.144, -0.144], [1.0, 0.0]
    assert doubt_sentence(row).startswith("15 points are not explained"), "as in the account, 50 + 35 + 15"
    row.start, row.own, row.others, row.departures, row.luck = [0.5] * 3, *[[0.0] * 3 for _ in range(4)]
    row.unexplained, row.result = [0.3, -0.2, -0.1], [0.8, 0.3, 0.4]
    assert doubt_sentence(row).startswith("Up to 30 points are not explained")
    LuckLedger.objects.filter(pk=row.pk).update(policy="")
    panel = luck.luck_panel(game, ["Martha", "Laura"])
    assert panel
    assert "does not tell play" in panel.doubt
    assert "play" not in panel.seats[0].sentence


def test_a_page_says_why_there_is_no_luck(client: Client, game: Game) -> None:
    LuckLedger.objects.all().delete()
    assert "The luck of this game is being computed." in page_of(client, game)
    assert data_of(client, game)["state"] == "waiting"
    row = {"game": game, "kind": game.kind, "finished_at": game.finished_at, "people": True, "due_at": clock.now()}
    made = LuckLedger.objects.create(**row, state="none", reason="other_rules")
    assert "played by former rules of Chinese Ten" in page_of(client, game)
    assert (data_of(client, game)["state"], data_of(client, game)["reason"]) == ("none", "other_rules")
    LuckLedger.objects.filter(pk=made.pk).update(state="failed", reason="")
    assert "could not be computed" in page_of(client, game)


def test_a_kind_without_a_value_function_says_so(client: Client, game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    LuckLedger.objects.all().delete()
    monkeypatch.setitem(KINDS, "chinese_ten", replace(KINDS["chinese_ten"], value=None))
    assert "Chinese Ten has no value function yet" in page_of(client, game)
    assert (data_of(client, game)["state"], data_of(client, game)["reason"]) == ("none", "no_value_function")


# -- hidden information


def test_a_game_that_is_on_shows_no_luck_to_anybody(client: Client, martha: Player, laura: Player) -> None:
    game = play_on(open_game([martha, laura]), 8)
    compute_ledgers()
    for browser in (client, signed_in(martha)):
        assert data_of(browser, game) == (409, "not_open_yet")
        assert 'id="luck"' not in page_of(browser, game)


def test_a_sealed_game_shows_no_luck_until_all_games_of_its_deal_are_over(
    client: Client, martha: Player, laura: Player
) -> None:
    """The ledger may exist before. A player of the same deal could read hidden cards from it."""
    deal = Deal.objects.create(seed=bytes(range(32)))
    one, other = (
        play.open_game(kind="chinese_ten", players=players, deal=deal, terms={"sealed": True})
        for players in ([martha, laura], [laura, martha])
    )
    play_on(one)
    compute_ledgers()
    assert LuckLedger.objects.get(game=one).state == "done"
    admin = Client()
    admin.force_login(User.objects.create_superuser("admin"))
    for browser in (client, signed_in(martha), admin):
        assert data_of(browser, one) == (409, "not_open_yet")
        assert 'id="luck"' not in page_of(browser, one)
    row = LuckLedger.objects.get(game=one)
    shown = admin.get(f"/admin/review/luckledger/{row.pk}/change/").content.decode()
    assert row.value_hash in shown
    assert str(row.luck[0])[:8] not in shown
    play_on(other)
    assert data_of(client, one)["state"] == "done"
    assert 'id="luck"' in page_of(client, one)


def test_a_game_that_is_watched_with_a_delay_shows_no_luck_before_its_end_is_shown(
    client: Client, martha: Player, laura: Player
) -> None:
    game = play_on(open_game([martha, laura], watch_delay=60))
    compute_ledgers()
    assert data_of(client, game) == (409, "not_open_yet")
    with clock.frozen_at(clock.now() + timedelta(seconds=61)):
        assert data_of(client, game)["state"] == "done"


def test_the_luck_of_a_private_clubs_game_is_for_its_people(
    client: Client, game: Game, martha: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    Game.objects.filter(pk=game.pk).update(audience_club_id=7)
    monkeypatch.setattr("games.visibility.audience._hidden_audiences", [lambda user: [7]])
    assert data_of(client, game) == (404, "game_not_found")
    assert data_of(signed_in(martha), game)["state"] == "done"


def signed_in(player: Player) -> Client:
    browser = Client()
    assert player.user
    browser.force_login(player.user)
    return browser


@pytest.mark.parametrize(
    ("event", "beats", "decided"), [(7, [], 6), (7, [2, 5, 9], 4), (5, [2, 5, 9], 4), (10, [2, 5, 9], 8)]
)
def test_in_beats_a_seat_decided_before_the_beat_began(event: int, beats: list[int], decided: int) -> None:
    assert luck.decided_after(event, beats) == decided
