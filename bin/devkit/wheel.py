"""`bin/dev wheel` builds the wheel of scorebook-games in `dist/`, and tries it in an empty environment."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Sequence
from pathlib import Path

from config.translations import catalogues
from devkit.console import Trouble, step
from devkit.paths import ROOT

LIBRARY = Path("games/library")
MAX_WHEEL_BYTES = 2 * 1024 * 1024
BOT = "class Bot:\n    def move(self, view, legal):\n        return legal[0]\n"
UV = os.fspath(Path(sys.executable).with_name("uv"))
BUILD = (UV, "build", "-q", "--python", sys.executable, "--wheel", "--no-build-isolation")


def wheel(arguments: Sequence[str]) -> int:
    """Build the wheel from this folder and try it."""
    if arguments:
        raise Trouble("bin/dev wheel takes no arguments.")
    with step("wheel") as done:
        made = build(ROOT, ROOT / "dist")
        done(f"{made.relative_to(ROOT)}, {made.stat().st_size // 1024} KiB")
    with step("first game") as done:
        done(first_game(made))
    return 0


def build(tree: Path, out: Path) -> Path:
    """Build the wheel of the library in `tree`; return its path. It is built from a copy, so that nothing is left
    beside the sources."""
    with tempfile.TemporaryDirectory() as folder:
        copy, made = Path(folder, "library"), Path(folder, "made")
        catalogues.compile_stale(tree)
        left_out = shutil.ignore_patterns("__pycache__", "*.egg-info", "build")
        shutil.copytree(tree / LIBRARY, copy, ignore=left_out)
        run(*BUILD, "--out-dir", os.fspath(made), os.fspath(copy))
        (built,) = made.glob("*.whl")
        if built.stat().st_size > MAX_WHEEL_BYTES:
            raise Trouble(f"{built.name} has {built.stat().st_size} bytes; {MAX_WHEEL_BYTES} are allowed.")
        out.mkdir(exist_ok=True)
        return Path(shutil.move(built, out / built.name))


def first_game(built: Path) -> str:
    """Install the wheel into an empty environment and let a bot play there; return a summary."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        venv.create(home / "venv", with_pip=False)
        python, command = home / "venv" / "bin" / "python", os.fspath(home / "venv" / "bin" / "scorebook-bot")
        run(UV, "pip", "install", "-q", "--offline", "--python", os.fspath(python), os.fspath(built))
        version = run(command, "--version", folder=home)
        (home / "bot.py").write_text(BOT)
        run(command, "play", "bot.py", "palace", "--against", "random", "--games", "2", folder=home)
        if len(games := list((home / "bot-games").glob("*.json"))) != 2:
            raise Trouble(f"The wheel's command was to write two games and wrote {len(games)}.")
    return f"{version}, installed and played in {time.monotonic() - began:.1f} s"


def run(*command: str, folder: Path | None = None) -> str:
    """Run a command without Python's environment variables; return its output. Raises `Trouble` with its errors."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    ran = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if ran.returncode:
        raise Trouble(f"{' '.join(command[:3])} … failed:\n{(ran.stderr or ran.stdout).strip()}")
    return ran.stdout.strip()
