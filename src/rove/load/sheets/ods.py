"""OpenDocument spreadsheets: the text of each cell as its program showed it, dates by their value."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator
from contextlib import closing

from rove.errors import InputError
from rove.load.container import open_container
from rove.load.sheets.sheet import CellBudget, Comment, Row, Sheet, fill_down, linked
from rove.load.sheets.workbook import workbook_document
from rove.load.text import clean
from rove.load.xmltree import Node, XmlError, inner_text, local, parse_xml, stream
from rove.records import Document, Source
from rove.records.source import MetaValue

MAX_COLUMN = 16_384
MAX_SPACES = 64
_Group = tuple[int, int, int]  # its first and its last row, and its column
CELLS = frozenset({"table-cell", "covered-table-cell"})
BROKEN = (XmlError, KeyError, ValueError, zipfile.BadZipFile, zlib.error, EOFError)
CURE = "Open it in a spreadsheet program and save it as .ods again."


class OdsLoader:
    """See `Loader`. A formula counts by the value that the file keeps; charts and pictures are not read."""

    def load(self, source: Source) -> Iterator[Document]:
        """See `Loader.load`."""
        with closing(open_container(source)) as archive:
            try:
                _refuse_encrypted(archive, source)
                facts: dict[str, MetaValue] = {"author": name} if (name := _ods_meta_value(archive, "creator")) else {}
                budget = CellBudget()
                title = _ods_meta_value(archive, "title")
                sheets = _read_ods_sheets(archive, budget)
                yield from workbook_document(source, sheets, budget, BROKEN, title=title, facts=facts)
            except BROKEN as error:
                message = f"{source.name!r} is not a complete .ods file: {str(error).strip('.')}."
                raise InputError(message, cure=CURE) from error


def _refuse_encrypted(archive: zipfile.ZipFile, source: Source) -> None:
    manifest = "META-INF/manifest.xml"
    if manifest in archive.namelist() and b"encryption-data" in archive.read(manifest):
        message = f"{source.name!r} is protected by a password."
        raise InputError(message, cure="Save a copy without a password and add that.", outcome="encrypted")


def _ods_meta_value(archive: zipfile.ZipFile, name: str) -> str:
    if "meta.xml" not in archive.namelist():
        return ""
    found = next(parse_xml(archive.read("meta.xml")).iter("{*}" + name), None)
    return clean(inner_text(found)).strip() if found is not None else ""


def _read_ods_sheets(archive: zipfile.ZipFile, budget: CellBudget) -> Iterator[Sheet]:
    """Yield each sheet, then fill it; see `workbook_document`."""
    hidden: set[str] = set()
    sheet, table, number = Sheet(""), None, 0
    groups: list[_Group] = []
    with archive.open("content.xml") as part:
        for element in stream(part, "{*}style", "{*}table-row"):
            if local(element) == "style":
                if any(_ods_attribute(e, "display") == "false" for e in element.iter("{*}table-properties")):
                    hidden.add(_ods_attribute(element, "name"))
                continue
            if (owner := _ods_parent_table(element)) is not table:
                _fill_groups(sheet, groups)
                table, number, groups = owner, 0, []
                sheet = _ods_sheet_from_table(owner, hidden)
                yield sheet
            repeated = _ods_count_attribute(element, "number-rows-repeated")
            groups += _ods_vertical_merges(element, number)
            if row := _read_ods_row(element, number, sheet):
                for offset in range(repeated):
                    if not budget.take(len(row)):
                        return
                    sheet.rows[number + offset] = dict(row) if offset else row
            number += repeated
    _fill_groups(sheet, groups)


def _ods_vertical_merges(element: Node, number: int) -> Iterator[_Group]:
    """Yield the cells of a row that are merged down, those of one column."""
    column = 0
    for cell in element:
        if local(cell) in CELLS:
            height = _ods_count_attribute(cell, "number-rows-spanned")
            if height > 1 and _ods_count_attribute(cell, "number-columns-spanned") == 1:
                yield number, number + height - 1, column
            column += _ods_count_attribute(cell, "number-columns-repeated")


def _fill_groups(sheet: Sheet, groups: list[_Group]) -> None:
    ends: dict[int, int] = {}
    bottom = max(sheet.rows, default=0)
    for first, last, column in groups:
        if first > ends.get(column, -1):  # no two of one column overlap in a file that a program wrote
            fill_down(sheet, first, min(last, bottom), column)
            ends[column] = last


def _ods_parent_table(row: Node) -> Node | None:
    """The table that a row is in: there may be groups and header rows between."""
    parent = row.getparent()
    while parent is not None and local(parent) != "table":
        parent = parent.getparent()
    return parent


def _ods_sheet_from_table(table: Node | None, hidden: set[str]) -> Sheet:
    if table is None:
        return Sheet("")
    return Sheet(clean(_ods_attribute(table, "name")), hidden=_ods_attribute(table, "style-name") in hidden)


def _read_ods_row(element: Node, number: int, sheet: Sheet) -> Row:
    row: Row = {}
    column = 0
    for cell in element:
        if local(cell) not in CELLS or column >= MAX_COLUMN:
            continue
        repeated = _ods_count_attribute(cell, "number-columns-repeated")
        if text := _ods_cell_text(cell):
            row |= dict.fromkeys(range(column, min(column + repeated, MAX_COLUMN)), text)
        if (width := _ods_count_attribute(cell, "number-columns-spanned")) > 1:
            sheet.spans.setdefault(number, {})[column] = width
        for note in cell.iterchildren("{*}annotation"):
            sheet.comments.append(_comment(note, number, column))
        column += repeated
    return row


def _ods_cell_text(cell: Node) -> str:
    if day := _ods_attribute(cell, "date-value"):
        return day.removesuffix("T00:00:00").replace("T", " ")
    text = "\n".join(filter(None, (_ods_inline_text(line) for line in cell.iterchildren("{*}p"))))
    return text or _ods_attribute(cell, "string-value") or _ods_attribute(cell, "value")


def _ods_inline_text(element: Node) -> str:
    """The text of a paragraph: OpenDocument has elements for spaces, tabs, line breaks and links."""
    out = [element.text or ""]
    for child in element:
        name = local(child)
        if name == "s":
            out.append(" " * min(_ods_count_attribute(child, "c"), MAX_SPACES))
        elif name in {"tab", "line-break"}:
            out.append(" ")
        elif name == "a":
            out.append(linked(_ods_inline_text(child), _ods_attribute(child, "href")))
        elif name and name not in {"annotation", "ruby-text"}:
            out.append(_ods_inline_text(child))
        out.append(child.tail or "")
    return "".join(out)


def _comment(note: Node, row: int, column: int) -> Comment:
    author = "".join(inner_text(e) for e in note.iterchildren("{*}creator"))
    return Comment(row, column, " ".join(_ods_inline_text(line) for line in note.iterchildren("{*}p")), author)


def _ods_attribute(element: Node, name: str) -> str:
    """An attribute in whatever namespace: no element of a spreadsheet has two with one name that are read here."""
    return next((value for key, value in element.attrib.items() if key.rpartition("}")[2] == name), "")


def _ods_count_attribute(element: Node, name: str) -> int:
    value = _ods_attribute(element, name)
    return max(1, int(value)) if value.isdecimal() and len(value) < 10 else 1
