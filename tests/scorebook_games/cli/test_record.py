"""Reading a game from the address of its page or of its export, from a real HTTP server."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest

from scorebook_games.cli.record import NoRecord, decisions, read
from scorebook_games.gamelog.pacing import BlankDealer
from scorebook_games.registry import KINDS
from tests.replays.local_games import export


class Handler(BaseHTTPRequestHandler):
    export: ClassVar[dict[str, Any]] = {}

    def do_GET(self) -> None:
        found = self.path.partition("?")[0] == "/api/v1/games/K7Q2/export/"
        error = {"error": {"code": "not_open_yet", "sentence": "A game can be exported when it is over."}}
        body = json.dumps(self.export if found else error).encode()
        self.send_response(200 if found else 409)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture
def address() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}).start()
        Handler.export = export("chinese_ten")
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.mark.parametrize("path", ["/games/K7Q2/", "/games/K7Q2/?viewpoint=1#37", "/api/v1/games/K7Q2/export/?as=json"])
def test_a_game_is_read_from_its_page_or_its_export(address: str, path: str) -> None:
    game = read(address + path)
    assert game.players == ["Martha", "Laura"]
    assert game.opened["kind"] == "chinese_ten"


def test_a_game_that_is_not_open_says_what_the_server_says(address: str) -> None:
    with pytest.raises(NoRecord, match=r"answers 409. A game can be exported when it is over."):
        read(f"{address}/games/OTHER/")


def test_a_server_that_is_not_there_is_a_sentence() -> None:
    with pytest.raises(NoRecord, match="can't be fetched"):
        read("http://127.0.0.1:9/games/K7Q2/")


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_every_decision_of_a_game_was_legal_where_it_was_made(kind: str, tmp_path: Path) -> None:
    (tmp_path / "game.json").write_text(json.dumps(export(kind)))
    found = list(decisions(read(str(tmp_path / "game.json"))))
    assert {each.seat for each in found} == {0, 1}
    for each in found:
        rules, state = each.fold.rules, each.fold.state
        assert each.seat in each.fold.to_act()
        assert each.fold.version == each.version == len(each.entries)
        assert rules.decide(state, each.seat, rules.parse_move(state, each.moves[0]), BlankDealer())
