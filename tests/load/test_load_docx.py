from __future__ import annotations

from io import BytesIO
from pathlib import Path

import docx
import pytest

from load.samples import PARAGRAPHS, docx_file, source, zip_file
from rove.errors import InputError
from rove.load.container import ENCRYPTED_MARK
from rove.load.discover import load_documents
from rove.load.docx import DocxLoader
from rove.load.text import OLE_MAGIC
from rove.records import Document


def load(data: bytes) -> Document:
    [document] = DocxLoader().load(source("docx", data, "file.docx"))
    return document


def outcome(data: bytes) -> str:
    with pytest.raises(InputError) as caught:
        load(data)
    assert caught.value.cure
    return caught.value.outcome


def test_everything_comes_in_document_order() -> None:
    document = load(docx_file())
    body = "\n\n".join(f"## Teil {code}\n\n{text}" for code, text in PARAGRAPHS.items())
    assert document.text == (
        f"# Gyűjtemény 文集\n\n{body}\n\n- első\n- zweites\n\n"
        "| a\\|b | 数 |\n| --- | --- |\n| 1 | 2 |\n\nAfter the table."
    )
    assert document.title == "Gyűjtemény 文集"
    assert [s.title for s in document.sections][1:] == [f"Teil {code}" for code in PARAGRAPHS]


def test_the_title_of_the_properties_comes_first() -> None:
    word = docx.Document()
    word.add_paragraph("Text.")
    word.core_properties.title = "Von den Eigenschaften"
    out = BytesIO()
    word.save(out)
    assert load(out.getvalue()).title == "Von den Eigenschaften"


def test_containers_that_cannot_be_read() -> None:
    assert outcome(OLE_MAGIC + b"\0" * 500 + ENCRYPTED_MARK) == "encrypted"
    assert outcome(OLE_MAGIC + b"\0" * 500) == "unsupported"
    assert outcome(b"PK\x03\x04 not a zip") == "damaged"
    assert outcome(zip_file({"a.txt": b"x"})) == "damaged"
    assert outcome(zip_file({"word/document.xml": b"<w:document"})) == "damaged"


def test_a_zip_bomb_is_not_unpacked() -> None:
    assert outcome(zip_file({"word/document.xml": b"\0" * (80 << 20)})) == "too-large"
    assert outcome(zip_file({f"p{n}": b"" for n in range(10_001)})) == "too-large"


@pytest.mark.data
def test_every_real_docx_ends_in_text_or_says_that_it_is_empty(shared_data: Path) -> None:
    loaded = 0
    for path in sorted((shared_data / "files").rglob("*.docx")):
        try:
            [document] = load_documents(source("docx", path.read_bytes(), path.name))
        except InputError as error:
            assert error.outcome == "empty", path.name
        else:
            loaded += 1
            assert document.text.strip()
    assert loaded >= 33


@pytest.mark.data
def test_links_and_merged_cells_of_a_real_file(shared_data: Path) -> None:
    files = {path.name: path for path in (shared_data / "files").rglob("*.docx")}
    assert "One [awesome hyperlink](http://yahoo.com/)." in load(files["par-hyperlinks.docx"].read_bytes()).text
    assert "| n |  |  |  |" in load(files["tbl-cell-props.docx"].read_bytes()).text
    assert "θ=" in load(files["equations.docx"].read_bytes()).text
