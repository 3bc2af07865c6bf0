"""Each package that is installed has a licence that goes with Apache-2.0 (ADR 18)."""

from __future__ import annotations

import json
import re
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# MPL holds for single files
PERMISSIVE = {"MIT", "MIT-0", "BSD", "ISC", "Apache", "PSF", "Python", "0BSD", "BlueOak", "CC0", "MPL"}
OLD_METADATA = {"node_modules/svg-tags"}  # MIT, named in a field that npm does not copy into the lock file
WITHOUT_METADATA = {"resvg-py"}  # MIT, by its file LICENSE
LIBRARIES = {"psycopg", "psycopg-binary", "psycopg-pool"}  # LGPL: imported unchanged


def pinned(name: str) -> set[str]:
    """The packages of requirements/NAME.txt that are installed here; those of another platform or Python are not."""
    names = re.findall(r"^([\w.-]+)==", (ROOT / "requirements" / f"{name}.txt").read_text(), re.MULTILINE)
    return {each for each in names if list(metadata.distributions(name=each))}


def licence(package: str) -> str:
    """The licence as the package's metadata name it: an SPDX expression, else its classifiers, else free text."""
    found = metadata.metadata(package).json
    classifiers = [each for each in found.get("classifier", []) if each.startswith("License :: OSI")]
    return str(found.get("license_expression") or " ".join(classifiers) or found.get("license", ""))


def is_permissive(text: str) -> bool:
    """Whether `text` names a licence that we take, and no GPL of any sort."""
    named = {family for family in PERMISSIVE if re.search(rf"\b{family}\b", text)}
    if "Mozilla" in text:
        named.add("MPL")
    return bool(named) and not re.search(r"GPL|General Public", text)


def test_every_python_package_has_a_licence_that_apache_2_allows() -> None:
    packages = (pinned("app") | pinned("dev") | pinned("uv")) - WITHOUT_METADATA
    assert len(packages) > 80
    others = {package: licence(package) for package in packages if not is_permissive(licence(package))}
    assert others.keys() == LIBRARIES
    assert set(others.values()) == {"LGPL-3.0-only"}


def test_every_package_of_the_front_end_has_a_licence_that_apache_2_allows() -> None:
    packages = json.loads((ROOT / "frontend" / "package-lock.json").read_text())["packages"]
    found = {name: each.get("license", "") for name, each in packages.items() if name}
    assert len(found) > 50
    assert {name: text for name, text in found.items() if not is_permissive(text)}.keys() == OLD_METADATA


def test_the_licence_is_the_one_that_the_metadata_name() -> None:
    assert "Apache License\n                           Version 2.0" in (ROOT / "LICENSE").read_text()
    assert 'license = "Apache-2.0"' in (ROOT / "pyproject.toml").read_text()
