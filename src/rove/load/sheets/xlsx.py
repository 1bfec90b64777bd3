"""Excel workbooks (ECMA-376): each sheet read as a stream, the numbers by their formats, links and comments kept."""

from __future__ import annotations

import posixpath
import re
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

from rove.errors import InputError
from rove.load.container import open_container
from rove.load.office.opc import Relation, read_relations
from rove.load.sheets.number_format import BUILT_IN, format_value
from rove.load.sheets.sheet import CellBudget, Comment, Row, Sheet, cell_place, column_index, fill, fill_down, linked
from rove.load.sheets.workbook import workbook_document
from rove.load.text import clean
from rove.load.xmltree import Node, XmlError, inner_text, local, parse_xml, stream
from rove.records import Document, Source
from rove.records.source import MetaValue

DIGITS = "0123456789"
MAX_COLUMN = 16_384
MARGIN_PART, PAGE_CODE = re.compile(r"(?<!&)&[LCR]"), re.compile(r"(?<!&)&[PN]")
MARGIN_CODE = re.compile(r'&(?:"[^"]{0,80}"|\d{1,3}|K[0-9A-Fa-f]{2}[0-9A-Fa-f+-]\d{3}|K[0-9A-Fa-f]{6}|[A-Z])')
MAX_MARKS = 100_000  # merged ranges or links of one sheet
ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")
THREADED_MARK = "[Threaded comment]"  # a copy of a thread, for programs that know none
BROKEN = (XmlError, KeyError, ValueError, IndexError, zipfile.BadZipFile, zlib.error, EOFError)
CORE = "docProps/core.xml"
CURE = "Open it in a spreadsheet program and save it as .xlsx again."


class XlsxLoader:
    """See `Loader`. A formula counts by the value that the file keeps; charts and pictures are not read."""

    def load(self, source: Source) -> Iterator[Document]:
        """See `Loader.load`."""
        with closing(open_container(source)) as archive:
            try:
                book = _WorkbookParts(archive)
                facts: dict[str, MetaValue] = {"author": author} if (author := book.fact("creator")) else {}
                title = book.fact("title")
                yield from workbook_document(source, book.sheets(), book.budget, BROKEN, title=title, facts=facts)
            except BROKEN as error:
                message = f"{source.name!r} is not a complete .xlsx file: {str(error).strip('.')}."
                raise InputError(message, cure=CURE) from error


@dataclass(frozen=True, slots=True)
class _Mark:
    """A merged range, or a link: what outlives the element that it was read from."""

    area: str
    is_link: bool = False
    relation: str = ""
    place: str = ""


class _WorkbookParts:
    """The parts of one workbook; sheets are read when they are asked for."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self.archive = archive
        self.names = set(archive.namelist())
        self.budget = CellBudget()
        main = (r.target for r in self.relations("").values() if r.kind == "officeDocument")
        self.path = next(main, "xl/workbook.xml")
        self.root = parse_xml(archive.read(self.path))
        self.epoch_1904 = any(_is_true(e.get("date1904", "")) for e in self.root.iter("{*}workbookPr"))

    def fact(self, name: str) -> str:
        """What the file's own card says of it, "" where it says nothing."""
        if CORE not in self.names:
            return ""
        found = next(parse_xml(self.archive.read(CORE)).iter("{*}" + name), None)
        return clean(inner_text(found)).strip() if found is not None else ""

    def sheets(self) -> Iterator[Sheet]:
        """Yield each sheet, then fill it; see `workbook_document`."""
        relations = self.relations(self.path)
        for item in self.root.iter("{*}sheet"):
            relation = relations.get(_relation_id(item))
            if relation is not None and relation.kind == "worksheet" and self.budget.left >= 0:
                sheet = Sheet(clean(item.get("name", "")), hidden=item.get("state", "visible") != "visible")
                yield sheet
                self.fill(sheet, relation.target)

    def fill(self, sheet: Sheet, path: str) -> None:
        relations = self.relations(path)
        marks: list[_Mark] = []
        with self.archive.open(path) as part:
            elements = stream(part, "{*}row", "{*}mergeCell", "{*}hyperlink", "{*}headerFooter")
            fill(sheet, self.rows(elements, marks, sheet), self.budget)
        for mark in marks:
            _apply_xlsx_mark(sheet, mark, relations)
        for relation in relations.values():
            if relation.kind == "comments":
                sheet.comments += self.comments(relation.target)
            elif relation.kind == "threadedComment":
                sheet.comments += self.thread(relation.target)
            elif relation.kind == "drawing" and relation.target in self.names:
                boxes = islice(parse_xml(self.archive.read(relation.target)).iter("{*}txBody"), MAX_MARKS)
                sheet.below += [" ".join(inner_text(line) for line in box.iter("{*}p")) for box in boxes]

    def rows(self, elements: Iterator[Node], marks: list[_Mark], sheet: Sheet) -> Iterator[tuple[int, Row]]:
        """Yield row numbers and cells; merged ranges and links, which stand after the rows, are put into `marks`."""
        number = -1
        for element in elements:
            if local(element) == "headerFooter":
                for part in element:
                    (sheet.above if local(part).endswith("Header") else sheet.below).extend(_margin(inner_text(part)))
                continue
            if local(element) != "row":
                if len(marks) < MAX_MARKS:
                    is_link = local(element) == "hyperlink"
                    place = element.get("location", "")
                    marks.append(_Mark(element.get("ref", ""), is_link, _relation_id(element), place))
                continue
            given = element.get("r", "")
            number = max(int(given) - 1 if given else number + 1, number + 1)
            yield number, self.row(element)

    def row(self, element: Node) -> Row:
        row: Row = {}
        column = -1
        for cell in element:
            place = cell.get("r", "")
            column = max(column_index(place.rstrip(DIGITS)), column + 1) if place else column + 1
            if column < MAX_COLUMN and (text := self.cell(cell)):
                row[column] = text
        return row

    def cell(self, cell: Node) -> str:
        kind = cell.get("t", "n")
        if kind == "inlineStr":
            return _rich(cell)
        value = _xlsx_cell_value(cell)
        if not value and (formula := next((child.text for child in cell if child.tag.endswith("}f")), None)):
            return f"={formula}"  # of a program that does not calculate: better than a cell that looks empty
        if not value or kind == "s":
            return self.strings[int(value)] if value else ""
        if kind == "n":
            style = int(cell.get("s", "0"))
            code = self.formats[style] if style < len(self.formats) else ""
            return format_value(float(value), code, epoch_1904=self.epoch_1904)
        if kind == "b":
            return "TRUE" if _is_true(value) else "FALSE"
        return _unescape_xlsx_text(value)

    @cached_property
    def strings(self) -> list[str]:
        """The texts that cells share, without the readings over Japanese ones."""
        path = next((r.target for r in self.relations(self.path).values() if r.kind == "sharedStrings"), "")
        if not path:
            return []
        with self.archive.open(path) as part:
            return [_rich(item) for item in stream(part, "{*}si")]

    @cached_property
    def formats(self) -> list[str]:
        """The number format of each cell style."""
        path = next((r.target for r in self.relations(self.path).values() if r.kind == "styles"), "")
        if path not in self.names:
            return []
        root = parse_xml(self.archive.read(path))
        codes = {int(e.get("numFmtId", "0")): e.get("formatCode", "") for e in root.iter("{*}numFmt")}
        styles = (xf for group in root.iter("{*}cellXfs") for xf in group)
        ids = [int(xf.get("numFmtId", "0")) for xf in styles]
        return [codes.get(number) or BUILT_IN.get(number, "") for number in ids]

    def relations(self, path: str) -> dict[str, Relation]:
        """By id: the parts and addresses that a part of the file refers to."""
        folder, name = posixpath.split(path)
        part = posixpath.join(folder, "_rels", f"{name}.rels")
        if part not in self.names:
            return {}
        return read_relations(parse_xml(self.archive.read(part)), folder)

    def comments(self, path: str) -> Iterator[Comment]:
        root = parse_xml(self.archive.read(path))
        authors = [inner_text(e) for e in root.iter("{*}author")]
        for item in root.iter("{*}comment"):
            text, author = _rich(item), int(item.get("authorId", "0"))
            by = authors[author] if 0 <= author < len(authors) else ""
            if text.strip() and not text.startswith(THREADED_MARK):
                yield Comment(*cell_place(item.get("ref", "")), text.removeprefix(f"{by}:"), by)

    def thread(self, path: str) -> Iterator[Comment]:
        names = {p.get("id", ""): p.get("displayName", "") for p in self.persons()}
        for item in parse_xml(self.archive.read(path)).iter("{*}threadedComment"):
            text = "".join(inner_text(e) for e in item.iter("{*}text"))
            if text.strip():
                yield Comment(*cell_place(item.get("ref", "")), text, names.get(item.get("personId", ""), ""))

    def persons(self) -> Iterator[Node]:
        for relation in self.relations(self.path).values():
            if relation.kind == "person":
                yield from parse_xml(self.archive.read(relation.target)).iter("{*}person")


def _apply_xlsx_mark(sheet: Sheet, mark: _Mark, relations: dict[str, Relation]) -> None:
    first, _, last = mark.area.partition(":")
    row, column = cell_place(first)
    if not mark.is_link:
        last_row, last_column = cell_place(last or first)
        if (width := last_column - column + 1) > 1:
            sheet.spans.setdefault(row, {})[column] = width
        else:
            fill_down(sheet, row, last_row, column)
        return
    relation = relations.get(mark.relation)
    target = relation.target if relation is not None else f"#{mark.place}" if mark.place else ""
    text = sheet.rows.get(row, {}).get(column, "")
    if text and target:
        sheet.rows[row][column] = linked(text, target)


def _margin(text: str) -> Iterator[str]:
    """Yield the parts of a printed head or foot, without its codes; one with the page's number says nothing else."""
    for part in MARGIN_PART.split(text):
        if not PAGE_CODE.search(part):
            yield MARGIN_CODE.sub("", part.replace("&&", "\0")).replace("\0", "&").strip()


def _xlsx_cell_value(cell: Node) -> str | None:
    """The last child is mostly the value, and a formula stands before it."""
    return next((child.text for child in reversed(cell) if child.tag.endswith("}v")), None)


def _rich(element: Node) -> str:
    """The text of a cell or comment: its runs, without the readings that stand over Japanese ones."""
    return _unescape_xlsx_text("".join(run.text or "" for run in element.iter("{*}t") if not _is_reading(run)))


def _is_reading(run: Node) -> bool:
    parent = run.getparent()
    return parent is not None and local(parent) == "rPh"


def _unescape_xlsx_text(text: str) -> str:
    return ESCAPED.sub(lambda found: chr(int(found[1], 16)), text) if "_x" in text else text


def _relation_id(element: Node) -> str:
    return next((value for key, value in element.attrib.items() if key.endswith("}id")), "")


def _is_true(value: str) -> bool:
    return value.strip().lower() in {"1", "true", "on"}
