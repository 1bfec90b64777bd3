"""Text in pictures, by tesseract where that is installed: words with their places, as a PDF's page gives them."""

from __future__ import annotations

import csv
import hashlib
import math
import os
import re
import shutil
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache
from statistics import median

import numpy as np
import numpy.typing as npt

from rove.errors import InputError
from rove.load.layout.printed import PrintedPage, Word
from rove.load.text import clean
from rove.load.transcripts import Transcript, Transcripts

PAGE_TIMEOUT_S = 50  # of wall time, for each of the two runs on a page
MIN_CONFIDENCE = 30  # per cent: below it tesseract sees letters in a picture
STEP = 1.35  # sizes are told apart in such steps: letters of scans are measured roughly
TALL, DEEP = re.compile(r"[A-ZÀ-Þbdfhklt\d(\[/|]"), re.compile(r"[gjpqyQ,;(\[/|]")
POINTS = 72.0
# Script, as tesseract's own detection names it, and the languages that are written in it.
SCRIPTS = {
    "Latin": ("eng", "deu", "hun", "fra", "spa", "ita", "por", "nld"),
    "Fraktur": ("deu", "eng"),
    "Han": ("chi_sim", "chi_tra", "jpn"),
    "Japanese": ("jpn",),
    "Korean": ("kor",),
    "Hangul": ("kor",),
    "Cyrillic": ("rus", "ukr"),
    "Greek": ("ell",),
    "Arabic": ("ara",),
    "Hebrew": ("heb",),
}
MAX_LANGUAGES = 4  # each one more takes its time again
SCRIPT = re.compile(r"^Script: (\w+)", re.MULTILINE)
ROTATE = re.compile(r"^Rotate: (\d+)", re.MULTILINE)

Pixels = npt.NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Picture:
    """A page as a picture: `pixels` is (rows, columns) uint8, 0 black; `dpi` is the number of them on an inch."""

    pixels: Pixels
    dpi: float

    @property
    def digest(self) -> str:
        """Name it by all that OCR sees of it, and by the languages that OCR has."""
        seen = repr((self.pixels.shape, self.dpi, sorted(_installed())))
        return hashlib.sha256(seen.encode() + self.pixels.tobytes()).hexdigest()


@dataclass(frozen=True, slots=True)
class _Look:
    """What a picture looks like before it is read: the languages of its script, and the quarter turns it needs."""

    languages: tuple[str, ...]
    turns: int


def can_read() -> bool:
    """Say whether tesseract is on the PATH with a language that it can read."""
    return bool(_installed())


def read_picture(picture: Picture, number: int, of: int, transcripts: Transcripts) -> PrintedPage:
    """Return the words of a picture as page `number` of so many, set upright; one without words is without text.

    Raises:
        InputError: "damaged" - tesseract failed, or took longer than `PAGE_TIMEOUT_S`.
    """
    digest = picture.digest
    known = transcripts.get(digest)
    transcript = known or _transcribed(picture)
    scale = POINTS / picture.dpi
    rows, columns = picture.pixels.shape[:: -1 if transcript.turns % 2 else 1]
    lines = csv.reader(transcript.table.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE)
    page = PrintedPage(number, columns * scale, rows * scale, tuple(_words(lines, scale)), turns=transcript.turns)
    transcripts.tell(digest, b"" if known else transcript.packed(), number, of)
    return page


def _transcribed(picture: Picture) -> Transcript:
    look = _look(picture)
    upright = replace(picture, pixels=np.ascontiguousarray(np.rot90(picture.pixels, -look.turns)))
    return Transcript(look.turns, _tesseract(upright, ["-l", "+".join(look.languages), "--psm", "3", "tsv"]))


@cache
def _installed() -> frozenset[str]:
    """The languages that tesseract has, its detection of scripts ("osd") among them; none where it is not there."""
    program = shutil.which("tesseract")
    if program is None:
        return frozenset()
    try:
        done = subprocess.run([program, "--list-langs"], capture_output=True, timeout=PAGE_TIMEOUT_S, check=True)
    except (OSError, subprocess.SubprocessError):
        return frozenset()
    return frozenset(done.stdout.decode("utf-8", "replace").split()) & {
        "osd",
        *(n for names in SCRIPTS.values() for n in names),
    }


def _look(picture: Picture) -> _Look:
    """Ask tesseract for script and direction; where it cannot tell, it is Latin and upright."""
    script, turns = "Latin", 0
    if "osd" in _installed():
        try:
            told = _tesseract(picture, ["-l", "osd", "--psm", "0"])
        except InputError:  # too few letters to tell
            told = ""
        if found := SCRIPT.search(told):
            script = found[1]
        if found := ROTATE.search(told):
            turns = int(found[1]) // 90 % 4
    languages = [name for name in SCRIPTS.get(script, ()) if name in _installed()]
    if not languages:
        languages = [name for name in SCRIPTS["Latin"] if name in _installed()] or sorted(_installed() - {"osd"})
    return _Look(tuple(languages[:MAX_LANGUAGES]), turns)


def _tesseract(picture: Picture, arguments: list[str]) -> str:
    rows, columns = picture.pixels.shape
    image = b"P5 %d %d 255\n" % (columns, rows) + picture.pixels.tobytes()
    command = ["tesseract", "stdin", "stdout", "--dpi", str(round(picture.dpi)), *arguments]
    environment = {**os.environ, "OMP_THREAD_LIMIT": "1"}
    try:
        done = subprocess.run(
            command, input=image, capture_output=True, timeout=PAGE_TIMEOUT_S, check=True, env=environment
        )
    except (OSError, subprocess.SubprocessError) as error:
        why = "took too long" if isinstance(error, subprocess.TimeoutExpired) else "failed"
        message = f"tesseract {why} on a picture of {columns} by {rows} pixels."
        raise InputError(
            message, cure="Scan it again, or run OCR on it and add the result.", outcome="damaged"
        ) from error
    return done.stdout.decode("utf-8", "replace")


def _words(rows: Iterable[list[str]], scale: float) -> list[Word]:
    """Make words of tesseract's table. All words of a line are as high as the line, and like lines alike."""
    words: list[Word] = []
    top, bottom = 0.0, 0.0
    for row in rows:
        if len(row) != 12 or not row[0].isdecimal():
            continue
        left, upper, width, height = (int(value) * scale for value in row[6:10])
        if row[0] == "4":
            top, bottom = upper, upper + height
        elif row[0] == "5" and float(row[10]) >= MIN_CONFIDENCE and (text := clean(row[11]).strip()):
            words.append(Word(left, top, left + width, bottom, text, max(height, scale) / _share(text)))
    usual = median([word.size for word in words]) if words else 0.0
    return [replace(word, size=usual * STEP ** round(math.log(word.size / usual, STEP))) for word in words]


def _share(text: str) -> float:
    """Return how much of its font's height a word takes up: few letters reach from the top to the bottom."""
    if text[0] >= "\u0370":
        return 1.0
    tall, deep = TALL.search(text) is not None, DEEP.search(text) is not None
    return 1.0 if tall and deep else 0.77 if tall or deep else 0.55
