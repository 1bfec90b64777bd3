"""Mode "schema": tables once each, with those that join them; short names are found by the words they stand for."""

from __future__ import annotations

from pathlib import Path

from rove import Rove, Text
from rove.models.fake import FakeEmbedder
from rove.records.schema import Column, TableSchema
from rove.retrieve.schema_order import ranked
from rove.retrieve.table_catalog import TableCatalog

DESCRIBED = {
    "STU": "table STU in database UNI; columns: STU_ID (number, primary key), STU_NM (text), BRTH_DT (text)",
    "CRS": "table CRS in database UNI; columns: CRS_ID (number, primary key), CRS_TTL (text)",
    "ENR": "table ENR in database UNI; columns: STU_ID (number, -> STU.STU_ID), CRS_ID (number, -> CRS.CRS_ID)",
    "INV": "table INV in database SHOP; columns: INV_NO (number, primary key), AMT (number), CUST_ID (number)",
}


def table(name: str, *columns: Column, database: str = "d") -> TableSchema:
    return TableSchema(name, columns, database)


def test_short_names_are_found_and_spans_stay_exact(tmp_path: Path) -> None:
    with Rove.open(tmp_path, embedder=FakeEmbedder()) as kb:
        kb.add([Text(text, id=name, title=name) for name, text in DESCRIBED.items()])
        assert {info.kind for info in kb.documents()} == {"schema"}
        for mode in ("keyword", "hybrid", "schema"):
            assert kb.search("customers with an invoice amount", mode=mode)[0].chunk.document_id == "INV", mode
            assert kb.search("birth date of a student", mode=mode)[0].chunk.document_id == "STU", mode
        hit = kb.search("birth date of a student", mode="schema")[0]
        assert hit.chunk.text == DESCRIBED["STU"]
        assert "student name" in hit.chunk.prefix


def test_what_joins_two_tables_is_found_with_them(tmp_path: Path) -> None:
    with Rove.open(tmp_path, embedder=FakeEmbedder()) as kb:
        kb.add([Text(text, id=name, title=name) for name, text in DESCRIBED.items()])
        found = [hit.chunk.document_id for hit in kb.search("student name and course title", mode="schema", top_k=3)]
        assert set(found) == {"STU", "CRS", "ENR"}
        assert len(kb.search("student", mode="schema")) == len(
            {h.chunk.document_id for h in kb.search("student", mode="schema")}
        )


def test_a_way_of_joins_is_the_shortest() -> None:
    key = Column("id", is_key=True)
    tables = {
        "a": table("a", key),
        "b": table("b", Column("a", references="a.id"), Column("c", references="c.id")),
        "c": table("c", key, Column("d", references="d.id")),
        "d": table("d", key),
        "e": table("e", key, database="other"),
    }
    catalog = TableCatalog.of(tables)
    assert catalog.path("a", "c") == ["b"]
    assert catalog.path("a", "d") == ["b", "c"]
    assert catalog.path("a", "b") == []
    assert catalog.path("a", "e") == []
    order = ranked({"a": 3.0, "c": 2.9, "e": 1.0}, catalog)
    assert list(order)[2] == "b"
    assert (order["b"].why, order["a"].why) == ("joins", "found")


def test_without_foreign_keys_the_names_of_keys_join() -> None:
    owner = table("people", Column("person_id", is_key=True))
    other = table("visits", Column("visit_id", is_key=True), Column("PERSON_ID"))
    catalog = TableCatalog.of({"p": owner, "v": other})
    assert catalog.neighbours == {"p": {"v"}, "v": {"p"}}


def test_a_wide_table_is_cut_between_its_columns(tmp_path: Path) -> None:
    columns = ", ".join(f"VAR_{number} (measure number {number} of the machine, number)" for number in range(200))
    text = f"table MACH in database PLANT; columns: {columns}"
    with Rove.open(tmp_path, embedder=FakeEmbedder()) as kb:
        kb.add(Text(text, id="wide"))
        document, chunks = kb.document("wide")
        assert len(chunks) > 5
        assert all(document.text[slice(*chunk.span)] == chunk.text for chunk in chunks)
        assert all(chunk.text.count("(") == chunk.text.count(")") for chunk in chunks)
        part = kb.schema("measure number 150", budget_tokens=400)
        assert part.tokens <= 400
        assert "VAR_150" in part.text
