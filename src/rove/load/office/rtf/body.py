"""The body of a Rich Text file: its paragraphs, and the rows of its tables, as they end."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from rove.load.office.compose import CAPTION, CODE, IMAGE, PICTURE, TABLE, Piece, heading, item
from rove.load.office.docx.styles import CODE as CODE_STYLE
from rove.load.office.docx.styles import HEADING
from rove.load.office.rtf.tables import RtfRow, rows_text
from rove.load.office.rtf.text import Collected

BODY_LEVEL = 9
MAX_LABEL_CHARS = 32


@dataclass(frozen=True, slots=True)
class RtfStyle:
    """What a paragraph style says; `level` 0 is no heading."""

    level: int = 0
    is_caption: bool = False
    is_code: bool = False


class RtfBody:
    """Collects text into paragraphs and cells; `ready` has the pieces that are whole."""

    def __init__(self) -> None:
        self.text = Collected()
        self.ready: list[Piece] = []
        self.hanging: list[Piece] = []
        self.after_table: list[Piece] = []
        self.paragraphs = 0
        self.link_paragraph = -1
        self.label = ""
        self.styles: dict[int, RtfStyle] = {}
        self.style = 0
        self.outline = BODY_LEVEL
        self.depth = 0
        self.is_list = False
        self.in_table = False
        self.row = RtfRow()
        self.goes_on = False
        self.cell: list[str] = []
        self.cells: list[str] = []
        self.rows: list[RtfRow] = []
        self.words = self._words()

    def take_ready(self) -> list[Piece]:
        """Return the pieces that are whole."""
        taken, self.ready = self.ready, []
        return taken

    def end_paragraph(self) -> None:
        """End a paragraph: in a table it is a part of its cell."""
        self.paragraphs += 1
        text = self.text.take().strip()
        if self.in_table or self.cells:
            self.cell.append(f"{self._label()} {text}".strip())
            return
        self.end_table()
        if text:
            self.ready.append(self._piece(text))
        self.label = ""
        self.ready += self.hanging
        self.hanging = []

    def end_cell(self, _: int | None = None) -> None:
        """End a cell with what stands in it."""
        self.paragraphs += 1
        self.cell.append(f"{self._label()} {self.text.take().strip()}")
        self.cells.append(" ".join(" ".join(self.cell).split()))
        self.cell, self.label = [], ""

    def end_row(self, _: int | None = None) -> None:
        """End a row; a last cell that has no end of its own ends with it."""
        if self.cell:
            self.end_cell()
        if self.cells:
            self.rows.append(replace(self.row, texts=self.cells))
            self.after_table += self.hanging
            self.hanging = []
        self.cells = []

    def end_table(self) -> None:
        """End a table, where one is open."""
        self.end_row()
        if self.rows:
            lone = len(self.rows) == len(self.rows[0].texts) == 1
            self.ready.append(Piece(self.rows[0].texts[0]) if lone else Piece(rows_text(self.rows), TABLE))
        self.rows = []
        self.ready += self.after_table
        self.after_table = []

    def end_style(self, name: str) -> None:
        """Remember the style that the stylesheet has just described, by the number that it has given it."""
        name = name.strip(" ;")
        found = HEADING.fullmatch(name)
        level = 1 if name == "Title" else int(found[1]) if found else 0
        if not level and self.outline < BODY_LEVEL:
            level = self.outline + 1
        if name and self.style >= 0:
            self.styles[self.style] = RtfStyle(min(level, 6), name.lower() == "caption", bool(CODE_STYLE.search(name)))
        self.style, self.outline = 0, BODY_LEVEL

    def finish(self) -> None:
        """End all that is open."""
        self.end_paragraph()
        self.end_table()
        self.ready += self.hanging

    def _piece(self, text: str) -> Piece:
        style = self.styles.get(self.style, RtfStyle())
        level = self.outline + 1 if self.outline < BODY_LEVEL else style.level
        if level:
            return heading(level, f"{self._label()} {text}")
        if style.is_caption:
            return Piece(text, CAPTION)
        if style.is_code:
            return Piece(text, CODE)
        if not PICTURE.sub("", text).strip():
            return Piece(text, IMAGE)
        return item(self.depth, self._label(), text) if self.label or self.is_list else Piece(text)

    def _label(self) -> str:
        """The number of a list item; "" for a bullet, which is a sign."""
        label = self.label[:MAX_LABEL_CHARS]
        return label if re.search(r"\w", label) and label != "o" else ""

    def _reset(self, _: int | None) -> None:
        self.style, self.outline, self.depth = 0, BODY_LEVEL, 0
        self.in_table = self.is_list = False

    def _row_defined(self, _: int | None) -> None:
        self.row = RtfRow()
        self.goes_on = False

    def _edge(self, number: int | None) -> None:
        self.row.edges.append(number or 0)
        self.row.goes_on.append(self.goes_on)
        self.goes_on = False

    def _words(self) -> dict[str, Callable[[int | None], None]]:
        def put(name: str, least: int = 0) -> Callable[[int | None], None]:
            return lambda number: setattr(self, name, max(number or 0, least))

        return {
            "s": put("style"),
            "cs": lambda _: setattr(self, "style", -1),
            "ds": lambda _: setattr(self, "style", -1),
            "ts": lambda _: setattr(self, "style", -1),
            "outlinelevel": put("outline"),
            "ilvl": put("depth"),
            "ls": lambda n: setattr(self, "is_list", bool(n)),
            "pard": self._reset,
            "intbl": lambda _: setattr(self, "in_table", True),
            "itap": lambda n: setattr(self, "in_table", bool(n)),
            "trowd": self._row_defined,
            "trleft": lambda n: setattr(self.row, "left", n or 0),
            "trhdr": lambda _: setattr(self.row, "is_header", True),
            "clmrg": lambda _: setattr(self, "goes_on", True),
            "clvmrg": lambda _: setattr(self, "goes_on", True),
            "cellx": self._edge,
            "cell": self.end_cell,
            "row": self.end_row,
        }
