"""The text of one Word paragraph: runs, links, fields, formulas, pictures. What hangs beside it is kept for later."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from rove.load.formula.omml import M, omml_to_latex
from rove.load.office.chart import C
from rove.load.office.compose import PAGE_BREAK, image_markdown, link
from rove.load.office.docx.styles import OFF, RunStyle, W, run_style, value
from rove.load.office.drawing import DGM, A, picture_name
from rove.load.office.opc import R, XmlPart
from rove.load.struck import joined_strikes, struck
from rove.load.symbol_fonts import symbol, with_symbols
from rove.load.xmltree import Node, integer

FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"  # says the same a second time
V = "{urn:schemas-microsoft-com:vml}"
OFFICE = "{urn:schemas-microsoft-com:office:office}"
PIC = "{http://schemas.openxmlformats.org/drawingml/2006/picture}"
WP = "{http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing}"
# Properties, what was deleted, and readings set over characters.
SKIPPED = {
    FALLBACK,
    f"{W}pPr",
    f"{W}rPr",
    f"{W}del",
    f"{W}moveFrom",
    f"{W}delText",
    f"{W}sdtPr",
    f"{W}rt",
    f"{W}rubyPr",
}
LITERAL = {
    f"{W}tab": "\t",
    f"{W}ptab": "\t",
    f"{W}cr": "\n",
    f"{W}noBreakHyphen": "-",
    f"{W}lastRenderedPageBreak": PAGE_BREAK,
}
HANGING = {f"{W}txbxContent", f"{W}commentReference", f"{C}chart", f"{DGM}relIds"}
NOTES = {f"{W}footnoteReference": "footnote", f"{W}endnoteReference": "endnote"}
HYPERLINK = re.compile(r'\s*HYPERLINK\s+(?:"([^"]*)"|([^\s"\\]+))?(?:.*?\\l\s+"?([^"\s]*))?', re.IGNORECASE)
PAGE_FIELD = re.compile(r"\s*(?:PAGE|NUMPAGES|SECTIONPAGES)\b", re.IGNORECASE)
SYMBOL_FIELD = re.compile(r'\s*SYMBOL\s+(0x[0-9a-f]{1,5}|\d{1,5})(?:.*?\\f\s+"?([^"\\]+))?', re.IGNORECASE)
MAX_FIELDS, MAX_PAGE_WORDS = 64, 3


@dataclass(slots=True)
class Field:
    """A field that is open: its instruction, and where in the paragraph its result begins (-1: elsewhere).

    `chosen` is what a field of a form shows that has no result: an entry of a list, a box that is ticked.
    """

    instruction: str = ""
    start: int = -1
    has_result: bool = False
    chosen: str = ""


class ParagraphReader:
    """Reads the paragraphs of one part, in order: a field can go on from one to the next.

    `styles` are those of letters, by their ids. In a head or foot (`is_margin`) the numbers of pages say nothing.
    """

    def __init__(
        self,
        part: XmlPart,
        notes: dict[tuple[str, str], int],
        styles: dict[str, RunStyle] | None = None,
        *,
        is_margin: bool = False,
    ) -> None:
        self.part = part
        self.is_margin = is_margin
        self.page_numbers = 0
        self.notes = notes
        self.styles = styles or {}
        self.font = ""
        self.strikes = 0
        self.fields: list[Field] = []
        self.out: list[str] = []
        self.formulas = 0
        self.hanging: list[Node] = []
        self.readers: dict[str, Callable[[Node], None]] = {
            f"{W}r": self._run,
            f"{W}br": self._break,
            f"{W}sym": self._symbol,
            f"{W}footnoteReference": self._note,
            f"{W}endnoteReference": self._note,
            f"{W}hyperlink": self._hyperlink,
            f"{W}fldSimple": self._simple_field,
            f"{W}fldChar": self._field_mark,
            f"{W}instrText": self._instruction,
            f"{M}oMath": self._formula,
            f"{M}oMathPara": self._formula,
            f"{W}drawing": self._drawing,
            f"{W}pict": self._vml,
            f"{W}object": self._vml,
        }

    def read(self, paragraph: Node) -> str:
        """Return the text; `formulas` is then their number, and `hanging` has what stands beside the text."""
        self.out, self.formulas, self.strikes, self.page_numbers = [], 0, 0, 0
        for field in self.fields:  # one that has not come to its result yet is no field, or would hide all that follows
            field.start, field.has_result = -1, True
        self._all(paragraph)
        text = "".join(self.out)
        return joined_strikes(text) if self.strikes > 1 else text

    def take_hanging(self) -> list[Node]:
        """Return what hangs beside the texts read so far: text boxes, charts, diagrams, comments."""
        taken, self.hanging = self.hanging, []
        return taken

    def _all(self, parent: Node) -> None:
        for node in parent:
            tag = node.tag
            if tag == f"{W}t":
                self._say(with_symbols(node.text or "", self.font))
            elif tag in LITERAL:
                self._say(LITERAL[tag])
            elif tag in HANGING:
                self.hanging.append(node)
            elif read := self.readers.get(tag):
                read(node)
            elif tag not in SKIPPED:
                self._all(node)

    def _say(self, text: str) -> None:
        if all(field.has_result for field in self.fields):
            self.out.append(text)

    def _run(self, node: Node) -> None:
        properties = node.find(f"{W}rPr")
        style = run_style(properties)
        if properties is not None and (named := self.styles.get(value(properties, "rStyle"))):
            style = style.over(named)
        if style.is_hidden:
            return
        before, self.font = self.font, style.font
        start = len(self.out)
        self._all(node)
        self.font = before
        if style.is_struck and len(self.out) > start:
            self.out[start:] = [struck("".join(self.out[start:]))]
            self.strikes += 1

    def _break(self, node: Node) -> None:
        self._say("\n" if node.get(f"{W}type", "textWrapping") == "textWrapping" else "")

    def _symbol(self, node: Node) -> None:
        try:
            code = int(node.get(f"{W}char", ""), 16)
        except ValueError:
            return
        self._say(symbol(code, node.get(f"{W}font", "")) if code >= 0x20 else "")

    def _note(self, node: Node) -> None:
        key = (NOTES[node.tag], node.get(f"{W}id", ""))
        self._say(f"[^{self.notes.setdefault(key, len(self.notes) + 1)}]")

    def _hyperlink(self, node: Node) -> None:
        relation = self.part.relations.get(node.get(f"{R}id", ""))
        target = relation.target if relation and relation.external else ""
        self._linked(node, f"{target}#{anchor}" if target and (anchor := node.get(f"{W}anchor", "")) else target)

    def _simple_field(self, node: Node) -> None:
        start, instruction = len(self.out), node.get(f"{W}instr", "")
        self._all(node)
        self._end_field(start, instruction)
        if not "".join(self.out[start:]):
            self._say(_field_symbol(instruction))

    def _linked(self, node: Node, target: str) -> None:
        start = len(self.out)
        self._all(node)
        self._link_from(start, target)

    def _link_from(self, start: int, target: str) -> None:
        if target:
            self.out[start:] = [link("".join(self.out[start:]), target)]

    def _end_field(self, start: int, instruction: str) -> None:
        if self.is_margin and PAGE_FIELD.match(instruction):
            del self.out[start:]
            self.page_numbers += 1
        else:
            self._link_from(start, field_target(instruction))

    def _field_mark(self, node: Node) -> None:
        kind = node.get(f"{W}fldCharType", "")
        if kind == "begin" and len(self.fields) < MAX_FIELDS:
            self.fields.append(Field(chosen=_legacy_form_field_text(node)))
        elif kind == "separate" and self.fields:
            self.fields[-1].has_result = True
            self.fields[-1].start = len(self.out)
        elif kind == "end" and self.fields:
            field = self.fields.pop()
            if field.start >= 0:
                self._end_field(field.start, field.instruction)
            if field.start < 0 or not "".join(self.out[field.start :]):
                self._say(field.chosen or _field_symbol(field.instruction))

    def _instruction(self, node: Node) -> None:
        if self.fields and len(self.fields[-1].instruction) < 4096:
            self.fields[-1].instruction += node.text or ""

    def _formula(self, node: Node) -> None:
        if latex := omml_to_latex(node):
            self.formulas += 1
            self._say(f"${latex}$")

    def _drawing(self, node: Node) -> None:
        shown = node.find(f".//{WP}docPr")
        described = (shown.get("descr", "") or shown.get("title", "")) if shown is not None else ""
        pictures = [found for found in node.iter(f"{PIC}pic") if not _in_text_box(found, node)]
        for found in pictures:
            own = found.find(f"{PIC}nvPicPr/{PIC}cNvPr")
            blip = found.find(f"{PIC}blipFill/{A}blip")
            what = (own.get("descr", "") if own is not None else "") or (described if len(pictures) == 1 else "")
            if blip is not None:
                self._say(image_markdown(what, picture_name(blip, self.part)))
        hanging = [found for found in node.iter(*HANGING) if not _in_text_box(found, node)]
        if described and not pictures and not hanging:
            self._say(image_markdown(described, ""))
        self.hanging.extend(hanging)

    def _vml(self, node: Node) -> None:
        for image in node.iter(f"{V}imagedata"):
            shape = image.getparent()
            relation = self.part.relations.get(image.get(f"{R}id", ""))
            if relation and not _in_text_box(image, node):
                what = (shape.get("alt", "") if shape is not None else "") or image.get(f"{OFFICE}title", "")
                self._say(image_markdown(what, relation.target.rsplit("/", 1)[-1]))
        for words in node.iter(f"{V}textpath"):  # letters that are drawn, a watermark for one
            if not _in_text_box(words, node):
                self._say(words.get("string", ""))
        self.hanging.extend(found for found in node.iter(f"{W}txbxContent") if not _in_text_box(found, node))


def _legacy_form_field_text(begin: Node) -> str:
    """What an old form's field shows: the entry that is chosen of a list, a box with or without a tick."""
    box, choice = begin.find(f"{W}ffData/{W}checkBox"), begin.find(f"{W}ffData/{W}ddList")
    if box is not None:
        mark = box.find(f"{W}checked")
        mark = box.find(f"{W}default") if mark is None else mark
        return "☒" if mark is not None and mark.get(f"{W}val", "") not in OFF else "☐"
    if choice is not None:
        entries = [entry.get(f"{W}val", "") for entry in choice.findall(f"{W}listEntry")]
        at = integer(value(choice, "result") or value(choice, "default"), 0)
        return entries[at] if 0 <= at < len(entries) else ""
    return ""


def _field_symbol(instruction: str) -> str:
    """The sign that a field without a result stands for, "" where it is another field."""
    found = SYMBOL_FIELD.match(instruction[:4096])
    return symbol(int(found[1], 16 if found[1][:2].lower() == "0x" else 10), (found[2] or "").strip()) if found else ""


def is_bold(paragraph: Node) -> bool:
    """Say whether all text of the paragraph is set in bold by its runs."""
    runs = [run for run in paragraph.iter(f"{W}r") if any((t.text or "").strip() for t in run.findall(f"{W}t"))]
    marks = [run.find(f"{W}rPr/{W}b") for run in runs]
    return bool(marks) and all(mark is not None and mark.get(f"{W}val", "") not in OFF for mark in marks)


def is_page_number(text: str) -> bool:
    """Say whether what is left of a line without its page numbers is "Page … of …" in some language."""
    return len(text.split()) <= MAX_PAGE_WORDS and not any(map(str.isdigit, text))


def field_target(instruction: str) -> str:
    r"""Return the address that a field links to, "" where it links nowhere outside.

    >>> field_target(r' HYPERLINK "https://a.b/c" \\l "d" '), field_target(r"HYPERLINK \\l top"), field_target("PAGE")
    ('https://a.b/c#d', '', '')
    """
    found = HYPERLINK.match(instruction[:4096])
    if not found:
        return ""
    target = found[1] or found[2] or ""
    return f"{target}#{found[3]}" if target and found[3] else target


def _in_text_box(node: Node, above: Node) -> bool:
    """Say whether a text box lies between the two: it is read by itself."""
    parent = node.getparent()
    while parent is not None and parent is not above:
        if parent.tag in (f"{W}txbxContent", FALLBACK):
            return True
        parent = parent.getparent()
    return False
