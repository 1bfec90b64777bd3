"""RapidOCR as an OCR engine: PP-OCR's models, which come in its package, run in this process by ONNX Runtime."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from time import process_time
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from rove.errors import InputError
from rove.load.image.ocr import Picture, Pixels
from rove.load.layout.printed import Word
from rove.load.text import clean
from rove.load.transcripts import Transcript
from rove.registry import load

MODELS = {"Det": "PP-OCRv6_det_small.onnx", "Rec": "PP-OCRv6_rec_small.onnx"}
MAX_FOUND_PIXELS = (
    1_800_000  # of the picture in which lines are looked for (A4 at 140 dpi); they are read in the whole one
)
APART = {"thresh": 0.8, "box_thresh": 0.4, "unclip_ratio": 1.6, "use_dilation": False}
"""How the line finder's map is parted where lines were lost, since a stamp or a drawing runs into them."""
SCRAP = 2.0  # times its height a line that was lost is wide at least
MAX_INK_BESIDE = 0.05  # of what is dark on a page: with more of it beside the lines, lines may be lost
PAGE_CPU_S = 100.0
BATCH = 12  # lines that are read between two looks at the clock
SAMPLE = 4  # of the longest lines show which side is up
SURE = 0.9  # of such a sample: it needs no second look
BETTER = 0.1
TALL = 1.5  # times its width a line is high that runs down the page
LEVEL = 5.0  # degrees beside the others: such a line is a stamp or a note in the margin
MARGIN = 0.1  # of a line's height: what the line finder adds on each side
FONT = 0.8  # of the same height is the size of the letters
GAP = 2.5  # heights of a line without a letter are print that was not read
MIN_TRUST = 0.5  # below it a line is left out
MAX_RATIO = 100.0  # of a line's width to its height

Quads = npt.NDArray[np.float32]
"""(lines, 4, 2): corners of lines in pixels, from the upper left one to the right and around."""


@dataclass(frozen=True, slots=True)
class ReadLine:
    """A line as it was recognised: its text, where each letter but blanks stands, 0 to 1 of the width, and how sure."""

    text: str
    places: tuple[float, ...]
    trust: float


class RapidEngine:
    """See `OcrEngine`. Latin, Chinese and Japanese script, in any of the four directions, also askew."""

    def installed(self) -> str:
        """See `OcrEngine.installed`."""
        return self._version

    def read(self, picture: Picture, go_on: Callable[[], None]) -> Transcript:
        """See `OcrEngine.read`."""
        began = process_time()
        try:
            return self._read(picture, go_on, began)
        except (*self._failures, MemoryError, ValueError) as error:
            rows, columns = picture.pixels.shape
            message = f"RapidOCR failed on a picture of {columns} by {rows} pixels."
            cure = "Scan it again, or raise load.max_memory_mb in the settings."
            raise InputError(message, cure=cure, outcome="damaged") from error

    @cached_property
    def _models(self) -> Path | None:
        """The folder of the models in the installed package; None where it is not there, or has others."""
        spec = find_spec("rapidocr")
        folder = Path(spec.origin).parent / "models" if spec and spec.origin else None
        return folder if folder and all((folder / name).is_file() for name in MODELS.values()) else None

    @cached_property
    def _version(self) -> str:
        return f"rapidocr {load('importlib.metadata:version')('rapidocr')}" if self._models else ""

    @cached_property
    def _program(self) -> Any:  # noqa: ANN401 - an untyped package, loaded when first used
        files = {f"{part}.model_path": str((self._models or Path()) / name) for part, name in MODELS.items()}
        threads = {f"EngineConfig.onnxruntime.{kind}_op_num_threads": 1 for kind in ("intra", "inter")}
        quiet = {"Global.log_level": "critical", "Global.return_word_box": True, "Rec.rec_batch_num": 1}
        # `_found` scales and pads, nothing else does
        bounded = {"Det.limit_type": "max", "Det.limit_side_len": 1 << 20}
        bounded |= {"Global.use_preprocess_img": False, "Global.use_vertical_padding": False}
        return load("rapidocr:RapidOCR")(params={**files, **threads, **quiet, **bounded})

    @cached_property
    def _failures(self) -> tuple[type[Exception], ...]:
        """What it raises: its own errors share no class with each other."""
        places = ("cv2:error", "rapidocr.inference_engine.onnxruntime.main:ONNXRuntimeError")
        return tuple(load(place) for place in places)

    def _read(self, picture: Picture, go_on: Callable[[], None], began: float) -> Transcript:
        quads = self._found(picture.pixels)
        turns = int(_run_down(quads))
        if turns:
            picture = picture.upright(turns)
            quads = self._found(picture.pixels)
        go_on()
        if not len(quads):
            return Transcript()
        coloured = _grey_to_rgb(picture.pixels)
        rows, columns = picture.pixels.shape
        if self._upside_down(coloured, quads):
            turns, coloured = turns + 2, np.ascontiguousarray(coloured[::-1, ::-1])
            quads = (np.array([columns, rows], np.float32) - quads)[:, [2, 3, 0, 1]]
        lines: list[ReadLine] = []
        for start in range(0, len(quads), BATCH):
            lines += self._recognised(coloured, quads[start : start + BATCH])
            go_on()
            if process_time() - began > PAGE_CPU_S:
                message = f"RapidOCR took more than {PAGE_CPU_S:.0f} s on a picture with {len(quads)} lines."
                raise InputError(message, cure="Cut it up, or scan it more coarsely.", outcome="damaged")
        return transcript_of(quads, lines, turns, (columns / 2, rows / 2))

    def _found(self, pixels: Pixels) -> Quads:
        """Find the lines of text. What is very long is looked at like all else: its area counts."""
        rows, columns = pixels.shape
        scale = min(1.0, (MAX_FOUND_PIXELS / (rows * columns)) ** 0.5)
        small = pixels
        if scale < 1.0:
            size = (max(1, round(columns * scale)), max(1, round(rows * scale)))
            small = load("cv2:resize")(pixels, size, interpolation=load("cv2:INTER_AREA"))
        margin = max(16, 32 - min(small.shape))
        stretch = np.array([columns / small.shape[1], rows / small.shape[0]], np.float32)
        small = np.pad(small, margin, mode="edge")
        quads = self._lines_on(small)
        if len(quads) and _ink_beside(small, quads) > MAX_INK_BESIDE:
            apart = self._lines_on(small, **APART)
            quads = np.concatenate([quads, _of_height(apart[_stand_apart(apart, quads)], np.median(_heights(quads)))])
        return (quads - margin) * stretch

    def _lines_on(self, small: Pixels, **how: float) -> Quads:
        """Let the line finder look at a picture of the size that it takes, `how` its map of text is parted."""
        coloured = _grey_to_rgb(small)
        if how:
            found = self._found_apart(coloured, how)
        else:
            found = self._program(coloured, use_det=True, use_cls=False, use_rec=False)
        boxes = found.boxes if found.boxes is not None else ()
        return np.asarray(boxes, np.float32).reshape(-1, 4, 2)

    def _found_apart(self, coloured: Pixels, how: Mapping[str, float]) -> Any:  # noqa: ANN401
        finder = self._program.text_det  # it is there once the first look was taken
        usual = finder.postprocess_op
        finder.postprocess_op = load("rapidocr.ch_ppocr_det.utils:DBPostProcess")(**how)
        try:
            return finder(coloured)
        finally:
            finder.postprocess_op = usual

    def _upside_down(self, coloured: Pixels, quads: Quads) -> bool:
        """Say whether lines are surer when they are read the other way round."""
        longest = quads[np.argsort(-_widths(quads))[:SAMPLE]]
        upright = _mean_trust(self._recognised(coloured, longest))
        return upright < SURE and _mean_trust(self._recognised(coloured, longest[:, [2, 3, 0, 1]])) > upright + BETTER

    def _recognised(self, coloured: Pixels, quads: Quads) -> list[ReadLine]:
        """Read lines. One that is as thin as a rule counts as not read."""
        readable = _widths(quads) <= MAX_RATIO * np.maximum(_heights(quads), 1.0)
        crops = self._program.crop_text_regions(coloured, quads[readable])
        lines = [ReadLine("", (), 0.0)] * len(quads)
        if crops:
            said = self._program.recognize_txt(crops)
            for at, text, found in zip(np.flatnonzero(readable), said.txts, said.word_results, strict=True):
                lines[int(at)] = _line_from_recognition(str(text), found, quads[at])
        return lines


def _line_from_recognition(text: str, found: Any, quad: Quads) -> ReadLine:  # noqa: ANN401
    """Say what was read of a line. Its trust is the letters' own, times the share of the line that has letters."""
    if not text.strip():
        return ReadLine("", (), 0.0)
    length = float(found.line_txt_len) or 1.0
    places = tuple(min((column + 0.5) / length, 1.0) for columns in found.word_cols for column in columns)
    kept = [float(sure) for letter, sure in zip(text, found.confs, strict=False) if not letter.isspace()]
    if not kept or len(kept) != len(places):
        return ReadLine("", (), 0.0)
    widest = GAP * float(_heights(quad[None])[0]) / max(float(_widths(quad[None])[0]), 1.0)
    empty = sum(after - before for before, after in pairwise((0.0, *places, 1.0)) if after - before > widest)
    return ReadLine(text, places, sum(kept) / len(kept) * (1.0 - empty))


def transcript_of(quads: Quads, lines: Sequence[ReadLine], turns: int, middle: tuple[float, float]) -> Transcript:
    """Put lines where they stand once the page is level; those that run another way stand aside."""
    widths, heights = _widths(quads), _heights(quads)
    angles: npt.NDArray[np.float64] = np.degrees(
        np.arctan2(quads[:, 1, 1] - quads[:, 0, 1], quads[:, 1, 0] - quads[:, 0, 0])
    )
    skew = _skew(angles, widths)
    centre = np.array(middle)
    back = math.radians(-skew)  # places are turned as far to the left
    turn = np.array([[math.cos(back), -math.sin(back)], [math.sin(back), math.cos(back)]])
    middles = (quads.mean(axis=1) - centre) @ turn.T + centre
    words: list[Word] = []
    aside: list[Word] = []
    sure = 0.0
    for line, quad, place, width, height, angle in zip(lines, quads, middles, widths, heights, angles, strict=True):
        sure += line.trust * float(width)
        if line.trust < MIN_TRUST or not (text := clean(line.text).strip()):
            continue
        if abs(angle - skew) > LEVEL or (height > TALL * width and len(text) > 1):
            (left, top), (right, bottom) = quad.min(axis=0).tolist(), quad.max(axis=0).tolist()
            aside.append(Word(left, top, right, bottom, text, FONT * float(min(width, height))))
        else:
            left, top = (place - np.array([width, height]) / 2).tolist()
            words += _words_from_read_line(
                line, Word(left, top, left + float(width), top + float(height), text, float(height))
            )
    trust = sure / max(float(widths.sum()), 1.0)
    return Transcript(turns % 4, tuple(words), tuple(aside), skew, min(trust, 1.0))


def _words_from_read_line(line: ReadLine, whole: Word) -> Iterator[Word]:
    """Part a line at its blanks. Words begin and end half a letter beside the middles of their letters."""
    edge = MARGIN * whole.height
    left, right = whole.left + edge, whole.right - edge
    at = 0
    for text in line.text.split():
        places = line.places[at : at + len(text)]
        half = (places[-1] - places[0]) / (len(text) - 1) / 2 if len(text) > 1 else 0.25 * whole.height / whole.width
        start, end = (whole.left + share * whole.width for share in (places[0] - half, places[-1] + half))
        start = left if at == 0 else max(start, left)
        end = right if at + len(text) == len(line.places) else min(end, right)
        at += len(text)
        if kept := clean(text).strip():
            yield Word(start, whole.top + edge, max(end, start + 1.0), whole.bottom - edge, kept, FONT * whole.height)


def _skew(angles: npt.NDArray[np.float64], widths: npt.NDArray[np.float32]) -> float:
    """Return the usual fall of lines in degrees, long lines for more; below a tenth of a degree the page is level."""
    order = np.argsort(angles)
    from_middle = np.cumsum(widths[order]) >= widths.sum() / 2
    skew = float(angles[order][from_middle][0])
    return round(skew, 2) if 0.1 <= abs(skew) < 45 else 0.0


def _run_down(quads: Quads) -> bool:
    """Say whether most of what is written runs down the page, or up."""
    widths, heights = _widths(quads), _heights(quads)
    return bool(heights[heights > TALL * widths].sum() > widths[widths > TALL * heights].sum())


def _ink_beside(small: Pixels, quads: Quads) -> float:
    """Return the share of what is dark, on a picture with dark print on light paper, that stands in no line."""
    level, _ = load("cv2:threshold")(small, 0, 255, load("cv2:THRESH_BINARY") + load("cv2:THRESH_OTSU"))
    dark = small <= level
    lines = np.zeros_like(small)
    load("cv2:fillPoly")(lines, list(quads.astype(np.int32)), 1)
    return float(np.sum(dark & (lines == 0)) / max(int(np.sum(dark)), 1))


def _stand_apart(quads: Quads, others: Quads) -> npt.NDArray[np.bool_]:
    """Say of each of the first whether it is a line, and no scrap of one, with its middle in none of the others."""
    middles = cast("list[list[float]]", quads.mean(axis=1).tolist())
    inside = load("cv2:pointPolygonTest")
    apart = [all(inside(other, (x, y), False) < 0 for other in others) for x, y in middles]
    return np.array(apart, bool) & (_widths(quads) > SCRAP * _heights(quads))


def _of_height(quads: Quads, height: np.floating[Any]) -> Quads:
    """Make lines as high as the others: what runs into them made them higher."""
    down = (quads[:, 3] - quads[:, 0]) / np.maximum(_heights(quads), 1.0)[:, None] * height / 2
    starts, ends = (quads[:, 0] + quads[:, 3]) / 2, (quads[:, 1] + quads[:, 2]) / 2
    return np.stack([starts - down, ends - down, ends + down, starts + down], axis=1).astype(np.float32)


def _widths(quads: Quads) -> npt.NDArray[np.float32]:
    return cast("npt.NDArray[np.float32]", np.linalg.norm(quads[:, 0] - quads[:, 1], axis=1))


def _heights(quads: Quads) -> npt.NDArray[np.float32]:
    return cast("npt.NDArray[np.float32]", np.linalg.norm(quads[:, 0] - quads[:, 3], axis=1))


def _mean_trust(lines: Sequence[ReadLine]) -> float:
    return sum(line.trust for line in lines) / max(len(lines), 1)


def _grey_to_rgb(pixels: Pixels) -> Pixels:
    """The same grey in three colours, which is what the models take."""
    return np.repeat(pixels[:, :, None], 3, axis=2)
