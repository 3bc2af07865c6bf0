"""A response whose content is a file on disk. The server sends it block by block, so that it is never in memory whole
(`config.http.one_thread`)."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Final

from django.http import StreamingHttpResponse

BLOCK_BYTES: Final = 1 << 18


class DiskFileResponse(StreamingHttpResponse):
    """The file at `path`. It is opened at once, because it may be deleted while it is sent."""

    def __init__(self, path: Path, *, content_type: str, name: str) -> None:
        self.file = path.open("rb")
        self.is_taken = False
        super().__init__(blocks_of(self.file), content_type=content_type)
        self._resource_closers.append(self.close_file)  # type: ignore[attr-defined]  # as FileResponse does
        self.headers["Content-Length"] = str(os.fstat(self.file.fileno()).st_size)
        self.headers["Content-Disposition"] = f'attachment; filename="{name}"'

    def take_file(self) -> BinaryIO:
        """Return the open file, which stays open when the response is closed."""
        self.is_taken = True
        return self.file

    def close_file(self) -> None:
        if not self.is_taken:
            self.file.close()


def blocks_of(file: BinaryIO) -> Iterator[bytes]:
    while block := file.read(BLOCK_BYTES):
        yield block
