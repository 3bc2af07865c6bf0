"""Messages on pages and by the API: written, read, bounded, muted, reported."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User

from games.accounts.people import delete_account
from games.common import clock
from games.models import Game, Player
from games.moderation import reports, sanctions
from games.talk import services
from games.talk.models import Message
from games.talk.phrases import PHRASES
from games.talk.rooms import find_room
from tests.assertions.page import Page
from tests.factories.people import browser_of, confirmed

pytestmark = pytest.mark.django_db


def say(game: Game, who: Player, text: str = "", **sent: str) -> Message:
    user = User.objects.get(player=who)
    return services.write_message(room=find_room("table", game.public_id, user), user=user, text=text, **sent)


def call(who: Player, method: str, path: str, data: Any = None, **headers: str) -> Any:
    sent = getattr(browser_of(who), method)
    return sent(f"/api/v1/{path}", data, content_type="application/json", headers=headers)


def code(answer: Any) -> tuple[int, str]:
    return answer.status_code, answer.json()["error"]["code"]


def test_a_message_is_written_and_read_on_a_page_that_escapes_it(game: Game, martha: Player, laura: Player) -> None:
    address = f"/talk/table/{game.public_id}/"
    assert browser_of(martha).post(address, {"text": "<b>Well</b> &\n  dealt!"}).status_code == 302
    page = browser_of(laura).get(address).content.decode()
    assert "&lt;b&gt;Well&lt;/b&gt; &amp; dealt!" in page
    assert 'role="log"' in page


def test_a_quick_phrase_is_read_in_the_language_of_its_reader(game: Game, martha: Player, laura: Player) -> None:
    assert len(PHRASES) == 12
    assert call(martha, "post", f"talk/table/{game.public_id}/", {"phrase": "good_game"}).status_code == 201
    read = call(laura, "get", f"talk/table/{game.public_id}/").json()["results"]
    assert [(each["phrase"], each["words"], each["player"]["name"]) for each in read] == [
        ("good_game", "Good game!", "Martha")
    ]


@pytest.mark.parametrize(
    ("sent", "refused"),
    [
        ({"text": "x" * 301}, (400, "bad_message")),
        ({"text": " \n "}, (400, "bad_message")),
        ({"text": "a\u0000b"}, (400, "invalid")),
        ({"text": "a\u0007b"}, (400, "bad_message")),
        ({"phrase": "checkmate"}, (400, "bad_phrase")),
        ({"phrase": "hello", "text": "Hello"}, (400, "bad_message")),
    ],
)
def test_what_is_no_message_is_refused(
    sent: dict[str, str], refused: tuple[int, str], game: Game, martha: Player
) -> None:
    assert code(call(martha, "post", f"talk/table/{game.public_id}/", sent)) == refused
    assert not Message.objects.exists()


def test_a_flood_is_refused_with_the_seconds_to_wait_and_stops_nobody_else(
    game: Game, martha: Player, laura: Player
) -> None:
    address, noon = f"talk/table/{game.public_id}/", clock.now()
    with clock.frozen_at(noon):
        for number in range(services.MAX_MESSAGES):
            say(game, martha, f"Message {number}")
    with clock.frozen_at(noon + timedelta(seconds=20)):
        answer = call(martha, "post", address, {"phrase": "hello"})
        assert code(answer) == (429, "too_many_messages")
        assert answer.json()["error"]["wait_s"] == 40
        page = browser_of(martha).post(f"/talk/table/{game.public_id}/?part=news", {"text": "More"})
        assert "You can send the next one in 40 s." in Page.of(page).text
        assert call(laura, "post", address, {"phrase": "hello"}).status_code == 201
    with clock.frozen_at(noon + timedelta(seconds=61)):
        assert call(martha, "post", address, {"phrase": "hello"}).status_code == 201


def test_news_has_only_what_a_page_does_not_have_and_the_answer_to_what_was_sent(
    game: Game, martha: Player, laura: Player
) -> None:
    first, address = say(game, martha, "One"), f"/talk/table/{game.public_id}/?part=news"
    sent = browser_of(laura).post(address, {"text": "Two", "after": first.pk}).content.decode()
    second = Message.objects.latest("pk")
    assert "Two" in sent
    assert "One" not in sent
    assert f'value="{second.pk}" id="talk-after"' in sent
    assert f"message-{second.pk}" not in browser_of(laura).get(f"{address}&after={second.pk}").content.decode()


def test_who_is_muted_by_an_admin_or_has_a_warning_to_read_writes_nothing(
    game: Game, martha: Player, laura: Player
) -> None:
    ada = confirmed("Ada", is_staff=True)
    sanctions.warn(user=User.objects.get(player=laura), by=ada, reason="Be kind.")
    sanctions.mute(user=User.objects.get(player=martha), by=ada, reason="Be kind.", until=None)
    address = f"talk/table/{game.public_id}/"
    assert code(call(martha, "post", address, {"phrase": "hello"})) == (403, "muted")
    assert code(call(laura, "post", address, {"phrase": "hello"})) == (403, "warning_unread")


def test_a_muted_person_is_not_read_by_whoever_muted_them_and_by_everybody_else(
    game: Game, martha: Player, laura: Player
) -> None:
    say(game, martha, "Hurry up")
    address = f"talk/table/{game.public_id}/"
    browser_of(laura).post(f"/me/mutes/{martha.pk}/")
    assert call(laura, "get", address).json()["results"] == []
    assert "Hurry up" not in Page.of(browser_of(laura).get(f"/{address}")).text
    assert len(call(martha, "get", address).json()["results"]) == 1
    assert [each["player"]["name"] for each in call(laura, "get", "me/mutes/").json()["results"]] == ["Martha"]
    assert call(laura, "delete", f"me/mutes/{martha.pk}/").status_code == 204
    assert len(call(laura, "get", address).json()["results"]) == 1
    assert code(call(laura, "put", f"me/mutes/{laura.pk}/")) == (400, "bad_person")
    assert code(call(laura, "put", "me/mutes/999999999/")) == (404, "player_not_found")


def test_a_message_is_reported_by_who_reads_it_and_removed_by_an_admin_who_still_reads_it(
    game: Game, martha: Player, laura: Player, otto: Player
) -> None:
    message = say(game, martha, "You cheat")
    sent = {"target": "message", "target_id": message.pk, "cause": "words"}
    assert code(call(otto, "post", "reports/", sent)) == (404, "target_not_found")
    answer = browser_of(laura).post(f"/report/message/{message.pk}/", {"cause": "words"}, follow=True)
    assert answer.redirect_chain[-1][0] == f"/talk/table/{game.public_id}/#message-{message.pk}"
    report = reports.reports_of(User.objects.get(player=laura)).get()
    assert report.about_id == martha.user_id
    services.take_away(message, confirmed("Ada", is_staff=True))
    page = Page.of(browser_of(laura).get(f"/talk/table/{game.public_id}/")).text
    assert "You cheat" not in page
    assert "An organiser or admin has removed this message." in page
    assert Message.objects.get().text == "You cheat"
    assert reports.name_and_url(report, None) == ("You cheat", f"/talk/messages/{message.pk}/")  # type: ignore[arg-type]


def test_who_does_not_organise_removes_nothing(game: Game, martha: Player, laura: Player, otto: Player) -> None:
    message = say(game, martha, "Hello all")
    assert code(call(laura, "post", f"talk/messages/{message.pk}/remove/")) == (403, "not_organiser")
    assert code(call(otto, "post", f"talk/messages/{message.pk}/remove/")) == (404, "message_not_found")


def test_messages_go_with_the_account_of_their_author(game: Game, martha: Player, laura: Player) -> None:
    say(game, martha, "My address is …")
    say(game, laura, "Oh")
    delete_account(User.objects.get(player=martha))
    assert [message.text for message in Message.objects.all()] == ["Oh"]


def test_a_game_against_bots_alone_offers_its_player_no_talk(game: Game, martha: Player, otto: Player) -> None:
    assert (
        f"/talk/table/{game.public_id}/?part=room"
        in browser_of(martha).get(f"/games/{game.public_id}/").content.decode()
    )
    assert (
        f"/talk/spectators/{game.public_id}/?part=room"
        in browser_of(otto).get(f"/games/{game.public_id}/").content.decode()
    )


def test_the_sign_of_a_refusal_is_hidden_until_a_message_is_refused(game: Game, martha: Player) -> None:
    browser, address = browser_of(martha), f"/talk/table/{game.public_id}/?part"
    room = browser.get(f"{address}=room").content.decode()
    refused = browser.post(f"{address}=news", {"text": " "}, headers={"HX-Request": "true"}).content.decode()
    hidden = ["hidden" in page.split('id="talk-refused"')[1].split(">")[0] for page in (room, refused)]
    assert hidden == [True, False]


@pytest.mark.parametrize("path", ["table/XXXXXXXX", "spectators/XXXXXXXX", "season/0", "season/x", "kitchen/1"])
def test_a_room_that_does_not_exist_is_not_found(path: str, martha: Player) -> None:
    assert browser_of(martha).get(f"/talk/{path}/").status_code == 404
    assert call(martha, "get", f"talk/{path}/").status_code == 404
