"""OCR on pages that are printed and scanned here: errors a character and CPU time a page, for each engine.

Two sets of other texts, fonts, sizes, layouts and faults: "open" was looked at while the engines were put in, "held"
was not. What is compared is the document's text, so that the order of lines counts: the edit distance by characters.
"""

from __future__ import annotations

import random
import re
import resource
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from statistics import mean

import numpy as np
from PIL import Image, ImageDraw, ImageFilter, ImageFont
from rapidfuzz.distance import Levenshtein

from bench.report import Table, facts, say
from bench.scan_texts import HELD, OPEN
from rove.errors import InputError
from rove.load import LoadOptions
from rove.load.image.loader import ImageLoader
from rove.load.image.ocr import OCR_ENGINES, can_read
from rove.records import Source

FONTS = Path("/usr/share/fonts")
CJK = ("zh", "ja")
FACES = {"ja": 0, "zh": 2}  # of the collections of fonts for Chinese and Japanese
MARK = re.compile(r"^#+ |\*\*|\\", re.MULTILINE)
MARKS = re.compile(r"(<!-- scans -->\n).*(<!-- end of scans -->)", re.S)
MAX_ERRORS = 1.0
Fault = Callable[[Image.Image, random.Random], Image.Image]
"""What a scanner does to a page."""


@dataclass(frozen=True, slots=True)
class Print:
    """How a set is printed: by which `fonts`, in points, how wide a page of which resolution, and how it is scanned."""

    texts: dict[str, str]
    fonts: tuple[str, str]
    points: float
    dpi: int
    width_mm: int
    scans: dict[str, Fault]
    leading: float = 1.35


def run(sets: Sequence[str], engines: Sequence[str]) -> list[Table]:
    """Measure the engines that are installed on each set."""
    there = [name for name in engines or OCR_ENGINES.table if can_read(name)]
    return [_table(name, engine) for name in sets or SETS for engine in there]


def write(path: Path, command: str, tables: Sequence[Table]) -> None:
    """Put the tables into the page, between the marks."""
    told = "\n".join([*facts(command), "", *(f"#{table.markdown()}" for table in tables)])
    path.write_text(MARKS.sub(lambda found: f"{found[1]}\n{told}\n{found[2]}", path.read_text("utf-8")), "utf-8")


def _table(name: str, engine: str) -> Table:
    """Tell what one engine made of a set."""
    found = _measured(SETS[name], engine)
    rows = [
        [scan, *(f"{found[scan, language][0]:.3f}" for language in OPEN), mean(found[scan, one][1] for one in OPEN)]
        for scan in SETS[name].scans
    ]
    return Table(f"{engine}, {name} set: errors a character", ["page", *OPEN, "CPU s a page"], rows)


def _measured(printed: Print, engine: str) -> dict[tuple[str, str], tuple[float, float]]:
    found: dict[tuple[str, str], tuple[float, float]] = {}
    for language in printed.texts:
        for scan, truth, data in pages(printed, language):
            began = _cpu_s()
            text = read(data, engine)
            spent = _cpu_s() - began
            found[scan, language] = (errors(text, truth, language), spent)
            say(f"{engine}, {language}, {scan}: {found[scan, language][0]:.3f} errors a character, {spent:.1f} CPU s")
    return found


def pages(printed: Print, language: str) -> Iterator[tuple[str, str, bytes]]:
    """Yield each kind of page of a language: its name, what stands on it, and the picture."""
    for scan, fault in printed.scans.items():
        columns = 2 if scan == "two columns" else 1
        made = fault(print_page(printed, language, columns), random.Random(f"{scan} {language}"))
        out = BytesIO()
        made.save(out, "PNG", dpi=(printed.dpi, printed.dpi))
        yield scan, printed.texts[language], out.getvalue()


def read(data: bytes, engine: str) -> str:
    """Read a picture as a document; "" where it could not be read. What is read in part counts as it is."""
    documents = ImageLoader(LoadOptions(ocr=engine)).load(Source("/data/page.png", "page.png", data, "image"))
    text = ""
    try:
        for document in documents:
            text = document.text
    except InputError:
        pass
    return text


def errors(text: str, truth: str, language: str) -> float:
    """Return the edit distance by characters of the truth; blanks count as one, in Chinese and Japanese as none."""
    blank = "" if language in CJK else " "
    said, meant = (blank.join(MARK.sub("", one).split()) for one in (text, truth))
    return min(Levenshtein.distance(said, meant) / len(meant), MAX_ERRORS)


def print_page(printed: Print, language: str, columns: int) -> Image.Image:
    """Print a text, black on white."""
    size = round(printed.points * printed.dpi / 72)
    name = printed.fonts[1 if language in CJK else 0]
    font = ImageFont.truetype(str(FONTS / name), size, index=FACES.get(language, 0))
    width = round(printed.width_mm / 25.4 * printed.dpi)
    margin, gutter = width // 9, 2 * size
    room = (width - 2 * margin - (columns - 1) * gutter) // columns
    lines = [line for part in printed.texts[language].split("\n") for line in wrapped(part, font, room)]
    per_column = -(-len(lines) // columns)
    step = round(size * printed.leading)
    image = Image.new("L", (width, 2 * margin + per_column * step), 255)
    draw = ImageDraw.Draw(image)
    for number, line in enumerate(lines):
        column, row = divmod(number, per_column)
        draw.text((margin + column * (room + gutter), margin + row * step), line, font=font, fill=0)
    return image


def wrapped(text: str, font: ImageFont.FreeTypeFont, room: int) -> list[str]:
    """Break a paragraph into lines that fit, at blanks where it has them."""
    pieces = text.split(" ") if " " in text else list(text)
    blank = " " if " " in text else ""
    lines, line = list[str](), pieces[0]
    for piece in pieces[1:]:
        longer = f"{line}{blank}{piece}"
        if font.getlength(longer) <= room:
            line = longer
        else:
            lines.append(line)
            line = piece
    return [*lines, line]


def _cpu_s() -> float:
    own, started = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + started.ru_utime + started.ru_stime


def _as_is(image: Image.Image, _: random.Random) -> Image.Image:
    return image


def _turned(degrees: float) -> Fault:
    return lambda image, _: image.rotate(degrees, Image.Resampling.BICUBIC, expand=True, fillcolor=255)


def _blurred(radius: float) -> Fault:
    return lambda image, _: image.filter(ImageFilter.GaussianBlur(radius))


def _grainy(image: Image.Image, chance: random.Random) -> Image.Image:
    grain = np.random.default_rng(chance.randrange(1 << 30)).normal(0, 40, (image.height, image.width))
    return Image.fromarray(np.clip(np.asarray(image, float) * 0.8 + 30 + grain, 0, 255).astype(np.uint8))


def _stamped(image: Image.Image, chance: random.Random) -> Image.Image:
    """A stamp in grey over the text, aslant."""
    stamp = Image.new("L", (image.width // 2, image.width // 6), 0)
    font = ImageFont.truetype(str(FONTS / "truetype/dejavu/DejaVuSans-Bold.ttf"), stamp.height // 2)
    draw = ImageDraw.Draw(stamp)
    draw.rectangle((4, 4, stamp.width - 5, stamp.height - 5), outline=110, width=8)
    draw.text((stamp.width // 12, stamp.height // 5), "RECEIVED", font=font, fill=110)
    stamp = stamp.rotate(chance.uniform(12, 20), expand=True)
    made = image.copy()
    made.paste(Image.new("L", stamp.size, 150), (image.width // 3, image.height // 4), stamp)
    return Image.fromarray(np.minimum(np.asarray(made), np.asarray(image)))


def _speckled(image: Image.Image, chance: random.Random) -> Image.Image:
    """Specks of dust, a shadow at one side, and a JPEG of low quality."""
    drawn = np.random.default_rng(chance.randrange(1 << 30))
    pixels = np.asarray(image, float) * np.linspace(1.0, 0.6, image.width)[None, :]
    specks = drawn.random(pixels.shape)
    pixels[specks < 0.004], pixels[specks > 0.996] = 0, 255
    out = BytesIO()
    Image.fromarray(pixels.astype(np.uint8)).save(out, "JPEG", quality=25)
    return Image.open(out).convert("L")


def _shrunk(image: Image.Image, _: random.Random) -> Image.Image:
    """What a lens out of focus leaves: each pixel an average of its neighbours."""
    small = image.resize((round(image.width / 2.2), round(image.height / 2.2)), Image.Resampling.BOX)
    return small.resize(image.size, Image.Resampling.BILINEAR)


def _rubber(image: Image.Image, chance: random.Random) -> Image.Image:
    """A round stamp over the text."""
    draw = ImageDraw.Draw(made := image.copy())
    radius, x, y = image.width // 8, round(image.width * chance.uniform(0.55, 0.7)), round(image.height * 0.55)
    for ring in (radius, radius - 14):
        draw.ellipse((x - ring, y - ring, x + ring, y + ring), outline=140, width=5)
    font = ImageFont.truetype(str(FONTS / "truetype/dejavu/DejaVuSans-Bold.ttf"), radius // 3)
    draw.text((x - radius // 2, y - radius // 5), "№ 4711", font=font, fill=140)
    return Image.fromarray(np.minimum(np.asarray(made), np.asarray(image)))


SETS = {
    "open": Print(
        OPEN,
        ("truetype/dejavu/DejaVuSerif.ttf", "opentype/noto/NotoSansCJK-Regular.ttc"),
        11.0,
        300,
        148,
        {
            "clean": _as_is,
            "blurred": _blurred(2.5),
            "askew, 2°": _turned(-2.0),
            "askew, -2°": _turned(2.0),
            "turned 90°": _turned(-90),
            "turned 180°": _turned(180),
            "grainy": _grainy,
            "two columns": _as_is,
            "stamp": _stamped,
        },
    ),
    "held": Print(
        HELD,
        ("truetype/dejavu/DejaVuSansCondensed.ttf", "opentype/noto/NotoSerifCJK-Regular.ttc"),
        9.5,
        200,
        170,
        {
            "clean": _as_is,
            "blurred": _shrunk,
            "askew, 1.3°": _turned(-1.3),
            "askew, -1.8°": _turned(1.8),
            "turned 270°": _turned(90),
            "turned 180°": _turned(180),
            "specks, shadow, JPEG": _speckled,
            "two columns": _as_is,
            "round stamp": _rubber,
        },
        1.5,
    ),
}
