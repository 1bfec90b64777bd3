"""Text in pictures by OCR: what an engine promises, which one reads a picture, and the page that comes of it."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from statistics import median
from typing import Protocol

import numpy as np
import numpy.typing as npt

from rove.errors import InputError
from rove.installing import install_cure
from rove.load.layout.printed import PrintedPage, Word, line_of
from rove.load.transcripts import Transcript, Transcripts
from rove.registry import Registry

AUTO, OFF = "auto", "off"
SURE = 0.88  # of a page was read for sure: with less another engine is asked, and the page counts as read in part
STEP = 1.35  # sizes are told apart in such steps: letters of scans are measured roughly
POINTS = 72.0
HELP = "Scan it again, more finely, or install tesseract with the language of its script (tesseract-ocr-rus, …)"

Pixels = npt.NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Picture:
    """A page as a picture: `pixels` is (rows, columns) uint8, 0 black; `dpi` is the number of them on an inch."""

    pixels: Pixels
    dpi: float

    def upright(self, turns: int) -> Picture:
        """Return the picture after so many quarter turns to the right."""
        return replace(self, pixels=np.ascontiguousarray(np.rot90(self.pixels, -turns))) if turns else self


class OcrEngine(Protocol):
    """Reads printed text in pictures.

    It is made once a process, as `OcrEngine()`, where documents are read: in a sandbox without network, without files
    that can be written, and without much memory.
    """

    def installed(self) -> str:
        """Say what there is to read with, its version and languages, in a text that changes with them; "" for nothing.

        It is asked often, and imports nothing that takes long.
        """
        ...

    def read(self, picture: Picture, go_on: Callable[[], None]) -> Transcript:
        """Return the words of a picture with their places; a picture without words is one without words.

        What it sees without being able to read it, an engine leaves out, and says so by `Transcript.trust`. An engine
        that works in this process calls `go_on` every few seconds.

        Raises:
            InputError: "damaged" - it failed on this picture, or took too long.
        """
        ...


@dataclass(frozen=True, slots=True)
class OcrPage:
    """A page as OCR has read it. `doubtful`: much of it was not read, or is not sure."""

    page: PrintedPage
    doubtful: bool


@dataclass(frozen=True, slots=True)
class OcrReader:
    """Engines that are installed, in the order in which they are asked: a further one where the page is doubtful."""

    engines: tuple[OcrEngine, ...]

    def identity(self) -> str:
        """Say what reads, by all that decides what is read."""
        return "; ".join(engine.installed() for engine in self.engines)

    def digest(self, picture: Picture) -> str:
        """Name a picture by all that OCR sees of it, and by what reads it."""
        seen = repr((picture.pixels.shape, picture.dpi, self.identity()))
        return hashlib.sha256(seen.encode() + picture.pixels.tobytes()).hexdigest()

    def read(self, picture: Picture, number: int, of: int, transcripts: Transcripts) -> OcrPage:
        """Return a picture as page `number` of so many, set upright; one without words is without text.

        Raises:
            InputError: "damaged" - every engine failed, or took too long.
        """
        digest = self.digest(picture)
        known = transcripts.get(digest)
        transcript = known or self._transcribed(picture, transcripts.go_on)
        page = _page_from_transcript(picture, transcript, number)
        transcripts.tell(digest, b"" if known else transcript.packed(), number, of)
        return OcrPage(page, transcript.trust < SURE)

    def _transcribed(self, picture: Picture, go_on: Callable[[], None]) -> Transcript:
        best: Transcript | None = None
        failure: InputError | None = None
        for engine in self.engines:
            try:
                said = engine.read(picture, go_on)
            except InputError as error:
                failure = error
                continue
            best = said if best is None or said.trust > best.trust else best
            if best.trust >= SURE:
                break
        if best is not None:
            return best
        raise failure or InputError("No OCR is there to read the picture.", cure=install_ocr(), outcome="damaged")


def can_read(choice: str = AUTO) -> bool:
    """Say whether text in pictures can be read: `choice` is the setting `load.ocr`."""
    return reader_of(choice) is not None


def reader_of(choice: str = AUTO) -> OcrReader | None:
    """Return what reads pictures by the setting `load.ocr`: "auto", "off" or an engine's name; None where nothing does.

    Raises:
        ConfigError: no engine has that name.
    """
    names = () if choice == OFF else tuple(OCR_ENGINES.table) if choice == AUTO else (choice,)
    engines = tuple(engine for name in names if (engine := _create_ocr_engine(name)).installed())
    return OcrReader(engines) if engines else None


@cache
def _create_ocr_engine(name: str) -> OcrEngine:
    return OCR_ENGINES.get(name)()


def lacking(choice: str = AUTO) -> str:
    """Say what is not there where `reader_of` found nothing, as a part of a sentence."""
    if choice == OFF:
        return "load.ocr is 'off', so that nothing is there"
    return "no OCR is installed" if choice == AUTO else f"load.ocr is {choice!r}, which is not installed,"


def install_ocr(choice: str = AUTO) -> str:
    """Say what to do so that text in pictures is read."""
    if choice == OFF:
        return "Set load.ocr to 'auto', then add it again."
    return f"{install_cure('scan', 'rapidocr')} (RapidOCR), or install tesseract; then add it again."


def doubts(pages: Sequence[int], named: Callable[[list[int]], str]) -> list[str]:
    """Say of which pages much was not read, as a part of a sentence; nothing where there are none."""
    if not pages:
        return []
    what = f"hardly legible, or in a script that OCR lacks here, on {named(list(pages))}"
    return [f"it is {what}: what could not be read is left out, and the rest may be wrong"]


def _page_from_transcript(picture: Picture, transcript: Transcript, number: int) -> PrintedPage:
    scale = POINTS / picture.dpi
    rows, columns = picture.pixels.shape[:: -1 if transcript.turns % 2 else 1]
    return PrintedPage(
        number,
        columns * scale,
        rows * scale,
        _of_like_sizes([_scale_word(word, scale) for word in transcript.words]),
        aside=tuple(line_of([_scale_word(word, scale)]) for word in transcript.aside),
        turns=transcript.turns,
        skew=transcript.skew,
    )


def _scale_word(word: Word, scale: float) -> Word:
    left, top, right, bottom = (edge * scale for edge in (word.left, word.top, word.right, word.bottom))
    return replace(word, left=left, top=top, right=right, bottom=bottom, size=word.size * scale)


def _of_like_sizes(words: Sequence[Word]) -> tuple[Word, ...]:
    """Give words whose sizes differ by little the same one."""
    usual = median([word.size for word in words]) if words else 0.0
    return tuple(replace(word, size=usual * STEP ** round(math.log(word.size / usual, STEP))) for word in words)


OCR_ENGINES = Registry(
    "OCR engine",
    "rove.ocr_engines",
    {
        "rapid": "rove.load.image.rapid:RapidEngine",
        "tesseract": "rove.load.image.tesseract:TesseractEngine",
    },
)
"""Engines by name, in the order in which "auto" asks those that are installed."""
