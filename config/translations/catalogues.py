"""The catalogues: for each language and part of the sources one file for translators (`.po`), and what programs read
(`.mo`), which is made from it and not committed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final

from babel.messages import pofile
from babel.messages.catalog import Catalog, Message
from babel.messages.mofile import write_mo

from config.translations.extract import Text, texts_of

ROOT: Final = Path(__file__).resolve().parents[2]
LIBRARY: Final = Path("games/library/scorebook_games")
PAGES: Final = "django"
FRONT_END: Final = "djangojs"
HEADER: Final = "{language} texts of Scorebook. docs/how-to/translate.md tells how this file is kept."
UNFINISHED: Final[frozenset[str]] = frozenset()  # languages in which a text may be missing; readers see it in English
WORD: Final = re.compile(r"[^\W\d_]")
FIELD: Final = re.compile(r"\{[^{}]*\}|%\(\w+\)s|%%")


@dataclass(frozen=True)
class Part:
    """A part of the sources whose texts have a catalogue of their own, in `home`/locale."""

    home: Path
    domain: str
    sources: tuple[tuple[str, str], ...]  # (folder below the root, pattern of files)
    without: tuple[str, ...] = ()  # folders below the root

    def files(self) -> Iterator[Path]:
        """Yield the source files, in order."""
        for folder, pattern in self.sources:
            for path in sorted((ROOT / folder).rglob(pattern)):
                inside = path.relative_to(ROOT).as_posix()
                if not inside.startswith(self.without) and "/migrations/" not in inside:
                    yield path

    @cached_property
    def texts(self) -> dict[Text, list[str]]:
        """The texts with the files in which they stand. One of values alone, such as "{reason}", is no text."""
        found: dict[Text, list[str]] = {}
        for path in self.files():
            inside = path.relative_to(ROOT).as_posix()
            for text in texts_of(path):
                files = found.setdefault(text, [])
                files += [] if inside in files else [inside]
        return {text: files for text, files in found.items() if WORD.search(FIELD.sub("", text.one + text.many))}

    def catalogue(self, language: str) -> Path:
        """Return the path of the file for translators."""
        return ROOT / self.home / "locale" / language / "LC_MESSAGES" / f"{self.domain}.po"


def parts() -> list[Part]:
    """Return all parts: pages, the front end, the library, and each kind of game, which brings its words itself."""
    packages = ("config", "games", "replays", "tournaments")
    kinds = LIBRARY / "kinds"
    return [
        Part(
            Path(),
            PAGES,
            tuple((folder, pattern) for folder in packages for pattern in ("*.py", "*.html", "*.txt")),
            (LIBRARY.as_posix(),),
        ),
        Part(Path(), FRONT_END, (("frontend/src", "*.ts"), ("frontend/src", "*.svelte"))),
        Part(LIBRARY, PAGES, ((LIBRARY.as_posix(), "*.py"),), (kinds.as_posix(),)),
        *(
            Part(folder.relative_to(ROOT), PAGES, ((folder.relative_to(ROOT).as_posix(), "*.py"),))
            for folder in sorted((ROOT / kinds).iterdir())
            if (folder / "kind.py").is_file()
        ),
    ]


def languages() -> list[str]:
    """Return the languages that have catalogues, such as ["de"]."""
    return sorted(path.parents[1].name for path in (ROOT / "locale").glob(f"*/LC_MESSAGES/{PAGES}.po"))


def read(path: Path, language: str) -> Catalog:
    """Return the catalogue in a file; an empty one if there is no such file."""
    if not path.exists():
        return Catalog(locale=language, project="Scorebook", version="1", fuzzy=False)
    with path.open("rb") as file:
        return pofile.read_po(file, locale=language)


def updated(part: Part, language: str) -> Catalog:
    """Return the part's catalogue with exactly the texts of the sources. A translation whose text was changed a little
    is kept and marked as fuzzy, which is not shown."""
    catalogue = read(part.catalogue(language), language)
    template = Catalog(project="Scorebook", version="1", fuzzy=False)
    template.creation_date = catalogue.creation_date  # or every run would change the file
    for text, files in part.texts.items():
        template.add(
            (text.one, text.many) if text.many else text.one,
            locations=[(file, 0) for file in files],
            context=text.context or None,
        )
    catalogue.update(template)
    catalogue.obsolete.clear()
    return catalogue


def write(part: Part, language: str) -> Catalog:
    """Write the part's catalogue, updated; return it."""
    catalogue, path = updated(part, language), part.catalogue(language)
    path.parent.mkdir(parents=True, exist_ok=True)
    catalogue.header_comment = "# " + HEADER.format(language=catalogue.locale.english_name if catalogue.locale else "")
    with path.open("wb") as file:
        pofile.write_po(file, catalogue, width=100, sort_by_file=True, include_lineno=False, ignore_obsolete=True)
    return catalogue


def compile_stale(root: Path = ROOT) -> list[Path]:
    """Compile the catalogues below `root` whose compiled file is missing or older; return them."""
    made = []
    for path in [*root.glob("locale/*/LC_MESSAGES/*.po"), *root.glob("games/library/**/locale/*/LC_MESSAGES/*.po")]:
        compiled = path.with_suffix(".mo")
        if not compiled.exists() or compiled.stat().st_mtime < path.stat().st_mtime:
            compile_file(path, compiled)
            made.append(path)
    return made


def compile_file(path: Path, compiled: Path) -> None:
    """Compile one catalogue, completely or not at all."""
    with path.open("rb") as file:
        catalogue = pofile.read_po(file, locale=path.parents[1].name)
    fresh = compiled.with_suffix(".mo.new")
    with fresh.open("wb") as file:
        write_mo(file, catalogue)
    fresh.replace(compiled)


# what is wrong with a catalogue


def faults(part: Part, language: str) -> Iterator[str]:
    """Yield what is wrong with a catalogue, in sentences."""
    path = part.catalogue(language).relative_to(ROOT)
    catalogue = read(ROOT / path, language)
    there = {text_of(message): message for message in catalogue if message.id}
    for text in part.texts.keys() - there.keys():
        yield f"{path} misses {text.one!r}, of {part.texts[text][0]}."
    for text in there.keys() - part.texts.keys():
        yield f"{path} has {text.one!r}, which no source has."
    for text in part.texts.keys() & there.keys():
        if language in UNFINISHED and not is_translated(there[text]):
            continue
        if fault := message_fault(text, there[text]):
            yield f"{path}: {text.one!r} {fault}."


def text_of(message: Message) -> Text:
    """Return the English text of a catalogue's message."""
    one, many = (message.id, "") if isinstance(message.id, str) else message.id
    return Text(one, many, message.context or "")


def is_translated(message: Message) -> bool:
    """Return whether a message has a translation that is shown."""
    return not message.fuzzy and bool(message.string) and all(forms_of(message))


def forms_of(message: Message) -> list[str]:
    """Return the translation, or its forms for different counts."""
    return [message.string] if isinstance(message.string, str) else list(message.string or [""])


def message_fault(text: Text, message: Message) -> str:
    """Return what is wrong with a translation, as the end of a sentence; "" for nothing."""
    forms = forms_of(message)
    if not all(forms):
        return "is not translated"
    if message.fuzzy:
        return "is marked as fuzzy: read the translation, correct it, and remove the mark"
    wanted = fields(text.many or text.one)
    if fields(forms[-1]) != wanted or not all(fields(form) <= wanted for form in forms):
        return f"needs the fields {', '.join(sorted(wanted)) or 'none'} in its translation"
    if any(spaces(form) != spaces(text.one) for form in forms):
        return "begins or ends with other spaces than its translation"
    return ""


def fields(text: str) -> set[str]:
    """Return what stands for values in a text."""
    return set(FIELD.findall(text))


def spaces(text: str) -> tuple[str, str]:
    """Return the white space around a text."""
    return text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]


def all_faults(chosen: Iterable[str] | None = None) -> list[str]:
    """Return what is wrong with the catalogues of the chosen languages, or of all."""
    return [
        fault
        for language in chosen or languages()
        for found in (*(faults(part, language) for part in parts()), disagreements(language))
        for fault in found
    ]


def disagreements(language: str) -> Iterator[str]:
    """Yield the texts that two catalogues for pages translate differently: readers would see one of them everywhere."""
    first: dict[Text, list[str]] = {}
    for part in parts():
        if part.domain == PAGES:
            for message in read(part.catalogue(language), language):
                if message.id and first.setdefault(text_of(message), forms_of(message)) != forms_of(message):
                    yield f"{part.home} translates {text_of(message).one!r} differently: give one of them a context."
