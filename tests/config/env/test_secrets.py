"""Secrets come only from environment variables or from files that these name. None has a value in the product."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from config.env import variables
from tests.factories.settings import settings_of

ROOT = Path(settings.BASE_DIR)
TABLE = (ROOT / "docs" / "reference" / "settings.md").read_text()
WITHOUT = (
    dict.fromkeys(variables.SECRET_NAMES, "")
    | {f"{name}_FILE": "" for name in variables.SECRET_NAMES}
    | {"SCOREBOOK_AS_OWNER": ""}
)
SHOW = "from config import settings as s; print(*(repr(getattr(s, name)) for name in {names}))"


def started(environment: dict[str, str], *names: str) -> subprocess.CompletedProcess[str]:
    """Start a process of a server with only these secrets. It prints the settings with these names."""
    kept = {**os.environ, "SCOREBOOK_DEBUG": "", **WITHOUT, **environment}
    command = [sys.executable, "-c", SHOW.format(names=names)]
    return subprocess.run(command, env=kept, capture_output=True, text=True, check=False, cwd=ROOT)


@pytest.mark.parametrize("name", variables.SECRET_NAMES)
def test_a_secret_is_what_its_file_holds(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / name.lower()
    file.write_text("s3cret of ours\n")
    monkeypatch.delenv(name, raising=False)
    assert variables.read_secret(name) == ""
    monkeypatch.setenv(f"{name}_FILE", str(file))
    assert variables.read_secret(name) == "s3cret of ours"
    monkeypatch.setenv(name, "another")
    with pytest.raises(ImproperlyConfigured, match=f"Both {name} and {name}_FILE are set") as raised:
        variables.read_secret(name)
    assert "another" not in str(raised.value)


@pytest.mark.parametrize(
    ("content", "why"),
    [(None, "No such file"), (b"", "is empty"), (b" \n", "is empty"), (b"\xff\xfe", "it is not text")],
)
def test_a_file_that_holds_no_secret_is_refused_with_its_name(
    content: bytes | None, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "key"
    if content is not None:
        file.write_bytes(content)
    monkeypatch.delenv("SECRET_KEY", raising=False)
    monkeypatch.setenv("SECRET_KEY_FILE", str(file))
    with pytest.raises(ImproperlyConfigured, match=why) as raised:
        variables.read_secret("SECRET_KEY")
    assert str(file) in str(raised.value)


def test_a_process_reads_them_all_as_files(tmp_path: Path) -> None:
    held = {
        "SECRET_KEY": "k" * 50,
        "DATABASE_APP_URL": "postgresql://app:hush@db:5433/club",
        "CELERY_BROKER_URL": "redis://:hush@redis:6379/0",
        "EMAIL_HOST_PASSWORD": "postman",
        "SCOREBOOK_METRICS_TOKEN": "scrape",
    }
    files = {}
    for name, value in held.items():
        (tmp_path / name).write_text(value)
        files[f"{name}_FILE"] = str(tmp_path / name)
    shown = started(files, *sorted(held, key=lambda name: name == "DATABASE_APP_URL")[:4], "DATABASE_URL")
    assert shown.returncode == 0, shown.stderr
    wanted = [held[name] for name in held if name != "DATABASE_APP_URL"]
    assert shown.stdout.split() == [repr(value) for value in [*wanted, held["DATABASE_APP_URL"]]]


NEEDED = {**WITHOUT, "SCOREBOOK_DEBUG": "", "SECRET_KEY": "k" * 50, "DATABASE_URL": "postgresql://u@db/club"}


@pytest.mark.parametrize("name", ["SECRET_KEY", "DATABASE_URL"])
def test_without_what_it_needs_a_process_does_not_start(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ImproperlyConfigured, match=f"{name} is not set"):
        settings_of(monkeypatch, **{**NEEDED, name: ""})


def test_without_the_others_nothing_is_guarded_by_a_value_that_everybody_knows(monkeypatch: pytest.MonkeyPatch) -> None:
    """By default there is no token and no password, and the broker is the database."""
    made = settings_of(monkeypatch, **NEEDED)
    assert made["SCOREBOOK_METRICS_TOKEN"] == made["EMAIL_HOST_PASSWORD"] == ""
    assert made["CELERY_BROKER_URL"] == "pgmq://localhost"


# Matches text that looks like a secret: the header of a key file, or a word such as `password` with a value.
KEY = re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----")
GIVEN = re.compile(
    rf"^\s*(?:export\s+)?(?:{'|'.join(variables.SECRET_NAMES)})\s*[=:]\s*[\"']?(?P<value>[\w+/:@.-]{{6,}}\(?)",
    re.MULTILINE,
)
PLAIN = re.compile(
    r"only-for-development|only-while-files-are-collected|postgresql:///|secret\(|postgresql://(?:user:password|scorebook)@"
)


def tracked() -> list[Path]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True)
    return [ROOT / name for name in listed.stdout.split("\0") if name and not name.startswith("tests/")]


def test_no_secret_lies_in_the_repository() -> None:
    found = []
    for path in tracked():
        if not path.is_file() or path.suffix in (".png", ".svg", ".woff2", ".ico", ".gz"):
            continue
        text = path.read_text(errors="replace")
        if KEY.search(text):
            found.append(f"{path}: a private key")
        found += [f"{path}: {match[0].strip()}" for match in GIVEN.finditer(text) if not PLAIN.search(match["value"])]
    assert found == []


def test_each_secret_is_told_to_operators_with_its_file() -> None:
    for name in variables.SECRET_NAMES:
        assert f"`{name}`" in TABLE
    assert "`NAME_FILE`" in TABLE
