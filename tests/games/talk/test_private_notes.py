"""Notes that only their author reads."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User

from games.accounts.export import account_data
from games.models import Game, Player
from games.talk.models import NOTE_MAX_LENGTH, PrivateNote
from tests.assertions.page import Page
from tests.factories.people import browser_of

pytestmark = pytest.mark.django_db


def test_a_note_about_a_person_is_read_by_its_author_only(martha: Player, laura: Player, otto: Player) -> None:
    address = f"/me/notes/person/{otto.pk}/"
    assert browser_of(martha).post(address, {"text": "Keeps <fives>.\r\n\r\nPolite."}).status_code == 302
    assert PrivateNote.objects.get().text == "Keeps <fives>.\n\nPolite."
    assert "Keeps <fives>." in Page.of(browser_of(martha).get("/me/talk/")).text
    for page in (address, "/me/talk/", f"/players/{otto.pk}/"):
        assert "fives" not in browser_of(laura).get(page).content.decode()
        assert "fives" not in browser_of(otto).get(page).content.decode()


def test_a_note_about_a_game_is_changed_and_deleted_by_the_api(game: Game, martha: Player, laura: Player) -> None:
    client, path = browser_of(martha), f"/api/v1/me/notes/game/{game.public_id}/"
    for text in ("I kept the ten too long.", "I kept the six too long."):
        answer = client.put(path, {"text": text}, content_type="application/json")
        assert (answer.status_code, answer.json()["text"]) == (200, text)
    assert [note["game"] for note in client.get("/api/v1/me/notes/").json()["results"]] == [game.public_id]
    assert browser_of(laura).get("/api/v1/me/notes/").json()["results"] == []
    exported = account_data(User.objects.get(player=martha))["private_notes"]
    assert [(note["about"], note["text"]) for note in exported] == [("game", "I kept the six too long.")]
    assert client.put(path, {"text": " "}, content_type="application/json").status_code == 204
    assert not PrivateNote.objects.exists()


def test_a_note_that_is_too_long_or_about_nothing_is_refused(game: Game, martha: Player) -> None:
    client = browser_of(martha)
    answer = client.post(f"/me/notes/game/{game.public_id}/", {"text": "x" * (NOTE_MAX_LENGTH + 1)})
    assert answer.status_code == 400
    assert f"Use at most {NOTE_MAX_LENGTH} characters" in Page.of(answer).text
    for nothing in ("game/XXXXXXXX", "person/0", "person/x", "season/1"):
        assert client.get(f"/me/notes/{nothing}/").status_code == 404
