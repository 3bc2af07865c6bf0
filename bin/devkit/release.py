"""`bin/dev release VERSION` runs all checks, then makes a commit, a tag and the files of a release in `dist/`.

    --dry-run     makes the files without commit and tag; no tests, no new screenshots
    --no-tests    for a commit that has just passed the tests

The commit is made in its own worktree, so that a release that cannot be built changes nothing. Nothing is pushed.
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

from devkit import checks, frontend, pictures, tests, wheel
from devkit.console import Trouble, step
from devkit.paths import LOCAL, ROOT

DIST = ROOT / "dist"
VERSION_FILE = "games/library/scorebook_games/__init__.py"
CHANGELOG = "CHANGELOG.md"
PICTURES = "docs/pictures"
BRANCH = "main"
OPTIONS = {"--dry-run", "--no-tests"}
VERSION = re.compile(r"\d+\.\d+\.\d+")
UNRELEASED = "## [Unreleased]\n"
# The files for building and starting the image. The archive has nothing else.
IMAGE = (
    *("Containerfile", ".dockerignore", "compose.yaml", "bin/secrets", "requirements/app.txt", "manage.py"),
    *("requirements/dev.txt", "bin/devkit", "tests/scorebook_games/kinds"),
    *("pyproject.toml", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "NOTICE", "docs", "locale", "frontend"),
    *("config", "games", "replays", "tournaments"),
)


def release(arguments: Sequence[str]) -> int:
    """Make a release. Return the exit code of checks or tests if they fail, else 0."""
    options = {argument for argument in arguments if argument.startswith("-")}
    versions = [argument for argument in arguments if argument not in options]
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
        if not dry:
            take_pictures(tree)
        git("add", "--all", folder=tree)
        git("commit", "--quiet", "--message", f"Release {version}", folder=tree)
        files = make_files(tree, version, notes)
        if not dry:
            commit = git("rev-parse", "HEAD", folder=tree)
            git("merge", "--quiet", "--ff-only", commit)
            git("tag", "--annotate", f"v{version}", "--message", f"Scorebook {version}\n\n{notes}", commit)
    print("\n" + "\n".join(f"  {file.relative_to(ROOT)}" for file in files))
    if dry:
        print(f"\nThis was a trial: {BRANCH} is as it was, and there is no tag v{version}.")
    else:
        print(f"\nTagged v{version}. To publish it: git push --atomic origin {BRANCH} v{version}")
    return 0


def check_tree(version: str) -> None:
    """Raise `Trouble` unless the branch can be released as `version`."""
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
    """Return the text below the heading of that version, or of "Unreleased"; "" if it has no entry."""
    found = re.search(rf"^## \[{re.escape(title)}\][^\n]*\n(.*?)(?=^## |\Z)", changelog, re.MULTILINE | re.DOTALL)
    text = found[1].strip() if found else ""
    return text if re.search(r"^- ", text, re.MULTILINE) else ""


def write_version(tree: Path, version: str, day: date) -> str:
    """Write the version into its module, and turn the unreleased changes into its own; return them."""
    module, changelog = tree / VERSION_FILE, tree / CHANGELOG
    source, replaced = re.subn(r'^__version__ = "[^"]*"', f'__version__ = "{version}"', module.read_text(), flags=re.M)
    if replaced != 1:
        raise Trouble(f"{VERSION_FILE} has no line __version__.")
    module.write_text(source)
    text = changelog.read_text().replace(UNRELEASED, f"{UNRELEASED}\n## [{version}] - {day.isoformat()}\n", 1)
    changelog.write_text(text)
    return notes_of(text, version)


def take_pictures(tree: Path) -> None:
    """Take the screenshots of README and tutorials again, and move them into the release. Raises `Trouble`."""
    try:
        if pictures.pictures([]):
            raise Trouble("bin/dev pictures failed. If a label of a tutorial has changed, change the tutorial.")
        shutil.copytree(ROOT / PICTURES, tree / PICTURES, dirs_exist_ok=True)
    finally:
        git("restore", PICTURES)


def make_files(tree: Path, version: str, notes: str) -> list[Path]:
    """Make wheels, archive for the image, notes and checksums in `dist/`; return their paths."""
    shutil.rmtree(DIST, ignore_errors=True)
    DIST.mkdir()
    with step("front end") as done:
        done(frontend.build())
    with step("library's wheel") as done:
        library = wheel.build(tree, DIST)
        done(wheel.first_game(library))
    with step("platform's wheel") as done:
        package_viewer(tree)
        out = os.fspath(LOCAL / "release" / "wheel")
        run([*wheel.BUILD, "--out-dir", out, os.fspath(tree)], tree)
        (built,) = Path(out).glob("*.whl")
        platform = Path(shutil.move(built, DIST / built.name))
        done(try_wheels([library, platform], version))
    with step("image") as done:
        archive = DIST / f"scorebook-{version}-image.tar.gz"
        git("archive", f"--prefix=scorebook-{version}/", f"--output={archive}", "HEAD", *IMAGE, folder=tree)
        done("for `docker compose build`")
    with step("notes") as done:
        text = DIST / f"scorebook-{version}-notes.md"
        text.write_text(f"{notes}\n")
        done(f"{len(re.findall('^- ', notes, re.MULTILINE))} entries")
    files = [library, platform, archive, text]
    sums = DIST / "SHA256SUMS"
    sums.write_text("".join(f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in files))
    return [*files, sums]


def package_viewer(tree: Path) -> None:
    """Copy the viewer into the package that exports pages, because a wheel has no front end."""
    viewer = tree / "replays" / "export" / "viewer"
    shutil.copytree(frontend.FOLDER / "dist" / "onepage", viewer)
    shutil.copytree(frontend.FOLDER / "static" / "css", viewer, dirs_exist_ok=True)
    shutil.copy(frontend.FOLDER / "dist" / "licences.md", viewer)


def try_wheels(wheels: Sequence[Path], version: str) -> str:
    """Install the wheels into a folder of their own and ask the command that writes pages for its version; return the
    answer."""
    folder = LOCAL / "release" / "installed"
    uv = [wheel.UV, "pip", "install", "-q", "--no-deps", "--offline", "--python", sys.executable]
    run([*uv, "--target", os.fspath(folder), *map(os.fspath, wheels)], ROOT)
    command = [sys.executable, "-P", "-m", "replays.export.bot_command", "--version"]
    version_line = run(command, folder, {**os.environ, "PYTHONPATH": os.fspath(folder)})
    if version_line != f"scorebook-bot {version}":
        raise Trouble(f"The command of the wheels says {version_line!r}, which is not version {version}.")
    return version_line


@contextmanager
def worktree() -> Iterator[Path]:
    """Provide a checkout of the last commit for the duration of the block."""
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
    """Run a command; return its output. Raises `Trouble` with its errors."""
    ran = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if ran.returncode:
        raise Trouble(f"{' '.join(command[:3])} … failed:\n{(ran.stderr or ran.stdout).strip()}")
    return ran.stdout.strip()
