"""`bin/dev messages` brings the catalogues of translated texts up to date with the sources, and compiles them."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Final

from babel import Locale, UnknownLocaleError

from config.translations import catalogues, unmarked
from devkit.console import Trouble, step

MAX_SHOWN: Final = 20  # faults of catalogues


def messages(arguments: Sequence[str]) -> int:
    """Update the catalogues of all languages, and of those that are named, which may be new."""
    for language in sorted({*catalogues.languages(), *map(checked, arguments)}):
        with step(language) as done:
            written = [catalogues.write(part, language) for part in catalogues.parts()]
            texts = [message for catalogue in written for message in catalogue if message.id]
            missing = sum(not catalogues.is_translated(message) for message in texts)
            done(f"{len(texts)} texts, {missing} to translate")
    catalogues.compile_stale()
    return 0


def checked(language: str) -> str:
    """Return the name of a language, such as "de". Raises `Trouble` for an unknown one."""
    try:
        return str(Locale.parse(language))
    except (UnknownLocaleError, ValueError):
        raise Trouble(f"{language!r} is not the code of a language, such as de or pt_BR.") from None


def check() -> int:
    """Print what is wrong with the catalogues, and which errors are untranslated. Return 1 for any, else 0. For
    `bin/dev check`."""
    found = [*catalogues.all_faults(), *unmarked.faults(catalogues.ROOT)]
    print("\n".join(found[:MAX_SHOWN]))
    if len(found) > MAX_SHOWN:
        print(f"and {len(found) - MAX_SHOWN} more")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(check())
