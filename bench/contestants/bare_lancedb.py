"""LanceDB with nothing around it: make a table, add the rows, build the full-text index; hybrid search (its RRF)."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path

import lancedb
import numpy as np
import pyarrow as pa
from lancedb.index import FTS
from protocol import TOP_K, Workload, compete


def ingest(work: Workload, folder: Path) -> object:
    dimension = work.vectors.shape[1]
    schema = pa.schema(
        [
            pa.field("id", pa.string()),
            pa.field("text", pa.string()),
            pa.field("vector", pa.list_(pa.float32(), dimension)),
        ]
    )
    table = lancedb.connect(str(folder)).create_table("chunks", schema=schema)
    vectors = pa.FixedSizeListArray.from_arrays(pa.array(work.vectors.ravel()), dimension)
    table.add(pa.table([pa.array(work.ids), pa.array(work.texts), vectors], schema=schema))
    table.create_index("text", config=FTS())
    return table


def search(table, query: str, vector: np.ndarray) -> int:
    return len(table.search(query_type="hybrid").vector(vector).text(query).limit(TOP_K).to_list())


compete(f"lancedb {version('lancedb')}", ingest, search)
