"""A tree of HTML as the parts of canonical text: for pages, mails and books alike."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from urllib.parse import urljoin

from rove.load.formula.mathml import mathml_to_latex
from rove.load.html.code import around, code_block
from rove.load.html.notes import Footnotes, find_notes, is_note_link
from rove.load.html.parts import TextPart
from rove.load.html.table import is_layout, table_rows
from rove.load.html.tree import HtmlNode
from rove.load.markdown import prose
from rove.load.pipe_table import pipe_table
from rove.load.struck import struck
from rove.load.symbol_fonts import is_symbol_font, with_symbols
from rove.load.text import clean

MAX_DEPTH = 100  # deeper elements are text without structure
BREAK = "\v"  # a line break of the page's own; all other white space is one space
HEADINGS = {f"h{level}": level for level in range(1, 7)}
BLOCKS = {
    "address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "details", "dialog", "dir", "div",
    "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "header", "hgroup", "hr", "html", "legend", "li",
    "main", "menu", "nav", "ol", "p", "pre", "section", "summary", "table", "tbody", "td", "tfoot", "th", "thead", "tr",
    "ul", *HEADINGS,
}  # fmt: skip
UNSEEN = {
    "audio", "base", "button", "canvas", "embed", "head", "iframe", "input", "link", "meta", "noscript", "object",
    "option", "rp", "rt", "select", "style", "svg", "template", "textarea", "title", "video", "del",
}  # fmt: skip
FONT_FAMILY = re.compile(r"font-family\s*:\s*([^;,]+)", re.IGNORECASE)
ICON_PIXELS = 32
NOWHERE = ("#", "javascript:", "data:", "about:", "cid:")
CODE = {"code", "kbd", "samp", "tt"}
ANCHOR_MARK = re.compile(r"[\s\u200b#¶§🔗]*")
WIDE = "[\u3000-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef]"
NOTE_MARKS = re.compile(r"^\[\^?[^\]]{1,12}\](?:\([^)]*\))?\s*|(?<!\s)\s*+(?:\[\s*+)?[↩↑⏎]\ufe0e?.*$")
WIDE_BREAK = re.compile(rf"(?<={WIDE})[ \t]*\n[ \t\n]*(?={WIDE})")
RAISED = str.maketrans("0123456789+-−n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻ⁿ")


def html_parts(root: HtmlNode, *, base: str = "", notes: Footnotes | None = None) -> list[TextPart]:
    """Return what `root` says, in order. `base` is the address that its links are relative to, "" where unknown."""
    return _HtmlWriter(root, base, notes or find_notes(root)).parts_of(root)


class _HtmlWriter:
    def __init__(self, root: HtmlNode, base: str, notes: Footnotes) -> None:
        self.base = base
        self.notes = notes
        self.holders = _holders(root)
        self.parts: list[TextPart] = []
        self.line: list[str] = []
        self.depth = 0
        self.target = ""  # of a link around blocks: the first of them is the link

    # -- blocks ---------------------------------------------------------------------------------------------------

    def parts_of(self, node: HtmlNode) -> list[TextPart]:
        """Return the parts under `node`, apart from what is being written."""
        kept, self.parts = self.parts, []
        line, self.line = self.line, []
        self.children(node)
        self.flush()
        found, self.parts, self.line = self.parts, kept, line
        return found

    def children(self, node: HtmlNode) -> None:
        if self.depth >= MAX_DEPTH:
            self.line.append(" ".join(node.itertext()))
            return
        self.depth += 1
        self.line.append(node.text or "")
        for child in node:
            if child in self.holders:
                self.flush()
                self.block(child)
                self.flush()
            else:
                self.line.append(self.element(child))
            self.line.append(child.tail or "")
        self.depth -= 1

    def flush(self) -> None:
        text, self.line = _tidy_html_text("".join(self.line)), []
        if text:
            self.parts.append(TextPart(self.linked(prose(text))))

    def linked(self, text: str) -> str:
        target, self.target = self.target, ""
        return f"[{text}]({target})" if target and "](" not in text else text

    def block(self, node: HtmlNode) -> None:
        if node.tag in UNSEEN:
            return
        label = self.notes.labels.get(node.get("id"))
        if label:
            self.note(node, label)
            return
        write = BLOCK_WRITERS.get(node.tag)
        if write is not None:
            write(self, node)
            return
        if node.tag == "a":
            self.target = self.address(node)
        self.children(node)

    def heading(self, node: HtmlNode) -> None:
        if text := _one_line(self.inline(node)):
            self.parts.append(TextPart(f"{'#' * HEADINGS[node.tag]} {self.linked(text)}"))

    def fence(self, node: HtmlNode) -> None:
        self.parts.append(code_block(node))

    def displayed(self, node: HtmlNode) -> None:
        if found := _html_formula_latex(node):
            self.parts.append(TextPart(f"$$\n{found}\n$$", "formula"))

    def quote(self, node: HtmlNode) -> None:
        self.parts += [part if part.kind else _indent_part(part, "> ") for part in self.parts_of(node)]

    def note(self, node: HtmlNode, label: str) -> None:
        parts = self.parts_of(node)
        text = " ".join(part.text for part in parts if not part.kind)
        text = re.sub(
            r"^\[\^?[^\]]{1,12}\](?:\([^)]*\))?\s*|(?<!\s)\s*+(?:\[\s*+)?[↩↑⏎]\ufe0e?.*$", "", " ".join(text.split())
        )
        self.parts += [TextPart(f"[^{label}]: {text}" if text else "", item=True), *(p for p in parts if p.kind)]

    def items(self, node: HtmlNode) -> None:
        """Write a list: nested lists two spaces deeper, further paragraphs of an item under it."""
        start = node.get("start", "1")
        number = int(start) if start.isdecimal() and len(start) < 9 else 1
        for child in node:
            if child.tag in UNSEEN:
                continue
            if (label := self.notes.labels.get(child.get("id"))) is not None:
                self.note(child, label)
                continue
            mark = f"{number}. " if node.tag == "ol" else "- "
            number += child.tag == "li"
            for index, part in enumerate(self.parts_of(child)):
                if index == 0 and child.tag == "li" and not part.item and not part.kind:
                    self.parts.append(TextPart(mark + part.text.lstrip("# ").replace("\n", "\n  "), item=True))
                else:
                    self.parts.append(part if part.kind or part.text.startswith("#") else _indent_part(part, "  "))

    def table(self, node: HtmlNode) -> None:
        if is_layout(node):
            self.children(node)
            return
        caption = node.find("caption")
        title = _one_line(self.inline(caption)) if caption is not None else ""
        rows = table_rows(node, self.cell)
        self.parts += [TextPart(title), TextPart(pipe_table(rows), "table", title)]

    def cell(self, node: HtmlNode) -> str:
        """Return all that a cell says, on one line."""
        out = ""
        for part in self.parts_of(node):
            gap = "; " if part.item and out else " "
            out += gap + (part.text.strip().removeprefix("- ") if part.item else part.text)
        return out.strip()

    def figure(self, node: HtmlNode) -> None:
        """Write a figure: what it shows, and its caption before or after it, as in the page."""
        captions = [child for child in node.iter("figcaption")][:1]
        caption = _one_line(self.inline(captions[0])) if captions else ""
        parts: list[TextPart] = []
        for part in self.parts_of(node):
            picture = part.text.startswith("![") and part.text.endswith(")")
            kind = part.kind or ("image" if picture else "")
            if kind and caption and not any(p.caption for p in parts):
                part = replace(part, kind=kind, caption=caption)  # noqa: PLW2901
                if part.text.startswith("![]("):
                    part = replace(part, text=f"![{caption.replace(']', ')')}]{part.text[3:]}")  # noqa: PLW2901
            if part.text != caption or not any(caption in p.text for p in parts if p.kind == "image"):
                parts.append(part)
        self.parts += parts

    # -- text within a line ---------------------------------------------------------------------------------------

    def inline(self, node: HtmlNode) -> str:
        """Return what stands under `node` as one run of text."""
        if self.depth >= MAX_DEPTH:
            return " ".join(node.itertext())
        self.depth += 1
        out = [node.text or ""]
        for child in node:
            text = self.element(child)
            out.append(f" {text} " if child.tag in BLOCKS and text else text)
            out.append(child.tail or "")
        self.depth -= 1
        return "".join(out)

    def element(self, node: HtmlNode) -> str:
        tag = node.tag
        write = INLINE.get(tag)
        if write is not None:
            return write(self, node)
        if tag in UNSEEN:
            return ""
        return _as_set(self.inline(node), node)

    def link(self, node: HtmlNode) -> str:
        label = self.notes.links.get(node.get("href"))
        if label and is_note_link(node):
            return f"[^{label}]"
        text = self.inline(node)
        if ANCHOR_MARK.fullmatch(text) or "backlink" in node.get("role"):
            return ""
        target = self.address(node)
        if not target or "](" in text and not text.strip().startswith("!["):
            return text
        lead, trail = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
        return f"{lead}[{_one_line(text)}]({target}){trail}"

    def address(self, node: HtmlNode) -> str:
        """Return where a link or a picture leads; "" where that is nowhere outside the page."""
        target = "".join((node.get("href") or node.get("src") or node.get("data-src")).split("\n")).strip()
        if (
            not target
            or target.startswith("#")
            or target.lower().startswith(("javascript:", "data:", "about:", "cid:"))
        ):
            return ""
        try:
            target = urljoin(self.base, target) if self.base else target
        except ValueError:  # "http://[" is no address
            return ""
        return clean(target).replace(" ", "%20").replace("(", "%28").replace(")", "%29")

    def image(self, node: HtmlNode) -> str:
        if "tex" in node.get("class").split() or "latex" in node.get("class").split():
            return f"${node.get('alt').strip('$ ')}$"
        alt = " ".join(node.get("alt").split()).replace("[", "(").replace("]", ")")
        sizes = [int(size) for name in ("width", "height") if (size := node.get(name).strip("px")).isdecimal()]
        if sizes and max(sizes) <= ICON_PIXELS:
            return alt
        shown = alt or any(place.tag == "figure" for place in around(node))
        return f"![{alt}]({self.address(node) or 'embedded'})" if shown else ""

    def line_break(self, _: HtmlNode) -> str:
        return BREAK

    def code(self, node: HtmlNode) -> str:
        text = " ".join("".join(node.itertext()).split())
        mark = "``" if "`" in text else "`"
        pad = " " if text.endswith("`") or text.startswith("`") else ""
        return f"{mark}{pad}{text}{pad}{mark}" if text else ""

    def raised(self, node: HtmlNode) -> str:
        text = self.inline(node)
        return text.translate(RAISED) if re.fullmatch(r"[-+−]?(?:[0-9]{1,3}|n)", text) else text

    def formula(self, node: HtmlNode) -> str:
        found = _html_formula_latex(node)
        return f"${found}$" if found else ""


BLOCK_WRITERS: dict[str, Callable[[_HtmlWriter, HtmlNode], None]] = {
    **dict.fromkeys(HEADINGS, _HtmlWriter.heading),
    **dict.fromkeys(("ul", "ol", "menu", "dir"), _HtmlWriter.items),
    **dict.fromkeys(("math", "script"), _HtmlWriter.displayed),
    "blockquote": _HtmlWriter.quote,
    "figure": _HtmlWriter.figure,
    "pre": _HtmlWriter.fence,
    "table": _HtmlWriter.table,
}
INLINE: dict[str, Callable[[_HtmlWriter, HtmlNode], str]] = {
    "br": _HtmlWriter.line_break,
    "a": _HtmlWriter.link,
    "img": _HtmlWriter.image,
    "sup": _HtmlWriter.raised,
    "math": _HtmlWriter.formula,
    "script": _HtmlWriter.formula,
    "s": lambda writer, node: struck(writer.inline(node)),
    "strike": lambda writer, node: struck(writer.inline(node)),
    "q": lambda writer, node: f"“{writer.inline(node)}”",
    **dict.fromkeys(CODE, _HtmlWriter.code),
}


def _holders(root: HtmlNode) -> set[HtmlNode]:
    """Return the elements that are blocks or hold one: all else is text within a line."""
    found: set[HtmlNode] = set()
    for node in root.iter(*BLOCKS, "math", "script"):
        displayed = "display" in (node.get("display"), node.get("mode")) or node.get("display") == "block"
        if node.tag in BLOCKS or displayed or "mode=display" in node.get("type"):
            holder: HtmlNode | None = node
            while holder is not None and holder not in found:
                found.add(holder)
                holder = holder.getparent()
    return found


def _as_set(text: str, node: HtmlNode) -> str:
    """The letters of a font of signs as these signs, and what a style strikes out with its marks."""
    font, style = node.get("face"), node.get("style")
    if style and (named := FONT_FAMILY.search(style)):
        font = named[1]
    if font and is_symbol_font(font):
        text = with_symbols(text, font)
    return struck(text) if "line-through" in style else text


def _tidy_html_text(text: str) -> str:
    r"""Make white space one space, a break of the page's own a line end; none between Chinese or Japanese letters."""
    text = clean(text)
    if "\n" in text and not text.isascii():
        text = WIDE_BREAK.sub("", text.strip())
    return "\n".join(" ".join(line.split()) for line in text.split(BREAK)).strip()


def _one_line(text: str) -> str:
    return _tidy_html_text(text).replace("\n", " ")


def _indent_part(part: TextPart, indent: str) -> TextPart:
    return replace(part, text=indent + part.text.replace("\n", f"\n{indent}"))


def _html_formula_latex(node: HtmlNode) -> str:
    if node.tag == "script":
        return " ".join((node.text or "").split()) if node.get("type").startswith("math/tex") else ""
    try:
        text = mathml_to_latex(node)
    except RecursionError:  # no formula is that deep
        text = " ".join("".join(node.itertext()).split())
    return text[len(r"{\displaystyle") : -1].strip() if text.startswith(r"{\displaystyle") else text
