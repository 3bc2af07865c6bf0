"""A finished game as one HTML file: it is complete, downloads nothing, and shows the game as text without
JavaScript."""

from __future__ import annotations

import base64
import gzip
import json
import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from replays.export import single_file
from scorebook_games.registry import KINDS
from tests.replays.local_games import export


class Outline(HTMLParser):
    """A page's addresses that a browser would load, and the text of its elements by tag."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.loads: list[str] = []
        self.texts: dict[str, list[str]] = {}
        self.open: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.open.append(tag)
        self.loads += [value or "" for name, value in attributes if name in ("src", "href", "srcset")]

    def handle_endtag(self, tag: str) -> None:
        while self.open and self.open.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        if self.open:
            self.texts.setdefault(self.open[-1], []).append(data)


def packed(page: str) -> dict[str, Any]:
    """Return the viewer's data that is packed into the page."""
    found = re.search(r'<script id="packed" type="text/plain">([^<]*)</script>', page)
    assert found
    data: dict[str, Any] = json.loads(gzip.decompress(base64.b64decode(found[1])))
    return data


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_a_page_holds_the_replay_through_everybodys_eyes_and_loads_nothing(kind: str) -> None:
    page = single_file.single_file_page(export(kind))
    outline = Outline(page)
    assert outline.loads == []
    assert "@import" not in page
    assert not re.search(r"url\((?!['\"]?(?:data:|#))", page)
    data = packed(page)
    assert sorted(data["replays"]) == ["0", "1", "all", "public"]
    whole = data["replays"][data["first"]]
    assert whole["game"]["kind"] == kind
    assert whole["frames"][-1]["version"] == whole["version"]
    assert len(whole["scores"]) == len(whole["frames"]) == page.count("<li value=")


def test_through_a_seats_eyes_a_page_tells_what_that_seat_knew() -> None:
    replays = packed(single_file.single_file_page(export("palace")))["replays"]
    hands = {viewpoint: replays[viewpoint]["frames"][0]["observation"]["seats"] for viewpoint in ("0", "1", "public")}
    assert hands["0"][0]["hand"]
    assert hands["0"][1]["hand"] is None
    assert hands["1"][1]["hand"]
    assert [seat["hand"] for seat in hands["public"]] == [None, None]


def test_the_game_stands_in_words_with_its_result() -> None:
    outline = Outline(single_file.single_file_page(export("chinese_ten")))
    assert outline.texts["h1"] == ["Chinese Ten"]
    (result,) = (text for text in outline.texts["p"] if text.startswith("1. "))
    assert re.fullmatch(r"1\. \w+ \d+ · 2\. \w+ \d+", result)
    assert any("captured" in text or "takes" in text or "took" in text for text in outline.texts["li"])
    assert "Deck" in outline.texts["dt"]


def test_names_and_notes_are_text_and_nothing_else() -> None:
    evil = "</script><script>alert(1)</script>"
    page = single_file.single_file_page(export("chinese_ten", (evil, "Laura")), note="<b>timeout</b> & more")
    assert evil not in page
    assert "&lt;b&gt;timeout&lt;/b&gt; &amp; more" in page
    assert page.count("</script>") == 2
    assert packed(page)["replays"]["all"]["game"]["seats"][0]["name"] == evil


def test_without_a_built_viewer_the_page_has_words_and_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(single_file, "SCRIPT", tmp_path / "nothing.js")
    page = single_file.single_file_page(export("plates"))
    assert "This page has no board" in page
    assert page.count("<li value=") > 20


def test_the_command_makes_a_page_of_an_export_without_settings_or_database(tmp_path: Path) -> None:
    (tmp_path / "game.json").write_text(json.dumps(export("platinum_fish")))
    command = [sys.executable, "-m", "replays.export.single_file", "game.json", "game.html"]
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(settings.BASE_DIR)}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert "<h1>Platinum Fish</h1>" in (tmp_path / "game.html").read_text()


@pytest.mark.parametrize("text", ["", "{}", "[1]", '{"format": "scorebook-game", "schema": 1, "log": {"batches": []}}'])
def test_what_is_no_export_makes_no_page(tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str) -> None:
    (tmp_path / "game.json").write_text(text)
    assert single_file.main([str(tmp_path / "game.json"), str(tmp_path / "game.html")]) == 2
    assert "can't be made a page of" in capsys.readouterr().err
    assert not (tmp_path / "game.html").exists()
    assert single_file.main([]) == 2
