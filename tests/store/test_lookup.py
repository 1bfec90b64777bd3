"""What every search looks up by ids is found by an index of the database: no table is read through."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from rove import Rove, Text
from rove.store import documents, live_chunks
from rove.store.lookup import Lookup

LOOKUPS = {
    f"{module.__name__}.{name}": value
    for module in (documents, live_chunks)
    for name, value in vars(module).items()
    if isinstance(value, Lookup)
} | {f"find {along}": lookup for along, lookup in live_chunks._FINDS.items()}


@pytest.mark.parametrize("name", LOOKUPS)
def test_no_table_is_read_through(name: str, tmp_path: Path) -> None:
    with Rove.open(tmp_path, embedder={"name": "fake"}) as kb:
        kb.add([Text(f"文档 {n}", id=str(n)) for n in range(50)])
        database = kb._kb.store.catalog.database
        LOOKUPS[name].rows(database, ["1"])
        ((statement, fixed),) = database._compiled.values()
    with closing(sqlite3.connect(tmp_path / "catalog.sqlite")) as catalog:
        plan = [row[3] for row in catalog.execute(f"EXPLAIN QUERY PLAN {statement}", {**fixed, "keys": '["1"]'})]
    assert any(step.startswith("SEARCH") for step in plan)
    assert all("json_each" in step for step in plan if step.startswith("SCAN")), plan
