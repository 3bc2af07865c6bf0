"""The library under Pyodide, as a browser runs it: the same request gives the same log, analysis and luck, byte for
byte, as here."""

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
const ask = (act, request) => bridge.ask(act, JSON.stringify(request), () => undefined);
const answers = JSON.parse(requests).map(([request, moment, steps]) => {
  const played = JSON.parse(ask("play", request));
  const game = { export: played.export };
  const analysis = bridge.begin("analyse", JSON.stringify({ ...game, ...moment }), () => undefined);
  const analysed = Array.from({ length: steps }, () => analysis.step());
  return { played, analysed, luck: ask("luck", game) };
});
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


MOMENT = {"seat": 0, "version": 40}
STEPS = 4


def silent(_news: str) -> None:
    """Hear no news."""


def answers(request: dict[str, Any]) -> dict[str, Any]:
    """Return what the program answers to a request, from this interpreter."""
    played = json.loads(bridge.ask("play", json.dumps(request), silent))
    game = {"export": played["export"]}
    analysis = bridge.begin("analyse", json.dumps({**game, **MOMENT}), silent)
    assert not isinstance(analysis, str), analysis
    analysed = [analysis.step() for _ in range(STEPS)]
    return {"played": played, "analysed": analysed, "luck": bridge.ask("luck", json.dumps(game), silent)}


def test_the_same_seed_and_moves_give_the_same_bytes_of_a_log_an_analysis_and_luck(tmp_path: Path) -> None:
    node = frontend.find()
    frontend.install(node)
    wheel, requests, program = tmp_path / "library.whl", tmp_path / "requests.json", frontend.FOLDER / ".pyodide.mjs"
    wheel.write_bytes(kit.kit_file(kit.wheel_name(), slim=True))
    asked = [request(kind) for kind in sorted(KINDS)]
    requests.write_text(json.dumps([[each, MOMENT, STEPS] for each in asked]))
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
        here = answers(each)
        games = [found["played"] for found in (there, here)]
        logs = [[batch["body"] for batch in played["export"]["log"]["batches"]] for played in games]
        assert logs[0] == logs[1]
        assert games[0]["replay"]["frames"][-1]["words"] == games[1]["replay"]["frames"][-1]["words"]
        draws = [[note["text"].split()[0] for note in played["notes"]] for played in games]
        assert draws[0] == draws[1]
        assert json.loads(here["analysed"][-1])["samples"]
        assert there["analysed"] == here["analysed"]
        assert json.loads(here["luck"])["entries"]
        assert there["luck"] == here["luck"]
