"""What every registered chunker promises, on random multilingual documents and on real corpora."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from rove.chunk import CHUNKERS, MODEL_CHUNKERS, ChunkModels, CutSettings
from rove.chunk.boundary import continues
from rove.chunk.cut import cut, cut_by
from rove.models.fake import FakeChatModel, FakeEmbedder
from rove.records import Document, Page, Section

PIECES = (
    ["The dog ran. ", "z. B. am 3. Mai", "Straße; Äpfel, ", "Az árvíztűrő tükörfúrógép… ", "2024. január 5-én? "]
    + [
        "梅雨（つゆ）は、雨季の一種である。",
        "「行く」と言った。",
        "《战国无双3》是游戏，",
        "由两个公司开发的！",
        "، كيف حالك؟ ",
        "هذا كتاب۔ ",
    ]
    + [
        "👩‍👩‍👧‍👦",
        "🇭🇺🇩🇪",
        "👍🏽",
        "e\u0301",
        "a\u0308\u0323",
        "한국어",
        "\u1112\u1161\u11ab",
        "x" * 90,
        " ",
        "   ",
        "\n",
        "\n\n",
        "\t",
    ]
    + [
        "\n# Head\n",
        "\n## Sub\n\n",
        "\n### Straße\n",
        "\n```py\n# no heading\n\nx = 1\n```\n",
        "\n|a|b|\n|-|-|\n|1|2|\n|3|4|\n",
        "word",
    ]
    + ["|", "```", "\u00a0", "\u3000", "\f", "\n---\n", "."]
)


@st.composite
def documents(draw: st.DrawFn) -> Document:
    parts = draw(st.lists(st.sampled_from(PIECES), min_size=1, max_size=120))
    starts, at = [], 0
    for part in parts:
        if part.startswith("\n#"):
            starts.append((at + 1, part.strip().count("#"), part.strip(" \n#")))
        at += len(part)
    text = "".join(parts)
    sections = []
    for index, (start, level, title) in enumerate(starts):
        end = next((s for s, other, _ in starts[index + 1 :] if other <= level), len(text))
        sections.append(Section(title, level, (start, end)))
    cuts = sorted({0, *draw(st.lists(st.integers(0, len(text)), max_size=4)), len(text)})
    pages = tuple(Page(n + 1, (a, b)) for n, (a, b) in enumerate(zip(cuts, cuts[1:], strict=False)))
    return Document("d", "s", "other", text, title="T", sections=tuple(sections), pages=pages)


@st.composite
def cut_settings(draw: st.DrawFn) -> CutSettings:
    size = draw(st.integers(40, 300))
    overlap = draw(st.integers(0, size // 2))
    return CutSettings(
        size, overlap, draw(st.sampled_from(["\n", "\n\n", "。", "---", " ", "word"])), draw(st.booleans())
    )


def check(document: Document, spans: list[tuple[int, int]]) -> None:
    text = document.text
    starts, ends = [s for s, _ in spans], [e for _, e in spans]
    assert starts == sorted(set(starts))
    assert ends == sorted(set(ends))
    covered = 0
    for start, end in spans:
        assert 0 <= start < end <= len(text)
        assert text[start:end] == text[start:end].strip() != ""
        assert start <= covered or not text[covered:start].strip(), "characters were left out"
        covered = end
    assert not text[covered:].strip()


@pytest.mark.parametrize("name", CHUNKERS.names())
@settings(max_examples=80, deadline=None)
@given(document=documents(), how=cut_settings())
@example(document=Document("d", "s", "text", " \n\t "), how=CutSettings())
@example(document=Document("d", "s", "text", ""), how=CutSettings())
@example(document=Document("d", "s", "text", "a" + " " * 900 + "b"), how=CutSettings(40, 20))
def test_spans_cover_every_character_in_order(name: str, document: Document, how: CutSettings) -> None:
    chunker = CHUNKERS.get(name)(how)
    spans = chunker.spans(document)
    check(document, spans)
    assert spans == CHUNKERS.get(name)(how).spans(document)


@pytest.mark.parametrize("name", ["size", "header", "sentence", "outline", "parent"])
@settings(max_examples=80, deadline=None)
@given(document=documents(), how=cut_settings())
def test_pieces_keep_to_size_and_overlap_and_part_no_character(name: str, document: Document, how: CutSettings) -> None:
    spans = CHUNKERS.get(name)(how).spans(document)
    assert all(end - start <= how.size_chars for start, end in spans)
    for (_, end), (start, _) in zip(spans, spans[1:], strict=False):
        assert end - start <= how.overlap_chars
    assert not any(continues(document.text, edge) for span in spans for edge in span)


@pytest.mark.parametrize("name", MODEL_CHUNKERS.names())
@settings(max_examples=40, deadline=None)
@given(document=documents(), how=cut_settings())
@example(document=Document("d", "s", "text", " \n\t "), how=CutSettings())
def test_chunkers_with_models_promise_the_same(name: str, document: Document, how: CutSettings) -> None:
    chunker = MODEL_CHUNKERS.get(name)(how, ChunkModels(FakeEmbedder(), FakeChatModel()))
    pieces = asyncio.run(chunker.pieces(document))
    check(document, list(pieces.spans))
    assert all(end - start <= how.size_chars for start, end in pieces.spans)


@settings(max_examples=60, deadline=None)
@given(document=documents(), how=cut_settings())
def test_parents_hold_their_pieces(document: Document, how: CutSettings) -> None:
    for chunk in cut_by("parent", document, how):
        if chunk.parent:
            assert chunk.parent[0] <= chunk.span[0] < chunk.span[1] <= chunk.parent[1] <= len(document.text)
            assert chunk.parent != chunk.span


@settings(max_examples=60, deadline=None)
@given(document=documents(), how=cut_settings())
def test_whole_rows_are_kept(document: Document, how: CutSettings) -> None:
    for chunk in cut_by("sentence", document, how):
        if chunk.kind == "table":
            lines = document.text.splitlines()
            assert all(line in lines or len(line) >= how.size_chars // 8 for line in chunk.text.splitlines())


@pytest.mark.parametrize("overlap", [0, 1, 199])
@given(text=st.text(alphabet=st.characters(exclude_characters="\r"), max_size=900), size=st.integers(200, 220))
@settings(max_examples=60, deadline=None)
def test_any_text_at_all_is_cut(text: str, size: int, overlap: int) -> None:
    document = Document("d", "s", "text", text)
    spans = CHUNKERS.get("size")(CutSettings(size, overlap)).spans(document)
    check(document, spans)
    assert all(end - start <= size for start, end in spans)


@settings(max_examples=40, deadline=None)
@given(document=documents(), how=cut_settings())
def test_chunks_say_where_they_stand(document: Document, how: CutSettings) -> None:
    chunks = cut(document, strategy="size", size_chars=how.size_chars, overlap_chars=how.overlap_chars)
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
        check(document, spans)
        if name not in {"page", "paragraph", "separator"}:
            assert all(end - start <= 512 for start, end in spans)
