"""A catalog of version 3 opens: it has the table of questions afterwards, and nothing of it is lost."""

from __future__ import annotations

import re
import sqlite3
from pathlib import Path

from rove import Rove, Text
from rove.store.tables import MIGRATIONS


def test_a_catalog_of_version_3_is_brought_up(tmp_path: Path) -> None:
    with Rove.open(tmp_path, embedder={"name": "fake"}) as kb:
        kb.add(Text("A régi adat megmarad.", id="old"))
    with sqlite3.connect(tmp_path / "catalog.sqlite") as old:
        old.execute("DROP TABLE asked")
        for statement in MIGRATIONS[3]:
            if added := re.match(r"ALTER TABLE (\w+) ADD COLUMN (\w+)", statement):
                old.execute(f"ALTER TABLE {added[1]} DROP COLUMN {added[2]}")
        old.execute("UPDATE facts SET value = '3' WHERE name = 'schema'")
    old.close()
    with Rove.open(tmp_path, embedder={"name": "fake"}, question={"log": True}) as kb:
        assert "régi adat" in kb.ask("Mi marad meg, a régi adat?").text
        assert kb.suggest() == ["Mi marad meg, a régi adat?"]
    with sqlite3.connect(tmp_path / "catalog.sqlite") as new:
        assert int(new.execute("SELECT value FROM facts WHERE name = 'schema'").fetchone()[0]) >= 4
    new.close()
