"""Columns of posts: whatever a dump calls them, they come out under one set of names, batch by batch."""

# Arrow's annotations leave the types of columns open.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import pyarrow as pa
import pyarrow.compute

from rove.errors import InputError
from rove.load.posts.names import NAMES, NEEDED, Columns, find_columns

pc: Any = pyarrow.compute  # its stubs do not know that numbers and text may stand for arrays
LAST_SECOND = 253_402_300_799  # of the year 9999
TEXTS = ("name", "text", "title", "subreddit", "parent", "root", "kind", "permalink")
SCHEMA = pa.schema(
    [*((name, pa.large_string()) for name in (*TEXTS, "date")), ("submission", pa.bool_()), ("score", pa.int64())]
)


def require_columns(column_names: Collection[str], source_name: str) -> Columns:
    """As `find_columns`, for a table that has to be posts.

    Raises:
        InputError: "unsupported" - a needed column is not there.
    """
    found = find_columns(column_names)
    missing = [f"{name!r} ({' or '.join(NAMES[name])})" for name in NEEDED if name not in found]
    if missing:
        message = f"{source_name!r} lacks columns that posts have: {', '.join(missing)}. It has: "
        message += f"{', '.join(map(repr, list(column_names)[:50])) or 'none'}."
        cure = "Rename its columns, or add it as a table of records."
        raise InputError(message, cure=cure, outcome="unsupported")
    return found


def normalised(batch: pa.RecordBatch, columns: Columns) -> pa.RecordBatch:
    """Return the posts of a batch under `SCHEMA`'s names and types; what a dump does not say is null.

    Raises:
        pyarrow.ArrowException: a column is of a type that cannot be read as what it should be.
    """
    nothing = pa.nulls(batch.num_rows)
    texts = {name: _strings(batch, columns.get(name, ())) for name in TEXTS}
    submission = _is_submission(texts)
    created: list[Any] = [batch.column(column) for column in columns.get("created", ())]
    score: Any = next((batch.column(column) for column in columns.get("score", ())), nothing)
    found: dict[str, Any] = {
        **texts,
        "name": _full_names(texts["name"], submission),
        "date": pc.coalesce(nothing.cast(pa.large_string()), *map(_dates, created)),
        "submission": submission,
        "score": score.cast(pa.int64(), safe=False),
    }
    return pa.RecordBatch.from_arrays([found[name] for name in SCHEMA.names], schema=SCHEMA)


def _strings(batch: pa.RecordBatch, columns: tuple[str, ...]) -> Any:  # noqa: ANN401 - an Arrow array
    """The first of the columns that says something, as text; "" becomes null."""
    texts = [pc.cast(batch.column(column), pa.large_string()) for column in columns]
    said = [pc.if_else(pc.equal(text, ""), None, text) for text in texts]
    return pc.coalesce(*said) if said else pa.nulls(batch.num_rows, pa.large_string())


def _is_submission(texts: Mapping[str, Any]) -> Any:  # noqa: ANN401
    """By the type column, else by the prefix of the name, else by having no parent."""
    kind, name = texts["kind"], texts["name"]
    by_kind = pc.if_else(pc.equal(kind, "submission"), True, pc.if_else(pc.equal(kind, "comment"), False, None))
    by_name = pc.if_else(pc.starts_with(name, "t3_"), True, pc.if_else(pc.starts_with(name, "t1_"), False, None))
    alone = pc.and_(pc.is_null(texts["parent"]), pc.is_null(texts["root"]))
    return pc.coalesce(by_kind, by_name, alone)


def _full_names(names: Any, submission: Any) -> Any:  # noqa: ANN401
    """Names as parents are named by: "t3_" before a submission's id, "t1_" before a comment's."""
    full = pc.or_(pc.starts_with(names, "t3_"), pc.starts_with(names, "t1_"))
    marks = pc.if_else(submission, "t3_", "t1_").cast(pa.large_string())
    marked = pc.binary_join_element_wise(marks, names, pa.scalar("", pa.large_string()))
    return pc.if_else(full, names, marked)


def _dates(created: Any) -> Any:  # noqa: ANN401
    """ISO 8601 in UTC, from seconds (numbers or text), times or ISO text; null where it is none of these."""
    nothing = pa.nulls(len(created), pa.large_string())
    if pa.types.is_string(created.type) or pa.types.is_large_string(created.type):
        created = _parse_creation_times(created)
    if pa.types.is_timestamp(created.type):
        created = created.cast(pa.timestamp("s"), safe=False).cast(pa.int64())
    if pa.types.is_floating(created.type):
        created = pc.if_else(pc.is_finite(created), created, None).cast(pa.int64(), safe=False)
    if not pa.types.is_integer(created.type):
        return nothing
    seconds = created.cast(pa.int64(), safe=False)
    inside = pc.and_(pc.greater(seconds, 0), pc.less_equal(seconds, LAST_SECOND))
    times = pc.if_else(inside, seconds, None).cast(pa.timestamp("s"))
    return pc.strftime(times, "%Y-%m-%dT%H:%M:%SZ").cast(pa.large_string())


def _parse_creation_times(created: Any) -> Any:  # noqa: ANN401
    for target in (pa.float64(), pa.timestamp("s")):
        try:
            return created.cast(target)
        except pa.ArrowInvalid:
            continue
    return pa.nulls(len(created))
