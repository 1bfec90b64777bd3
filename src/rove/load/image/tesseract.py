"""Tesseract as an OCR engine: a program on the PATH, which reads the scripts of which it has the languages."""

from __future__ import annotations

import csv
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property

from rove.errors import InputError
from rove.load.image.ocr import SURE, Picture
from rove.load.layout.printed import Word
from rove.load.text import clean
from rove.load.transcripts import Transcript

PAGE_TIMEOUT_S = 50  # of wall time, for each of the two runs on a page
MIN_CONFIDENCE = 30  # per cent: below it tesseract sees letters in a picture
LEGIBLE = (
    0.75  # letters of a script whose language is lacking are .64 to .67 sure on the whole, legible ones from .8 on
)
TALL, DEEP = re.compile(r"[A-ZÀ-Þbdfhklt\d(\[/|]"), re.compile(r"[gjpqyQ,;(\[/|]")
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
    "Thai": ("tha",),
    "Devanagari": ("hin",),
}
MAX_LANGUAGES = 4  # each one more takes its time again
SCRIPT = re.compile(r"^Script: (\w+)", re.MULTILINE)
ROTATE = re.compile(r"^Rotate: (\d+)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class _Look:
    """What a picture looks like before it is read: the languages of its script, and the quarter turns it needs.

    `lacking`: tesseract has no language of that script, and reads it by others. It takes Latin for Cyrillic at times.
    """

    languages: tuple[str, ...]
    turns: int
    lacking: bool = False


class TesseractEngine:
    """See `OcrEngine`. Its words have the height of their line."""

    def installed(self) -> str:
        """See `OcrEngine.installed`."""
        return f"tesseract {' '.join(sorted(self._languages))}" if self._languages else ""

    def read(self, picture: Picture, go_on: Callable[[], None]) -> Transcript:
        """See `OcrEngine.read`."""
        del go_on  # what another process takes is not this one's time
        look = self._look(picture)
        table = run_tesseract(picture.upright(look.turns), ["-l", "+".join(look.languages), "--psm", "3", "tsv"])
        rows = csv.reader(table.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE)
        words, sure = _words_from_tesseract(rows)
        if words and look.lacking and sure < LEGIBLE:
            return Transcript(look.turns, trust=0.0)
        return Transcript(look.turns, words, trust=min(1.0, sure * SURE / LEGIBLE))

    @cached_property
    def _program(self) -> str:
        return shutil.which("tesseract") or ""

    @cached_property
    def _languages(self) -> frozenset[str]:
        """The languages that it has, its detection of scripts ("osd") among them; none where it is not there."""
        if not self._program:
            return frozenset()
        command = [self._program, "--list-langs"]
        try:
            done = subprocess.run(command, capture_output=True, timeout=PAGE_TIMEOUT_S, check=True)
        except (OSError, subprocess.SubprocessError):
            return frozenset()
        found = frozenset(done.stdout.decode("utf-8", "replace").split())
        return found & {"osd", *(name for names in SCRIPTS.values() for name in names)}

    def _look(self, picture: Picture) -> _Look:
        """Ask for script and direction; where tesseract cannot tell, it is Latin and upright."""
        script, turns = "Latin", 0
        if "osd" in self._languages:
            try:
                told = run_tesseract(picture, ["-l", "osd", "--psm", "0"])
            except InputError:  # too few letters to tell
                told = ""
            if found := SCRIPT.search(told):
                script = found[1]
            if found := ROTATE.search(told):
                turns = int(found[1]) // 90 % 4
        languages = [name for name in SCRIPTS.get(script, ()) if name in self._languages]
        lacking = not languages
        if lacking:
            languages = [name for name in SCRIPTS["Latin"] if name in self._languages]
        languages = languages or sorted(self._languages - {"osd"})
        return _Look(tuple(languages[:MAX_LANGUAGES]), turns, lacking)


def run_tesseract(picture: Picture, arguments: list[str]) -> str:
    """Run tesseract on a picture and return what it prints.

    Raises:
        InputError: "damaged" - it failed, or took longer than `PAGE_TIMEOUT_S`.
    """
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
        cure = "Scan it again, or run OCR on it and add the result."
        raise InputError(message, cure=cure, outcome="damaged") from error
    return done.stdout.decode("utf-8", "replace")


def _words_from_tesseract(rows: Iterable[list[str]]) -> tuple[tuple[Word, ...], float]:
    """Make words of tesseract's table, and say how sure they are. All words of a line are as high as the line."""
    words: list[Word] = []
    top, bottom, sure, chars = 0.0, 0.0, 0.0, 0
    for row in rows:
        if len(row) != 12 or not row[0].isdecimal():
            continue
        left, upper, width, height = (float(value) for value in row[6:10])
        if row[0] == "4":
            top, bottom = upper, upper + height
        elif row[0] == "5" and float(row[10]) >= MIN_CONFIDENCE and (text := clean(row[11]).strip()):
            words.append(Word(left, top, left + width, bottom, text, max(height, 1.0) / _font_height_share(text)))
            sure, chars = sure + float(row[10]) / 100 * len(text), chars + len(text)
    return tuple(words), sure / chars if chars else 1.0


def _font_height_share(text: str) -> float:
    """Return how much of its font's height a word takes up: few letters reach from the top to the bottom."""
    if text[0] >= "\u0370":
        return 1.0
    tall, deep = TALL.search(text) is not None, DEEP.search(text) is not None
    return 1.0 if tall and deep else 0.77 if tall or deep else 0.55
