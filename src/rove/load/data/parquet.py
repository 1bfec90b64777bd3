"""Parquet: posts where the columns are theirs, records where a column holds text, else one table."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from datetime import date, datetime, time
from decimal import Decimal
from itertools import islice
from typing import cast

import pyarrow as pa
from pyarrow import parquet

from rove.errors import InputError
from rove.load import LOADERS
from rove.load.data.database_schema import cell_text
from rove.load.data.long_table import LongTable, table_documents
from rove.load.data.record import TEXTS, Json, RecordPlace, Records
from rove.load.posts.names import looks_like_posts
from rove.load.text import clean, stem
from rove.records import Document, Source

BATCH_ROWS = 1_000
LOOK_ROWS = 200
PROSE_CHARS = 80  # a column whose texts are this long on average holds what the records say
CURE = "Write it again with the program that made it."


class ParquetLoader:
    """See `Loader`. Read a batch of rows at a time, so that memory does not grow with the file."""

    def load(self, source: Source) -> Generator[Document, None, str]:
        """See `Loader.load`."""
        found = False
        try:
            file = parquet.ParquetFile(pa.BufferReader(source.all_bytes))
            if not file.metadata.num_rows:
                message = f"{source.name!r} has no row."
                raise InputError(message, cure="Give a file with rows, or leave it out.", outcome="empty")
            if looks_like_posts(file.schema_arrow.names):
                return (yield from cast("Generator[Document, None, str]", LOADERS.get("posts")().load(source)))
            for document in _parquet_documents(source, file):
                found = True
                yield document
        except (pa.ArrowException, OSError) as error:
            message = f"{source.name!r} is not a complete parquet file: {str(error).partition(chr(10))[0].rstrip('.')}."
            raise InputError(message, cure=CURE, outcome="partial" if found else "damaged") from error
        return ""


def _parquet_documents(source: Source, file: parquet.ParquetFile) -> Iterator[Document]:
    text = _text_column(file)
    if text:
        entries = (RecordPlace(f"row {n}", _parquet_record(row, text)) for n, row in enumerate(_parquet_rows(file), 1))
        yield from Records(source).documents(entries)
        return
    names = file.schema_arrow.names
    rows = ([cell_text(row[name]) for name in names] for row in _parquet_rows(file))
    yield from table_documents(source, LongTable(stem(source), [clean(name) for name in names], rows))


def _parquet_rows(file: parquet.ParquetFile) -> Iterator[dict[str, object]]:
    for batch in file.iter_batches(batch_size=BATCH_ROWS):  # pyright: ignore[reportUnknownMemberType]
        yield from cast("list[dict[str, object]]", batch.to_pylist())


def _text_column(file: parquet.ParquetFile) -> str:
    """The column that holds what the records say, by its name or by the length of its texts; "" where none does."""
    schema = file.schema_arrow
    texts = [n for n, kind in zip(schema.names, schema.types, strict=True) if str(kind) in {"string", "large_string"}]
    named = next((name for name in TEXTS if name in texts), "")
    if named or not texts:
        return named
    rows = list(islice(_parquet_rows(file), LOOK_ROWS))
    lengths = {name: sum(len(str(row[name] or "")) for row in rows) for name in texts}
    longest = max(texts, key=lambda name: lengths[name])
    return longest if lengths[longest] >= PROSE_CHARS * len(rows) else ""


def _parquet_record(row: dict[str, object], text: str) -> Json:
    """The row as a record; its text goes by a name that a record's text has."""
    values = {name: _parquet_value_to_json(value) for name, value in row.items()}
    return {TEXTS[0]: values.pop(text), **values}


def _parquet_value_to_json(value: object) -> Json:
    if isinstance(value, dict):
        return {str(name): _parquet_value_to_json(inner) for name, inner in cast("dict[object, object]", value).items()}
    if isinstance(value, list | tuple):
        return [_parquet_value_to_json(inner) for inner in cast("list[object]", value)]
    if isinstance(value, datetime | date | time | Decimal | bytes):
        return cell_text(value)
    return value if isinstance(value, str | int | float | bool) or value is None else str(value)
