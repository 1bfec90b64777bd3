"""The recursive strategy against what LangChain's splitter made of the same texts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rove.chunk import CutSettings
from rove.chunk.recursive import RecursiveChunker
from rove.records import Document

RECORDED = json.loads(Path(__file__).with_name("recursive.json").read_text("utf-8"))


def pieces(text: str, size: int, overlap: int) -> list[str]:
    document = Document("d", "s", "text", text)
    return [text[a:b] for a, b in RecursiveChunker(CutSettings(size, overlap)).spans(document)]


@pytest.mark.parametrize("case", RECORDED["cases"], ids=range(len(RECORDED["cases"])))
def test_pieces_are_those_of_langchain(case: dict) -> None:
    assert pieces(case["text"], case["size"], case["overlap"]) == case["pieces"]


def test_a_piece_within_its_neighbour_is_left_out() -> None:
    """LangChain gives "ab", "cd", "cd ef" and "ef gh" here."""
    assert pieces(" ab  cd ef gh", 6, 4) == ["ab", "cd ef", "ef gh"]


def test_separators_in_their_order() -> None:
    text = "One two.\n\nThree four five.\nSix seven eight nine.\n\n" + "x" * 25
    assert pieces(text, 20, 0) == ["One two.", "Three four five.", "Six seven eight", "nine.", "x" * 19, "x" * 6]
