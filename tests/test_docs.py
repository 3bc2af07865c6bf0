"""The documents name everything there is to name: commands, settings, events, addresses of the API."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import tomllib
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from config.docs.documents import render_markdown
from config.env import registry
from config.management.commands.write_documents import WRITERS
from scorebook_games import __version__
from scorebook_games.bots.sdk import remote
from scorebook_games.cli import command as kit
from scorebook_games.gamelog import events as table_events
from scorebook_games.kinds import palace, plate_spinner, platinum_fish
from scorebook_games.kinds.chinese_ten import rules as chinese_ten
from scorebook_games.kinds.plates import rules as plates
from tests.assertions.environment_variables import read_in

ROOT = Path(__file__).resolve().parents[1]
SOURCES = [path for app in ("bin", "config", "games", "replays", "tournaments") for path in (ROOT / app).rglob("*.py")]

MARKDOWN = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]


def document(name: str) -> str:
    return (ROOT / name).read_text()


def unnamed(names: set[str], text: str) -> list[str]:
    """Those that the text does not name in code's type."""
    return sorted(name for name in names if not re.search(rf"`{re.escape(name)}[`\s]", text))


def test_every_management_command_is_documented() -> None:
    commands = {
        path.stem for app in SOURCES for path in [app] if path.parent.name == "commands" and path.stem != "__init__"
    }
    assert {"demo", "verify", "rebuild"} <= commands
    assert unnamed(commands, document("docs/reference/commands.md")) == []


def test_the_settings_are_those_that_the_sources_read() -> None:
    """config/env/registry.py lists them."""
    listed = {each.name for each in registry.VARIABLES}
    read = {name for path in SOURCES for name in read_in(path)}
    assert {"DATABASE_URL", "SECRET_KEY", "PORT", "SCOREBOOK_DRAIN_SECONDS"} <= read
    assert sorted(read - listed - {"PATH"}) == []
    # Shell and Compose read some, the demo puts two together from the names of its logins.
    others = "".join(map(document, ("bin/dev", "bin/part", "compose.yaml", "bin/devkit/__main__.py")))
    made = {"SCOREBOOK_ORGANISER_PASSWORD", "SCOREBOOK_ADMIN_PASSWORD"}
    assert sorted(name for name in listed - read - made if name not in others) == []


def test_the_default_of_a_setting_is_the_one_that_the_code_has() -> None:
    defaults = {each.name: each.default for each in registry.VARIABLES}
    found = re.findall(r'environ\.get\("(\w+)"(?:, "([^"]*)")?\) ?(?:or "(\w+)")?', document("config/settings.py"))
    had = {name: first or second for name, first, second in found if first or second}
    assert len(had) > 10
    assert had.pop("EMAIL_HOST") == "localhost"  # never used: without it mail goes to the log
    assert {name: default for name, default in had.items() if default != defaults[name]} == {}


def test_every_command_of_the_kit_in_the_documents_is_one_that_it_takes() -> None:
    lines = [
        line.strip()
        for path in (*(ROOT / "docs").rglob("*.md"), ROOT / "README.md")
        for line in path.read_text().splitlines()
        if re.match(r"    .*scorebook-bot ", line)
    ]
    assert len(lines) > 4
    for line in lines:
        arguments = shlex.split(line.partition("scorebook-bot ")[2])
        if arguments[0] == "remote":
            remote.parser().parse_args(arguments[1:])
            continue
        given = kit.parser().parse_args(arguments)
        for game in [given.game] if arguments[0] == "replay" else []:
            assert game.startswith("https://") or game.endswith(".json"), line


def test_every_type_of_event_is_documented() -> None:
    table = {value for value in vars(table_events).values() if isinstance(value, str) and re.fullmatch(r"@\w+", value)}
    assert {"@opened", "@ended"} <= table
    assert unnamed(table, document("docs/reference/events.md")) == []


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("### Chinese Ten", re.findall(r'^``\["(\w+)"', chinese_ten.__doc__ or "", re.MULTILINE)),
        ("### Palace", re.findall(r'^``\["(\w+)"', palace.__doc__ or "", re.MULTILINE)),
        ("### Plate Spinner", re.findall(r'^``\["(\w+)"', plate_spinner.__doc__ or "", re.MULTILINE)),
        ("### Platinum Fish", re.findall(r'^``\["(\w+)"', platinum_fish.__doc__ or "", re.MULTILINE)),
        ("### Plates", re.findall(r"^(\w+) +\[", plates.__doc__ or "", re.MULTILINE)),
    ],
)
def test_every_event_that_an_engine_tells_of_is_documented(title: str, expected: list[str]) -> None:
    part = document("docs/reference/events.md").partition(title)[2].partition("\n#")[0]
    assert {"dealt", "set"} & set(expected)
    assert unnamed(set(expected), part) == []


@pytest.mark.parametrize("file", WRITERS, ids=lambda file: file.name)
def test_a_document_is_as_it_is_written_from_the_code(file: Path) -> None:
    """`bin/dev manage write_documents` writes it."""
    assert file.read_text() == WRITERS[file]()


def test_the_addresses_of_the_api_name_their_parameters() -> None:
    text = document("docs/reference/api-addresses.md")
    assert "| `games/<public_id>/events/` | `?frames`, `?since`, `?stay`, `?viewpoint` |" in text


def test_every_link_of_a_document_leads_to_a_file_and_to_a_heading_of_it() -> None:
    """Links within the project: of the documents, and of the pages at the root such as CONTRIBUTING.md."""
    wrong = []
    for page in MARKDOWN:
        for link in links_of(page):
            if re.match(r"[a-z]+:", link):
                continue
            target, _mark, anchor = link.partition("#")
            path = (page.parent / target).resolve() if target else page
            if not path.exists() or (anchor and f'id="{anchor}"' not in render_markdown(path, 0)[1]):
                wrong.append(f"{page.relative_to(ROOT)} links {link}")
    assert wrong == []


def test_every_file_and_every_name_of_a_module_that_is_quoted_is_there() -> None:
    """In documents and docstrings: `tests/test_docs.py`, `games.eventlog.store.append`; system checks such as
    `games.E001` aside."""
    quoted = re.compile(r"`((?:bin|config|docs|games|replays|tests|tournaments)[/.](?!E\d)[\w./]*\w)`")
    gone = [
        f"{page.relative_to(ROOT)} names {name}"
        for page in [*MARKDOWN, *SOURCES]
        for name in quoted.findall(page.read_text())
        if not (ROOT / name).exists() and not is_python_name(ROOT / name.replace(".", "/"))
    ]
    assert gone == []


def is_python_name(path: Path) -> bool:
    """Whether that is a package or a module, or what a module, a class of it or an app's tasks mention."""
    module = path.parent
    holders = (module.with_suffix(".py"), module / "__init__.py", module / "tasks.py", module.parent.with_suffix(".py"))
    return (
        path.exists()
        or path.with_suffix(".py").exists()
        or any(holder.exists() and re.search(rf"\b{path.name}\b", holder.read_text()) for holder in holders)
    )


def links_of(page: Path) -> list[str]:
    """The targets of the page's links and pictures."""
    tokens = MarkdownIt("commonmark").enable("table").parse(page.read_text())
    inside = [child for token in tokens for child in token.children or ()]
    return [str(token.attrs[name]) for token in inside for name in ("href", "src") if name in token.attrs]


def test_the_labels_that_a_tutorial_names_are_those_of_the_pages() -> None:
    """Each stands in bold type. `bin/dev pictures` clicks through two of the tutorials by the same labels."""
    pages = [
        *SOURCES,
        *(path for app in ("config", "games", "replays", "tournaments") for path in (ROOT / app).rglob("*.html")),
        *(ROOT / "frontend" / "src").rglob("*.svelte"),
    ]
    written = "".join(path.read_text() for path in pages)
    gone = [
        f"{tutorial.name}: {label}"
        for tutorial in (ROOT / "docs" / "tutorials").glob("*.md")
        for label in re.findall(r"\*\*([^*]+)\*\*", tutorial.read_text())
        if not re.search(rf"[\"'>]{re.escape(label)}[\"'<.:]", written)
    ]
    assert gone == []


def test_no_line_of_prose_is_longer_than_120_characters() -> None:
    """Tables and code may be wider."""
    long = []
    for page in MARKDOWN:
        within_code = False
        for number, line in enumerate(page.read_text().splitlines(), 1):
            within_code ^= line.startswith("```")
            if len(line) > 120 and not within_code and not line.startswith(("|", "    ")):
                long.append(f"{page.relative_to(ROOT)}:{number} has {len(line)} characters")
    assert long == []


def test_the_readme_names_the_two_commands() -> None:
    for command in ("bin/dev up", "bin/dev test"):
        assert command in document("README.md")


def test_the_version_stands_in_one_place(capsys: pytest.CaptureFixture[str]) -> None:
    """In the library; the package of the front end, which nobody publishes, has none."""
    assert re.search(
        r'^__version__ = "\d+\.\d+\.\d+"', document("games/library/scorebook_games/__init__.py"), re.MULTILINE
    )
    for project in ("pyproject.toml", "games/library/pyproject.toml"):
        assert "version" not in tomllib.loads(document(project))["project"]
    assert "version" not in json.loads(document("frontend/package.json"))
    with pytest.raises(SystemExit):
        kit.main(["--version"])
    assert capsys.readouterr().out == f"scorebook-bot {__version__}\n"


def test_the_changelog_has_one_short_line_for_each_entry() -> None:
    """As https://keepachangelog.com has it; `bin/dev release` takes a version's part as its notes."""
    head, *parts = re.split(r"^## ", document("CHANGELOG.md"), flags=re.MULTILINE)
    assert head.startswith("# Changelog\n")
    assert parts[0].startswith("[Unreleased]\n")
    for part in parts:
        title, *lines = part.splitlines()
        assert re.fullmatch(r"\[Unreleased\]|\[\d+\.\d+\.\d+\] - \d{4}-\d\d-\d\d", title)
        assert [line for line in lines if len(line) > 120 or line.startswith((" ", "--"))] == []
        assert len(set(lines) - {""}) == len([line for line in lines if line])  # two branches may add the same
        sections = {line for line in lines if line.startswith("### ")}
        assert sections <= {
            f"### {each}" for each in ("Added", "Changed", "Deprecated", "Removed", "Fixed", "Security")
        }


def test_every_pattern_for_git_is_of_a_file_that_there_is() -> None:
    patterns = [line.split()[0] for line in document(".gitattributes").splitlines() if line and line[0] not in "#*"]
    assert "requirements/*.txt" in patterns
    for pattern in patterns:
        command = ["git", "ls-files", "--", f":(glob){pattern}"]
        assert subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout, pattern


def test_no_document_or_source_names_a_registry_of_packages() -> None:
    """Pinned files come without an index, and the lock of the front end without addresses."""
    pinned = [*(ROOT / "requirements").glob("*"), ROOT / "frontend" / "package-lock.json", ROOT / "pyproject.toml"]
    assert [
        path.name for path in pinned if re.search(r"https?://[^\s\"]*(pypi|npmjs|registry)", path.read_text())
    ] == []


# Of PostgreSQL, kombu and `ipaddress`; and the names of agents, which are made from a number.
NAMES_OF_OTHERS = {"max_connections", "drain_events", "is_global", "seat_0", "seat_1"}


def test_names_in_docstrings_and_comments_are_those_of_the_code() -> None:
    """What names something that was renamed or removed is no longer true."""
    known, named = set(NAMES_OF_OTHERS), set()
    for path in SOURCES:
        text = path.read_text()
        named |= {(f"{path.relative_to(ROOT)}", name) for name in re.findall(r"`(\w+_\w+)`", text)}
        known |= {path.stem, path.parent.name, *re.findall(r"\w+", re.sub(r"`\w+`", "", text))}
    assert sorted((where, name) for where, name in named if name not in known) == []
