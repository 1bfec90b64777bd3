"""What a PDF's page draws beside its text: straight lines and pictures."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, pairwise

import pypdfium2
import pypdfium2.raw as pdfium

from rove.load.layout.printed import Area, PrintedRule
from rove.load.pdf.page import Handle, PageFrame

MAX_OBJECTS = 20_000  # of a page: one with more is a drawing
MAX_SEGMENTS = 2_000  # of a path, likewise
MAX_NESTED = 3
THIN = 3.0  # points: what is no thicker is a line
MIN_RULE = 6.0
MIN_PICTURE = 24.0

Points = list[tuple[float, float]]
Matrices = tuple[pdfium.FS_MATRIX, ...]


@dataclass(frozen=True, slots=True)
class Marks:
    """The straight lines and the pictures of a page."""

    rules: tuple[PrintedRule, ...]
    pictures: tuple[Area, ...]


@dataclass(frozen=True, slots=True)
class _Drawn:
    """One object, and the matrices that place it, the innermost first: it may be drawn within a form."""

    kind: int
    raw: Handle
    matrices: Matrices

    def at(self, x: float, y: float, frame: PageFrame) -> Area:
        """Return where a point of the object stands on the page."""
        for m in self.matrices:
            x, y = m.a * x + m.c * y + m.e, m.b * x + m.d * y + m.f
        return frame.area(x, y, x, y)


def read_marks(page: pypdfium2.PdfPage, frame: PageFrame) -> Marks:
    """Return what a page draws; of a page that is one great drawing only its beginning is looked at."""
    rules: list[PrintedRule] = []
    pictures: list[Area] = []
    count = pdfium.FPDFPage_CountObjects(page.raw)
    top = ((pdfium.FPDFPage_GetObject(page.raw, index), ()) for index in range(count))
    for drawn in islice(_walk_page_objects(top, 0), MAX_OBJECTS):
        if drawn.kind == pdfium.FPDF_PAGEOBJ_PATH:
            rules += _rules(drawn, frame)
        else:
            pictures += [area for area in _bounds(drawn, frame) if min(area.width, area.height) >= MIN_PICTURE]
    return Marks(tuple(rules), tuple(pictures))


def _walk_page_objects(objects: Iterator[tuple[Handle, tuple[pdfium.FS_MATRIX, ...]]], depth: int) -> Iterator[_Drawn]:
    """Yield paths and images, those within forms too."""
    for raw, matrices in objects:
        kind = pdfium.FPDFPageObj_GetType(raw)
        if kind in (pdfium.FPDF_PAGEOBJ_PATH, pdfium.FPDF_PAGEOBJ_IMAGE):
            yield _Drawn(kind, raw, matrices)
        elif kind == pdfium.FPDF_PAGEOBJ_FORM and depth < MAX_NESTED:
            matrix = pdfium.FS_MATRIX()
            pdfium.FPDFPageObj_GetMatrix(raw, matrix)
            inner = (matrix, *matrices)
            count = pdfium.FPDFFormObj_CountObjects(raw)
            yield from _walk_page_objects(
                ((pdfium.FPDFFormObj_GetObject(raw, index), inner) for index in range(count)), depth + 1
            )


def _bounds(drawn: _Drawn, frame: PageFrame) -> Iterator[Area]:
    edges = [ctypes.c_float() for _ in range(4)]
    if pdfium.FPDFPageObj_GetBounds(drawn.raw, *edges):
        left, bottom, right, top = (edge.value for edge in edges)
        a, b = drawn.at(left, bottom, frame), drawn.at(right, top, frame)
        area = Area(min(a.left, b.left), min(a.top, b.top), max(a.left, b.left), max(a.top, b.top))
        whole = frame.upright
        area = Area(
            max(area.left, 0.0), max(area.top, 0.0), min(area.right, whole.right), min(area.bottom, whole.bottom)
        )
        if area.width > 0 and area.height > 0:
            yield area


def _rules(drawn: _Drawn, frame: PageFrame) -> Iterator[PrintedRule]:
    """Yield the straight lines of a path along the page's edges; a thin box is one line, any other its four edges."""
    segments = pdfium.FPDFPath_CountSegments(drawn.raw)
    if not 2 <= segments <= MAX_SEGMENTS:
        return
    for points in _subpaths(drawn, segments, frame):
        xs, ys = [x for x, _ in points], [y for _, y in points]
        box = Area(min(xs), min(ys), max(xs), max(ys))
        if min(box.width, box.height) <= THIN:
            if max(box.width, box.height) >= MIN_RULE:
                yield _straight(box)
            continue
        for (x0, y0), (x1, y1) in pairwise(points):
            edge = Area(min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1))
            if min(edge.width, edge.height) < 0.5 and max(edge.width, edge.height) >= MIN_RULE:
                yield _straight(edge)


def _straight(area: Area) -> PrintedRule:
    """Make the line without thickness that runs along the middle of a thin area."""
    if area.width >= area.height:
        y = (area.top + area.bottom) / 2
        return PrintedRule(area.left, y, area.right, y)
    x = (area.left + area.right) / 2
    return PrintedRule(x, area.top, x, area.bottom)


def _subpaths(drawn: _Drawn, segments: int, frame: PageFrame) -> Iterator[Points]:
    matrix = pdfium.FS_MATRIX()
    pdfium.FPDFPageObj_GetMatrix(drawn.raw, matrix)
    drawn = _Drawn(drawn.kind, drawn.raw, (matrix, *drawn.matrices))
    x, y = ctypes.c_float(), ctypes.c_float()
    points: Points = []
    for index in range(segments):
        segment = pdfium.FPDFPath_GetPathSegment(drawn.raw, index)
        kind = pdfium.FPDFPathSegment_GetType(segment)
        if kind == pdfium.FPDF_SEGMENT_MOVETO and points:
            yield from [points] if len(points) > 1 else []
            points = []
        pdfium.FPDFPathSegment_GetPoint(segment, x, y)
        place = drawn.at(x.value, y.value, frame)
        points.append((place.left, place.top))
        if pdfium.FPDFPathSegment_GetClose(segment):
            points.append(points[0])
    if len(points) > 1:
        yield points
