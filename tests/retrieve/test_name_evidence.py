"""Names of tables are found by the question's words where no list knows their short forms, in any language."""

from __future__ import annotations

from pathlib import Path

import pytest

from rove import Rove, Text
from rove.databases.choose import order_tables
from rove.language.identifiers import in_words
from rove.models.fake import FakeEmbedder
from rove.records.schema import Column, TableSchema
from rove.retrieve.name_evidence import NameEvidence


def table(name: str, *columns: str, database: str = "d", **comments: str) -> TableSchema:
    return TableSchema(name, tuple(Column(c, comment=comments.get(c, "")) for c in columns), database)


CRYPTIC = {
    "kunden": table("KNDST", "KND_NR", "ORTSTL", "STRHNR"),
    "werkzeug": table("WZGST", "WZG_NR", "LGRPL"),
    "ugyfel": table("UGYF", "UGYF_KOD", "SZLHLY"),
    "szamla": table("SZLA", "SZLSZM", "OSZG"),
    "violin": table("vlnst", "vlnst_nm", "orchsr"),
    "glacier": table("glcr", "glcr_hgt", "mntn"),
}


@pytest.mark.parametrize(
    ("question", "language", "expected"),
    [
        ("Welche Kundennummer hat der Kunde?", "de", "kunden"),
        ("Wie viele Werkzeuge liegen am Lagerplatz?", "de", "werkzeug"),
        ("Mi az ügyfelek szállítási helye?", "hu", "ugyfel"),
        ("Melyik számla összege a legnagyobb?", "hu", "szamla"),
        ("Which violinists play in an orchestra?", "en", "violin"),
        ("How high are the glaciers of the mountain?", "en", "glacier"),
    ],
)
def test_short_forms_that_no_list_knows_are_found_by_the_questions_words(
    question: str, language: str, expected: str
) -> None:
    found = NameEvidence(CRYPTIC).for_question(question, language)
    assert max(found, key=lambda name: found[name]) == expected, found
    assert order_tables(question, language, list(CRYPTIC.values()))[0] == CRYPTIC[expected]


def test_plain_names_get_no_evidence() -> None:
    tables = {"s": table("singer", "singer_name", "country"), "c": table("concert", "concert_name", "year")}
    assert NameEvidence(tables).for_question("Which singers from which countries sang in concerts?", "en") == {}


@pytest.mark.parametrize(
    ("question", "language", "comment"),
    [
        ("客户编号是多少？", "zh", "客户编号"),
        ("得意先番号は何ですか？", "ja", "得意先番号"),
        ("Welche Debitoren gibt es?", "de", "Nummer des Debitors"),
        ("Which debtors are there?", "en", "number of the debtor"),
    ],
)
def test_a_comment_explains_the_same_name_in_other_tables(question: str, language: str, comment: str) -> None:
    tables = {
        "commented": table("XQ1", "QZKUN", QZKUN=comment),
        "same": table("XQ2", "QZKUN", "QZDAT"),
        "other": table("XQ3", "QZMAT", "QZDAT"),
    }
    assert set(NameEvidence(tables).for_question(question, language)) == {"same"}


@pytest.mark.parametrize(
    "line",
    [
        "QZKUN  customer number",
        "QZKUN: customer number",
        "| QZKUN | customer number |",
        "- `QZKUN` – customer number",
        "qzkun\tcustomer number",
        "**QZKUN** (customer number)",
    ],
)
def test_a_data_dictionary_among_the_documents_explains_names(tmp_path: Path, line: str) -> None:
    assert "customer" not in in_words("QZKUN")
    described = {
        f"T{n}": f"table XQ{n} in database ERP; columns: QZ{name} (number), XW{n} (text)"
        for n, name in enumerate(("MAT", "KUN", "LIF", "WRK"))
    }
    with Rove.open(tmp_path, embedder=FakeEmbedder()) as kb:
        kb.add([Text(text, id=name, title=name) for name, text in described.items()])
        kb.add(Text(f"Fields of the system\n\n{line}\nQZLIF: supplier", id="fields", title="Fields"))
        tables = [
            hit.chunk.document_id for hit in kb.search("customers", mode="schema") if hit.chunk.document_id != "fields"
        ]
        assert tables[0] == "T1"
        assert kb.schema("customers").tables[0].document_id == "T1"
