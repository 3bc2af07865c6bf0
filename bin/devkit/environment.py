"""Installs in the virtual environment exactly what requirements/*.txt pin, and the library of games from this folder.

`bin/dev` runs this file by its path, with the machine's Python, before anything is installed. So it uses only the
standard library and imports nothing of Scorebook.
"""

from __future__ import annotations

import fcntl
import hashlib
import importlib.util
import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
INSTALLED = ("app", "dev")
LIBRARY = Path("games/library")  # the distribution scorebook-games, installed so that changes take effect at once


def checksum(root: Path) -> str:
    """Return a hash of the pinned requirements, of what the library installs, and of its place; 16 hex digits."""
    files = [*(root / "requirements" / f"{name}.txt" for name in ("uv", *INSTALLED)), root / LIBRARY / "pyproject.toml"]
    content = b"".join(file.read_bytes() for file in files) + os.fsencode(root)
    return hashlib.sha256(content).hexdigest()[:16]


def is_fit(python: Path) -> bool:
    """Return whether an environment's Python starts (its base may have been removed) and is new enough."""
    test = "import sys; sys.exit(sys.version_info < (3, 11))"
    try:
        return subprocess.run([python, "-c", test], capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def make(venv: Path) -> None:
    if importlib.util.find_spec("ensurepip") is None:
        raise SystemExit(
            f"{sys.executable} has no venv and pip. On Debian or Ubuntu: apt install python3-venv. Then try again."
        )
    run([sys.executable, "-m", "venv", "--clear", str(venv)])


def install(venv: Path) -> None:
    python, pinned = str(venv / "bin" / "python"), ROOT / "requirements"
    if not (venv / "bin" / "uv").exists():
        run([python, "-m", "ensurepip"])
        run([python, "-m", "pip", "install", "-q", "--require-hashes", "-r", str(pinned / "uv.txt")])
    files = [str(pinned / f"{name}.txt") for name in INSTALLED]
    uv = [str(venv / "bin" / "uv"), "pip"]
    run([*uv, "sync", "-q", "--python", python, "--require-hashes", *files])
    offline = ["--offline", "--no-deps", "--no-build-isolation"]
    run([*uv, "install", "-q", "--python", python, *offline, "--editable", str(ROOT / LIBRARY)])


def let_find_devkit(venv: Path) -> None:
    """Make the package `devkit` importable. It is beside `bin/dev` and not part of the product."""
    for packages in venv.glob("lib/python3*/site-packages"):
        path = packages / "devkit.pth"
        if not path.exists() or path.read_text() != f"{ROOT / 'bin'}\n":
            path.write_text(f"{ROOT / 'bin'}\n")


def run(command: list[str]) -> None:
    """Run a command without output. If it fails, exit with its output."""
    environment = {**os.environ, "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_ROOT_USER_ACTION": "ignore"}
    done = subprocess.run(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(f"{done.stdout.strip()}\nThis command failed: {' '.join(command)}\nIs this machine online?")


def bring(venv: Path) -> bool:
    """Create and fill the environment if it differs from the pins; return whether this was necessary."""
    stamp = venv / ".pinned"
    if is_fit(venv / "bin" / "python") and stamp.exists() and stamp.read_text() == checksum(ROOT):
        return False
    if not is_fit(venv / "bin" / "python"):
        make(venv)
    install(venv)
    stamp.write_text(checksum(ROOT))
    return True


def main(folder: str) -> None:
    if sys.platform != "linux":
        raise SystemExit("bin/dev needs Linux. On other systems run it in a Linux container or in WSL.")
    began = time.monotonic()
    (ROOT / ".local").mkdir(mode=0o700, exist_ok=True)
    with (ROOT / ".local" / "environment.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # of two commands at once, the second one finds it done
        brought = bring(ROOT / folder)
        let_find_devkit(ROOT / folder)
        if brought:
            print(f"  environment   Python packages installed{time.monotonic() - began:>8.1f} s", flush=True)


if __name__ == "__main__":
    try:
        main(sys.argv[1])
    except PermissionError as error:
        raise SystemExit(
            f"{error.filename} belongs to another user, perhaps from an earlier run as root. "
            "Run as that user, or use a checkout of your own."
        ) from None
