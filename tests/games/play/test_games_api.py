"""Games through the API: what each viewer reads, how a move is played, and the answers to bad input."""

from __future__ import annotations

from base64 import urlsafe_b64decode
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.test import Client

from games.common import clock
from games.eventlog import store as eventlog
from games.models import Deal, Game, Player
from games.play import services as play
from scorebook_games.gamelog import visibility
from tests.fixtures.players import game, laura, martha, otto, person, sign_in
from tests.games.conftest import at_once

__all__ = ["game", "laura", "martha", "otto", "person", "sign_in"]
SignIn = Callable[[Player], Client]


def address(game: Game, part: str = "") -> str:
    return f"/api/v1/games/{game.public_id}/{part}"


def post_move(client: Client, game: Game, move: str, version: int, **more: Any) -> Any:
    body = {"move": move, "expected_version": version, **more}
    return client.post(address(game, "moves/"), body, content_type="application/json")


def error(response: Any) -> dict[str, Any]:
    """Check the format of an error, and return it."""
    body: dict[str, Any] = response.json()
    assert list(body) == ["error"]
    assert body["error"]["status"] == response.status_code
    assert body["error"]["sentence"].endswith(".")
    return body["error"]  # type: ignore[no-any-return]


def legal(game: Game, seat: int) -> list[str]:
    return visibility.legal_moves(play.load_game(game), seat)


def test_a_game_names_its_players_and_tells_nothing_hidden(client: Client, game: Game) -> None:
    body = client.get(address(game)).json()

    assert [seat["player"]["name"] for seat in body["seats"]] == ["Martha", "Laura"]
    assert body["status"] == "playing"
    assert not {"deal", "salt", "seed", "head", "to_act", "stream"} & set(body)


def test_each_viewer_reads_every_version_and_only_their_own_hand(
    game: Game, martha: Player, laura: Player, sign_in: SignIn
) -> None:
    deals = {}
    for name, client in {"public": Client(), "0": sign_in(martha), "1": sign_in(laura)}.items():
        body = client.get(address(game, "events/")).json()
        assert body["viewpoint"] == name
        assert [event["version"] for event in body["events"]] == list(range(1, game.version + 1))
        deals[name] = next(event["event"] for event in body["events"] if event["event"]["type"] == "dealt")

    assert not any(card for hand in deals["public"]["hands"] for card in hand)
    assert all(deals["0"]["hands"][0])
    assert not any(deals["0"]["hands"][1])
    assert all(deals["1"]["hands"][1])
    assert not any(deals["1"]["hands"][0])


def test_the_eyes_of_another_player_are_refused_while_the_game_is_on(
    game: Game, martha: Player, sign_in: SignIn
) -> None:
    for viewpoint in ("1", "all"):
        answer = error(sign_in(martha).get(address(game, "events/"), {"viewpoint": viewpoint}))
        assert (answer["status"], answer["code"]) == (403, "not_your_viewpoint")


def test_a_move_is_stored_once_however_often_it_is_sent(game: Game, martha: Player, sign_in: SignIn) -> None:
    client, move = sign_in(martha), legal(game, 0)[0]

    first = post_move(client, game, move, game.version, idempotency_key="e5b1")
    again = post_move(client, game, move, game.version, idempotency_key="e5b1")

    assert first.status_code == again.status_code == 201
    assert first.json() == again.json()
    game.refresh_from_db()
    assert game.version == first.json()["version"] == len(eventlog.read_events(game.stream_id))


def test_a_repeated_move_gets_its_first_answer_even_when_the_game_went_on(
    game: Game, martha: Player, sign_in: SignIn
) -> None:
    client, move, seen = sign_in(martha), legal(game, 0)[0], game.version
    first = post_move(client, game, move, seen, idempotency_key="one")
    for _move in range(4):
        fold = play.load_game(game)
        seat = fold.to_act()[0]
        text = visibility.legal_moves(fold, seat)[0]
        play.play_move(game=game, seat=seat, text=text, expected_version=fold.version)

    assert post_move(client, game, move, seen, idempotency_key="one").json() == first.json()
    assert Game.objects.get(pk=game.pk).version == game.version > first.json()["version"]


def test_a_key_belongs_to_one_move(game: Game, martha: Player, sign_in: SignIn) -> None:
    client, seen = sign_in(martha), game.version
    first, second = legal(game, 0)[:2]
    post_move(client, game, first, seen, idempotency_key="one")
    found = error(post_move(client, game, second, seen, idempotency_key="one"))
    assert (found["status"], found["code"]) == (409, "key_reused")


@pytest.mark.django_db(transaction=True)
def test_a_move_that_comes_five_times_at_once_is_played_once(game: Game, martha: Player, sign_in: SignIn) -> None:
    client, move, seen = sign_in(martha), legal(game, 0)[0], game.version
    answers: list[Any] = at_once(*[lambda: post_move(client, game, move, seen, idempotency_key="one").json()] * 5)
    assert len(eventlog.stored_batches(game.stream_id)) == 2
    assert answers == [answers[0]] * 5
    assert answers[0]["version"] > seen


@pytest.mark.parametrize(
    ("move", "status", "code"),
    [("steal 6 1", 400, "malformed_move"), ("", 400, "invalid"), ("flip 1", 409, "illegal_move")],
)
def test_a_move_that_cannot_be_played_is_answered_with_the_reason(
    game: Game, martha: Player, sign_in: SignIn, move: str, status: int, code: str
) -> None:
    answer = error(post_move(sign_in(martha), game, move, game.version))

    assert (answer["status"], answer["code"]) == (status, code)
    if code == "illegal_move":
        assert answer["clause"].startswith("CT-")
        assert answer["legal_moves"] == legal(game, 0)
    game.refresh_from_db()
    assert game.version == len(eventlog.read_events(game.stream_id))


def test_a_stale_version_is_told_the_version_of_now(game: Game, martha: Player, sign_in: SignIn) -> None:
    client = sign_in(martha)
    post_move(client, game, legal(game, 0)[0], game.version)

    answer = error(post_move(client, game, "lay K", game.version))

    assert (answer["status"], answer["code"]) == (409, "stale_version")
    assert answer["version"] > game.version


def test_only_who_sits_there_may_move(game: Game, otto: Player, sign_in: SignIn) -> None:
    move = legal(game, 0)[0]

    assert error(post_move(sign_in(otto), game, move, game.version))["code"] == "not_your_seat"
    assert error(post_move(Client(), game, move, game.version))["code"] == "not_signed_in"


def test_a_game_that_is_not_there_is_said_to_be_missing(client: Client, db: None) -> None:
    assert error(client.get("/api/v1/games/NOTHERE0/"))["code"] == "game_not_found"
    assert error(client.get("/api/v1/nothing/"))["code"] == "not_found"


def test_resigning_ends_a_game_of_two_for_the_other(game: Game, martha: Player, sign_in: SignIn) -> None:
    """The rule is in docs/reference/common-rules.md, Leaving."""
    body = sign_in(martha).post(address(game, "resign/")).json()

    assert body["status"] == "finished"
    assert body["outcome"]["termination"] == "resigned"
    assert body["outcome"]["placings"] == [2, 1]
    assert error(post_move(sign_in(martha), game, "lay K", game.version))["code"] in {"game_over", "not_your_seat"}


def test_lists_are_paged_by_cursor_and_cost_the_same_whatever_their_length(
    client: Client, martha: Player, laura: Player, django_assert_max_num_queries: Any
) -> None:
    games = [play.open_game(kind="chinese_ten", players=[martha, laura]) for _ in range(7)]

    with django_assert_max_num_queries(3):
        page = client.get("/api/v1/games/", {"page_size": 3}).json()
    (cursor,) = parse_qs(urlsplit(page["next"]).query)["cursor"]
    with pytest.raises(UnicodeDecodeError):
        urlsafe_b64decode(cursor + "==").decode()  # the cursor does not contain a readable row number
    seen = [game["id"] for game in page["results"]]
    while page["next"]:
        page = client.get(page["next"]).json()
        seen += [game["id"] for game in page["results"]]

    assert seen == [game.public_id for game in reversed(games)]


def test_games_are_found_by_kind_status_and_player(client: Client, game: Game, martha: Player, otto: Player) -> None:
    def found(**query: Any) -> list[str]:
        return [row["id"] for row in client.get("/api/v1/games/", query).json()["results"]]

    assert found(kind="chinese_ten", status="playing", player=martha.pk) == [game.public_id]
    assert found(player=otto.pk) == found(kind="plates") == []


@pytest.mark.rows_by_hand
def test_games_are_found_by_when_they_were_opened_and_were_over(client: Client, game: Game) -> None:
    moment = datetime(2025, 11, 23, 18, tzinfo=UTC)

    def found(**filters: str) -> bool:
        return bool(client.get("/api/v1/games/", filters).json()["results"])

    Game.objects.update(opened_at=moment)
    assert found(opened_after="2025-11-23", opened_before="2025-11-24")
    assert found(opened_after="2025-11-23T19:00:00+01:00")
    assert not found(opened_after="2025-11-23T18:00:01Z")
    assert not found(opened_before="2025-11-23T18:00:00Z")
    assert not found(finished_after="2025-11-01")
    Game.objects.update(status="finished", finished_at=moment)
    assert found(finished_after="2025-11-23T18:00:00Z", finished_before="2025-11-23T18:00:01Z")
    assert not found(finished_before="2025-11-23T18:00:00Z")
    Game.objects.update(terms={**game.terms, "watch_delay": 10**9})
    assert not found(finished_after="2025-11-01")


def test_a_result_that_is_not_for_everybody_yet_is_in_no_list(
    client: Client, martha: Player, laura: Player, sign_in: SignIn
) -> None:
    """With the term `watch_delay`, the result is shown when the public has seen the end
    (docs/explanation/duplicate-deals.md)."""
    delayed = play.open_game(kind="chinese_ten", players=[martha, laura], terms={"watch_delay": 60})
    play.leave_game(game=delayed, seat=0, how="resigned")

    for shown in (client.get(address(delayed)).json(), client.get("/api/v1/games/").json()["results"][0]):
        assert (shown["status"], shown["outcome"], shown["finished_at"]) == ("playing", None, None)
        assert [seat["placing"] for seat in shown["seats"]] == [None, None]
    with clock.frozen_at(clock.now() + timedelta(seconds=61)):
        assert client.get(address(delayed)).json()["status"] == "finished"


def test_a_sealed_or_delayed_game_looks_the_same_whether_somebody_has_resigned_or_not(
    client: Client, martha: Player, laura: Player
) -> None:
    """The version, the players who left, and whether the game is listed as finished are hidden too."""
    for terms in ({"sealed": True}, {"watch_delay": 60}):
        seen = []
        for resigned in (False, True):
            # Another game of the deal is running, so the first is sealed.
            opening = play.Opening("chinese_ten", [martha, laura], terms=terms, deal=Deal.objects.create())
            game, other = play.open_many([opening, opening])
            if resigned:
                play.leave_game(game=game, seat=0, how="resigned")
            data = client.get(f"/api/v1/games/{game.public_id}/").json()
            found = [
                [row["id"] for row in client.get("/api/v1/games/", {"status": status}).json()["results"]]
                for status in ("playing", "finished")
            ]
            assert [game.public_id in ids for ids in found] == [True, False]
            del data["id"], data["opened_at"]
            seen.append(data)
            play.abort_game(game=other, reason="rain")
        assert seen[0] == seen[1]
        assert (seen[0]["version"], seen[0]["seats"][0]["left"]) == (None, "")
