"""docs/reference/bot-transcripts.md shows what a server and a bot say to each other; bot-protocol.md names every fault
and limit."""

from __future__ import annotations

import json
import re

import pytest

from scorebook_games.bots import protocol, source
from scorebook_games.registry import KINDS
from tests.scorebook_games.bots.transcript import DOCUMENT, transcript, written


def test_the_document_has_the_transcripts_that_are_made_now() -> None:
    document = DOCUMENT.read_text()
    assert re.findall(r"<!-- transcript (\w+) -->", document) == sorted(KINDS)
    assert written(document) == document, "python -m tests.scorebook_games.bots.transcript writes them anew"


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_a_transcript_has_a_game_from_hello_to_over(kind: str) -> None:
    text = re.sub(r"\n    ", " ", transcript(kind))
    lines = [(line[0], json.loads(line[2:])) for line in text.splitlines() if line[0] in "→←"]
    types = [line.get("type") for arrow, line in lines if arrow == "→"]
    assert types[0] == "hello"
    assert types[-1] == "over"
    assert set(types[1:-1]) == {"bundle" if kind == "plate_spinner" else "move"}
    assert lines[0][1]["kind"] == kind


def test_the_document_names_every_limit_and_every_fault() -> None:
    text = DOCUMENT.with_name("bot-protocol.md").read_text()
    document = re.sub(r" *\n *", " ", text)  # a sentence may go over two lines
    for name, value in protocol.DEFAULT_CLOCK.items():
        assert re.search(rf"\| `{name}`.* \| {value} \|", document)
    assert f"longer than {protocol.MAX_LINE_BYTES // 1024} KiB" in document
    assert f"nested more than {protocol.MAX_DEPTH} deep" in document
    assert f"at most {protocol.MOVE_MAX_LENGTH} characters" in document
    assert f"at most {protocol.MAX_BUNDLE_MOVES} moves" in document
    assert f"| to load and to answer hello | {protocol.START_TIMEOUT_MS} ms |" in document
    assert f"{source.MAX_SOURCE_BYTES // 1024} KiB of UTF-8" in document
    for fault in ("start_timeout", "start_crashed", "timeout", "cpu_limit", "crashed", "violation", "bad_reply"):
        assert f"`{fault}`" in document
    for fault in ("illegal_move", "infrastructure"):
        assert f"`{fault}`" in document
