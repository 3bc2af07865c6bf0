"""A person who was removed from a club sees no more of its games, not even through an open stream."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import URLPattern, get_resolver

from games.models import Game, Player
from games.play import services as play
from games.visibility import audience
from replays.stream import hub
from replays.stream.game_tail import Ticket
from replays.stream.stream_access import admit_watcher
from tests.replays.stream.test_stream import LINES
from tests.servers.web import WAIT_TIMEOUT, Web
from tests.tournaments.clubs.conftest import People, browser, member, player
from tournaments.clubs import lifecycle as club_lifecycle
from tournaments.clubs import members
from tournaments.clubs.models import Club

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def game(club_people: People, club: Club) -> Game:
    """Return a game of the club between Niamh and Otto without time pressure."""
    return play.open_game(
        kind="chinese_ten",
        players=[player(club_people["Niamh"]), player(club_people["Otto"])],
        audience_club_id=club.pk,
    )


def cookies(user: User | None) -> dict[str, str]:
    if user is None:
        return {}
    return {"Cookie": f"sessionid={browser(user).cookies['sessionid'].value}"}


def watched(web: Web, game: Game, user: User | None, act: Callable[[], object]) -> list[dict[str, Any]]:
    """Return all lines that `user` is sent up to the end of the stream. `act` runs after the game's first line."""
    lines = []
    address = f"{web.address}/api/v1/games/{game.public_id}/events/"
    with httpx.stream("GET", address, headers={"Accept": LINES, **cookies(user)}, timeout=WAIT_TIMEOUT) as response:
        assert response.status_code == 200
        for text in filter(str.strip, response.iter_lines()):
            lines.append(json.loads(text))
            if lines[-1]["type"] == "game":
                act()
    return lines


def refusal(web: Web, game: Game | str, user: User | None, part: str = "events") -> tuple[int, str]:
    public_id = game if isinstance(game, str) else game.public_id
    address = f"{web.address}/api/v1/games/{public_id}/{part}/"
    answer = httpx.get(address, headers={"Accept": LINES, **cookies(user)}, timeout=WAIT_TIMEOUT)
    return answer.status_code, answer.json()["error"]["code"]


def test_the_stream_of_a_member_ends_with_their_removal(
    web: Web, club_people: People, private: Club, game: Game
) -> None:
    def removed() -> None:
        members.remove_member(
            membership=member(private, club_people["Martha"]), user=club_people["Niamh"], reason="Words over cards"
        )

    lines = watched(web, game, club_people["Martha"], removed)

    assert lines[0]["viewpoint"] == "public"
    assert "over" not in {line["type"] for line in lines}
    assert refusal(web, game, club_people["Martha"]) == (404, "game_not_found")


def test_the_stream_of_a_member_ends_as_they_leave(web: Web, club_people: People, private: Club, game: Game) -> None:
    watched(web, game, club_people["Martha"], lambda: members.leave_club(club=private, user=club_people["Martha"]))
    assert refusal(web, game, club_people["Martha"]) == (404, "game_not_found")


@pytest.mark.some(1)
@pytest.mark.parametrize("name", [None, "Laura"])
def test_the_streams_of_strangers_end_as_a_club_turns_private(
    web: Web, club_people: People, club: Club, game: Game, name: str | None
) -> None:
    stranger = club_people.get(name or "")
    watched(web, game, stranger, lambda: club_lifecycle.change_club(club=club, user=club.owner, visibility="private"))
    assert refusal(web, game, stranger) == (404, "game_not_found")


def test_who_belongs_to_the_club_or_plays_watches_on(web: Web, club_people: People, club: Club) -> None:
    """Laura is not a member, but plays the game. Martha is a member; Ada sees all clubs."""
    seated = [player(club_people["Laura"]), player(club_people["Otto"])]
    game = play.open_game(kind="chinese_ten", players=seated, audience_club_id=club.pk)

    def shut_then_over() -> None:
        club_lifecycle.change_club(club=club, user=club.owner, visibility="private")
        audience.audience_changed(club.pk)
        play.leave_game(game=game, seat=1, how="resigned")

    for name in ("Laura", "Martha", "Ada"):
        if Game.objects.get(pk=game.pk).status != "playing":
            club_lifecycle.change_club(club=club, user=club.owner, visibility="public")
            game = play.open_game(kind="chinese_ten", players=seated, audience_club_id=club.pk)
        assert watched(web, game, club_people[name], shut_then_over)[-1]["type"] == "over", name


def test_a_lost_note_is_made_up_for(club_people: People, private: Club, game: Game, client: Any) -> None:
    """Tests the slow check: it finds streams whose accounts may no longer see the game."""
    tickets = {}
    for name in ("Martha", "Otto", "Ada"):
        headers = [(b"cookie", cookies(club_people[name])["Cookie"].encode())]
        scope = {"path": f"/api/v1/games/{game.public_id}/events/", "method": "GET"}
        tickets[name] = admit_watcher({**scope, "query_string": b"", "headers": headers}, LINES)
    assert hub.no_longer_visible(tickets) == []

    private.memberships.filter(user__in=[club_people["Martha"], club_people["Otto"]]).delete()
    User.objects.filter(pk=club_people["Ada"].pk).update(is_staff=False)

    assert sorted(hub.no_longer_visible(tickets)) == ["Ada", "Martha"]


def test_a_stream_reads_its_user_together_with_the_session(club_people: People, private: Club, game: Game) -> None:
    headers = [(b"cookie", cookies(club_people["Martha"])["Cookie"].encode())]
    scope = {
        "path": f"/api/v1/games/{game.public_id}/events/",
        "method": "GET",
        "query_string": b"",
        "headers": headers,
    }
    with CaptureQueriesContext(connection) as asked:
        assert admit_watcher(scope, LINES).user == club_people["Martha"]
    assert [query["sql"] for query in asked if 'FROM "auth_user"' in query["sql"]] == []


def test_of_a_public_club_no_watcher_is_asked_for(
    club_people: People, club: Club, game: Game, django_assert_num_queries: Any
) -> None:
    watching = {number: Ticket(game, None, 0, LINES, {}, user=user) for number, user in enumerate(club_people.values())}
    with django_assert_num_queries(1):
        assert hub.no_longer_visible(watching) == []


def addresses() -> set[str]:
    """Return the parts of the API's addresses of one game, from any sort of pattern."""
    found = set()

    def walk(patterns: list[Any], before: str) -> None:
        for each in patterns:
            path = before + re.sub(r"[\^$]|\\Z", "", str(each.pattern))
            if not isinstance(each, URLPattern):
                walk(each.url_patterns, path)
            elif part := re.fullmatch(r"api/v1/games/(?:<str:public_id>|\(\?P<public_id>[^)]*\))/([a-z/-]*)", path):
                found.add(part[1])

    walk(get_resolver().url_patterns, "")
    return found


def test_a_closed_game_answers_as_one_that_is_not_there(
    web: Web, club_people: People, private: Club, game: Game
) -> None:
    """All requests answer 404: a 403 would reveal that the game exists."""
    assert {"", "asks/", "events/", "moves/", "replay/"} <= addresses()
    for part in sorted(addresses()):
        for method in ("get", "post"):
            sentence = {}
            for public_id in (game.public_id, "NOTHERE0"):
                answer = getattr(browser(club_people["Laura"]), method)(
                    f"/api/v1/games/{public_id}/{part}", {}, content_type="application/json"
                )
                sentence[public_id] = (answer.status_code, answer.content)
            assert sentence[game.public_id] == sentence["NOTHERE0"], (method, part)
    for part in ("events", "asks"):
        for user in (None, club_people["Laura"]):
            assert refusal(web, game, user, part) == refusal(web, "NOTHERE0", user, part) == (404, "game_not_found")


def test_nobody_is_asked_for_whose_name_is_unknown(club_people: People, private: Club, game: Game) -> None:
    """A deleted or closed account sees what the public sees."""
    for change in ({"is_active": False}, None):
        martha = User.objects.get(username="martha")
        assert audience.still_visible([game.pk], martha) == {game.pk}
        if change:
            User.objects.filter(pk=martha.pk).update(**change)
            assert audience.still_visible([game.pk], martha) == set()
            User.objects.filter(pk=martha.pk).update(is_active=True)
        else:
            Player.objects.filter(user=martha).update(user=None)
            User.objects.filter(pk=martha.pk).delete()
            assert audience.still_visible([game.pk], martha) == set()
