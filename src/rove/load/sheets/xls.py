"""Old Excel workbooks (BIFF, Excel 5 to 2003): the same as xlsx, by xlrd."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from io import StringIO
from typing import Protocol, cast

import xlrd
from xlrd.biffh import XLRDError

from rove.errors import InputError
from rove.load.sheets.number_format import format_value
from rove.load.sheets.sheet import CellBudget, Comment, Row, Sheet, fill, fill_down, linked
from rove.load.sheets.workbook import workbook_document
from rove.load.text import clean
from rove.records import Document, Source
from rove.records.source import MetaValue

# xlrd looks at a file's bytes as it needs them, unchecked.
BROKEN = (XLRDError, struct.error, AssertionError, LookupError, ValueError, AttributeError, TypeError)
ENCRYPTED = "encrypted"  # how xlrd's message says it
CURE = "Open it in a spreadsheet program and save it as .xlsx."


class XlsLoader:
    """See `Loader`. A formula counts by the value that the file keeps; charts and pictures are not read."""

    def load(self, source: Source) -> Iterator[Document]:
        """See `Loader.load`."""
        try:
            opened = xlrd.open_workbook(  # pyright: ignore[reportUnknownMemberType]
                file_contents=source.data, logfile=StringIO(), formatting_info=True, on_demand=True
            )
            book = cast("Workbook", opened)
            budget = CellBudget()
            facts: dict[str, MetaValue] = {"author": name} if (name := clean(book.user_name).strip()) else {}
            yield from workbook_document(source, _read_xls_sheets(book, budget), budget, BROKEN, facts=facts)
        except XLRDError as error:
            if ENCRYPTED in str(error):
                message = f"{source.name!r} is protected by a password."
                cure = "Save a copy without a password and add that."
                raise InputError(message, cure=cure, outcome="encrypted") from error
            raise _xls_damage_error(source, error) from error
        except BROKEN as error:
            raise _xls_damage_error(source, error) from error


class XlsCell(Protocol):
    """A cell as xlrd gives it."""

    ctype: int
    value: str | float
    xf_index: int


class Note(Protocol):
    """A comment as xlrd gives it."""

    author: str
    text: str


class XlsLink(Protocol):
    """A link over a rectangle of cells, as xlrd gives it."""

    frowx: int
    fcolx: int
    url_or_path: str | bytes | None
    textmark: str | None


class BinarySheet(Protocol):
    """A sheet as xlrd gives it."""

    name: str
    nrows: int
    visibility: int
    merged_cells: list[list[int]]
    hyperlink_list: list[XlsLink]
    cell_note_map: dict[tuple[int, int], Note]

    def row(self, index: int) -> list[XlsCell]:
        """Return the cells of a row."""
        ...


class XlsStyle(Protocol):
    """A cell's style as xlrd gives it."""

    format_key: int


class XlsFormat(Protocol):
    """A number format as xlrd gives it."""

    format_str: str


class Workbook(Protocol):
    """A workbook as xlrd gives it."""

    nsheets: int
    datemode: int
    user_name: str
    xf_list: list[XlsStyle]
    format_map: dict[int, XlsFormat]

    def sheet_by_index(self, index: int) -> BinarySheet:
        """Read a sheet."""
        ...

    def sheet_names(self) -> list[str]:
        """Return the names of all sheets."""
        ...

    def unload_sheet(self, index: int) -> None:
        """Forget a sheet that was read."""
        ...


def _xls_damage_error(source: Source, error: Exception) -> InputError:
    return InputError(f"{source.name!r} is not a complete .xls file: {str(error).strip('.')}.", cure=CURE)


def _read_xls_sheets(book: Workbook, budget: CellBudget) -> Iterator[Sheet]:
    for index, name in enumerate(book.sheet_names()):
        if budget.left < 0:
            return
        sheet = Sheet(clean(name))
        yield sheet
        found = book.sheet_by_index(index)
        sheet.hidden = found.visibility != 0
        fill(sheet, _read_xls_rows(book, found), budget)
        for first, last, left, right in found.merged_cells:
            if right - left > 1 and last > first:
                sheet.spans.setdefault(first, {})[left] = right - left
            elif right - left == 1:
                fill_down(sheet, first, last - 1, left)
        for link in found.hyperlink_list:
            _apply_xls_hyperlink(sheet, link)
        sheet.comments += (
            Comment(*at, note.text, note.author.strip()) for at, note in sorted(found.cell_note_map.items())
        )
        book.unload_sheet(index)


def _read_xls_rows(book: Workbook, sheet: BinarySheet) -> Iterator[tuple[int, Row]]:
    codes = [book.format_map[s.format_key].format_str if s.format_key in book.format_map else "" for s in book.xf_list]
    for number in range(sheet.nrows):
        cells = enumerate(sheet.row(number))
        yield number, {column: text for column, cell in cells if (text := _xls_cell_text(cell, codes, book.datemode))}


def _xls_cell_text(cell: XlsCell, codes: list[str], datemode: int) -> str:
    if isinstance(cell.value, str):
        return cell.value
    if cell.ctype in (xlrd.XL_CELL_NUMBER, xlrd.XL_CELL_DATE):
        return format_value(cell.value, codes[cell.xf_index], epoch_1904=datemode == 1)
    if cell.ctype == xlrd.XL_CELL_BOOLEAN:
        return "TRUE" if cell.value else "FALSE"
    known = cast("dict[float, str]", xlrd.error_text_from_code)
    return known.get(cell.value, "") if cell.ctype == xlrd.XL_CELL_ERROR else ""


def _apply_xls_hyperlink(sheet: Sheet, link: XlsLink) -> None:
    target = link.url_or_path or (f"#{link.textmark}" if link.textmark else "")
    target = target.decode("utf-8", "replace") if isinstance(target, bytes) else target
    text = sheet.rows.get(link.frowx, {}).get(link.fcolx, "")
    if text:
        sheet.rows[link.frowx][link.fcolx] = linked(text, target.rstrip("\0"))
