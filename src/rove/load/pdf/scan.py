"""Scanned pages of a PDF: a picture of a page, which OCR reads."""

from __future__ import annotations

from contextlib import closing
from typing import Any, cast

import numpy as np
import pypdfium2

from rove.errors import InputError
from rove.load.image.ocr import OcrPage, OcrReader, Picture
from rove.load.layout.printed import Area
from rove.load.pdf.marks import Marks
from rove.load.pdf.page import PageText
from rove.load.transcripts import Transcripts

MIN_SHARE = 0.5  # of the page: pictures that cover more, with next to no words beside them, are a scan
MAX_WORDS = 8
DPI = 300.0
MAX_PIXELS = 24_000_000
POINTS = 72.0


def is_scan(text: PageText, marks: Marks, whole: Area) -> bool:
    """Say whether a page's text is in a picture, or in letters of which the file does not say what they are."""
    covered = sum(area.width * area.height for area in marks.pictures)
    return not text.readable or (len(text.words) < MAX_WORDS and covered > MIN_SHARE * whole.width * whole.height)


def read_scan(
    page: pypdfium2.PdfPage, number: int, of: int, reader: OcrReader, transcripts: Transcripts
) -> OcrPage | None:
    """Return page `number` of so many as OCR reads it; None where OCR fails on it."""
    width, height = page.get_size()
    dpi = min(DPI, POINTS * (MAX_PIXELS / max(width * height, 1.0)) ** 0.5)
    render = cast("Any", page.render)  # pyright: ignore[reportUnknownMemberType]
    with closing(render(scale=dpi / POINTS, grayscale=True)) as bitmap:
        pixels = np.array(bitmap.to_numpy(), dtype=np.uint8).reshape(bitmap.height, bitmap.width)
    try:
        return reader.read(Picture(pixels, dpi), number, of, transcripts)
    except InputError:
        return None
