"""`bin/dev release VERSION`: checks, then a commit, a tag, and the files of a release in `dist/`.

    --dry-run     makes the files and leaves the branch as it is; the tests are not run
    --no-tests    for a commit that has just passed them

The commit is made in a worktree of its own, so that one that cannot be built changes nothing. Nothing is pushed.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, date, datetime
from pathlib import Path

from devkit import checks, frontend, tests
from devkit.console import Trouble, step
from devkit.paths import LOCAL, ROOT

DIST = ROOT / "dist"
VERSION_FILE = "games/__init__.py"
CHANGELOG = "CHANGELOG.md"
BRANCH = "main"
OPTIONS = {"--dry-run", "--no-tests"}
VERSION = re.compile(r"\d+\.\d+\.\d+")
UNRELEASED = "## [Unreleased]\n"
# What the image is built of, and what starts it. The rest of the repository is not in the archive.
IMAGE = (
    *("Containerfile", ".dockerignore", "compose.yaml", "bin/secrets", "requirements/app.txt", "manage.py"),
    *("pyproject.toml", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "NOTICE", "docs", "locale", "frontend"),
    *("config", "games", "replays", "tournaments"),
)


def release(arguments: Sequence[str]) -> int:
    """The exit code of the checks or tests if they fail, else 0."""
    options = {each for each in arguments if each.startswith("-")}
    versions = [each for each in arguments if each not in options]
    if len(versions) != 1 or not VERSION.fullmatch(versions[0]) or options - OPTIONS:
        raise Trouble("bin/dev release takes a version and options, as in: bin/dev release 0.2.0 --dry-run")
    [version], dry = versions, "--dry-run" in options
    check_tree(version)
    if code := checks.check([]):
        return code
    if not options and (code := tests.test(["--all"])):
        return code
    with worktree() as tree:
        notes = write_version(tree, version, datetime.now(UTC).date())
        git("commit", "--quiet", "--all", "--message", f"Release {version}", folder=tree)
        files = make_files(tree, version, notes)
        if not dry:
            commit = git("rev-parse", "HEAD", folder=tree)
            git("merge", "--quiet", "--ff-only", commit)
            git("tag", "--annotate", f"v{version}", "--message", f"Scorebook {version}\n\n{notes}", commit)
    print("\n" + "\n".join(f"  {each.relative_to(ROOT)}" for each in files))
    if dry:
        print(f"\nThis was a trial: {BRANCH} is as it was, and there is no tag v{version}.")
    else:
        print(f"\nTagged v{version}. To publish it: git push --atomic origin {BRANCH} v{version}")
    return 0


def check_tree(version: str) -> None:
    """Trouble unless the branch can be released as `version`."""
    if git("branch", "--show-current") != BRANCH:
        raise Trouble(f"Releases are made from {BRANCH}. Switch to it: git switch {BRANCH}")
    if changed := git("status", "--porcelain"):
        raise Trouble(f"Commit or remove these changes first:\n{changed}")
    released = [each[1:] for each in git("tag", "--list", "v*.*.*").split() if VERSION.fullmatch(each[1:])]
    newest = max(released, key=as_numbers, default="0.0.0")
    if as_numbers(version) <= as_numbers(newest):
        raise Trouble(f"{newest} is already released. Choose a later version.")
    if not notes_of((ROOT / CHANGELOG).read_text(), "Unreleased"):
        raise Trouble(f"{CHANGELOG} has no entry under Unreleased. Write what is new first.")


def as_numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def notes_of(changelog: str, title: str) -> str:
    """What stands under the heading of that version, or of "Unreleased"; empty if there is no entry."""
    found = re.search(rf"^## \[{re.escape(title)}\][^\n]*\n(.*?)(?=^## |\Z)", changelog, re.MULTILINE | re.DOTALL)
    text = found[1].strip() if found else ""
    return text if re.search(r"^- ", text, re.MULTILINE) else ""


def write_version(tree: Path, version: str, day: date) -> str:
    """The version into its one place, and what is unreleased under its heading; returns the notes."""
    module, changelog = tree / VERSION_FILE, tree / CHANGELOG
    source, replaced = re.subn(r'^__version__ = "[^"]*"', f'__version__ = "{version}"', module.read_text(), flags=re.M)
    if replaced != 1:
        raise Trouble(f"{VERSION_FILE} has no line __version__.")
    module.write_text(source)
    text = changelog.read_text().replace(UNRELEASED, f"{UNRELEASED}\n## [{version}] - {day.isoformat()}\n", 1)
    changelog.write_text(text)
    return notes_of(text, version)


def make_files(tree: Path, version: str, notes: str) -> list[Path]:
    """Wheel, archive for the image and notes in `dist/`, with their checksums."""
    shutil.rmtree(DIST, ignore_errors=True)
    DIST.mkdir()
    with step("front end") as done:
        done(frontend.build())
    with step("wheel") as done:
        package_viewer(tree)
        uv = [os.fspath(Path(sys.executable).with_name("uv")), "build", "-q", "--python", sys.executable]
        run([*uv, "--wheel", "--no-build-isolation", "--out-dir", os.fspath(DIST), os.fspath(tree)], tree)
        (wheel,) = DIST.glob("*.whl")
        done(try_wheel(wheel, version))
    with step("image") as done:
        archive = DIST / f"scorebook-{version}-image.tar.gz"
        git("archive", f"--prefix=scorebook-{version}/", f"--output={archive}", "HEAD", *IMAGE, folder=tree)
        done("for `docker compose build`")
    with step("notes") as done:
        text = DIST / f"scorebook-{version}-notes.md"
        text.write_text(f"{notes}\n")
        done(f"{len(re.findall('^- ', notes, re.MULTILINE))} entries")
    files = [wheel, archive, text]
    sums = DIST / "SHA256SUMS"
    sums.write_text("".join(f"{hashlib.sha256(each.read_bytes()).hexdigest()}  {each.name}\n" for each in files))
    return [*files, sums]


def package_viewer(tree: Path) -> None:
    """Puts the viewer into the package that makes pages of it: a wheel has no front end."""
    viewer = tree / "replays" / "export" / "viewer"
    shutil.copytree(frontend.FOLDER / "dist" / "onepage", viewer)
    shutil.copytree(frontend.FOLDER / "static" / "css", viewer, dirs_exist_ok=True)
    shutil.copy(frontend.FOLDER / "dist" / "licences.md", viewer)


def try_wheel(wheel: Path, version: str) -> str:
    """Installs the wheel beside everything else, and asks its command for the version; returns the answer."""
    folder = LOCAL / "release" / "wheel"
    uv = [os.fspath(Path(sys.executable).with_name("uv")), "pip", "install", "-q", "--no-deps", "--offline"]
    run([*uv, "--python", sys.executable, "--target", os.fspath(folder), os.fspath(wheel)], ROOT)
    command = [sys.executable, "-P", "-m", "games.bots.sdk", "--version"]
    process = run(command, folder, {**os.environ, "PYTHONPATH": os.fspath(folder)})
    if process != f"scorebook-bot {version}":
        raise Trouble(f"The wheel's command says {process!r}, which is not version {version}.")
    return process


@contextmanager
def worktree() -> Iterator[Path]:
    """A checkout of what is committed, gone afterwards."""
    home = LOCAL / "release"
    remove_worktree(home)
    git("worktree", "add", "--quiet", "--detach", os.fspath(home / "tree"))
    try:
        yield home / "tree"
    finally:
        remove_worktree(home)


def remove_worktree(home: Path) -> None:
    shutil.rmtree(home, ignore_errors=True)
    git("worktree", "prune")


def git(*arguments: str, folder: Path | None = None) -> str:
    return run(["git", *arguments], folder or ROOT)


def run(command: Sequence[str], folder: Path, environment: dict[str, str] | None = None) -> str:
    """What the command prints; Trouble with its own words if it fails."""
    ran = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if ran.returncode:
        raise Trouble(f"{' '.join(command[:3])} … failed:\n{(ran.stderr or ran.stdout).strip()}")
    return ran.stdout.strip()
