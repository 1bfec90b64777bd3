"""Choosing the strategy, and what a chunk says of itself."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from rove.chunk import CHUNKERS, MODEL_CHUNKERS, SUPPORTED, CutSettings
from rove.chunk.cut import cut_document, strategy_for
from rove.chunk.place import heading_path
from rove.errors import ConfigError
from rove.records import Document, Section

Make = Callable[..., Document]
UNSUPPORTED = [(kind, name) for kind, row in SUPPORTED.items() for name in CHUNKERS.table if name not in row]


def test_every_supported_strategy_exists() -> None:
    assert {name for row in SUPPORTED.values() for name in row} == {*CHUNKERS.table, *MODEL_CHUNKERS.table}
    headed = {"markdown", "rst", "ipynb", "ics", "vcf"}
    assert {SUPPORTED[kind][0] for kind in headed} == {"header"}
    assert {row[0] for kind, row in SUPPORTED.items() if kind not in {*headed, "posts", "schema"}} == {"sentence"}
    assert SUPPORTED["schema"][0] == "columns"


@pytest.mark.parametrize(
    ("kinds", "named"),
    [
        ("pdf pptx", {"size", "page", "separator"}),
        ("docx", {"size", "paragraph", "separator"}),
        ("markdown", {"size", "header", "separator"}),
        ("text html url csv xlsx string", {"size", "separator"}),
    ],
)
def test_each_kind_has_what_the_mission_names_and_what_every_kind_has(kinds: str, named: set[str]) -> None:
    everywhere = {"sentence", "outline", "parent", "semantic", "recursive"}
    for kind in kinds.split():
        assert set(SUPPORTED[kind]) == named | everywhere


@pytest.mark.parametrize(("kind", "strategy"), UNSUPPORTED)
def test_unsupported_pairs_are_refused(make_document: Make, kind: str, strategy: str) -> None:
    with pytest.raises(ConfigError) as caught:
        cut_document(make_document("text", kind), strategy=strategy)
    for word in (kind, strategy, *SUPPORTED[kind]):
        assert word in str(caught.value)


@pytest.mark.parametrize(("kind", "strategy"), [(k, s) for k, row in SUPPORTED.items() for s in row if s != "semantic"])
def test_supported_pairs_work(make_document: Make, kind: str, strategy: str) -> None:
    assert [c.text for c in cut_document(make_document("Szöveg.", kind), strategy=strategy)] == ["Szöveg."]


def test_unknown_kind_and_unknown_strategy(make_document: Make) -> None:
    assert strategy_for("unheard-of") == "sentence"
    with pytest.raises(ConfigError, match="needs a model"):
        cut_document(make_document("text", "text"), strategy="semantic")
    with pytest.raises(ConfigError):
        strategy_for("epub", "page")
    with pytest.raises(ConfigError, match="'sliding'.*size, page"):
        cut_document(make_document("text", "text"), strategy="sliding")


@pytest.mark.parametrize(
    ("size", "overlap", "separator", "word"),
    [
        (0, 0, "\n", "size_chars"),
        (50, 50, "\n", "overlap_chars"),
        (50, -1, "\n", "overlap_chars"),
        (50, 5, "", "separator"),
    ],
)
def test_settings_out_of_range(size: int, overlap: int, separator: str, word: str) -> None:
    with pytest.raises(ConfigError, match=word):
        CutSettings(size, overlap, separator)


def test_ids_follow_text_place_and_version(make_document: Make) -> None:
    document = make_document("same line\nsame line", "text")
    chunks = cut_document(document, strategy="separator")
    assert [c.text for c in chunks] == ["same line"] * 2
    assert chunks[0].chunk_id != chunks[1].chunk_id
    assert chunks == cut_document(document, strategy="separator")
    changed = make_document("same line\nsame line", "text", title="New")
    assert not {c.chunk_id for c in chunks} & {c.chunk_id for c in cut_document(changed, strategy="separator")}


def test_kinds_of_chunks(make_document: Make) -> None:
    table = "| a | b |\n|---|---|\n| 1 | 2 |"
    code = "~~~\n| a |\n|---|\n~~~"
    document = make_document(f"Text.\n\n{table}\n\nText | more.\n\n{code}\n\n```x```", "docx")
    assert [c.kind for c in cut_document(document, strategy="paragraph")] == ["text", "table", "text", "code", "text"]


def test_title_pages_and_language_are_handed_on(make_document: Make) -> None:
    document = make_document("une\fdeux", "pdf", title="Titre", language="fr", metadata={"year": 2020})
    first, second = cut_document(document, strategy="page")
    assert (first.language, first.prefix, first.metadata, first.page) == ("fr", "Titre", {"year": 2020}, 1)
    assert (second.indexed_text, second.page, second.position) == ("Titre\ndeux", 2, 1)


def test_headings_agree_with_the_document_even_where_sections_end_early() -> None:
    text = "aaaa bbbb\ncccc dddd\neeee ffff"
    sections = (Section("A", 1, (0, 19)), Section("B", 2, (10, 19)))
    document = Document("d", "s", "text", text, sections=sections)
    chunks = cut_document(document, strategy="separator")
    assert [c.headings for c in chunks] == [("A",), ("A", "B"), ()]
    assert [c.headings for c in chunks] == [document.headings_at(c.span[0]) for c in chunks]


def test_a_long_heading_path_ends_at_a_word() -> None:
    path = heading_path("Title", ["several words " * 30])
    assert len(path) <= 200
    assert path.endswith(("several", "words"))
    assert len(heading_path("題" * 500, [])) == 200
    assert heading_path("", ["A", "", "B\n c"]) == "A > B c"
