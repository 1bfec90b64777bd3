from __future__ import annotations

from pathlib import Path

import pytest

from load.samples import PARAGRAPHS, source
from load.samples_data import rss_feed
from rove.errors import InputError
from rove.load.data import outline
from rove.load.discover import load_documents, locate, read_place
from rove.records import Document


def load(text: str) -> list[Document]:
    return list(load_documents(source("xml", text.encode())))


def test_elements_that_repeat_are_a_table_and_others_an_outline() -> None:
    [document] = load(
        '<?xml version="1.0"?><catalog><meta><source>Könyvtár</source></meta>'
        '<book id="1"><title>Ősz</title><price>4</price></book><book id="2"><title>森</title></book>'
        "<p>Mixed <b>bold</b> text.</p><price currency='EUR'>12</price></catalog>"
    )
    assert document.text == (
        "# catalog\n\nbook:\n\n| id | title | price |\n| --- | --- | --- |\n| 1 | Ősz | 4 |\n| 2 | 森 |  |\n\n"
        "Mixed bold text.\n\n- price: 12 (currency: EUR)\n\n## meta\n\n- source: Könyvtár\n"
    )


def test_a_written_document_has_its_headings() -> None:
    [document] = load("<article><section><title>Über uns</title><para>Ein Absatz.</para></section></article>")
    assert [s.title for s in document.sections] == ["article", "Über uns"]
    assert document.text.endswith("## Über uns\n\nEin Absatz.\n")


def test_items_of_a_feed_are_documents() -> None:
    documents = load(rss_feed())
    assert [d.title for d in documents] == [f"Teil {code}" for code in PARAGRAPHS]
    first = documents[0]
    assert first.source == "/data/sample.xml#https://example.org/en"
    assert first.text == f"# Teil en\n\n[Hírek](https://example.org/en)\n\n{PARAGRAPHS['en']}\n"
    assert first.metadata == {
        "feed": "Hírek", "url": "https://example.org/en", "published": "2024-11-19T13:30:02+00:00", "tags": ("en",),
    }  # fmt: skip


def test_atom() -> None:
    [document] = load(
        '<feed xmlns="http://www.w3.org/2005/Atom"><title>F</title><entry><title>T</title><id>u:1</id>'
        '<link href="https://x.org/a"/><author><name>Béla</name></author><updated>2024-01-02T03:04:05Z</updated>'
        '<content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>Egy <b>szó</b></p></div></content>'
        "</entry></feed>"
    )
    assert document.text == "# T\n\n[F](https://x.org/a)\n\nEgy szó\n"
    assert document.metadata["author"] == "Béla"


@pytest.mark.data
def test_a_real_feed(shared_data: Path) -> None:
    path = shared_data / "files/markitdown/packages/markitdown/tests/test_files/test_rss.xml"
    documents = list(load_documents(read_place(locate([path])[0])))
    assert len(documents) == 10
    assert all(d.metadata["feed"] == "The Official Microsoft Blog" for d in documents)
    assert documents[0].title.startswith("Ignite 2024")


def test_entities_are_not_resolved() -> None:
    [document] = load(
        '<!DOCTYPE x [<!ENTITY a "b"><!ENTITY f SYSTEM "file:///etc/passwd">]><x><a>see &a;&f; it</a></x>'
    )
    assert document.text == "# x\n\n- a: see it\n"
    laughs = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10 if n else "lol"}">' for n in range(10))
    with pytest.raises(InputError, match="amplification"):
        load(f"<!DOCTYPE x [{laughs}]><x><a>&l9;</a></x>")


def test_a_large_tree_is_several_documents(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outline, "MAX_PART_CHARS", 500)
    documents = load("<x>" + "".join(f"<r><a>{n}</a><b>szöveg</b></r>" for n in range(200)) + "</x>")
    assert len(documents) > 2
    assert len({d.document_id for d in documents}) == len(documents)
    assert sum(d.text.count("szöveg") for d in documents) == 200


def test_what_stands_before_the_damage_is_kept() -> None:
    stream = load_documents(source("xml", b"<x><a>first</a><b>second</b><c>thi"))
    assert "- b: second" in next(stream).text
    with pytest.raises(InputError) as caught:
        next(stream)
    assert caught.value.outcome == "partial"


def test_deep_nesting_ends() -> None:
    with pytest.raises(InputError):
        load("<a>" * 5000 + "x" + "</a>" * 5000)
    assert "x" in load("<a>" * 200 + "x" + "</a>" * 200)[0].text
