"""What the pages of a PDF are called: the labels that the file gives them, else the numbers printed on them."""

from __future__ import annotations

import ctypes
from collections import Counter
from collections.abc import Sequence

import pypdfium2
import pypdfium2.raw as pdfium

from rove.load.layout.furniture import NUMBER_EDGE, PAGE_NUMBER
from rove.load.layout.printed import OrderedPage, PrintedLine
from rove.load.office.numerals import format_numeral

ROMAN = range(1, 100)
MAX_LABEL_CHARS = 40
LEAST_PRINTED = 3  # pages that print a number of one distance from their place, and half of those that print any


def page_labels(pdf: pypdfium2.PdfDocument, sheets: Sequence[OrderedPage]) -> str:
    """Return where pages begin to be called otherwise than by their place: "1:i,5:1"; "" where none is.

    Of a file without labels of its own, by the numbers that stand at the pages' edges.
    """
    labels = [_read_page_label(pdf, index) for index in range(len(pdf))]
    if not any(labels):
        distance = printed_distance(sheets)
        labels = [str(sheet.number + distance) if sheet.number + distance > 0 else "" for sheet in sheets]
    starts: list[str] = []
    for number, label in enumerate(labels, 1):
        before = labels[number - 2] if number > 1 else ""
        if label and not _is_next_page_label(before, label) and not (number == 1 and label == "1"):
            starts.append(f"{number}:{label}")
    return ",".join(starts)


def printed_distance(sheets: Sequence[OrderedPage]) -> int:
    """Return how much more the number that is printed on a page is than its place; 0 where it is not sure."""
    found = Counter[int]()
    for sheet in sheets:
        numbers = {number - sheet.number for item in sheet.items if (number := _edge_number(item, sheet)) is not None}
        found.update(numbers)
    if not found:
        return 0
    distance, count = found.most_common(1)[0]
    return distance if count >= LEAST_PRINTED and 2 * count >= sum(found.values()) else 0


def _edge_number(item: object, sheet: OrderedPage) -> int | None:
    """Return the number that a line at the page's edge is."""
    if not isinstance(item, PrintedLine):
        return None
    middle = (item.top + item.bottom) / 2 / max(sheet.height, 1.0)
    found = PAGE_NUMBER.fullmatch(item.text) if min(middle, 1 - middle) <= NUMBER_EDGE else None
    return int(found[1]) if found else None


def _read_page_label(pdf: pypdfium2.PdfDocument, index: int) -> str:
    size = pdfium.FPDF_GetPageLabel(pdf, index, None, 0)
    if size <= 2:
        return ""
    held = ctypes.create_string_buffer(size)
    pdfium.FPDF_GetPageLabel(pdf, index, held, size)
    told = held.raw[: size - 2].decode("utf-16-le", "ignore").strip()
    plain = told.isprintable() and not set(told) & set(", ")
    return told if plain and len(told) <= MAX_LABEL_CHARS else ""


def _is_next_page_label(before: str, label: str) -> bool:
    """Say whether a label is the one after another: its number is one more, or its Roman number may be."""
    if before.isdecimal() and label.isdecimal():
        return int(label) == int(before) + 1
    pair = (before.lower(), label.lower())
    return any(pair == (format_numeral(n, "lowerRoman"), format_numeral(n + 1, "lowerRoman")) for n in ROMAN)
