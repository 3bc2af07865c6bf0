"""The page /play/ and the pages of open tables, for people with and without an account, in a browser without
scripts."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from games.accounts.models import Notice, Profile
from games.common import clock
from games.lobby import services as lobby
from games.lobby.models import OpenTable
from games.lobby.table_request import BOT_DESCRIPTIONS, CLOCK_CHOICES, TableRequest
from games.models import Game, Player
from games.play import services as play
from scorebook_games.bots.builtin import BUILTIN_BOTS
from scorebook_games.registry import KINDS
from tests.assertions.page import Page
from tests.games.lobby.conftest import NOON, browser_of, joined

pytestmark = pytest.mark.django_db

BY_POST = {"move_days": 3}
FILLED_IN = {"do": "open", "kind": "chinese_ten", "seats": "2", "against": "listed", "clock": "days"}


def page_at(client: Client, path: str, status: int = 200) -> Page:
    response = client.get(path)
    assert response.status_code == status
    page = Page.of(response)
    assert page.faults() == []
    return page


def act(client: Client, table: OpenTable, what: str, **fields: Any) -> Any:
    return client.post(reverse("open-table-act", args=[table.token, what]), fields)


def test_a_stranger_plays_a_built_in_bot_in_two_clicks() -> None:
    client = Client()
    home = page_at(client, "/")
    assert "/play/" in home.links()
    page = page_at(client, "/play/")
    assert "You need no account" in page.text
    assert "League games are rated, and games now if both players want it." in page.text
    answer = client.post("/play/now/", {"kind": "palace", "bot": "random"})
    game = Game.objects.get()
    assert answer.status_code == 302
    assert answer.headers["Location"] == f"/games/{game.public_id}/"
    guest = Profile.objects.get(guest=True).user
    assert client.session["_auth_user_id"] == str(guest.pk)
    assert sorted(seat.player.name.split()[0] for seat in game.seats.all()) == ["Guest", "Random"]
    assert not game.terms["rated"]
    mine = page_at(client, "/me/games/")
    assert f"/games/{game.public_id}/" in mine.links("/games/")


@pytest.mark.parametrize("kind", list(KINDS))
def test_every_game_is_played_at_once(kind: str, martha: Player) -> None:
    browser_of(martha).post("/play/now/", {"kind": kind})
    game = Game.objects.get()
    assert game.kind == kind
    assert game.deadline is None or game.deadline - clock.now() < timedelta(days=8)


def test_a_game_that_is_none_is_refused_in_words(martha: Player) -> None:
    client = browser_of(martha)
    answer = client.post("/play/now/", {"kind": "bridge"}, follow=True)
    assert "There is no kind of game 'bridge'" in Page.of(answer).text
    assert not Game.objects.exists()


def test_every_built_in_bot_has_a_line_that_says_how_it_plays(client: Client) -> None:
    assert set(BOT_DESCRIPTIONS) == set(BUILTIN_BOTS)
    page = page_at(client, "/play/")
    for words in BOT_DESCRIPTIONS.values():
        assert str(words) in page.text


@pytest.mark.some(2)
@pytest.mark.parametrize("clocked", list(CLOCK_CHOICES))
def test_a_table_is_opened_with_the_form(martha: Player, clocked: str) -> None:
    client = browser_of(martha)
    answer = client.post("/play/", {**FILLED_IN, "clock": clocked, "option_chinese_ten_packs": "1"})
    made = OpenTable.objects.get()
    assert answer.headers["Location"] == f"/play/{made.token}/"
    assert made.options["packs"] == 1
    assert {name: made.terms[name] for name in CLOCK_CHOICES[clocked][1]} == CLOCK_CHOICES[clocked][1]
    page = page_at(client, f"/play/{made.token}/")
    assert page.headings[0] == (1, "Your table: Chinese Ten")
    assert "random" in page.text
    assert "Close the table" in page.text
    assert "Join" not in page.text


def test_a_field_that_is_wrong_is_said_beside_it_and_nothing_is_opened(martha: Player) -> None:
    answer = browser_of(martha).post("/play/", {**FILLED_IN, "option_chinese_ten_packs": "99", "hours": "400"})
    assert answer.status_code == 422
    page = Page.of(answer)
    assert "No table was opened, because of 2 errors" in page.text
    assert "Packs of cards must be a whole number from 1 to 2." in page.text
    assert page.faults() == []
    assert not OpenTable.objects.exists()


def test_a_clock_in_days_does_not_go_with_live_play(martha: Player) -> None:
    answer = browser_of(martha).post("/play/", {**FILLED_IN, "kind": "plate_spinner", "pace": "live", "clock": "day"})
    assert answer.status_code == 422
    assert "A live game needs seconds per move, not days." in Page.of(answer).text


def test_another_game_brings_its_own_options(client: Client) -> None:
    part = Page.of(client.post("/play/?part=game", {"kind": "palace", "seats": "2"}))
    names = [attrs.get("name", "") for _tag, attrs in part.tags]
    assert {f"option_palace_{option.name}" for option in KINDS["palace"].spec.options} <= set(names)
    whole = client.post("/play/", {"do": "show", "kind": "palace", "seats": "2"})  # as a browser without scripts
    assert whole.status_code == 200
    assert "option_palace" in whole.content.decode()


def test_the_list_shows_tables_with_a_free_chair(martha: Player, laura: Player) -> None:
    made = lobby.create_table(host=martha, wish=TableRequest(kind="plates", seats=3, terms=BY_POST))
    lobby.create_table(host=martha, wish=TableRequest(kind="palace", seats=2, terms=BY_POST, access="link"))
    client = browser_of(laura)
    page = page_at(client, "/play/")
    assert page.links("/play/") == ["/play/", f"/play/{made.token}/"]
    assert "2 of 3 free" in page.text
    assert "3 days per move" in page.text
    answer = act(client, made, "sit")
    assert answer.headers["Location"] == f"/play/{made.token}/"
    assert "One seat is free" in page_at(client, f"/play/{made.token}/").text


def test_the_list_costs_the_same_however_long_it_is(
    martha: Player, laura: Player, django_assert_max_num_queries: Any
) -> None:
    client = browser_of(laura)
    client.get("/play/")
    for host in [martha, *(joined(f"Host {n}") for n in range(8))]:
        lobby.create_table(host=host, wish=TableRequest(kind="plates", seats=3, terms=BY_POST))
    with django_assert_max_num_queries(20):
        client.get("/play/")


def test_the_lists_are_sent_again_only_when_they_have_changed(martha: Player, client: Client) -> None:
    page = page_at(client, "/play/")
    poll = next(attrs["hx-get"] for _tag, attrs in page.tags if attrs.get("id") == "tables")
    assert client.get(poll).status_code == 204
    lobby.create_table(host=martha, wish=TableRequest(kind="plates", seats=3, terms=BY_POST))
    assert "Martha" in Page.of(client.get(poll)).text


# a challenge


def test_a_person_is_found_by_name_and_challenged(martha: Player, laura: Player, guest: Player) -> None:
    client = browser_of(martha)
    found = Page.of(client.post("/play/?part=people", {"q": "au"}))
    assert "Laura" in found.text
    assert "Guest" not in Page.of(client.post("/play/?part=people", {"q": "guest"})).text
    asked = {**FILLED_IN, "against": "person", "players": [str(laura.pk)]}
    client.post("/play/", asked)
    made = OpenTable.objects.get()
    assert made.access == OpenTable.Access.INVITED
    notice = Notice.objects.get(user=laura.user)
    assert (notice.subject, notice.url) == ("challenge", f"/play/{made.token}/")
    hers = browser_of(laura)
    assert "Martha challenges you." in page_at(hers, "/play/").text
    page = page_at(hers, f"/play/{made.token}/")
    assert page.headings[0] == (1, "Martha challenges you to Chinese Ten")
    assert {"Accept and join", "Decline"} <= set(re.findall("Accept and join|Decline", page.text))
    answer = act(hers, made, "sit")
    assert answer.headers["Location"] == f"/games/{Game.objects.get().public_id}/"


def test_who_challenges_names_somebody(martha: Player) -> None:
    answer = browser_of(martha).post("/play/", {**FILLED_IN, "against": "person"})
    assert answer.status_code == 422
    assert "Search for the players you want to challenge, and select them." in Page.of(answer).text


def test_a_guest_is_offered_no_challenge(client: Client) -> None:
    page = page_at(client, "/play/")
    assert "Search players by name" not in page.text
    assert "With an account you can also challenge players by name." in page.text
    assert client.post("/play/", {**FILLED_IN, "against": "person"}).status_code == 422
    assert not Profile.objects.filter(guest=True).exists()


def test_a_challenge_is_declined_on_its_page(martha: Player, laura: Player) -> None:
    wish = TableRequest(kind="palace", terms=BY_POST, access="invited", invited=[laura])
    made = lobby.create_table(host=martha, wish=wish)
    answer = Page.of(browser_of(laura).post(reverse("open-table-act", args=[made.token, "decline"]), follow=True))
    assert "You have declined. Martha has been notified." in answer.text
    notices = page_at(browser_of(martha), "/me/notices/")
    assert "Laura has declined your invitation to a table." in notices.text
    closed = page_at(browser_of(martha), f"/play/{made.token}/")
    assert "This table is closed" in closed.text


# a link


def test_whoever_has_the_link_sits_down_without_an_account(martha: Player) -> None:
    made = lobby.create_table(
        host=martha, wish=TableRequest(kind="platinum_fish", seats=2, terms=BY_POST, access="link")
    )
    assert f"http://testserver/play/{made.token}/" in browser_of(martha).get(f"/play/{made.token}/").content.decode()
    client = Client()
    page = page_at(client, f"/play/{made.token}/")
    assert page.headings[0] == (1, "Martha invites you to Platinum Fish")
    assert "Join as a guest" in page.text
    assert "/rules/platinum_fish/" in page.links("/rules/")
    assert f"/accounts/login/?next=/play/{made.token}/" in page.links()
    answer = act(client, made, "sit")
    game = Game.objects.get()
    assert answer.headers["Location"] == f"/games/{game.public_id}/"
    assert Profile.objects.filter(guest=True).count() == 1
    assert client.get(f"/play/{made.token}/").headers["Location"] == f"/games/{game.public_id}/"
    notice = Notice.objects.get(user=martha.user, subject="table_filled")
    assert notice.game == game


def test_who_comes_too_late_is_told_so_and_no_guest_is_made(martha: Player, laura: Player) -> None:
    made = lobby.create_table(host=martha, wish=TableRequest(kind="palace", seats=2, terms=BY_POST, access="link"))
    lobby.sit(table=made, player=laura)
    client = Client()
    answer = Page.of(client.post(reverse("open-table-act", args=[made.token, "sit"]), follow=True))
    assert "The last seat has just been taken" in answer.text
    assert "Watch" in answer.text
    assert not Profile.objects.filter(guest=True).exists()


def test_too_many_guests_from_one_place_are_turned_away(martha: Player, settings: Any) -> None:
    settings.ACCOUNT_RATE_LIMITS = {"guest": "1/h/ip"}
    Client().post("/play/now/", {"kind": "palace"})
    answer = Client().post("/play/now/", {"kind": "palace"}, follow=True)
    assert "Too many guests have come from your network." in Page.of(answer).text
    assert Game.objects.count() == 1


# who may see and do what


@pytest.mark.parametrize("access", ["listed", "link", "invited"])
def test_what_each_viewer_may_do_at_a_table(
    access: str, martha: Player, laura: Player, otto: Player, guest: Player
) -> None:
    wish = TableRequest(kind="plates", seats=4, terms=BY_POST, access=access, invited=[laura])
    made = lobby.create_table(host=martha, wish=wish)
    hidden = access == "invited"
    for client, sees in [
        (browser_of(martha), True),
        (browser_of(laura), True),
        (browser_of(otto), not hidden),
        (browser_of(guest), not hidden),
        (Client(), not hidden),
    ]:
        path = f"/play/{made.token}/"
        assert client.get(path).status_code == (200 if sees else 404)
        for what in ("leave", "decline", "close", "fill", "ready"):
            if client.session.get("_auth_user_id") in (str(martha.user_id), str(laura.user_id)):
                continue
            answer = client.post(f"{path}{what}/", {"bot": "random"})
            assert answer.status_code == (302 if sees else 404)
            made.refresh_from_db()
            assert (made.status, made.chairs.count()) == ("waiting", 2)
    assert Client().post(f"/play/{made.token}/sit/").status_code == (404 if hidden else 302)


def test_nothing_is_done_by_looking(martha: Player) -> None:
    made = lobby.create_table(host=martha, wish=TableRequest(kind="plates", seats=3, terms=BY_POST))
    client = browser_of(martha)
    for path in ("/play/now/", f"/play/{made.token}/close/"):
        assert client.get(path).status_code == 405
    assert client.get("/play/nothing-here/").status_code == 404
    assert client.post("/play/nothing-here/sit/").status_code == 404


def test_the_host_fills_the_free_chairs_with_bots(martha: Player) -> None:
    made = lobby.create_table(host=martha, wish=TableRequest(kind="plates", seats=3, terms=BY_POST))
    answer = act(browser_of(martha), made, "fill", bot="sensible")
    assert answer.headers["Location"] == f"/games/{Game.objects.get().public_id}/"


# the page of a player who waits


def test_who_waits_is_asked_and_led_to_the_game(martha: Player, laura: Player) -> None:
    live = {"move_seconds": 30, "bank_seconds": 300}
    with clock.frozen_at(NOON - timedelta(minutes=5)):
        made = lobby.create_table(host=martha, wish=TableRequest(kind="chinese_ten", seats=2, terms=live))
        client = browser_of(martha)
        page = page_at(client, f"/play/{made.token}/")
        poll = next(attrs["hx-get"] for _tag, attrs in page.tags if attrs.get("id") == "table")
        assert client.get(poll).status_code == 204
    with clock.frozen_at(NOON):
        lobby.sit(table=made, player=laura)
        part = client.get(poll)
        assert "Are you here?" in part.content.decode()
        assert "I am here" in part.content.decode()
        assert "confirm that you are here" in page_at(client, "/play/").text
        waits = page_at(browser_of(laura), f"/play/{made.token}/")
        assert "The others have half a minute" in waits.text
        answer = act(client, made, "ready")
        game = Game.objects.get()
        assert answer.headers["Location"] == f"/games/{game.public_id}/"
        assert browser_of(laura).get(poll).headers["HX-Redirect"] == f"/games/{game.public_id}/"


# a rematch


def over(game: Game, who: Player) -> int:
    """Resign the game for `who`, and return their seat."""
    seat = game.seats.get(player=who).seat
    play.leave_game(game=game, seat=seat, how="resigned")
    return seat


@pytest.mark.slow
def test_a_guest_plays_a_bot_once_more_from_the_games_page(guest: Player) -> None:
    client = browser_of(guest)
    client.post("/play/now/", {"kind": "chinese_ten", "bot": "random"})
    game = Game.objects.get()
    assert "Rematch" not in client.get(f"/games/{game.public_id}/").content.decode()
    early = client.post(f"/games/{game.public_id}/again/", follow=True)
    assert "The game is still on." in Page.of(early).text
    over(game, guest)
    assert "Rematch" in Page.of(client.get(f"/games/{game.public_id}/")).text
    answer = client.post(f"/games/{game.public_id}/again/")
    following = Game.objects.get(rematch_of=game)
    assert answer.headers["Location"] == f"/games/{following.public_id}/"
    links = Page.of(client.get(f"/games/{game.public_id}/")).links("/games/")
    assert f"/games/{following.public_id}/" in links
    twice = client.post(f"/games/{game.public_id}/again/")
    assert twice.headers["Location"] == f"/games/{following.public_id}/"
    assert Game.objects.count() == 2


def test_two_people_play_once_more_when_both_wish(martha: Player, laura: Player, otto: Player) -> None:
    made = lobby.sit(
        table=lobby.create_table(host=martha, wish=TableRequest(kind="palace", seats=2, terms=BY_POST)), player=laura
    )
    game = made.game
    assert game
    over(game, martha)
    path = f"/games/{game.public_id}/again/"
    asked = browser_of(martha).post(path, follow=True)
    assert "The other players have been notified." in Page.of(asked).text
    notice = Notice.objects.get(user=laura.user, subject="rematch_offered")
    assert (notice.game, notice.by) == (game, martha)
    browser_of(martha).post(path)  # a repeated request makes no second notice
    assert Notice.objects.filter(user=laura.user, subject="rematch_offered").count() == 1
    assert "You did not play in this game." in Page.of(browser_of(otto).post(path, follow=True)).text
    assert "Rematch" not in Page.of(browser_of(otto).get(f"/games/{game.public_id}/")).text
    answer = browser_of(laura).post(path)
    following = Game.objects.get(rematch_of=game)
    assert answer.headers["Location"] == f"/games/{following.public_id}/"
    assert Notice.objects.get(user=martha.user, game=following, subject="table_filled")
    assert browser_of(laura).post("/games/00000000/again/").status_code == 404
