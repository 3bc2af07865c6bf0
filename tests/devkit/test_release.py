"""`bin/dev release` in a separate repository. A test on a clone makes the wheel and the archive."""

from __future__ import annotations

import re
import subprocess
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from devkit import checks, pictures, release, tests
from devkit.console import Trouble
from scorebook_games import __version__

CHANGELOG = (
    "# Changelog\n\n## [Unreleased]\n\n### Added\n- A sixth game.\n\n## [0.1.0] - 2026-11-23\n\n### Added\n- All.\n"
)
PICTURE = f"{release.PICTURES}/standings.png"
Git = Callable[..., str]


@pytest.fixture
def git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Git:
    """Create a repository with one release, and let the command work on it. Return a function that runs git there."""

    def run(*arguments: str) -> str:
        named = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
        return subprocess.run(
            ["git", *named, *arguments], cwd=tmp_path, capture_output=True, text=True, check=True
        ).stdout

    (tmp_path / release.VERSION_FILE).parent.mkdir(parents=True)
    (tmp_path / release.VERSION_FILE).write_text('"""Games."""\n\n__version__ = "0.1.0"  # the only place\n')
    (tmp_path / "CHANGELOG.md").write_text(CHANGELOG)
    (tmp_path / PICTURE).parent.mkdir(parents=True)
    (tmp_path / PICTURE).write_text("old")
    (tmp_path / ".gitignore").write_text(".local/\n")
    run("init", "--quiet", "--initial-branch", "main")
    run("config", "user.name", "A")
    run("config", "user.email", "a@example.org")
    run("add", "--all")
    run("commit", "--quiet", "--message", "Begin")
    run("tag", "v0.1.0")
    for name, path in {"ROOT": tmp_path, "LOCAL": tmp_path / ".local", "DIST": tmp_path / "dist"}.items():
        monkeypatch.setattr(release, name, path)
    monkeypatch.setattr(pictures, "pictures", lambda _arguments: (tmp_path / PICTURE).write_text("new") - 3)
    monkeypatch.setattr(checks, "check", lambda _arguments: 0)
    monkeypatch.setattr(tests, "test", lambda _arguments: 0)
    monkeypatch.setattr(release, "make_files", lambda *_arguments: [])
    return run


def test_a_release_is_a_commit_with_version_and_notes_and_a_tag(git: Git) -> None:
    assert release.release(["0.2.0"]) == 0
    assert git("log", "--format=%s", "-1") == "Release 0.2.0\n"
    assert '__version__ = "0.2.0"  # the only place' in git("show", f"v0.2.0:{release.VERSION_FILE}")
    changelog = git("show", "v0.2.0:CHANGELOG.md")
    assert release.notes_of(changelog, "0.2.0") == "### Added\n- A sixth game."
    assert release.notes_of(changelog, "Unreleased") == ""
    assert release.notes_of(changelog, "0.1.0") == "### Added\n- All."
    assert "- A sixth game." in git("tag", "--list", "--format=%(contents)", "v0.2.0")
    assert git("show", f"v0.2.0:{PICTURE}") == "new"
    assert git("status", "--porcelain") == ""
    assert len(git("worktree", "list").splitlines()) == 1


def test_a_trial_leaves_branch_and_tags_as_they_are(git: Git) -> None:
    before = git("rev-parse", "main")
    assert release.release(["0.2.0", "--dry-run"]) == 0
    assert (git("rev-parse", "main"), git("tag")) == (before, "v0.1.0\n")
    assert git("status", "--porcelain") == ""


def test_a_release_whose_pictures_fail_changes_nothing(git: Git, monkeypatch: pytest.MonkeyPatch) -> None:
    before = git("rev-parse", "main")
    monkeypatch.setattr(pictures, "pictures", lambda _arguments: 1)
    with pytest.raises(Trouble, match="bin/dev pictures failed"):
        release.release(["0.2.0"])
    assert (git("rev-parse", "main"), git("tag")) == (before, "v0.1.0\n")
    assert git("status", "--porcelain") == ""


def test_what_fails_its_checks_or_tests_is_not_released(git: Git, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tests, "test", lambda arguments: 7 if arguments == ["--all"] else 0)
    assert release.release(["0.2.0"]) == 7
    monkeypatch.setattr(checks, "check", lambda _arguments: 1)
    assert release.release(["0.2.0", "--dry-run"]) == 1
    assert git("tag") == "v0.1.0\n"


@pytest.mark.parametrize(
    ("prepare", "arguments", "sentence"),
    [
        ([], ["0.1.0"], "0.1.0 is already released"),
        ([], ["0.0.9"], "0.1.0 is already released"),
        ([], ["v0.2.0"], "0.2.0 --dry-run"),
        ([], ["0.2.0", "--force"], "0.2.0 --dry-run"),
        ([], [], "0.2.0 --dry-run"),
        ([["switch", "--quiet", "--create", "topic"]], ["0.2.0"], "git switch main"),
        ([["rm", "--quiet", "--cached", "CHANGELOG.md"]], ["0.2.0"], "CHANGELOG.md"),
    ],
)
def test_what_cannot_be_released_is_refused_with_what_to_do(
    git: Git, prepare: list[list[str]], arguments: list[str], sentence: str
) -> None:
    for each in prepare:
        git(*each)
    with pytest.raises(Trouble, match=sentence):
        release.release(arguments)


def test_a_release_without_news_is_refused(git: Git, tmp_path: Path) -> None:
    (tmp_path / "CHANGELOG.md").write_text(CHANGELOG.replace("- A sixth game.\n", ""))
    git("commit", "--quiet", "--all", "--message", "Say nothing")
    with pytest.raises(Trouble, match="no entry under Unreleased"):
        release.release(["0.2.0"])


def test_versions_are_compared_as_numbers() -> None:
    assert max(["0.9.0", "0.10.0"], key=release.as_numbers) == "0.10.0"


@pytest.mark.slow
@pytest.mark.long  # builds a wheel, and the front end if it was changed
def test_the_files_of_a_release_hold_what_they_are_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(release, "DIST", tmp_path / "dist")
    monkeypatch.setattr(release, "LOCAL", tmp_path)
    with release.worktree() as tree:
        library, wheel, archive, notes, sums = release.make_files(tree, __version__, "- A sixth game.")
        needed = re.findall(r"^COPY (?!--from)(.+) \S+$", (tree / "Containerfile").read_text(), re.MULTILINE)
    packed = set(zipfile.ZipFile(wheel).namelist())
    assert {"replays/export/viewer/viewer.js", "replays/export/single_file.html"} <= packed
    assert "scorebook_games/cli/command.py" in zipfile.ZipFile(library).namelist()
    assert not [name for name in packed if name.startswith(("tests/", "frontend/", "bin/", "games/library/"))]
    sources = {name for names in needed for name in names.split()}
    assert {"requirements/app.txt", "LICENSE", "config"} <= sources
    with tarfile.open(archive) as files:
        names = set(files.getnames())
    assert {source for source in sources if f"scorebook-{__version__}/{source}" not in names} == set()
    assert f"scorebook-{__version__}/compose.yaml" in names
    assert notes.read_text() == "- A sixth game.\n"
    assert len(sums.read_text().splitlines()) == 4
