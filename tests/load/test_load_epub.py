from __future__ import annotations

from pathlib import Path

import pytest

from load.samples import PARAGRAPHS, source
from load.samples_web import book, epub_file
from rove.errors import InputError
from rove.load.discover import load_documents
from rove.records import Document

FILES = "files/markitdown/packages/markitdown/tests/test_files"


def load(data: bytes) -> Document:
    [document] = load_documents(source("epub", data))
    return document


def partly(data: bytes) -> tuple[list[Document], InputError]:
    documents: list[Document] = []
    with pytest.raises(InputError) as caught:
        documents.extend(load_documents(source("epub", data)))
    assert caught.value.cure
    return documents, caught.value


def headings(document: Document) -> list[tuple[int, str]]:
    return [(section.level, section.title) for section in document.sections]


def test_chapters_in_reading_order_with_the_facts_of_the_book() -> None:
    document = load(book())
    assert headings(document) == [(1, f"Teil {code}") for code in PARAGRAPHS]
    assert all(text in document.text for text in PARAGRAPHS.values())
    assert (document.title, document.language) == ("Gyűjtemény", "hu")
    assert document.metadata == {"author": "Őri Ödön", "keywords": ("mese",)}


NAV = (
    "<html xmlns='http://www.w3.org/1999/xhtml' xmlns:epub='http://www.idpf.org/2007/ops'><body>"
    "<nav epub:type='toc'><ol>"
    "<li><a href='one.xhtml'>Első rész</a><ol><li><a href='two.xhtml#top'>Erstes Kapitel</a></li>"
    "<li><a href='three.xhtml'>第二章</a></li></ol></li></ol></nav></body></html>"
)
NCX = (
    "<ncx xmlns='http://www.daisy.org/z3986/2005/ncx/'><navMap><navPoint><navLabel><text>Első rész</text></navLabel>"
    "<content src='one.xhtml'/><navPoint><navLabel><text>Erstes Kapitel</text></navLabel><content src='two.xhtml#top'/>"
    "</navPoint><navPoint><navLabel><text>第二章</text></navLabel><content src='three.xhtml'/></navPoint></navPoint>"
    "</navMap></ncx>"
)
CHAPTERS = {"one.xhtml": "<p>a part</p>", "two.xhtml": "<h1>Erstes Kapitel</h1><p>a</p><h2>Abschnitt</h2><p>b</p>",
            "three.xhtml": "<p>没有标题</p>"}  # fmt: skip


@pytest.mark.parametrize("table", [{"nav": NAV}, {"ncx": NCX}], ids=["nav", "ncx"])
def test_the_table_of_contents_gives_titles_and_levels(table: dict[str, str]) -> None:
    document = load(epub_file(CHAPTERS, **table))
    assert headings(document) == [(1, "Első rész"), (2, "Erstes Kapitel"), (3, "Abschnitt"), (2, "第二章")]


def test_notes_in_the_chapter_and_in_a_file_of_their_own() -> None:
    first = "<h1>A</h1><p>word<a epub:type='noteref' href='#n1'>1</a></p>"
    chapters = {
        "a.xhtml": first + "<aside epub:type='footnote' id='n1'><p>first</p></aside>",
        "b.xhtml": "<h1>B</h1><p>word<a epub:type='noteref' href='notes.xhtml#n1'>1</a></p>",
        "notes.xhtml": "<h1>Notes</h1><ol><li id='n1'><p>second <a href='b.xhtml' role='doc-backlink'>↩</a></li></ol>",
    }
    text = load(epub_file(chapters)).text
    assert "word[^1.1]" in text
    assert "[^1.1]: first" in text
    assert "word[^2.1]" in text
    assert "[^2.1]: second\n" in text


def test_a_self_closed_title_and_anchor_do_not_swallow_the_page() -> None:
    assert load(epub_file({"a.xhtml": "<a id='x'/><p>kept</p><script src='a.js'/><p>too</p>"})).text == "kept\n\ntoo\n"


def test_what_is_missing_is_named_and_the_rest_is_read() -> None:
    data = epub_file({"a.xhtml": "<p>the first chapter</p>", "b.xhtml": "<p>x</p>"})
    documents, error = partly(data.replace(b"EPUB/b.xhtml", b"EPUB/c.xhtml"))
    assert "the first chapter" in documents[0].text
    assert error.outcome == "partial"
    assert "EPUB/b.xhtml" in str(error)


def test_a_protected_book_says_so_and_hidden_fonts_do_no_harm() -> None:
    method = "<encryption xmlns:e='http://www.w3.org/2001/04/xmlenc#'><e:EncryptionMethod Algorithm='{}'/></encryption>"
    chapters = {"a.xhtml": "<p>text</p>"}
    drm = {"META-INF/encryption.xml": method.format("http://www.w3.org/2001/04/xmlenc#aes128-cbc").encode()}
    font = {"META-INF/encryption.xml": method.format("http://www.idpf.org/2008/embedding").encode()}
    assert partly(epub_file(chapters, more=drm))[1].outcome == "encrypted"
    assert load(epub_file(chapters, more=font)).text == "text\n"


def test_entities_are_not_resolved() -> None:
    bomb = b"<!DOCTYPE x [<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;&a;&a;'>]><container>&b;</container>"
    assert partly(epub_file({"a.xhtml": "<p>x</p>"}, more={"META-INF/container.xml": bomb}))[1].outcome == "damaged"


@pytest.mark.data
def test_a_real_book(shared_data: Path) -> None:
    document = load((shared_data / FILES / "test.epub").read_bytes())
    assert headings(document) == [(1, "Chapter 1: Test Content"), (1, "Chapter 2: More Content")]
    assert document.title == "Test EPUB Document"
    assert document.metadata["author"] == "Test Author"
    assert "- A bullet point\n- Another point" in document.text
