"""Bots in the API: programs use the same services as pages and get the same reasons."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.handlers.asgi import ASGIRequest
from django.test import Client
from rest_framework.request import Request

from games.bots import uploads
from games.bots.api import received
from games.models import Bot, BotVersion, Game, Player, Trial
from games.play.models import Fault
from tests.games.bots.conftest import FIRST, Author, through

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("small_panel")]

BOTS = "/api/v1/bots/"
VERSIONS = "/api/v1/bots/Gannet/versions/"


@pytest.fixture
def me(client: Client, dotty: User) -> Client:
    client.force_login(dotty)
    return client


@pytest.fixture
def gannet(me: Client) -> Bot:
    made = me.post(BOTS, {"name": "Gannet", "description": "Dives."}, content_type="application/json")
    assert made.status_code == 201, made.content
    return Bot.objects.get()


def raw(me: Client, data: bytes, **more: Any) -> Any:
    """Send a file as the body of a request."""
    return me.generic("POST", VERSIONS, data, content_type="text/x-python", **more)


def error(answer: Any) -> tuple[int, str]:
    found = answer.json()["error"]
    assert found["status"] == answer.status_code
    assert found["sentence"]
    return answer.status_code, found["code"]


def test_a_bad_body_is_refused_as_such_and_uses_up_no_key(me: Client) -> None:
    for body, refused in (({"description": "No name."}, (400, "invalid")), ({"nam": "Gannet"}, (400, "unknown_field"))):
        bad = me.post(BOTS, body | {"idempotency_key": "k"}, content_type="application/json")
        assert error(bad) == refused
    assert me.post(BOTS, {"name": "Gannet", "idempotency_key": "k"}, content_type="application/json").status_code == 201


@pytest.mark.usefixtures("gannet")
def test_a_file_comes_as_the_body_or_as_the_part_of_a_form_and_admission_is_watched(me: Client) -> None:
    first = raw(me, FIRST.encode())
    second = me.post(VERSIONS, {"file": SimpleUploadedFile("bot.py", f"{FIRST}# 2\n".encode())})
    assert (first.status_code, second.status_code) == (201, 201), second.content
    assert (first.json()["number"], second.json()["number"], second.json()["state"]) == (1, 2, "admission")

    admission = first.json()["admission"]
    waiting = me.get(admission).json()
    assert (waiting["state"], [step["name"] for step in waiting["steps"]]) == ("waiting", ["read"])
    through(BotVersion.objects.get(number=1))
    over = me.get(admission).json()
    assert (over["state"], over["fault"]) == ("passed", None)
    names = [step["name"] for step in over["steps"]]
    assert names[2:5] == [f"game/chinese_ten/{bot}" for bot in ("random", "sensible", "strong")]
    assert len(set(names)) == len(names)
    assert over["result"]["ratings"]["chinese_ten"]["games"] == 4
    listed = me.get(VERSIONS).json()["results"]
    assert [(each["number"], each["state"], each["kinds"]) for each in listed] == [
        (2, "passed", ["chinese_ten"]),
        (1, "passed", ["chinese_ten"]),
    ]
    assert me.get(f"{VERSIONS}1/source/").content.decode() == FIRST


@pytest.mark.usefixtures("gannet")
@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", (400, "upload_empty")),
        (b"x" * 300_000, (413, "upload_too_large")),
        (b"x" * 10_000_000, (413, "upload_too_large")),
        (FIRST.encode("utf-16"), (415, "upload_not_utf8")),
        (b"a\x00b", (400, "upload_null_byte")),
        (b"PK\x03\x04...", (415, "upload_not_text")),
        (b"\x80\x04\x95.", (415, "upload_not_text")),
    ],
    ids=["empty", "300 kB", "10 MB", "UTF-16", "null", "zip", "pickle"],
)
def test_what_is_refused_says_why_in_the_one_shape_whichever_way_it_comes(
    data: bytes, expected: tuple[int, str], me: Client
) -> None:
    assert error(raw(me, data)) == expected
    assert error(me.post(VERSIONS, {"file": SimpleUploadedFile("bot.py", data)})) == expected
    assert not BotVersion.objects.exists()


@pytest.mark.usefixtures("gannet")
def test_an_upload_that_was_cut_off_leaves_nothing(me: Client) -> None:
    scope = {"type": "http", "method": "POST", "path": VERSIONS, "headers": [(b"content-length", b"500")]}
    with pytest.raises(uploads.UploadError, match=r"Only [0-9]+ of 500 bytes") as short:
        received(Request(ASGIRequest(scope, io.BytesIO(FIRST.encode()))))
    assert short.value.code == "upload_cut_off"
    whole = b'--b\r\nContent-Disposition: form-data; name="file"; filename="bot.py"\r\n\r\nclass Bot:\n    pa'
    cut = me.generic("POST", VERSIONS, whole, content_type="multipart/form-data; boundary=b")
    assert error(cut) == (400, "upload_cut_off")
    assert not BotVersion.objects.exists()


@pytest.mark.usefixtures("gannet")
def test_a_form_without_the_file_says_how_it_is_sent(me: Client) -> None:
    assert error(me.post(VERSIONS, {"other": "1"})) == (400, "unknown_field")
    assert error(me.post(VERSIONS, {"file": "no file"})) == (400, "upload_missing")


@pytest.mark.usefixtures("gannet")
def test_the_same_bytes_name_the_version_that_they_are(me: Client) -> None:
    raw(me, FIRST.encode())
    again = raw(me, FIRST.encode())
    assert error(again) == (409, "same_bytes")
    assert again.json()["error"]["version"] == 1


def test_bots_are_made_changed_and_listed(me: Client, gannet: Bot, author: Author) -> None:
    assert me.get(f"{BOTS}gannet/").json()["owner"] == "Dotty"
    changed = me.patch(f"{BOTS}Gannet/", {"visibility": "private"}, content_type="application/json")
    assert changed.json()["visibility"] == "private"
    anybody = Client()
    assert anybody.get(BOTS).json()["results"] == []
    assert error(anybody.get(f"{BOTS}Gannet/")) == (404, "bot_not_found")
    assert error(anybody.get(VERSIONS)) == (404, "bot_not_found")
    assert [each["name"] for each in me.get(f"{BOTS}?mine=true").json()["results"]] == ["Gannet"]
    assert error(me.post(BOTS, {"name": "GANNET"}, content_type="application/json")) == (409, "name_taken")
    assert error(me.post(BOTS, {"name": "<b>"}, content_type="application/json")) == (400, "bad_name")
    assert error(me.get(f"{BOTS}Nobody/")) == (404, "bot_not_found")
    assert me.get(f"{BOTS}%00/").status_code == 404


@pytest.mark.usefixtures("gannet")
def test_only_the_author_sends_versions_and_sees_admission_source_and_faults(me: Client, author: Author) -> None:
    raw(me, b"class Bot\n")
    version = through(BotVersion.objects.get())
    assert (version.state, Fault.objects.count()) == ("refused", 1)
    assert me.get(f"{VERSIONS}1/admission/").json()["faults"] == [version.reason]
    (fault,) = me.get(f"{BOTS}Gannet/faults/").json()["results"]
    assert me.get(f"{VERSIONS}1/admission/").json()["fault"] == fault
    assert me.get(fault["page"]).status_code == me.get(me.get(f"{VERSIONS}1/").json()["page"]).status_code == 200
    assert (fault["kind"], fault["cost"], "SyntaxError" in fault["stderr"]) == ("start_crashed", "refused", True)
    anybody, otto = Client(), Client()
    otto.force_login(author("Otto"))
    assert error(raw(anybody, b"x")) == (403, "not_signed_in")
    assert error(raw(otto, b"x")) == (403, "not_your_bot")
    own = [f"{VERSIONS}1/admission/", f"{VERSIONS}1/source/", f"{BOTS}Gannet/faults/", f"{BOTS}Gannet/comparisons/"]
    for address in own:
        assert otto.get(address).status_code == 403, address
        assert anybody.get(address).status_code == 403, address
    assert "SyntaxError" not in json.dumps(otto.get(f"{VERSIONS}1/").json()["state"])


@pytest.mark.usefixtures("gannet")
def test_challenges_comparisons_and_the_version_that_plays(me: Client) -> None:
    def post(what: str, **sent: Any) -> Any:
        return me.post(f"{BOTS}Gannet/{what}/", sent, content_type="application/json")

    assert error(post("challenges", kind="chinese_ten", bots=["random"])) == (409, "not_passed")
    for n in (1, 2):
        raw(me, f"{FIRST}# {n}\n".encode())
    BotVersion.objects.update(state="passed", kinds=["chinese_ten"])
    Trial.objects.all().delete()
    assert post("versions/2/play").json()["plays"] == 2
    assert error(post("versions/7/play")) == (404, "version_not_found")

    opened = post("challenges", kind="chinese_ten", bots=["random", "random"], seat=2, idempotency_key="k")
    assert opened.status_code == 201
    game = Game.objects.get(public_id=opened.json()["game"])
    assert [seat.player.name for seat in game.seats.order_by("seat")] == ["Random", "Random 2", "Gannet"]
    again = post("challenges", kind="chinese_ten", bots=["random", "random"], seat=2, idempotency_key="k")
    assert again.json() == opened.json()
    assert error(post("challenges", kind="palace", bots=["random"])) == (409, "wrong_kind")
    assert error(post("challenges", kind="chinese_ten", bots=["deep blue"])) == (400, "bad_option")
    assert error(post("challenges", kind="chinese_ten", bots=["random"], seat=5)) == (400, "bad_option")
    for _ in range(4):
        post("challenges", kind="chinese_ten", bots=["random"])
    assert error(post("challenges", kind="chinese_ten", bots=["random"])) == (409, "too_many_challenges")

    asked = post("comparisons", version=2, against=1, kind="chinese_ten")
    assert (asked.status_code, asked.json()["state"]) == (202, "waiting")
    assert post("comparisons", version=2, against=1, kind="chinese_ten").json() == asked.json()
    again = post("comparisons", version=2, against=1, kind="chinese_ten", promote=True).json()
    assert again == {**asked.json(), "promote": True}
    assert error(post("comparisons", version=2, against=2, kind="chinese_ten")) == (409, "same_version")
    assert error(post("comparisons", version=2, against=1, kind="palace")) == (409, "wrong_kind")
    assert len(me.get(f"{BOTS}Gannet/comparisons/").json()["results"]) == 1


def test_a_name_that_no_path_can_hold_is_simply_not_there(me: Client) -> None:
    for name in ("a" * 300, "..", "%2e%2e", "☃", "%ff"):
        assert me.get(f"{BOTS}{name}/").status_code == 404, name
    assert uploads.MAX_UPLOAD_BYTES == 256 * 1024


@pytest.mark.slow
def test_games_of_trials_are_in_no_list_and_can_be_seen_by_who_has_their_address(me: Client, client: Client) -> None:
    bot = uploads.new_bot(owner=User.objects.get(), name="Gannet", visibility="private")
    through(uploads.upload_version(bot=bot, data=FIRST.encode()))
    client.logout()
    player = Player.objects.get(bot_version__bot=bot).pk
    for address in ("/api/v1/games/", f"/api/v1/games/?player={player}", "/api/v1/games/?status=finished"):
        assert client.get(address).json()["results"] == []
    assert client.get(f"/api/v1/games/{Game.objects.all()[0].public_id}/").status_code == 200


def test_why_a_version_was_refused_is_for_its_author_for_it_has_what_the_bot_printed(
    me: Client, gannet: Bot, client: Client
) -> None:
    refused = through(uploads.upload_version(bot=gannet, data=b"raise ValueError('my secret path')"))
    assert "my secret path" in refused.reason
    assert "my secret path" in me.get(f"{VERSIONS}1/").json()["reason"]
    client.logout()
    for address in (VERSIONS, f"{VERSIONS}1/"):
        answer = client.get(address)
        assert (answer.status_code, "refused" in answer.content.decode()) == (200, True)
        assert "my secret path" not in answer.content.decode()


@pytest.mark.parametrize("text", ['"\\ud800"', "[" * 100_000], ids=["a lone surrogate", "depth"])
def test_json_that_no_database_can_hold_is_refused_in_the_one_shape(text: str, me: Client, gannet: Bot) -> None:
    sent = f'{{"name": "Puffin", "description": {text}}}'
    assert error(me.generic("POST", BOTS, sent, content_type="application/json"))[0] == 400
    changed = me.generic("PATCH", f"{BOTS}Gannet/", sent, content_type="application/json")
    assert error(changed)[0] == 400
    gannet.refresh_from_db()
    assert gannet.description == "Dives."
