"""How chunks lie in a table of LanceDB: its columns, its indices, and how it is written anew."""

# LanceDB's own annotations name pandas and polars, which are not installed.
# pyright: reportUnknownMemberType=false

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import lancedb
import numpy as np
import pyarrow as pa
from lancedb.index import FTS, IvfPq, IvfSq
from lancedb.table import AsyncTable

from rove.errors import InputError
from rove.settings import StoreSettings
from rove.store import IndexRow
from rove.store.catalog_rows import slices
from rove.store.lance_fields import KINDS, columns_of

TABLE = "chunks"
FIXED = ("chunk_id", "terms", "vector")
"""The columns that every table has, before those of fields."""
REWRITTEN_ROWS, SCANNED_COLUMNS = 4_096, 256
FULL_TEXT = FTS(
    base_tokenizer="whitespace",
    lower_case=False,
    stem=False,
    remove_stop_words=False,
    ascii_folding=False,
    with_position=False,
)


def empty(dimension: int) -> pa.Schema:
    """The columns of a table without fields."""
    return pa.schema(
        [
            pa.field("chunk_id", pa.string(), nullable=False),
            pa.field("terms", pa.string(), nullable=False),
            pa.field("vector", pa.list_(pa.float32(), dimension), nullable=False),
        ]
    )


def vector_index(settings: StoreSettings) -> IvfPq | IvfSq:
    """The index of vectors that the settings want."""
    partitions = settings.num_partitions or None
    if settings.vector_index == "ivf_sq":
        return IvfSq(distance_type="cosine", num_partitions=partitions)
    parts = settings.num_sub_vectors or None
    return IvfPq(distance_type="cosine", num_partitions=partitions, num_sub_vectors=parts)


async def rows_for(table: AsyncTable, rows: Sequence[IndexRow], dimension: int) -> pa.Table:
    """Lay rows out as the table's columns, and add the columns that it does not have yet."""
    fields = [columns_of(row.fields) for row in rows]
    wanted = {name for row in fields for name in row}
    schema = await table.schema()
    missing = sorted(wanted.difference(schema.names))
    if missing:
        await table.add_columns(pa.schema([pa.field(name, KINDS[name[-1]]) for name in missing]))
        schema = await table.schema()
    vectors = np.stack([row.vector for row in rows]).astype(np.float32, copy=False)
    if not np.isfinite(vectors).all():
        message = "A vector holds a number that is not finite."
        raise InputError(message, cure="Check the embedder.")
    arrays: dict[str, pa.Array[Any]] = {
        "chunk_id": pa.array([row.chunk_id for row in rows]),
        "terms": pa.array([row.terms for row in rows]),
        "vector": pa.FixedSizeListArray.from_arrays(pa.array(vectors.reshape(-1)), dimension),
    }
    for name in schema.names[len(arrays) :]:
        arrays[name] = pa.array([row.get(name) for row in fields], KINDS[name[-1]])
    return pa.Table.from_arrays([arrays[name] for name in schema.names], schema=schema)


def rewrite(folder: Path) -> None:
    """Write what a table holds into a new one, without columns of fields that nothing has any more. Blocks."""
    connection = lancedb.connect(folder)
    table = connection.open_table(TABLE)

    def left(names: Sequence[str]) -> Iterator[pa.RecordBatch]:
        yield from table.search().select(list(names)).limit(table.count_rows()).to_batches(REWRITTEN_ROWS)

    names = table.schema.names
    fields = names[len(FIXED) :]
    # A column is named after a field, perhaps of erased documents only: columns that hold nothing go.
    for some in slices(fields, SCANNED_COLUMNS):
        unused = set(some)
        for batch in left(some):
            unused.difference_update(name for name in tuple(unused) if batch[name].null_count < len(batch))
        names = [name for name in names if name not in unused]
    kept: list[pa.Field[Any]] = [table.schema.field(name) for name in names]
    schema = pa.schema(kept)
    reader = pa.RecordBatchReader.from_batches(schema, left(names))
    connection.create_table(TABLE, reader, mode="overwrite")
