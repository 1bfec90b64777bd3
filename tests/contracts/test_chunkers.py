"""Every registered chunker keeps its contract; what packaged ones promise besides, on real corpora too."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rove.chunk import CHUNKERS, CutSettings
from rove.chunk.cut import cut_by, cut_document
from rove.records import Document
from rove.testing import ChunkerContract, ModelChunkerContract
from rove.testing.chunkers import SEEDS, check_spans, random_document, random_settings


class TestSize(ChunkerContract):
    name = "size"


class TestHeader(ChunkerContract):
    name = "header"


class TestSentence(ChunkerContract):
    name = "sentence"


class TestOutline(ChunkerContract):
    name = "outline"


class TestParent(ChunkerContract):
    name = "parent"


class TestRecursive(ChunkerContract):
    name = "recursive"
    overlaps = False


class TestPage(ChunkerContract):
    name = "page"
    sized = False


class TestParagraph(ChunkerContract):
    name = "paragraph"
    sized = False


class TestSeparator(ChunkerContract):
    name = "separator"
    sized = False


class TestColumns(ChunkerContract):
    name = "columns"
    sized = False


class TestSemantic(ModelChunkerContract):
    name = "semantic"


class TestModelOutline(ModelChunkerContract):
    name = "outline"


@pytest.mark.parametrize("seed", SEEDS)
def test_parents_hold_their_pieces(seed: int) -> None:
    document = random_document(seed)
    for chunk in cut_by("parent", document, random_settings(seed)):
        if chunk.parent:
            assert chunk.parent[0] <= chunk.span[0] < chunk.span[1] <= chunk.parent[1] <= len(document.text)
            assert chunk.parent != chunk.span


@pytest.mark.parametrize("seed", SEEDS)
def test_whole_rows_are_kept(seed: int) -> None:
    document, how = random_document(seed), random_settings(seed)
    for chunk in cut_by("sentence", document, how):
        if chunk.kind == "table":
            lines = {line.strip() for line in document.text.splitlines()}
            assert all(line.strip() in lines or len(line) >= how.size_chars // 8 for line in chunk.text.splitlines())


@pytest.mark.parametrize("overlap", [0, 1, 199])
@given(text=st.text(alphabet=st.characters(exclude_characters="\r"), max_size=900), size=st.integers(200, 220))
@settings(max_examples=60, deadline=None)
def test_any_text_at_all_is_cut(text: str, size: int, overlap: int) -> None:
    document = Document("d", "s", "text", text)
    spans = CHUNKERS.get("size")(CutSettings(size, overlap)).spans(document)
    check_spans(document, spans)
    assert all(end - start <= size for start, end in spans)


@pytest.mark.parametrize("seed", SEEDS)
def test_chunks_say_where_they_stand(seed: int) -> None:
    document, how = random_document(seed), random_settings(seed)
    chunks = cut_document(document, strategy="size", size_chars=how.size_chars, overlap_chars=how.overlap_chars)
    assert len({c.chunk_id for c in chunks}) == len(chunks)
    assert [c.position for c in chunks] == list(range(len(chunks)))
    for chunk in chunks:
        start, end = chunk.span
        assert document.text[start:end] == chunk.text
        assert chunk.page == document.page_at(start)
        assert chunk.headings[: len(document.headings_at(start))] or not document.headings_at(start)
        anchors = [s.span[0] for s in document.sections if start <= s.span[0] < end]
        assert chunk.headings in [document.headings_at(a) for a in (start, *anchors)]
        assert len(chunk.prefix) <= 200


@pytest.mark.data
@pytest.mark.parametrize("corpus", ["chunk_spans", "cmrc2018_dev", "jsquad", "lohelp_en", "lohelp_de"])
@pytest.mark.parametrize("name", CHUNKERS.names())
def test_real_corpora(shared_data: Path, corpus: str, name: str) -> None:
    with (shared_data / "retrieval" / corpus / "corpus.jsonl").open(encoding="utf-8") as lines:
        records = [json.loads(line) for line, _ in zip(lines, range(200), strict=False)]
    for record in records:
        document = Document(record["id"], record["id"], "text", record["text"], title=record["title"])
        spans = CHUNKERS.get(name)(CutSettings()).spans(document)
        check_spans(document, spans)
        if name not in {"page", "paragraph", "separator"}:
            assert all(end - start <= 512 for start, end in spans)
