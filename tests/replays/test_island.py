"""The island's words: what of its source is collected for translators, and what a page hands to it."""

from __future__ import annotations

import json
import re
import struct
from pathlib import Path

import pytest
from django.conf import settings
from django.test import Client, override_settings
from django.utils import translation

from games.models import Player
from replays import island
from tests.replays.conftest import open_game

SVELTE = """<script lang="ts">
  const words = _("Don’t say \\"no\\"", { names });
</script>
<p class="it's">{here ? _("here") : plain}</p> /* an odd ' and /re"gex/ */
{ngettext(
  "{count} card",
  "{count} cards",
  count,
)} {call("not ours")}
"""


def test_only_calls_of_gettext_are_left_of_a_source_each_in_its_line() -> None:
    lines = island.calls_alone(SVELTE).split("\n")
    assert lines[1] == '_("Don’t say \\"no\\"", 0); '
    assert lines[3] == '_("here", 0); '
    assert re.sub(r"\s+", " ", lines[4]) == 'ngettext( "{count} card", "{count} cards", 0); '
    assert "not ours" not in "".join(lines)


def test_every_call_in_the_island_has_its_text_in_place() -> None:
    """A call with anything but a plain text can be read by nobody who collects the words."""
    for path in (settings.BASE_DIR / "frontend" / "src").rglob("*.*"):
        source = path.read_text()
        if path.name != "gettext.ts":
            assert len(re.findall(r"\b(?:_|ngettext)\((?!\))", source)) == len(island.GETTEXT_CALL.findall(source)), (
                path
            )


def compiled(folder: Path, messages: dict[str, str]) -> None:
    """A compiled catalogue for German, as `msgfmt` writes it: a plural's forms are parted by a zero."""
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


def test_a_page_in_english_needs_no_catalogue() -> None:
    with translation.override("en"):
        assert island.catalogue() is None


def test_a_page_hands_the_readers_language_to_the_island(tmp_path: Path, martha: Player, laura: Player) -> None:
    compiled(tmp_path, {"Your turn": "Du bist dran", "{count} card\0{count} cards": "{count} Karte\0{count} Karten"})
    game = open_game([martha, laura])
    with override_settings(LOCALE_PATHS=[tmp_path], LANGUAGES=[("en", "English"), ("de", "German")]):
        page = Client().get(f"/games/{game.public_id}/", headers={"accept-language": "de"}).content.decode()
    found = re.search(r'<script id="island-words" type="application/json">(.*?)</script>', page)
    assert found
    given = json.loads(found[1])
    assert given["words"]["Your turn"] == "Du bist dran"
    assert given["words"]["{count} card"] == ["{count} Karte", "{count} Karten"]
    assert [given["plurals"][count] for count in (0, 1, 2, 101, 199)] == [1, 0, 1, 1, 1]
    assert '<html lang="de"' in page


@pytest.mark.parametrize("address", ["", "embed/"])
def test_an_english_page_carries_nothing_more(address: str, martha: Player, laura: Player) -> None:
    game = open_game([martha, laura])
    assert b"island-words" not in Client().get(f"/games/{game.public_id}/{address}").content
