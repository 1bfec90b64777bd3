"""Rows of parquet files, read one group of them after the other."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet

from rove.evaluate.dataset.dataset_lines import DatasetRow, bad


def read_rows(path: Path) -> Iterator[DatasetRow]:
    """Yield a record from each row of a parquet file.

    Raises:
        InputError: it is no parquet file.
    """
    try:
        with pyarrow.parquet.ParquetFile(path) as file:
            number = 0
            for group in range(file.num_row_groups):
                for values in file.read_row_group(group).to_pylist():  # pyright: ignore[reportUnknownMemberType]
                    number += 1
                    yield DatasetRow(f"{path}:{number}", values)
    except (pyarrow.ArrowException, OSError) as error:
        raise bad(str(path), f"this is not a parquet file ({error})", "Write it anew.") from error
