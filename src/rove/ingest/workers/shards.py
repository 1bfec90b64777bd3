"""Shards: what workers have made, as Parquet files in a folder or an object store, until the base has it.

A row is a document, a page or the end of a source, as the sandbox writes them down, with the vectors and tokens of its
chunks. A shard is there whole or not at all, and its name says what it was made of: to write one twice is no harm.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from secrets import token_hex
from typing import Any, cast

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import fs

from rove.errors import ConfigError, ServiceError
from rove.ingest.workers import Ready
from rove.records import PageRead, Prepared, SourceEnd
from rove.sandbox.messages import encoder, pack, unpack
from rove.store import Vector
from rove.store.catalog_rows import blobs_of, check_vectors, vectors_of
from rove.store.files import PART
from rove.store.private import make_private

FORMAT = "1"
"""Counts up when shards are written otherwise, or hold something else."""
arrow_fs = cast("Any", fs)  # of which the stubs know nothing
SUFFIX = ".parquet"
ROWS = 256
SCHEMA = pa.schema(
    [("item", pa.binary()), ("vectors", pa.list_(pa.binary())), ("tokens", pa.list_(pa.binary()))],
    metadata={"rove.shard": FORMAT},
)
Made = Prepared | PageRead | SourceEnd
Vectors = Mapping[str, Vector]
Tokens = Mapping[str, bytes]


class DamagedShardError(Exception):
    """A shard is not there, or is not what was written."""


class Shards:
    """A folder of shards, in the file system or in an object store. Threads and processes may share one."""

    def __init__(self, address: str) -> None:
        """Take an address that `pyarrow.fs` knows ("s3://bucket/shards?region=…"), or a folder; nothing is made.

        Raises:
            ConfigError: it is no such address.
        """
        self.address = address
        self._files: Any
        self._folder = None if "://" in address else Path(address).absolute()
        try:
            if self._folder:
                self._files, self._at = arrow_fs.LocalFileSystem(), self._folder.as_posix()
            else:
                self._files, self._at = arrow_fs.FileSystem.from_uri(address)
        except (pa.ArrowException, OSError, ValueError) as error:
            message = f"load.shards is {address!r}, which is no place for shards: {error}."
            raise ConfigError(message, cure="Give a folder, or an address as in s3://bucket/shards.") from error

    def __contains__(self, name: str) -> bool:
        return bool(self._files.get_file_info(self._path(name)).type == arrow_fs.FileType.File)

    def write(self, name: str, items: Sequence[Made], vectors: Vectors, tokens: Tokens) -> None:
        """Write a shard, whole or not at all.

        Raises:
            ServiceError: there is no room, or no right to write.
        """
        buffer = pa.BufferOutputStream()
        write = cast("Any", pq).write_table
        write(_shard_table_of_items(items, vectors, tokens), buffer, ROWS, compression="zstd", use_dictionary=False,
              write_page_checksum=True)  # fmt: skip
        try:
            self._put(name, buffer.getvalue())
        except OSError as error:
            message = f"A shard cannot be written to {self.address}: {error}."
            raise ServiceError(message, cure="See that there is room, and the right to write there.") from error

    def read(self, name: str) -> list[Ready | PageRead | SourceEnd]:
        """Read a shard.

        Raises:
            DamagedShardError: it is not there, or not whole.
        """
        try:
            file = self._files.open_input_file(self._path(name))
            with file, cast("Any", pq.ParquetFile)(file, page_checksum_verification=True) as parquet:
                if parquet.schema_arrow.remove_metadata() != SCHEMA.remove_metadata():
                    message = f"the shard {name} has other columns"
                    raise DamagedShardError(message)
                return [item for rows in parquet.iter_batches(ROWS) for item in _shard_items_of_rows(rows.to_pydict())]
        except (pa.ArrowException, OSError, ValueError, ConfigError, msgspec.MsgspecError) as error:
            message = f"the shard {name} cannot be read: {error}"
            raise DamagedShardError(message) from error

    def remove(self, names: Sequence[str]) -> None:
        """Take shards away; unknown ones are ignored."""
        for name in names:
            with suppress(OSError):
                self._files.delete_file(self._path(name))

    def sweep(self, before: datetime) -> None:
        """Take away what was written before: shards of runs that were given up. An empty folder goes too."""
        for info in self._infos():
            if info.mtime is None or info.mtime.astimezone(UTC) < before:
                with suppress(OSError):
                    self._files.delete_file(info.path)
        if self._folder:
            with suppress(OSError):  # it is not empty, or not there
                self._folder.rmdir()

    def _infos(self) -> list[Any]:
        found = self._files.get_file_info(arrow_fs.FileSelector(self._at, allow_not_found=True))
        return [info for info in found if info.base_name.endswith((SUFFIX, PART))]

    def _path(self, name: str) -> str:
        return f"{self._at}/{name}{SUFFIX}"

    def _put(self, name: str, data: pa.Buffer) -> None:
        """Write a file beside its place and move it there; an object is there at once, when all of it has come."""
        path = self._path(name)
        part = f"{path}.{token_hex(4)}{PART}" if self._folder else path
        if self._folder:
            self._folder.parent.mkdir(parents=True, exist_ok=True)
            make_private(self._folder)
        try:
            with self._files.open_output_stream(part) as file:
                file.write(data)
            if self._folder:
                self._files.move(part, path)
        except BaseException:
            if self._folder:
                Path(part).unlink(missing_ok=True)
            raise


def _shard_table_of_items(items: Sequence[Made], vectors: Vectors, tokens: Tokens) -> pa.Table:
    keys = [list(item.vector_keys) if isinstance(item, Prepared) else [] for item in items]
    there = [key for key in dict.fromkeys(key for some in keys for key in some) if key in vectors]
    blobs = dict(zip(there, blobs_of(np.stack([vectors[key] for key in there])) if there else [], strict=True))
    columns: list[Any] = [
        [encoder.encode([pack(item)]) for item in items],
        [[blobs.get(key) for key in some] for some in keys],
        [[tokens.get(key) for key in some] for some in keys],
    ]
    make: Any = pa.Table.from_pydict
    return make(dict(zip(SCHEMA.names, columns, strict=True)), schema=SCHEMA)


def _shard_items_of_rows(rows: Mapping[str, list[Any]]) -> Iterator[Ready | PageRead | SourceEnd]:
    for message, blobs, tokens in zip(rows["item"], rows["vectors"], rows["tokens"], strict=True):
        (item,) = unpack(message)
        if not isinstance(item, Prepared):
            yield item
            continue
        keys = item.vector_keys
        there = {key: blob for key, blob in zip(keys, blobs, strict=True) if blob is not None}
        check_vectors(list(there.values()))
        vectors = dict(zip(there, vectors_of(list(there.values())), strict=True))
        kept = {key: one for key, one in zip(keys, tokens, strict=True) if one is not None}
        yield Ready(item, vectors, kept)
