"""Downloads for authors of bots: the library of games as a wheel and the SDK's files, as they run here."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import zipfile
from functools import cache
from importlib import import_module, metadata
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any, Final

from django.urls import reverse

import scorebook_games
from scorebook_games.bots import sdk
from scorebook_games.registry import KINDS, installed_kinds, is_ours

DISTRIBUTION: Final = "scorebook-games"
SDK_FILES: Final = ("scorebook_bot.py", "remote.py")
PICTURE: Final = ".webp"
SUFFIXES: Final = (".py", ".json", ".mjs", ".md", ".mo", ".svg", PICTURE)
SLIM: Final = "slim"  # in the address of a wheel: without pictures
KIND_SUFFIXES: Final = (*SUFFIXES, ".js", ".css")
# Files that an installation keeps about a distribution and that were in its wheel.
METADATA_FILES: Final = ("METADATA", "WHEEL", "entry_points.txt", "top_level.txt")


def wheel_name() -> str:
    """Return the file name of the wheel, which pip reads: `scorebook_games-0.1.0-py3-none-any.whl`."""
    return f"{DISTRIBUTION.replace('-', '_')}-{metadata.version(DISTRIBUTION)}-py3-none-any.whl"


def kind_wheels() -> dict[str, EntryPoint]:
    """Return the wheels of packages that offer loaded kinds beside the library, by file name, each with one kind.

    A kind in a single module or a namespace has none: in the folder of these are files of others, too.
    """
    points = {}
    for point in installed_kinds():
        if point.name in KINDS and point.dist and not is_ours(point) and package_of(point):
            name = f"{point.dist.name.replace('-', '_')}-{point.dist.version}-py3-none-any.whl"
            points[name] = point
    return dict(sorted(points.items()))


def kit_names() -> tuple[str, ...]:
    """Return the files that can be downloaded, the wheel first."""
    return (wheel_name(), *SDK_FILES, *kind_wheels())


def browser_parts() -> dict[str, Any]:
    """Return from where a page gets Python in the reader's browser: the address of the framed page in which it runs,
    and the addresses of the wheels."""
    addresses = [f"{reverse('kit', args=[name])}?{SLIM}=1" for name in wheels(tuple(KINDS))]
    return {"frame": reverse("lab-frame"), "wheels": addresses}


@cache
def wheels(kinds: tuple[str, ...]) -> list[str]:  # noqa: ARG001  other kinds have other wheels
    """Return the names of the wheels. To find them takes some ms."""
    return [name for name in kit_names() if name.endswith(".whl")]


@cache
def kit_file(name: str, *, slim: bool = False) -> bytes:
    """Return the content of one of `kit_names`; `slim`: a wheel without pictures. Raises `LookupError` for any other
    name."""
    if name == wheel_name():
        return build_wheel(slim=slim)
    if name in SDK_FILES:
        return (package_folder(sdk.__file__) / name).read_bytes()
    point = kind_wheels()[name]
    assert point.dist
    package = package_of(point)
    assert package
    return wheel_of(point.dist, package, name, slim=slim)


def package_of(point: EntryPoint) -> Path | None:
    """Return the folder of the package that a kind comes from; None if it comes from no package with an `__init__`."""
    file = Path(import_module(point.module.partition(".")[0]).__file__ or "")
    return file.parent if file.name == "__init__.py" else None


def build_wheel(*, slim: bool = False) -> bytes:
    """Return the wheel of the library."""
    package = package_folder(scorebook_games.__file__)
    return wheel_of(metadata.distribution(DISTRIBUTION), package, wheel_name(), slim=slim)


def wheel_of(installed: metadata.Distribution, package: Path, wheel: str, *, slim: bool = False) -> bytes:
    """Return a wheel of a package as it runs here, so that a bot meets the same rules at home.

    Equal files give equal bytes. A `slim` one has no pictures, which are two thirds of the library and which Python in
    a browser does not need.
    """
    information = f"{wheel.removesuffix('-py3-none-any.whl')}.dist-info"
    files = {
        f"{package.name}/{path.relative_to(package)}": path.read_bytes()
        for path in sorted(package.rglob("*"))
        if (path.suffix in KIND_SUFFIXES or path.name == "py.typed") and not (slim and path.suffix == PICTURE)
    }
    for path in sorted(installed.files or (), key=str):
        inside = str(path).partition(".dist-info/")[2]
        if inside in METADATA_FILES or inside.startswith("licenses/"):
            files[f"{information}/{inside}"] = path.read_binary()
    record = f"{information}/RECORD"
    files[record] = record_of(files, record)
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
    return content.getvalue()


def record_of(files: dict[str, bytes], record: str) -> bytes:
    """Return the list of a wheel's files with checksum and size, as the binary distribution format requires."""
    lines = io.StringIO()
    rows = csv.writer(lines, lineterminator="\n")
    for name, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        rows.writerow([name, f"sha256={digest}", len(data)])
    rows.writerow([record, "", ""])
    return lines.getvalue().encode()


def package_folder(file: str | None) -> Path:
    """Return the folder of a package, from its `__file__`."""
    assert file
    return Path(file).parent
