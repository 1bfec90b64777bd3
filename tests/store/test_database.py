"""A disk that is full: a typed error, nothing half written, and work goes on once there is room."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import event

from rove import Rove, ServiceError, Text
from rove.store.database import Database


def test_a_full_disk_is_a_typed_error_and_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Rove.open(tmp_path, embedder={"name": "fake"}) as kb:
        kb.add(Text("Was schon da ist, bleibt da.", id="before"))
        more = [Text(f"文档 {i} " + "长" * 400, id=f"d{i}") for i in range(200)]
        database: Database = kb._kb.store.catalog.database
        limit = lambda connection, record: connection.execute("PRAGMA max_page_count = 60")  # noqa: E731
        event.listen(database._engine, "connect", limit)
        database._engine.dispose()
        with pytest.raises(ServiceError, match="Make room"):
            kb.add(more)
        held = [info.document_id for info in kb.documents()]
        assert held[0] == "before"
        assert len(held) < 20, "the disk was not full"
        assert all(kb.text(text.id) == text.text for text in more if text.id in held)
        event.remove(database._engine, "connect", limit)
        database._engine.dispose()
        again = kb.add(more)
        assert again.documents == 201 - len(held), "what was held before the disk was full goes in no second time"
        assert again.added + again.unchanged == len(more) and again.ok
        assert kb.doctor().ok
