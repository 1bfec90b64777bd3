"""Posts made in the test: one thread in five languages, as JSON Lines or as parquet."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from io import BytesIO
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from load.samples import PARAGRAPHS

Row = Mapping[str, Any]


def submission(name: str, text: str | None, **more: object) -> Row:
    return {"name": f"t3_{name}", "text": text, "title": f"Title {name}", "subreddit": "közös", **more}


def comment(name: str, text: str | None, parent: str, **more: object) -> Row:
    return {"name": f"t1_{name}", "text": text, "parent_id": parent, "link_id": "t3_a", "subreddit": "közös", **more}


def thread() -> list[Row]:
    """A submission and a chain of four answers, each to the one before."""
    texts = list(PARAGRAPHS.values())
    parents = ["t3_a", "t1_0", "t1_1", "t1_2"]
    answers = [comment(str(n), text, parent) for n, (text, parent) in enumerate(zip(texts[1:], parents, strict=True))]
    return [submission("a", texts[0]), *answers]


def lines(rows: Sequence[Row]) -> bytes:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


def parquet(rows: Sequence[Row], *, group_rows: int = 1000) -> bytes:
    names = list(dict.fromkeys(name for row in rows for name in row))
    table = pa.Table.from_pylist([{name: row.get(name) for name in names} for row in rows])
    out = BytesIO()
    pq.write_table(table, out, row_group_size=group_rows)
    return out.getvalue()
