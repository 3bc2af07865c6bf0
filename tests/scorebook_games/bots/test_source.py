"""The checks of a bot's file before it runs: its encoding, its length, and the reason of each refusal."""

from __future__ import annotations

import io
import pickle
import zipfile

import pytest

from scorebook_games.bots.source import MAX_SOURCE_BYTES, BadSource, check_source

BOT = "class Bot:\n    def move(self, view, legal):\n        return legal[0]  # ♠\n"


def zipped() -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("bot.py", b"0" * 10_000_000)
    return made.getvalue()


def test_a_text_is_taken_as_it_is() -> None:
    assert check_source(BOT.encode()) == BOT
    assert check_source(b"#" * MAX_SOURCE_BYTES) == "#" * MAX_SOURCE_BYTES


@pytest.mark.parametrize(
    ("source", "code", "words"),
    [
        (b"", "empty", "The file is empty"),
        (b" \n\t\n", "empty", "The file is empty"),
        (b"#" * (MAX_SOURCE_BYTES + 1), "too_large", "262145 bytes or more. The maximum is 262144."),
        (zipped(), "not_text", "a ZIP archive"),
        (b"\x1f\x8b\x08\x00", "not_text", "a gzip archive"),
        (pickle.dumps({"a": 1}), "not_text", "a pickle"),
        (b"\x7fELF\x02\x01", "not_text", "a compiled program"),
        (BOT.encode("utf-16"), "not_text", "UTF-16"),
        (BOT.encode("utf-16-le"), "null_byte", "a null byte at 1"),
        (b"x = 1\n\x00", "null_byte", "a null byte at 6"),
        ("x = 'ä'\n".encode("latin-1"), "not_text", "byte 5 can't be read"),
    ],
)
def test_what_is_no_text_is_refused_by_name(source: bytes, code: str, words: str) -> None:
    with pytest.raises(BadSource) as bad:
        check_source(source)
    assert bad.value.code == code
    assert words in bad.value.sentence
