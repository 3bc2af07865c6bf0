"""Turns an uploaded file into text, whichever of the usual encodings a spreadsheet has chosen."""

from __future__ import annotations

import codecs
import re
from typing import Final

from django.utils.translation import gettext as _

from tournaments.importexport.values import bad_file_error

UTF_16_MARKS: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
# What spreadsheets save as their own: ZIP (xlsx, ods, numbers) and OLE (xls).
SPREADSHEET_MARKS: Final = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")
CONTROL_CHARACTER: Final = re.compile("[\0-\b\x0e-\x1f\x7f]")


def decode_file(body: bytes) -> tuple[str, str]:
    """Return the text of a file, and its encoding if that was guessed, else "". Raises `DomainError` bad_file (400)."""
    if body.startswith(SPREADSHEET_MARKS):
        raise bad_file_error(
            _(
                "This is a spreadsheet or an archive. Save the table as text: in Excel Save As, CSV UTF-8; in "
                "LibreOffice Save As, Text CSV; in Google Sheets Download, CSV."
            )
        )
    text, guessed = _decoded(body)
    if text is None or CONTROL_CHARACTER.search(text):
        raise bad_file_error(_("This is not a text file. Send a CSV or JSON file in UTF-8."))
    return text, guessed


def _decoded(body: bytes) -> tuple[str | None, str]:
    """Return the text, None if it is none, and its guessed encoding. Excel writes "Unicode Text" in UTF-16, and "CSV"
    in Western Europe in Windows-1252, without a mark."""
    for encoding in ("utf-16",) if body.startswith(UTF_16_MARKS) else ("utf-8-sig", "windows-1252"):
        try:
            return body.decode(encoding), "Windows-1252" if encoding == "windows-1252" else ""
        except UnicodeDecodeError:
            continue
    return None, ""
