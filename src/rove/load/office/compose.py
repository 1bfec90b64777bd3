"""What loaders of word processors' files share: pieces of canonical text, and how these become one document."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from rove.load.markdown import prose
from rove.load.pipe_table import pipe_table
from rove.records import Block, Box, Page

PAGE_BREAK = "\x0e"
"""Stands in a piece's text where a page begins: no XML can hold this character, and `str.split` leaves it alone."""

HEADING, ITEM, CAPTION, CODE = "heading", "item", "caption", "code"
TABLE, IMAGE, FORMULA = "table", "image", "formula"
BLOCKS = {TABLE, IMAGE, FORMULA}
PICTURE = re.compile(r"!\[(?:[^\[\]\\]|\\.)*\]\([^()\s]*\)")
SCHEMES = re.compile(r"(?:data|javascript|vbscript):", re.IGNORECASE)
MAX_INDENT = 8


@dataclass(frozen=True, slots=True)
class PiecePlace:
    """Where a piece stands: a page's number, and edges as shares of its width and height."""

    page: int
    left: float
    top: float
    right: float
    bottom: float


@dataclass(frozen=True, slots=True)
class Piece:
    """One paragraph, list item, table or picture of canonical text; `kind` is one of the names above, "" for prose."""

    text: str
    kind: str = ""
    caption: str = ""
    place: PiecePlace | None = None


@dataclass(slots=True)
class Composition:
    """The canonical text of a document, and the map of it that its pieces gave."""

    text: str = ""
    pages: tuple[Page, ...] = ()
    blocks: list[Block] = field(default_factory=list[Block])
    boxes: list[Box] = field(default_factory=list[Box])


def heading(level: int, text: str) -> Piece:
    """Return a heading; level 1 is the highest. `text` becomes one line; a page that begins in it begins before it."""
    words = " ".join(text.replace(PAGE_BREAK, "").split())
    return Piece(f"{PAGE_BREAK * text.count(PAGE_BREAK)}{'#' * min(max(level, 1), 6)} {words}", HEADING)


def item(depth: int, label: str, text: str) -> Piece:
    r"""Return a list item: `label` is as printed, and stays where it is a number or more than a bullet.

    >>> [item(0, *pair).text for pair in (("", "a"), ("2)", "b"), ("(iv)", "c"))]
    ['- a', '2. b', '- (iv) c']
    """
    indent = "  " * min(max(depth, 0), MAX_INDENT)
    number = re.fullmatch(r"(\d{1,9})[.)．）]?", label)
    mark = f"{number[1]}." if number else f"- {label}".rstrip()
    words = text.lstrip(PAGE_BREAK)
    begins = PAGE_BREAK * (len(text) - len(words))
    return Piece(begins + f"{indent}{mark} {words}".replace("\n", f"\n{indent}  "), ITEM)


def link(text: str, target: str) -> str:
    r"""Return a link as markdown; the text alone where the target is none that a reader can follow.

    >>> link("see here", "https://a.b/c (d)"), link("x", "javascript:alert(1)"), link("Δ", "#top")
    ('[see here](https://a.b/c%20%28d%29)', 'x', 'Δ')
    """
    target = _target(target)
    if not text.strip() or not target or target.startswith("#") or SCHEMES.match(target):
        return text
    before, words, after = text.partition(text.strip())
    return f"{before}[{words}]({target}){after}"


def image_markdown(what: str, name: str) -> str:
    r"""Return an image as markdown: what it shows, and its name (or address), never its bytes.

    >>> image_markdown("A [red]\nsquare", "image 1.png"), image_markdown("", "data:image/png;base64,AAAA")
    ('![A \\[red\\] square](image%201.png)', '![](image)')
    """
    what = " ".join(what.split()).replace("[", "\\[").replace("]", "\\]")
    name = _target(name)
    return f"![{what}]({'image' if not name or SCHEMES.match(name) else name})"


def note(kind: str, author: str, text: str) -> Piece | None:
    """Return what a speaker or a reviewer notes as a quoted paragraph; None where it is blank."""
    who = f" ({' '.join(author.split())})" if author.strip() else ""
    words = "\n> ".join(line for line in text.strip().split("\n") if line.strip())
    return Piece(f"> {kind}{who}: {words}") if words else None


def paged_table(rows: Sequence[Sequence[str]]) -> str:
    r"""Return a pipe table; page breaks in its cells come to stand before their row.

    >>> paged_table([["a", "b"], ["", "c\x0e d"], ["\x0e", ""]])
    '| a | b |\n| --- | --- |\n\x0e|  | c d |\x0e'
    """
    marked: list[list[str]] = []
    breaks = 0
    for row in rows:
        breaks += max((text.count(PAGE_BREAK) for text in row), default=0)
        texts = [text.replace(PAGE_BREAK, "") for text in row]
        filled = next((index for index, text in enumerate(texts) if text.strip()), None)
        if filled is not None:
            texts[filled], breaks = PAGE_BREAK * breaks + texts[filled], 0
        marked.append(texts)
    lines = pipe_table(marked).split("\n") if marked else []
    lines = [PAGE_BREAK * line.count(PAGE_BREAK) + line.replace(PAGE_BREAK, "") for line in lines]
    return "\n".join(lines) + PAGE_BREAK * breaks


def one_header(rows: Sequence[Sequence[str]]) -> list[str]:
    """Join header rows, column by column.

    >>> one_header([["", "2023", "2023"], ["Mio. €", "Q1", "Q2"]])
    ['Mio. €', '2023 Q1', '2023 Q2']
    """
    width = max(map(len, rows))
    columns = [[row[index] for row in rows if index < len(row) and row[index]] for index in range(width)]
    return [" ".join(dict.fromkeys(texts)) for texts in columns]


def compose(pieces: Iterable[Piece], *, paged: bool = False) -> Composition:
    """Join pieces: items that follow each other by a line break, code by fences, all else by a blank line.

    `paged` says whether page breaks are marked in the texts; places tell pages otherwise.
    """
    out = _Joiner()
    for piece in _merge_code_pieces(_attach_piece_captions(list(pieces))):
        out.add(piece)
    return out.finish(paged=paged)


class _Joiner:
    """Joins pieces, and remembers where each came to stand."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.length = 0
        self.before = ""
        self.pending = 0
        self.starts = [0]
        self.made = Composition()

    def add(self, piece: Piece) -> None:
        text = piece.text.rstrip()
        bare = text.lstrip(PAGE_BREAK)
        self.pending += len(text) - len(bare)
        if not bare.strip():
            return
        shown = bare.rstrip(PAGE_BREAK)
        joint = "\n" if self.before == ITEM and piece.kind == ITEM else "\n\n"
        self._append(joint if self.parts else "")
        self.starts.extend([self.length] * self.pending)
        self.pending = 0
        start = self.length
        after = len(bare) - len(shown)
        if piece.kind not in (HEADING, CODE, TABLE, FORMULA):
            shown = prose(shown)
        first, *others = shown.split(PAGE_BREAK)
        self._append(first)
        for part in others:
            self.starts.append(self.length)
            self._append(part)
        self.before, self.pending = piece.kind, after
        self._map(piece, (start, self.length), shown.replace(PAGE_BREAK, ""))

    def finish(self, *, paged: bool) -> Composition:
        self.made.text = "".join(self.parts)
        if paged:
            ends = [*self.starts[1:], self.length]
            spans = [
                (start, start + len(self.made.text[start:end].rstrip()))
                for start, end in zip(self.starts, ends, strict=True)
            ]
            self.made.pages = tuple(Page(number, span) for number, span in enumerate(spans, 1))
        return self.made

    def _append(self, text: str) -> None:
        self.parts.append(text)
        self.length += len(text)

    def _map(self, piece: Piece, span: tuple[int, int], text: str) -> None:
        if piece.kind == IMAGE:
            found = [(span[0] + m.start(), span[0] + m.end()) for m in PICTURE.finditer(text)]
            self.made.blocks.extend(Block(IMAGE, one, piece.caption) for one in found)
        elif piece.kind in BLOCKS:
            self.made.blocks.append(Block(piece.kind, span, piece.caption))
        if at := piece.place:
            box = Box(span, at.page, at.left, at.top, at.right, at.bottom)
            last = self.made.boxes[-1] if self.made.boxes else None
            if last and box == replace(last, span=span):  # paragraphs of one frame share its box
                self.made.boxes[-1] = replace(last, span=(last.span[0], span[1]))
            else:
                self.made.boxes.append(box)


def _attach_piece_captions(pieces: list[Piece]) -> list[Piece]:
    """Give each caption to its block: that of a table stands above it as a rule, that of a picture below."""
    for index, piece in enumerate(pieces):
        if piece.kind != CAPTION:
            continue
        near = ((index + 1, TABLE), (index - 1, IMAGE), (index - 1, TABLE), (index + 1, IMAGE), (index - 1, FORMULA))
        for at, kind in near:
            if 0 <= at < len(pieces) and pieces[at].kind == kind and not pieces[at].caption:
                caption = " ".join(piece.text.replace(PAGE_BREAK, "").split())
                text = pieces[at].text.replace("![](", image_markdown(caption, "").removesuffix("image)"))
                pieces[at] = replace(pieces[at], caption=caption, text=text)
                break
    return pieces


def _merge_code_pieces(pieces: list[Piece]) -> Iterator[Piece]:
    """Yield the pieces, paragraphs of code that follow each other as one between fences."""
    lines: list[str] = []
    for piece in [*pieces, Piece("")]:
        if piece.kind == CODE:
            lines.append(piece.text)
        else:
            if any(line.strip(f" \t{PAGE_BREAK}") for line in lines):
                text = "\n".join(lines).strip("\n")
                fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", text)), default=0))
                yield Piece(f"{fence}\n{text}\n{fence}", CODE)
            lines = []
            yield piece


def _target(target: str) -> str:
    return (
        target.strip().replace(" ", "%20").replace("(", "%28").replace(")", "%29").replace("\n", "").replace("\t", "")
    )
