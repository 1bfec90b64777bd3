"""What every OCR engine promises: words with their places, nothing read of a blank page, and no other errors."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from rove.load.image.ocr import OCR_ENGINES, OcrEngine, Picture
from rove.load.transcripts import Transcript
from rove.testing.contract import Contract

DPI = 150.0


def picture_of(text: str) -> Picture:
    """Return a picture with one line of text."""
    image = Image.new("L", (900, 160), 255)
    ImageDraw.Draw(image).text((60, 50), text, fill=0, font=ImageFont.load_default(40))
    return Picture(np.asarray(image, dtype=np.uint8), DPI)


class OcrEngineContract(Contract):
    """Inherit it, and give `name`, or `make`. `words`: what it reads of a picture that says so, in any case."""

    registry = OCR_ENGINES
    words: ClassVar[str] = "Seven herons stood here"

    def make(self) -> OcrEngine:
        """Return the engine."""
        return self.registered()()

    def read(self, picture: Picture) -> Transcript:
        """Read a picture."""
        return self.make().read(picture, lambda: None)

    def test_what_is_installed_is_said(self) -> None:
        """The same each time, and not nothing: else "auto" leaves the engine out."""
        engine = self.make()
        assert engine.installed()
        assert engine.installed() == engine.installed()

    def test_words_stand_where_they_are_printed(self) -> None:
        """Each word lies within the picture, is as wide and as high as something, and has a size."""
        said = self.read(picture_of(self.words))
        assert " ".join(word.text for word in said.words).casefold() == self.words.casefold()
        for word in said.words:
            assert 0 <= word.left < word.right <= 900
            assert 0 <= word.top < word.bottom <= 160
            assert word.size > 0
        assert 0 < said.trust <= 1
        assert Transcript.unpacked(said.packed()) == said

    def test_a_picture_upside_down_is_set_upright_or_not_trusted(self) -> None:
        """What was turned says so; what was not is no text that can be trusted."""
        upright = picture_of(self.words)
        said = self.read(upright.upright(2))
        assert said.turns == 2 or said.trust < 1

    def test_a_blank_picture_has_no_words(self) -> None:
        """White, black, one pixel, one row: nothing is read, and nothing is doubtful."""
        for rows, columns, shade in ((200, 300, 255), (200, 300, 0), (1, 1, 255), (1, 400, 255), (400, 1, 255)):
            said = self.read(Picture(np.full((rows, columns), shade, np.uint8), DPI))
            assert not said.words
            assert said.trust == 1
