"""Lets a process find a package of a kind that is not installed, by a folder with its metadata, as pip writes it."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

PLUGINS = Path(__file__).parent
ROOT = PLUGINS.parents[1]


@pytest.fixture(scope="session")
def environment_with(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], dict[str, str]]:
    """Return a function that returns the environment of a process which finds the package `scorebook-<kind>`."""

    def make(kind: str) -> dict[str, str]:
        source = PLUGINS / f"scorebook-{kind}"
        project = tomllib.loads((source / "pyproject.toml").read_text())["project"]
        site = tmp_path_factory.mktemp("site")
        metadata = site / f"scorebook_{kind}-{project['version']}.dist-info"
        metadata.mkdir()
        (metadata / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
        )
        points = [
            f"[{group}]\n" + "".join(f"{name} = {value}\n" for name, value in offered.items())
            for group, offered in project["entry-points"].items()
        ]
        (metadata / "entry_points.txt").write_text("\n".join(points))
        return {**os.environ, "PYTHONPATH": os.pathsep.join(map(os.fspath, (site, source)))}

    return make
