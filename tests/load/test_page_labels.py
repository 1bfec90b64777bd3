"""What the pages of a PDF are called: by its own labels, and by the numbers that are printed."""

from __future__ import annotations

import pytest

from load.samples import pdf_file
from rove.load.pdf.loader import PdfLoader
from rove.records import Source

WORDS = "Ferry rates are fixed in spring and printed on every pier along the coast of the bay"


def labels(data: bytes) -> object:
    (document,) = PdfLoader().load(Source("a.pdf", "a.pdf", data, "pdf"))
    return document.metadata.get("page_labels")


def pages(printed: list[str]) -> bytes:
    return pdf_file(
        [
            [(72, 700 - 14 * line, 11, f"{WORDS} {place * 7 + line}") for line in range(6)]
            + ([(290, 30, 9, number)] if number else [])
            for place, number in enumerate(printed)
        ]
    )


@pytest.mark.parametrize(
    ("numbers", "wanted"),
    [
        ("0 << /S /r >> 2 << /S /D >>", "1:i,3:1"),
        ("0 << /S /D >>", None),
        ("0 << /S /D /St 7 >>", "1:7"),
        ("0 << /S /D /P (A-) >> 4 << /S /D >>", "1:A-1,2:A-2,3:A-3,4:A-4,5:1"),
    ],
)
def test_a_files_own_labels(numbers: str, wanted: str | None) -> None:
    told = f"/PageLabels << /Nums [{numbers}] >> /Type /Catalog".encode()
    assert labels(pages(["", "", "", "", ""]).replace(b"/Type /Catalog", told)) == wanted


@pytest.mark.parametrize(
    ("printed", "wanted"),
    [
        (["", "", "1", "2", "3", "4"], "3:1"),
        (["11", "12", "13", "14"], "1:11"),
        (["1", "2", "3", "4"], None),
        (["", "", "", ""], None),
        (["9", "2", "7", "4"], None),
    ],
)
def test_the_numbers_that_are_printed(printed: list[str], wanted: str | None) -> None:
    assert labels(pages(printed)) == wanted
