"""Makes the virtual environment hold exactly what requirements/*.txt pin.

`bin/dev` runs this file by its path, with the machine's own Python, before anything is installed: standard library
only, and no import from Scorebook.
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


def checksum(root: Path) -> str:
    """Changes when a pinned requirement does; eight bytes in hex."""
    content = b"".join((root / "requirements" / f"{name}.txt").read_bytes() for name in ("uv", *INSTALLED))
    return hashlib.sha256(content).hexdigest()[:16]


def is_fit(python: Path) -> bool:
    """Whether an environment's Python still starts (its base may be gone) and is new enough."""
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
    run([str(venv / "bin" / "uv"), "pip", "sync", "-q", "--python", python, "--require-hashes", *files])


def let_find_devkit(venv: Path) -> None:
    """Lets the environment's Python find the package `devkit`, which is beside `bin/dev` and no part of the product."""
    for packages in venv.glob("lib/python3*/site-packages"):
        path = packages / "devkit.pth"
        if not path.exists() or path.read_text() != f"{ROOT / 'bin'}\n":
            path.write_text(f"{ROOT / 'bin'}\n")


def run(command: list[str]) -> None:
    """Quiet unless it fails; then its own words and the command end the start."""
    environment = {**os.environ, "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_ROOT_USER_ACTION": "ignore"}
    done = subprocess.run(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(f"{done.stdout.strip()}\nThis command failed: {' '.join(command)}\nIs this machine online?")


def bring(venv: Path) -> bool:
    """Makes and fills the environment if it isn't as pinned; returns whether there was anything to do."""
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
        fcntl.flock(lock, fcntl.LOCK_EX)  # two commands at once: the second finds it done
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
