"""The library under Pyodide, as a browser runs it: the same request gives the same log, byte for byte, as here."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from devkit import frontend
from games.bots import kit
from scorebook_games.lab import bridge
from scorebook_games.registry import KINDS

pytestmark = pytest.mark.slow
PROGRAM = """
import { readFileSync } from "node:fs";
import { loadPyodide } from "pyodide";
const [wheel, requests] = process.argv.slice(2).map((name) => readFileSync(name));
const python = await loadPyodide({ env: { PYTHONHASHSEED: "0" } });
python.unpackArchive(new Uint8Array(wheel).buffer, "wheel");
const bridge = python.pyimport("scorebook_games.lab.bridge");
const played = (request) => JSON.parse(bridge.ask("play", JSON.stringify(request), () => undefined));
const answers = JSON.parse(requests).map(played);
console.log(JSON.stringify(answers));
"""
SOURCE = """
import random

class Bot:
    def move(self, view, legal):
        print(random.random(), hash("the same in every process of a seed"))
        return view.random.choice(legal)
"""


def request(kind: str) -> dict[str, Any]:
    against = ["sensible"] + ["random"] * (KINDS[kind].spec.seats_min - 2)
    return {"kind": kind, "source": SOURCE, "against": against, "seat": 0, "deal": 5, "options": {}}


def test_the_same_seed_and_moves_give_the_same_bytes_of_a_log(tmp_path: Path) -> None:
    node = frontend.find()
    frontend.install(node)
    wheel, requests, program = tmp_path / "library.whl", tmp_path / "requests.json", frontend.FOLDER / ".pyodide.mjs"
    wheel.write_bytes(kit.kit_file(kit.wheel_name()))
    asked = [request(kind) for kind in sorted(KINDS)]
    requests.write_text(json.dumps(asked))
    program.write_text(PROGRAM)
    try:
        ran = subprocess.run(
            ["node", program, wheel, requests],
            cwd=frontend.FOLDER,
            env=node.environment,
            capture_output=True,
            text=True,
            check=True,
        )
    finally:
        program.unlink()
    for there, each in zip(json.loads(ran.stdout), asked, strict=True):
        here = json.loads(bridge.ask("play", json.dumps(each), lambda _news: None))
        assert [batch["body"] for batch in there["export"]["log"]["batches"]] == [
            batch["body"] for batch in here["export"]["log"]["batches"]
        ]
        assert there["replay"]["frames"][-1]["words"] == here["replay"]["frames"][-1]["words"]
        draws = [[note["text"].split()[0] for note in played["notes"]] for played in (there, here)]
        assert draws[0] == draws[1]
