"""A page tells only the author why a bot failed."""

from __future__ import annotations

import re
import shlex
import threading
from html import unescape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest
from django.contrib.auth.models import User
from django.test import Client

from games.bots import time_slices, uploads
from games.models import BotVersion, Deal, Game, Player
from games.play import services as play
from games.play.models import Fault
from games.play.roster import ensure_builtin_bot
from scorebook_games.cli.command import main
from tests.assertions.page import Page

pytestmark = pytest.mark.django_db

HASTY = """
class Bot:
    n = 0

    def move(self, view, legal):
        self.n += 1
        if self.n < 4:
            return legal[0]
        print("a king <b>is</b> best")
        return "lay K 2"
"""


@pytest.fixture
def dotty() -> User:
    user = User.objects.create_user("dotty")
    Player.objects.create(name="Dotty", user=user)
    return user


@pytest.fixture
def fault(dotty: User) -> Fault:
    """Return the third illegal move of a bot in a game, which forfeited the game."""
    version = uploads.upload_version(bot=uploads.new_bot(owner=dotty, name="Gannet"), data=HASTY.encode())
    version.trials.all().delete()
    BotVersion.objects.filter(pk=version.pk).update(state="passed", kinds=["chinese_ten"])
    players = [ensure_builtin_bot("random"), Player.objects.select_related("bot_version__bot").get(bot_version=version)]
    deal = Deal.objects.create(seed=bytes(range(32)))
    play.open_game(kind="chinese_ten", players=players, terms={"rated": False}, deal=deal)
    time_slices.play_time_slices("sandbox 1")
    return Fault.objects.latest("pk")


def test_a_forfeits_page_has_the_position_the_legal_moves_the_rule_and_the_command(
    fault: Fault, dotty: User, client: Client
) -> None:
    client.force_login(dotty)
    answer = client.get(f"/faults/{fault.pk}/")
    page = answer.content.decode()
    game = fault.game
    assert game is not None
    assert f"Why v1 lost game {game.public_id}" in page
    assert "<code>lay K 2</code>" in page
    for move in fault.evidence["legal"]:
        assert f"<code>{move}</code>" in page
    assert "CT-7" in page
    assert "fault number 3 forfeits it" in page
    assert "a king &lt;b&gt;is&lt;/b&gt; best" in page
    assert f'src="/games/{game.public_id}/embed/?viewpoint=1#{fault.position}"' in page
    assert "Spot 1" in page
    assert Page.of(answer).faults() == []


class OneFile(BaseHTTPRequestHandler):
    """A server that serves one file by HTTP."""

    path_of_it: ClassVar[str]
    content: ClassVar[bytes]

    def do_GET(self) -> None:
        self.send_response(200 if self.path == self.path_of_it else 404)
        self.send_header("Content-Length", str(len(self.content)))
        self.end_headers()
        self.wfile.write(self.content)

    def log_message(self, format: str, *args: Any) -> None:
        pass


def test_the_command_on_the_page_shows_the_same_on_the_authors_machine(
    fault: Fault,
    dotty: User,
    client: Client,
    settings: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert fault.game
    OneFile.path_of_it = f"/api/v1/games/{fault.game.public_id}/export/"
    OneFile.content = client.get(OneFile.path_of_it).content
    client.force_login(dotty)
    (tmp_path / "mybot.py").write_text(HASTY)
    monkeypatch.chdir(tmp_path)

    with ThreadingHTTPServer(("127.0.0.1", 0), OneFile) as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}).start()
        settings.ALLOWED_HOSTS = ["127.0.0.1"]
        page = client.get(f"/faults/{fault.pk}/", headers={"host": f"127.0.0.1:{server.server_port}"}).content.decode()
        (printed,) = re.findall(r"<code>(?:bin/)?(scorebook-bot [^<]+)</code>", page)
        code = main(shlex.split(unescape(printed))[1:])
        server.shutdown()

    assert (code, capsys.readouterr().err) == (1, "")


def test_it_is_for_the_author_alone(fault: Fault, client: Client) -> None:
    assert client.get(f"/faults/{fault.pk}/").status_code == 302
    client.force_login(User.objects.create_user("otto"))
    assert client.get(f"/faults/{fault.pk}/").status_code == 404
    assert client.get("/faults/999999/").status_code == 404


def test_the_position_of_a_game_that_is_on_is_not_shown_yet(fault: Fault, dotty: User, client: Client) -> None:
    """A player who saw a seat's hand on the bot's page could play against it."""
    game = fault.game
    assert game is not None
    Game.objects.filter(pk=game.pk).update(status="playing", finished_at=None)
    Deal.objects.update(revealed_at=None)
    client.force_login(dotty)
    page = client.get(f"/faults/{fault.pk}/").content.decode()
    assert "The position is shown when this game and all other games of its deal are over." in page
    for known in ("Spot 1", "a king", "lay K 2", *fault.evidence["legal"]):
        assert known not in page
    data = client.get("/api/v1/bots/Gannet/faults/").json()["results"][0]
    assert (data["evidence"], data["stderr"], data["sentence"]) == ({}, "", "illegal move")
    assert "lay K 2" not in client.get("/bots/Gannet/").content.decode()


def test_a_fault_that_cost_nothing_is_told_to_nobody_while_its_game_is_on(
    fault: Fault, dotty: User, client: Client
) -> None:
    """The log does not contain it, because only the seat itself knows that it could act."""
    Fault.objects.exclude(pk=fault.pk).delete()
    Fault.objects.update(cost="none", kind="violation")
    addresses = ("/bots/Gannet/", "/api/v1/bots/Gannet/faults/")
    client.force_login(dotty)
    assert client.get(f"/faults/{fault.pk}/").status_code == 200
    assert all(
        "violation" in client.get(each).content.decode() or "forbids" in client.get(each).content.decode()
        for each in addresses
    )
    assert fault.game is not None
    Game.objects.filter(pk=fault.game.pk).update(status="playing", finished_at=None)
    Deal.objects.update(revealed_at=None)
    assert client.get(f"/faults/{fault.pk}/").status_code == 404
    assert client.get(addresses[1]).json()["results"] == []
    page = client.get(addresses[0]).content.decode()
    assert "forbids" not in page


def test_a_version_that_did_not_start_has_a_page_without_a_board(dotty: User, client: Client) -> None:
    uploads.upload_version(bot=uploads.new_bot(owner=dotty, name="Gannet"), data=b"import nowhere\n")
    time_slices.play_time_slices("sandbox 1")
    client.force_login(dotty)
    page = client.get(f"/faults/{Fault.objects.get().pk}/").content.decode()
    assert "v1 did not start" in page
    assert "No module named &#x27;nowhere&#x27;" in page
    assert "scorebook-bot check mybot.py" in page


def test_faults_are_told_in_the_replay_and_in_the_games_text(fault: Fault, client: Client) -> None:
    game = fault.game
    assert game is not None
    page = client.get(f"/games/{game.public_id}/").content.decode()
    assert page.count("Gannet answered with an illegal move.") >= 3
    text = client.get(f"/api/v1/games/{game.public_id}/export/?as=text").content.decode()
    assert text.count("failed: illegal_move)") == 3
    assert client.get(f"/api/v1/games/{game.public_id}/verify/").json()["faults"] == []
