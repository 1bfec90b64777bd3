"""Page, paragraph, separator and header: what each makes of one document."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import pytest

from rove.chunk import CutSettings
from rove.chunk.cut import cut_by, cut_document
from rove.records import Document

Make = Callable[..., Document]


def texts(document: Document, strategy: str, **options: object) -> list[str]:
    return [c.text for c in cut_document(document, strategy=strategy, **options)]  # type: ignore[arg-type]


def test_page(make_document: Make) -> None:
    document = make_document("Erste Seite.\n\fSecond page,\nlong.\f \n\f第四页。", "pdf")
    chunks = cut_document(document, strategy="page")
    assert [(c.text, c.page) for c in chunks] == [("Erste Seite.", 1), ("Second page,\nlong.", 2), ("第四页。", 4)]


def test_page_without_pages_is_one_piece(make_document: Make) -> None:
    assert texts(make_document("a\n\nb", "pdf"), "page") == ["a\n\nb"]


def test_paragraph_keeps_tables_whole_and_headings_with_their_text(make_document: Make) -> None:
    table = "| a | b |\n|---|---|\n| 1 | 2 |"
    document = make_document(f"# Head\n\nOne.\nTwo.\n\n{table}\n\nÁrvíz.\n## End", "docx")
    assert texts(document, "paragraph") == ["# Head\n\nOne.", "Two.", table, "Árvíz.", "## End"]


@pytest.mark.parametrize(
    ("text", "separator", "merge", "expected"),
    [
        ("a\n\n b \nc", "\n", False, ["a", "b", "c"]),
        ("aaa\nbbb\nccc", "\n", True, ["aaa\nbbb", "ccc"]),
        ("one---two---", "---", False, ["one---", "two---"]),
        ("---one---two", "---", False, ["---one---", "two"]),
        ("一。二。三", "。", False, ["一。", "二。", "三"]),
        ("no such mark", "@@", False, ["no such mark"]),
        ("", "\n", False, []),
        ("---", "---", False, ["---"]),
    ],
)
def test_separator(make_document: Make, text: str, separator: str, merge: bool, expected: list[str]) -> None:
    document = make_document(text, "text")
    found = texts(document, "separator", separator=separator, merge=merge, size_chars=8, overlap_chars=0)
    assert found == expected


def test_an_overlong_part_is_cut_by_size_all_the_same(make_document: Make) -> None:
    found = texts(make_document("short\n" + "word " * 40_000, "text"), "separator")
    assert found[0] == "short"
    assert all(len(text) <= 512 for text in found)


MARKDOWN = """Before all.

# Guide

## Install

Run this:

```sh
# not a heading
pip install it
```

## Use

### Search

Ask it.

## Use

Again, the same heading.

## 終わり
"""


def test_header(make_document: Make) -> None:
    chunks = cut_document(make_document(MARKDOWN, title="Guide", metadata={"topic": "x"}))
    assert [c.text.splitlines()[0] for c in chunks] == ["Before all.", "# Guide", "## Use", "## Use"]
    assert [c.headings for c in chunks] == [(), ("Guide", "Install"), ("Guide", "Use", "Search"), ("Guide", "Use")]
    assert [c.prefix for c in chunks] == ["Guide", "Guide > Install", "Guide > Use > Search", "Guide > Use"]
    assert chunks[0].metadata == {"topic": "x"}
    assert chunks[2].metadata == {"topic": "x", "Header1": "Guide", "Header2": "Use", "Header3": "Search"}
    assert chunks[2].text == "## Use\n\n### Search\n\nAsk it."
    assert chunks[3].text.endswith("## 終わり")
    assert "# not a heading\npip" in chunks[1].text
    assert len({c.chunk_id for c in chunks}) == 4


def test_header_cuts_long_sections_within_themselves(make_document: Make) -> None:
    text = "# One\n\n" + "Ein Satz mit Wörtern. " * 60 + "\n\n# Two\n\nKurz.\n\n# Three\n\nKurz auch."
    chunks = cut_document(make_document(text))
    assert all(len(c.text) <= 512 for c in chunks)
    assert [c.headings[0] for c in chunks] == ["One"] * (len(chunks) - 2) + ["Two", "Three"]
    assert chunks[-2].text == "# Two\n\nKurz."


def test_header_of_headings_only(make_document: Make) -> None:
    assert texts(make_document("# A\n\n## B\n\n# C"), "header") == ["# A\n\n## B\n\n# C"]


def test_header_underlined_and_without_marks(make_document: Make) -> None:
    document = make_document("", "markdown")
    text = "Top\n===\n\nSub\n---\n\nText."
    sections = tuple(type(s)(s.title, s.level, s.span) for s in make_document("# x\n## y").sections)
    one, two = sections[0], sections[1]
    one = type(one)("Top", 1, (0, len(text)))
    two = type(two)("Sub", 2, (9, len(text)))
    document = make_document(text, sections=(one, two))
    chunks = cut_document(document)
    assert [(c.text, c.headings) for c in chunks] == [(text, ("Top", "Sub"))]


def test_header_without_headings_is_by_sentence(make_document: Make) -> None:
    document = make_document("Some words. " * 200)
    assert texts(document, "header") == texts(document, "sentence")


SENTENCES = {
    "en": ("The river rises in the hills in 2019. ", "It runs by Dr. Ma's house to the sea. "),
    "de": ("Der Fluss stieg am 3. Mai z. B. um 2 m. ", "Danach sank er bis zum 21. Juni auf 1,5 m! "),
    "hu": ("A folyó 2024. január 5-én kilépett a medréből. ", "Elárasztotta a völgyet, majd visszahúzódott. "),
    "zh": ("这条河发源于山中，最后流入大海。", "它在2019年涨了三米！"),
    "ja": ("川は山から流れ、海に注いでいます。", "「大きい」と人は言う。"),
}


@pytest.mark.parametrize("language", SENTENCES)
@pytest.mark.parametrize("strategy", ["sentence", "header", "outline", "parent"])
def test_whole_sentences_are_packed(make_document: Make, language: str, strategy: str) -> None:
    whole = {sentence.strip() for sentence in SENTENCES[language]}
    document = make_document("".join(SENTENCES[language]) * 40, "text", language=language)
    pieces = cut_by(strategy, document, CutSettings(200, 0))
    for piece in pieces:
        rest = piece.text
        for sentence in whole:
            rest = rest.replace(sentence, "")
        assert not rest.strip(), "a sentence was cut"
    longest = max(map(len, whole))
    assert all(200 - longest - 2 < len(piece.text) <= 200 for piece in pieces[:-1] if strategy == "sentence")


def test_sentences_overlap_by_whole_sentences(make_document: Make) -> None:
    text = "".join(f"Sentence number {n} stands here. " for n in range(40))
    pieces = cut_document(make_document(text, "text"), strategy="sentence", size_chars=200, overlap_chars=70)
    for before, after in pairwise(pieces):
        shared = text[after.span[0] : before.span[1]]
        assert 0 < len(shared) <= 70
        assert shared.startswith("Sentence number")
        assert shared.endswith("here.")


def test_a_sentence_longer_than_the_size_is_cut_and_a_heading_goes_with_its_text(make_document: Make) -> None:
    long = "word, " * 80 + "end."
    pieces = cut_document(make_document(f"Short one. {long} Short two.", "text"), strategy="sentence", size_chars=120)
    assert all(len(piece.text) <= 120 for piece in pieces)
    text = "# Book\n\n" + "".join(f"## Part {n}\n\nSome words stand here.\n\n" for n in range(9))
    for piece in cut_document(make_document(text, "docx"), strategy="sentence", size_chars=100):
        assert not piece.text.splitlines()[-1].startswith("#")


def test_parents_hold_their_children_and_do_not_overlap(make_document: Make) -> None:
    text = "".join(f"# Part {n}\n\n" + "Some words of this part stand here. " * 30 + "\n\n" for n in range(5))
    document = make_document(text, "docx")
    chunks = cut_document(document, strategy="parent", size_chars=200, overlap_chars=0)
    parents = sorted({c.parent for c in chunks if c.parent})
    assert len(parents) == 10
    assert all(a[1] <= b[0] for a, b in pairwise(parents))
    for chunk in chunks:
        assert chunk.parent
        assert chunk.parent[0] <= chunk.span[0]
        assert chunk.span[1] <= chunk.parent[1]
        assert 200 < chunk.parent[1] - chunk.parent[0] <= 800
    assert [c.parent for c in cut_document(make_document("One piece.", "docx"), strategy="parent")] == [None]
