"""An OCR engine: it reads no letters, and says "blot" where something dark stands."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rove.load.image.ocr import Picture
from rove.load.layout.printed import Word
from rove.load.transcripts import Transcript

DARK, MARGIN = 128, 4


class Blots:
    """See `rove.load.image.ocr.OcrEngine`."""

    def installed(self) -> str:
        """See `OcrEngine.installed`."""
        return "blots 1"

    def read(self, picture: Picture, go_on: Callable[[], None]) -> Transcript:
        """See `OcrEngine.read`: paper is what the corner shows, and all that differs from it is one blot."""
        del go_on
        paper = picture.pixels[0, 0] < DARK
        rows, columns = np.nonzero((picture.pixels < DARK) != paper)
        if not len(rows):
            return Transcript()
        left, top, right, bottom = (float(edge) for edge in (columns.min(), rows.min(), columns.max(), rows.max()))
        blot = Word(left, top, right + 1, bottom + 1, "blot", bottom + 1 - top)
        return Transcript(words=(blot,), trust=0.5)
