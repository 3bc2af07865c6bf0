"""Writes the dataset's Parquet file. Its memory does not grow with the number of games."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import Final, Self

import pyarrow as pa
import pyarrow.parquet as pq

from replays.dataset.table import SCHEMA, Rows

# A row group ends with the games that reach one of these limits.
ROW_GROUP_ROWS: Final = 65_536
ROW_GROUP_BYTES: Final = 64 * 2**20
UNLIKE: Final = "observation"  # the values of this column are all different, so it has no dictionary and no statistics


class DatasetWriter:
    """Writes rows into a file in the given order; the same rows make the same bytes."""

    def __init__(self, path: Path) -> None:
        others = [name for name in SCHEMA.names if name != UNLIKE]
        lists = ["legal_moves.list.element" if name == "legal_moves" else name for name in others]
        self._writer = pq.ParquetWriter(
            path, SCHEMA, compression="zstd", compression_level=1, use_dictionary=lists, write_statistics=lists
        )
        self._held: list[pa.Table] = []
        self._rows = self._bytes = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, sort: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        try:
            if error is None:
                self._flush()
        finally:
            self._writer.close()

    def add(self, rows: Rows) -> None:
        """Add rows; they are written together with the following ones."""
        self._held.append(pa.ipc.open_stream(rows.stream).read_all())
        self._rows += rows.rows
        self._bytes += len(rows.stream)
        if self._rows >= ROW_GROUP_ROWS or self._bytes >= ROW_GROUP_BYTES:
            self._flush()

    def _flush(self) -> None:
        if self._rows:
            self._writer.write_table(pa.concat_tables(self._held), row_group_size=self._rows)
        self._held, self._rows, self._bytes = [], 0, 0
