"""Posts: Reddit-like submissions and comments, cleaned, one document each, with their place in the reply tree."""

# Arrow's annotations leave the types of columns open.
# pyright: reportUnknownMemberType=false

from __future__ import annotations

import json
import re
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import dataclass
from io import BytesIO
from itertools import islice
from typing import Any, cast

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from rove.errors import InputError
from rove.load.posts.clean import Cleaned, clean_posts
from rove.load.posts.columns import normalised, require_columns
from rove.load.posts.names import Columns
from rove.load.posts.tree import UNKNOWN, Rows
from rove.load.text import clean
from rove.records import Document, Source, content_hash
from rove.records.source import MetaValue

BATCH_ROWS = 16_384
FIRST_ROWS = 1_000  # of JSON Lines: where the names of columns are looked for
SHORT_QUESTION_CHARS = 100
QUESTION_MARKS = ("?", "？")
SLUG = re.compile(r"/comments/[^/]+/([^/]+)")
CURE = "Get the file again, or write it anew with one row a post."
Batches = Callable[["Trouble"], Iterator[pa.RecordBatch]]
"""Reads a source from its start, every time that it is called, and notes what cannot be read."""


@dataclass(slots=True)
class Trouble:
    """What of a source could not be read: how many pieces, and why the first of them."""

    pieces: int = 0
    first: str = ""

    def note(self, why: str) -> None:
        """Count one more piece."""
        self.first = self.first or why
        self.pieces += 1


class PostsLoader:
    """See `Loader`. Parquet by its mark, else JSON Lines."""

    def load(self, source: Source) -> Generator[Document, None, str]:
        """See `Loader.load` and `post_documents`."""
        read = parquet_batches(source) if source.data.startswith(b"PAR1") else line_batches(source)
        return (yield from post_documents(source, read))


def post_documents(source: Source, batches: Batches) -> Generator[Document, None, str]:
    """Yield one document for each post that stays, in the order of the file; returns what was dropped, and why.

    `batches` is read twice: once to count what the rules need, once to make documents, so that no more than a batch
    of texts is held. A document's text is the post's; its title is its own or "Re: " and that of its submission.
    Metadata: record_id, subreddit, subreddit_max_chars (of the longest name in the file), is_submission,
    is_short_question, replies; where known date, score, permalink, and of a comment parent, root, depth, and
    parent_missing where the parent is not in the file or was dropped.

    Raises:
        InputError: "unsupported", "damaged", "empty", or "partial" after the last document.
    """
    cleaned = clean_posts(batches(Trouble()))
    trouble = Trouble()
    row = 0
    for batch in batches(trouble):
        yield from _build_batch_documents(source, batch, row, cleaned)
        row += batch.num_rows
    if trouble.pieces:
        message = f"{trouble.pieces} parts of {source.name!r} could not be read: {trouble.first}. {cleaned.summary()}"
        outcome = "partial" if cleaned.kept.any() else "damaged"
        raise InputError(message.strip(), cure=CURE, outcome=outcome)
    if not cleaned.kept.any():
        message = f"{source.name!r} holds no post that stays. {cleaned.summary()}".strip()
        raise InputError(message, cure="Give a file with posts in it, or leave it out.", outcome="empty")
    return cleaned.summary()


def parquet_batches(source: Source) -> Batches:
    """Make a reader of a parquet file: row group by row group; one that is damaged is left out.

    Raises:
        InputError: "damaged" - it is not a complete parquet file; "unsupported" - its columns are not those of posts.
    """
    try:
        schema = pq.ParquetFile(pa.BufferReader(source.all_bytes)).schema_arrow
    except (pa.ArrowException, OSError) as error:
        message = f"{source.name!r} is not a complete parquet file: {error}."
        raise InputError(message, cure=CURE) from error
    columns = require_columns(schema.names, source.name)
    wanted = [column for each in columns.values() for column in each]

    def read(trouble: Trouble) -> Iterator[pa.RecordBatch]:
        file = pq.ParquetFile(pa.BufferReader(source.all_bytes))
        for group in range(file.num_row_groups):
            try:
                for batch in file.iter_batches(BATCH_ROWS, [group], wanted, use_threads=False):
                    yield normalised(batch, columns)
            except MemoryError:
                raise
            except (pa.ArrowException, OSError) as error:
                trouble.note(f"row group {group + 1}: {error}")

    return read


def line_batches(source: Source) -> Batches:
    """Make a reader of JSON Lines; a line that is no object is left out.

    Raises:
        InputError: "unsupported" - the first lines' names are not those of posts; "empty", "damaged".
    """
    names = {name for row in islice(_objects(source.data, Trouble()), FIRST_ROWS) for name in row}
    if not names:
        message = f"{source.name!r} holds no line that is a JSON object."
        outcome = "damaged" if source.data.strip() else "empty"
        raise InputError(message, cure="Give JSON Lines: one post on each line.", outcome=outcome)
    columns = require_columns(sorted(names), source.name)

    def read(trouble: Trouble) -> Iterator[pa.RecordBatch]:
        rows: list[Mapping[str, Any]] = []
        for row in _objects(source.data, trouble):
            rows.append(row)
            if len(rows) == BATCH_ROWS:
                yield _batch_of(rows, columns)
                rows = []
        if rows:
            yield _batch_of(rows, columns)

    return read


def _objects(data: bytes, trouble: Trouble) -> Iterator[Mapping[str, Any]]:
    for number, line in enumerate(BytesIO(data), 1):
        if line.isspace():
            continue
        try:
            value = json.loads(line)
        except (ValueError, RecursionError) as error:
            trouble.note(f"line {number}: not complete JSON ({error})")
            continue
        if isinstance(value, dict):
            yield cast("Mapping[str, Any]", value)
        else:
            trouble.note(f"line {number}: a {type(value).__name__} where a post was expected")


def _batch_of(rows: list[Mapping[str, Any]], columns: Columns) -> pa.RecordBatch:
    """Rows as text: types are found again when the columns are put under our names."""
    wanted = [column for each in columns.values() for column in each]
    strings = {column: [_as_text(row.get(column)) for row in rows] for column in wanted}
    batch = pa.RecordBatch.from_pydict(strings, pa.schema([(column, pa.large_string()) for column in wanted]))
    return normalised(batch, columns)


def _as_text(value: object) -> str | None:
    if value is None or isinstance(value, str):
        return clean(value) if value else None
    return clean(str(value)) if isinstance(value, int | float) else None


def _build_batch_documents(source: Source, batch: pa.RecordBatch, start: int, cleaned: Cleaned) -> Iterator[Document]:
    """Make the documents of the batch that begins at row `start`."""
    rows = start + np.flatnonzero(cleaned.kept[start : start + batch.num_rows])
    known = pa.Table.from_batches([batch.take(_indices(rows - start))])
    parents, depths, roots = cleaned.tree.parents[rows], cleaned.tree.depths[rows], cleaned.tree.roots[rows]
    of_root = cleaned.submissions.take(_indices(np.where(roots == UNKNOWN, UNKNOWN, cleaned.places[roots])))
    tree: dict[str, Any] = {
        "depth": pa.array(depths, mask=depths == UNKNOWN),
        "replies": pa.array(cleaned.replies[rows]),
        "parent_missing": pa.array((parents == UNKNOWN) | ~cleaned.kept[parents]),
        "root_title": of_root["title"],
        "root_name": of_root["name"],
    }
    for name, column in tree.items():
        known = known.append_column(name, column)
    for post in known.to_pylist():
        yield _build_post_document(source, post, cleaned.longest_subreddit)


def _indices(rows: Rows | NDArray[np.int64]) -> pa.Int64Array:
    """Rows to take, null for `UNKNOWN`."""
    return cast("pa.Int64Array", pa.array(rows, mask=rows == UNKNOWN))


def _build_post_document(source: Source, post: Mapping[str, Any], longest_subreddit: int) -> Document:
    title = " ".join(clean(post["title"] or "").split())
    text = clean(post["text"] or "")
    text = text if text.strip() else title
    question = text.strip()
    metadata: dict[str, MetaValue] = {
        "record_id": clean(post["name"]),
        "subreddit": clean(post["subreddit"]),
        "subreddit_max_chars": longest_subreddit,
        "is_submission": post["submission"],
        "is_short_question": len(question) < SHORT_QUESTION_CHARS and question.endswith(QUESTION_MARKS),
        "replies": post["replies"],
    }
    metadata |= {name: post[name] for name in ("date", "score", "permalink") if post[name] is not None}
    if not post["submission"]:
        title = _title_of_reply(post)
        links = {"parent": post["parent"], "root": post["root"] or post["root_name"], "depth": post["depth"]}
        metadata |= {name: value for name, value in links.items() if value is not None}
        if post["parent_missing"]:
            metadata["parent_missing"] = True
    uri = f"{source.uri}#{metadata['record_id']}"
    given = source.document_id
    return Document(
        document_id=f"{given}#{metadata['record_id']}" if given else content_hash(uri),
        source=uri,
        kind="posts",
        text=text,
        title=title or f"r/{metadata['subreddit']}",
        metadata=metadata,
    )


def _title_of_reply(post: Mapping[str, Any]) -> str:
    """By the title of the submission; where that is not in the file, by what the link says of it."""
    slug = SLUG.search(post["permalink"] or "")
    title = post["root_title"] or (slug[1].replace("_", " ") if slug else "")
    return f"Re: {' '.join(clean(title).split())}" if title.strip() else ""
