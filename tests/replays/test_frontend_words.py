"""The front end's texts: which ones translators get, and which catalogue a page loads."""

from __future__ import annotations

import re
import struct
from pathlib import Path

import pytest
from django.conf import settings
from django.test import Client, override_settings
from django.urls import reverse

from config.translations.extract import front_end_texts
from games.common.words import words_version
from games.models import Player
from tests.replays.conftest import open_game


def test_every_call_in_the_front_end_has_its_text_in_place() -> None:
    """The command for translators does not find a call without a plain text."""
    texts = 0
    for path in (settings.BASE_DIR / "frontend" / "src").rglob("*.*"):
        source = path.read_text()
        if path.name != "gettext.ts":
            calls = re.findall(r"\b(?:_|ngettext)\((?!\))", source)
            assert len(calls) == len(list(front_end_texts(source))), path
            texts += len(calls)
    assert texts


def compiled(folder: Path, messages: dict[str, str]) -> None:
    """Write a compiled catalogue for German, as `msgfmt` does. A zero byte separates plural forms."""
    head = {"": "Content-Type: text/plain; charset=UTF-8\nPlural-Forms: nplurals=2; plural=(n != 1);\n"}
    pairs = sorted((key.encode(), value.encode()) for key, value in (head | messages).items())
    size, texts = len(pairs), b""
    tables: tuple[list[int], list[int]] = ([], [])
    start = 28 + 16 * size
    for side, table in enumerate(tables):
        for pair in pairs:
            table += [len(pair[side]), start + len(texts)]
            texts += pair[side] + b"\0"
    numbers = [0x950412DE, 0, size, 28, 28 + 8 * size, 0, 0, *tables[0], *tables[1]]
    place = folder / "de" / "LC_MESSAGES"
    place.mkdir(parents=True)
    (place / "djangojs.mo").write_bytes(struct.pack(f"<{len(numbers)}I", *numbers) + texts)


def test_a_page_in_another_language_loads_its_catalogue(tmp_path: Path, martha: Player, laura: Player) -> None:
    compiled(tmp_path, {"Your turn": "Du bist dran", "{count} card\0{count} cards": "{count} Karte\0{count} Karten"})
    game = open_game([martha, laura])
    german = {"accept-language": "de"}
    words_version.cache_clear()
    with override_settings(LOCALE_PATHS=[tmp_path], LANGUAGES=[("en", "English"), ("de", "German")]):
        page = Client().get(f"/games/{game.public_id}/", headers=german).content.decode()
        address = re.search(r'<script defer src="(/words/de/\w+\.js)">', page)
        assert address is not None
        catalogue = Client().get(address[1])  # a browser without a language
        former = Client().get(reverse("javascript-catalog", args=["de", "0123456789ab"]))
        unknown = Client().get(reverse("javascript-catalog", args=["xx", "0123456789ab"]))
    assert '<html lang="de"' in page
    given = catalogue.content.decode()
    assert '"Your turn": "Du bist dran"' in given
    assert re.search(r'"{count} card": \[\s*"{count} Karte",\s*"{count} Karten"', given)
    assert "n != 1" in given
    assert catalogue["Cache-Control"] == "max-age=31536000, immutable"
    assert (former["Cache-Control"], former.content) == ("no-cache", catalogue.content)
    assert unknown.status_code == 404


@pytest.mark.parametrize("address", ["", "embed/"])
def test_an_english_page_loads_no_catalogue(address: str, martha: Player, laura: Player) -> None:
    game = open_game([martha, laura])
    assert b"/words/" not in Client().get(f"/games/{game.public_id}/{address}").content
