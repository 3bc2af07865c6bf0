"""Checks a bot's file before anybody runs it: it must be text and not too long. Pure; nothing is parsed or imported."""

from __future__ import annotations

from typing import Final

MAX_SOURCE_BYTES: Final = 256 * 1024

# The first bytes of files that are not text, and what such files are.
_SIGNS: Final = (
    (b"PK", "a ZIP archive"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"BZh", "a bzip2 archive"),
    (b"\xfd7zXZ", "an xz archive"),
    (b"\x7fELF", "a compiled program"),
    (b"\x80", "a pickle"),
    (b"\xff\xfe", "UTF-16"),
    (b"\xfe\xff", "UTF-16"),
)


class BadSource(Exception):
    """A file that is refused. `code` is for programs; the text is a sentence for its author."""

    def __init__(self, code: str, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code
        self.sentence = sentence


def check_source(source: bytes) -> str:
    """Return the text of a bot's file. Raises `BadSource` with the code empty, too_large, not_text or null_byte."""
    if not source.strip():
        raise BadSource("empty", "The file is empty. Send the Python file that holds your class Bot.")
    if len(source) > MAX_SOURCE_BYTES:
        raise BadSource("too_large", f"The file has {len(source)} bytes or more. The maximum is {MAX_SOURCE_BYTES}.")
    for sign, what in _SIGNS:
        if source.startswith(sign):
            raise BadSource("not_text", f"The file is {what}. Send one Python file, as UTF-8 text.")
    if b"\x00" in source:
        raise BadSource("null_byte", f"The file has a null byte at {source.index(0)}. Send it as UTF-8 text.")
    try:
        return source.decode("utf-8")
    except UnicodeDecodeError as error:
        sentence = f"The file is not UTF-8: byte {error.start} can't be read. Save it as UTF-8."
        raise BadSource("not_text", sentence) from error
