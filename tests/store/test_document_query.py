"""Documents by their sources and titles, many queries at once; chunks of a document through a filter."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from rove import Rove, Text, field
from rove.records import DocumentInfo
from rove.store.catalog import Catalog
from rove.store.document_query import DocumentQuery
from rove.store.documents import MOST_AT_ONCE

TITLES = {
    "a/one.md": "4.2 Rail",
    "a/two.md": "4.2.1 NIGHT trains",
    "a/b/three.md": "4.2 Ships",
    "four": "第4節 鉄道",
    "five": "Űrlap",
}


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[Catalog]:
    with Rove.open(tmp_path, embedder={"name": "fake"}) as kb:
        kb.add([Text(title, id=name, title=title) for name, title in TITLES.items()])
        yield kb._kb.store.catalog


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        (DocumentQuery(sources=("four", "a/two.md", "nowhere")), ["a/two.md", "four"]),
        (DocumentQuery(titles=("4.2 SHIPS", "Űrlap", "4.2")), ["a/b/three.md", "five"]),
        (DocumentQuery(part="4.2", folder="a/"), ["a/one.md", "a/two.md"]),
        (DocumentQuery(part="night TRAINS", folder="a/"), ["a/two.md"]),
        (DocumentQuery(part="4.2", folder="a/b/"), ["a/b/three.md"]),
        (DocumentQuery(part="第4節"), ["four"]),
        (DocumentQuery(part="4.2"), []),
        (DocumentQuery(part="ŰRLAP"), ["five"]),
    ],
)
def test_what_each_query_finds_alone_and_among_many(catalog: Catalog, query: DocumentQuery, wanted: list[str]) -> None:
    def ids(found: Sequence[Sequence[DocumentInfo]]) -> list[list[str]]:
        return [[info.document_id for info in infos] for infos in found]

    assert ids(catalog.find_documents([query])) == [wanted]
    assert ids(catalog.find_documents([query], limit=1)) == [wanted[:1]]
    others = [DocumentQuery(sources=("five",))] * MOST_AT_ONCE
    found = ids(catalog.find_documents([*others, query, *others]))
    assert found.pop(len(others)) == wanted
    assert found == [["five"]] * 2 * len(others)


def test_chunks_of_a_document_come_in_order_and_through_a_filter(tmp_path: Path) -> None:
    text = "\n\n".join(f"Paragraph {n} of the rules. {'x ' * 300}" for n in range(6))
    with Rove.open(tmp_path, embedder={"name": "fake"}) as kb:
        kb.add(Text(text, id="rules", kind="markdown"), Text(text, id="own", metadata={"sort": "law"}))
        catalog = kb._kb.store.catalog
        chunks = catalog.find_chunks("rules", None)
        assert len(chunks) > 1
        assert [one.chunk for one in chunks] == kb.document("rules")[1]
        assert catalog.find_chunks("rules", field("type") == "markdown") == chunks
        assert catalog.find_chunks("rules", field("kind") == "markdown") == []
        assert len(catalog.find_chunks("own", field("sort") == "law")) == len(kb.document("own")[1])
        assert catalog.find_chunks("nothing", None) == []
