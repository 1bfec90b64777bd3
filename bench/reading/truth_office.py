"""What stands in Office files, read from their XML."""

from __future__ import annotations

import posixpath
import re
from datetime import datetime, timedelta
from pathlib import Path
from zipfile import ZipFile

from lxml import etree

from bench.reading.truth import Heading, Truth

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
C = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
S = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
WP = "{http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing}"
R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
HYPERLINK = re.compile(r'HYPERLINK\s+"(\S+?)"')
DATE_FORMATS = {*range(14, 23), *range(45, 48)}
PLACEHOLDER_TITLES = {"title", "ctrTitle"}
UNSAID = {"dt", "ftr", "sldNum"}


class Package:
    """The parts of an Office file."""

    def __init__(self, path: Path) -> None:
        self.zip = ZipFile(path)
        self.names = set(self.zip.namelist())

    def xml(self, name: str):
        return etree.fromstring(self.zip.read(name)) if name in self.names else None

    def relations(self, name: str) -> dict[str, tuple[str, str, bool]]:
        """Id → (type, target, external) of one part."""
        folder, base = posixpath.split(name)
        root = self.xml(posixpath.join(folder, "_rels", f"{base}.rels"))
        found = {}
        for row in [] if root is None else root:
            external = row.get("TargetMode") == "External"
            target = row.get("Target", "")
            place = target if external else posixpath.normpath(posixpath.join(folder, target)).lstrip("/")
            found[row.get("Id")] = (row.get("Type", "").rpartition("/")[2], place, external)
        return found


def inside(node, *tags: str) -> bool:
    """Say whether an element stands within one of those."""
    return any(parent.tag in tags for parent in node.iterancestors())


# -- Word ---------------------------------------------------------------------------------------------------------


def word_text(node) -> str:
    """The words under an element; deletions, alternatives and text within formulas are left out."""
    out = []
    for part in node.iter(f"{W}t", f"{W}tab", f"{W}br", f"{W}p", f"{W}cr", f"{W}noBreakHyphen"):
        if not inside(part, f"{W}del", f"{W}moveFrom", FALLBACK):
            out.append((part.text or "") if part.tag == f"{W}t" else "-" if part.tag.endswith("Hyphen") else "\n")
    return "".join(out)


def word_levels(package: Package) -> dict[str, int]:
    """Style id → level of heading (0: the title); the names and outline levels that styles inherit count."""
    root = package.xml("word/styles.xml")
    styles = {} if root is None else {s.get(f"{W}styleId"): s for s in root.iter(f"{W}style")}
    found = {}
    for style_id in styles:
        at, seen = style_id, set()
        while at in styles and at not in seen:
            seen.add(at)
            name = styles[at].find(f"{W}name")
            named = name.get(f"{W}val", "").lower() if name is not None else ""
            if match := re.fullmatch(r"heading (\d)", named):
                found[style_id] = int(match[1])
            elif named == "title":
                found[style_id] = 0
            if style_id in found:
                break
            parent = styles[at].find(f"{W}basedOn")
            at = parent.get(f"{W}val") if parent is not None else None
    return found


def docx(path: Path) -> Truth:
    """Read a Word file."""
    package = Package(path)
    main = next((to for kind, to, _ in package.relations("").values() if kind == "officeDocument"), "word/document.xml")
    body, relations = package.xml(main).find(f"{W}body"), package.relations(main)
    levels = word_levels(package)
    notes = [text for kind in ("footnotes", "endnotes", "comments") for text in word_notes(package, f"word/{kind}.xml")]
    edges = [name for name in package.names if re.match(r"word/(header|footer)\d*\.xml", name)]
    formulas = [node for node in body.iter(f"{M}oMath") if not inside(node, f"{M}oMath")]
    truth = Truth(text=word_text(body), notes=notes, formulas=len(formulas))
    edge_texts = [word_text(package.xml(name)) for name in sorted(edges)]
    truth.spare = "\n".join([*notes, *edge_texts, *(math_text(formula) for formula in formulas)])
    for node in body.iter(f"{W}p"):
        style = node.find(f"{W}pPr/{W}pStyle")
        level = levels.get(style.get(f"{W}val")) if style is not None else None
        if level is not None and word_text(node).strip() and not inside(node, f"{W}tbl"):
            truth.headings.append(Heading(level, word_text(node)))
    truth.tables = word_rows(body)
    fields = " ".join(node.text or "" for node in body.iter(f"{W}instrText"))
    linked = [node for node in body.iter(f"{W}hyperlink") if word_text(node).strip()]
    truth.links = [*filter(None, (word_target(node, relations) for node in linked)), *HYPERLINK.findall(fields)]
    truth.images = [
        d for node in body.iter(f"{WP}docPr") if (d := node.get("descr", "")) and not inside(node, FALLBACK)
    ]
    truth.spare += "\n".join(["", *truth.images, *chart_words(package)])
    breaks = sum(1 for _ in body.iter(f"{W}lastRenderedPageBreak"))
    truth.pages = breaks + 1 if breaks else 0
    return truth


def word_target(node, relations: dict[str, tuple[str, str, bool]]) -> str:
    """Where a link leads, out of the file; "" where it leads within."""
    _, target, external = relations.get(node.get(f"{R}id"), ("", "", False))
    anchor = node.get(f"{W}anchor", "")
    return f"{target}#{anchor}" if external and anchor else target if external else ""


def chart_words(package: Package) -> list[str]:
    """All that charts hold: their values are looked for as tables, in presentations."""
    names = sorted(name for name in package.names if "/charts/chart" in name and name.endswith(".xml"))
    return [" ".join(node.text or "" for node in package.xml(name).iter(f"{C}v", f"{A}t")) for name in names]


def math_text(node) -> str:
    return " ".join(part.text or "" for part in node.iter(f"{M}t"))


def word_notes(package: Package, name: str) -> list[str]:
    root = package.xml(name)
    found = [] if root is None else [node for node in root if not node.get(f"{W}type")]
    return [text for node in found if (text := word_text(node).strip())]


def word_rows(body) -> list[list[str]]:
    """Rows of all tables of more than one cell, those within tables too."""
    rows = []
    for table in body.iter(f"{W}tbl"):
        own = [list(row.iterchildren(f"{W}tc")) for row in table.iterchildren(f"{W}tr")]
        if sum(map(len, own)) > 1:
            texts = [["" if goes_on(cell) else cell_text(cell) for cell in row] for row in own]
            rows += [row for row in texts if any(text.strip() for text in row)]
    return rows


def goes_on(cell) -> bool:
    merge = cell.find(f"{W}tcPr/{W}vMerge")
    return merge is not None and merge.get(f"{W}val") != "restart"


def cell_text(cell) -> str:
    """A cell that holds a table has no text of its own here: that table's cells are looked for apart."""
    return "" if cell.find(f".//{W}tbl") is not None else word_text(cell)


# -- PowerPoint ---------------------------------------------------------------------------------------------------


def drawn(node) -> str:
    """The words of a DrawingML element, paragraph by paragraph."""
    return "\n".join("".join(t.text or "\n" for t in p.iter(f"{A}t", f"{A}br")) for p in node.iter(f"{A}p"))


def pptx(path: Path) -> Truth:
    """Read a presentation. The order within a slide is a matter of where shapes stand, so none is asked for."""
    package = Package(path)
    main = next(to for kind, to, _ in package.relations("").values() if kind == "officeDocument")
    relations = package.relations(main)
    names = [relations[node.get(f"{R}id")][1] for node in package.xml(main).iter(f"{P}sldId")]
    truth = Truth(ordered=False, pages=len(names))
    for name in names:
        slide(package, name, truth)
    truth.spare += "\n".join([*truth.images, *chart_words(package)])
    return truth


def slide(package: Package, name: str, truth: Truth) -> None:
    root, relations = package.xml(name), package.relations(name)
    if root is None:
        return
    for shape in root.iter(f"{P}sp"):
        mark = shape.find(f"{P}nvSpPr/{P}nvPr/{P}ph")
        kind = mark.get("type", "") if mark is not None else ""
        text = drawn(shape)
        if kind in PLACEHOLDER_TITLES and text.strip():
            truth.headings.append(Heading(1, text))
        if kind in UNSAID:
            truth.spare += text + "\n"
        else:
            truth.text += text + "\n"
    for frame in root.iter(f"{P}graphicFrame"):
        truth.text += drawn(frame) + "\n"
        truth.tables += [[drawn(cell) for cell in row.iter(f"{A}tc")] for row in frame.iter(f"{A}tr")]
    linked = [relations.get(node.get(f"{R}id")) for node in root.iter(f"{A}hlinkClick")]
    truth.links += [to for _, to, external in filter(None, linked) if external and "://" in to]
    names = [node for node in root.iter(f"{P}cNvPr") if inside(node, f"{P}pic")]
    truth.images += [text for node in names if (text := node.get("descr", "").strip())]
    for kind, target, _ in relations.values():
        if kind == "notesSlide" and (notes := note_text(package.xml(target))):
            truth.notes.append(notes)
            truth.text += notes + "\n"
        elif kind == "chart" and package.xml(target) is not None:
            chart(package.xml(target), truth)


def note_text(root) -> str:
    found = []
    for shape in root.iter(f"{P}sp") if root is not None else ():
        mark = shape.find(f"{P}nvSpPr/{P}nvPr/{P}ph")
        if mark is not None and mark.get("type") == "body":
            found.append(drawn(shape))
    return "\n".join(found).strip()


def chart(root, truth: Truth) -> None:
    """Categories with their values; the series' names; the title."""
    truth.spare += drawn(root) + "\n"
    columns: dict[str, list[str]] = {}
    for series in root.iter(f"{C}ser"):
        names = [v.text or "" for v in series.iterfind(f"{C}tx//{C}v")]
        truth.text += " ".join(names) + "\n"
        # dates are shown by a format, and levels of categories in more than one way: only plain names are looked for
        named = series.iterfind(f"{C}cat/{C}strRef//{C}pt")
        categories = {v.get("idx"): v.findtext(f"{C}v") or "" for v in named}
        for point in series.iterfind(f"{C}val//{C}pt"):
            at = point.get("idx")
            columns.setdefault(at, [categories.get(at, "")]).append(point.findtext(f"{C}v") or "")
    truth.tables += list(columns.values())


# -- Excel --------------------------------------------------------------------------------------------------------


def xlsx(path: Path) -> Truth:
    """Read a workbook: each sheet is a heading, each row with anything in it a row."""
    package = Package(path)
    book, relations = package.xml("xl/workbook.xml"), package.relations("xl/workbook.xml")
    shared = package.xml("xl/sharedStrings.xml")
    strings = [string_text(node) for node in shared] if shared is not None else []
    dates = date_styles(package.xml("xl/styles.xml"))
    truth = Truth(numeric=True)
    for sheet in book.iter(f"{S}sheet"):
        name = relations[sheet.get(f"{R}id")][1]
        rows = [[cell_value(cell, strings, dates) for cell in row] for row in package.xml(name).iter(f"{S}row")]
        rows = [row for row in rows if any(row)]
        if rows:
            truth.headings.append(Heading(1, sheet.get("name")))
            truth.tables += rows
            truth.text += "\n".join([sheet.get("name"), *(" ".join(row) for row in rows), ""])
        truth.links += [to for kind, to, out in package.relations(name).values() if kind == "hyperlink" and out]
    return truth


def string_text(node) -> str:
    return "".join(t.text or "" for t in node.iter(f"{S}t") if not inside(t, f"{S}rPh"))


def cell_value(cell, strings: list[str], dates: set[int]) -> str:
    kind, value = cell.get("t", "n"), cell.findtext(f"{S}v") or ""
    if kind == "inlineStr":
        return string_text(cell)
    if kind == "s":
        return strings[int(value)]
    if kind == "n" and value and int(cell.get("s", "0")) in dates:
        return (datetime(1899, 12, 30) + timedelta(days=float(value))).date().isoformat()  # noqa: DTZ001 - as it stands
    return value


def date_styles(root) -> set[int]:
    """Numbers of the cell styles that show a date."""
    if root is None:
        return set()
    own = {int(node.get("numFmtId")): node.get("formatCode", "") for node in root.iter(f"{S}numFmt")}
    plain = {k: re.sub(r'"[^"]*"|\[[^\]]*\]|\\.', "", code).lower() for k, code in own.items()}
    dated = DATE_FORMATS | {k for k, code in plain.items() if re.search(r"[dy]|mm", code)}
    formats = root.find(f"{S}cellXfs")
    return (
        {at for at, node in enumerate(formats) if int(node.get("numFmtId", "0")) in dated}
        if formats is not None
        else set()
    )
