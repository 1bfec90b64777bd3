"""Cutting by size: where the cuts fall, in several languages."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.cpu_time import growth

from rove.chunk import CutSettings
from rove.chunk.size import SizeChunker
from rove.records import Document

Make = Callable[..., Document]
SENTENCES = {
    "en": "The river rises in the hills and runs to the sea. ",
    "de": "Der Fluss entspringt z. B. im Gebirge, am 3. Mai trat er über die Ufer! ",
    "hu": "A folyó 2024. január 5-én kilépett a medréből, és elárasztotta a völgyet. ",
    "zh": "这条河发源于山中，最后流入大海。",
    "ja": "川は山から流れ、海に注いでいます。",
    "ar": "هل ينبع النهر من الجبال ويصب في البحر؟ ",
}


def pieces(document: Document, size: int = 512, overlap: int = 50) -> list[str]:
    return [document.text[a:b] for a, b in SizeChunker(CutSettings(size, overlap)).spans(document)]


@pytest.mark.parametrize("language", SENTENCES)
def test_cuts_fall_at_sentence_ends_and_overlaps_begin_at_starts(make_document: Make, language: str) -> None:
    sentence = SENTENCES[language]
    found = pieces(make_document(sentence * 60, "text"), 320, 80)
    assert len(found) > 2
    assert all(piece.endswith(sentence.strip()) for piece in found)
    assert all(piece.startswith(sentence[:8]) for piece in found)


def test_a_short_text_is_one_piece(make_document: Make) -> None:
    assert pieces(make_document("  word " * 73, "text")) == [("  word " * 73).strip()]


@pytest.mark.parametrize("length", [513, 530, 700, 1000, 1030, 2050])
@pytest.mark.parametrize("unit", ["word ", "字", "x"])
def test_no_runt_is_left(make_document: Make, length: int, unit: str) -> None:
    found = pieces(make_document((unit * length)[:length], "text"))
    assert min(map(len, found)) >= 200
    assert len(found) <= -(-(length - 50) // 462) + 1
    assert length != 530 or [len(piece) // 100 for piece in found] == [2, 2]


def test_kinds_of_places_in_their_order(make_document: Make) -> None:
    filler = "aaaa bbbb cccc dddd eeee ffff "
    for mark in ("\n\n", "\n", ". ", ", "):
        text = filler * 2 + f"END{mark}Next " + filler * 6
        first = pieces(make_document(text, "text"), 100, 0)[0]
        assert first == (filler * 2 + f"END{mark}").strip()
    both = filler * 2 + "END\n\nNext one. " + "Two, three " + filler * 6
    assert pieces(make_document(both, "text"), 100, 0)[0].endswith("END")


def test_abbreviations_and_ordinals_do_not_end_sentences(make_document: Make) -> None:
    text = (
        "Das gilt wie gesagt auch heute immer noch. "
        + "Man nehme dazu z. B. Salz am 3. Mai und rühre es gut um und warte dann lange ab."
    )
    assert pieces(make_document(text * 2, "text"), 64, 0)[0] == "Das gilt wie gesagt auch heute immer noch."


def test_sections_are_where_cuts_go(make_document: Make) -> None:
    text = "\n\n".join(f"# Part {n}\n\n" + "Some words here. " * 14 for n in range(6))
    found = pieces(make_document(text))
    assert [piece[:8] for piece in found] == [f"# Part {n}" for n in range(6)]


def test_small_sections_share_a_piece_and_a_lone_title_hides_no_chapter(make_document: Make) -> None:
    text = "# Book\n\n" + "\n\n".join(f"## Part {n}\n\n" + "Some words here. " * 14 for n in range(4))
    found = pieces(make_document(text))
    assert [piece.splitlines()[0] for piece in found] == ["# Book", "## Part 1", "## Part 2", "## Part 3"]
    tiny = "\n\n".join(f"# Part {n}\n\nwords" for n in range(10))
    assert len(pieces(make_document(tiny))) == 1


def test_tables_and_fences_stay_whole_where_they_fit(make_document: Make) -> None:
    table = "| a | b |\n|---|---|\n" + "\n".join(f"| row {n} | value |" for n in range(10))
    code = "```python\ndef f():\n    return 1\n\n\ndef g():\n    return 2\n```"
    words = "Some words here. " * 8
    for block in (table, code):
        found = pieces(make_document(f"{words}\n\n{block}\n\n{words}\n\n{block}\n\n{words}"), 300, 30)
        assert sum(block in piece for piece in found) == 2


def test_a_long_table_is_cut_at_row_ends(make_document: Make) -> None:
    table = "| a | b |\n|---|---|\n" + "\n".join(f"| row {n} | value. More, of it |" for n in range(90))
    for piece in pieces(make_document(table), 300, 40):
        assert piece.startswith("| ")
        assert piece.endswith(" |")


def test_an_overlap_just_below_the_size_ends(make_document: Make) -> None:
    found = pieces(make_document("word " * 60 + "x" * 100, "text"), 20, 19)
    assert len(found) > 60


def test_cost_is_linear_in_one_long_line() -> None:
    texts = {count: Document("d", "s", "text", "lorem ipsum " * count) for count in (20_000, 160_000)}
    assert growth(lambda count: SizeChunker().spans(texts[count]), *texts) < 24


@pytest.mark.parametrize("unit", ["👩‍👩‍👧‍👦", "🇭🇺", "👍🏽", "e\u0301\u0323", "\u1112\u1161\u11ab", "❤️", "か\u3099"])
@pytest.mark.parametrize("lead", range(4))
def test_no_written_character_is_parted(make_document: Make, unit: str, lead: int) -> None:
    # Few flags, since their pairs are counted back over 32 characters at most.
    text = "x" * lead + (unit * 9 + "y" * 3) * 20
    found = pieces(make_document(text, "text"), 50, 9)
    assert len(found) > 5
    for piece in found:
        whole = piece.replace(unit, "").replace("x", "").replace("y", "")
        assert not whole, f"a piece holds {whole!r}, part of {unit!r}"


def test_a_gap_wider_than_the_size_carries_no_overlap(make_document: Make) -> None:
    text = "word " * 19 + "words" + " " * 700 + "Other. " * 30
    found = pieces(make_document(text, "text"), 100, 50)
    assert sum("word" in piece for piece in found) == 1
    assert all(len(piece) <= 100 for piece in found)
    assert not any("word" in piece and "Other" in piece for piece in found)
    assert all(piece.strip() for piece in found)


def test_a_fence_that_fits_is_a_piece_of_its_own(make_document: Make) -> None:
    fence = "```\n" + "a = 1\n" * 8 + "\n\n" + "b = 2\n" * 8 + "```"
    words = "Some words here " * 7
    found = pieces(make_document(f"{words}\n{fence}\n" + "word " * 90, "docx"), 300, 0)
    assert found[1] == fence
