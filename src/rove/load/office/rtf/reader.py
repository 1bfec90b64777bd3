"""Reads Rich Text Format word by word: groups, where their text goes, and what is done as they end."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from rove.load.office.compose import Piece, image_markdown, link, note
from rove.load.office.docx.text import PAGE_FIELD, field_target, is_page_number
from rove.load.office.rtf.body import RtfBody
from rove.load.office.rtf.rtf_words import Token, rtf_tokens
from rove.load.office.rtf.text import Collected, Fonts
from rove.load.struck import joined_strikes, struck
from rove.load.symbol_fonts import with_symbols

MAX_GROUPS = 5_000
LITERAL = {"tab": "\t", "line": "\n", "lquote": "‘", "rquote": "’", "ldblquote": "“", "rdblquote": "”", "endash": "–",
           "bullet": "•", "emdash": "—", "enspace": " ", "emspace": " ", "qmspace": " ", "nestcell": " ",
           "nestrow": " ", "column": "\n"}  # fmt: skip
SIGNS = {"~": "\xa0", "_": "-", "\\": "\\", "{": "{", "}": "}"}
# Groups whose text is kept for itself, and what it is.
KEPT = {"footnote": "note", "annotation": "comment", "atnauthor": "reviewer", "fldinst": "instruction",
        "listtext": "label", "pntext": "label", "shptxt": "box", "sn": "property", "sv": "value",
        "stylesheet": "styles", "fonttbl": "fonts", "title": "title", "author": "author", "subject": "subject",
        "keywords": "keywords", "doccomm": "description", "category": "category", "creatim": "created",
        "revtim": "modified",
        **{f"{kind}{page}": kind for kind in ("header", "footer") for page in ("", "l", "r", "f")}}  # fmt: skip
FACTS = {"title", "author", "subject", "keywords", "description", "category"}
# Groups that are read as if they were not there, although they are marked as ones that a reader may leave out.
OPEN = {"shppict", "shpinst", "picprop", "sp", "ud", "moMath", "moMathPara"}
SKIPPED = {"colortbl", "pict", "objdata", "objclass", "objname", "nonshppict", "nonesttables", "upr", "info", "xe",
           "tc", "rxe", "falt", "panose", "fontemb", "filetbl", "pn", "ftnsep", "ftnsepc", "aftnsep", "aftnsepc",
           "private", "template", "operator", "company", "manager", "comment", "hlinkbase"}  # fmt: skip
# What is read in a group although the group is skipped.
WITHIN = {"pict": {"picprop", "sp", "sn", "sv"}, "upr": {"ud"}, "info": set(KEPT)}
MARGINS = {"header", "footer"}
DATE_PARTS = ("yr", "mo", "dy", "hr", "min")
FORMATS = {"pngblip": "png", "jpegblip": "jpeg", "emfblip": "emf", "wmetafile": "wmf"}


@dataclass(slots=True)
class Group:
    """What holds between two braces. `sink` is where text goes, `kept` what that text is, `skipped` why it is none."""

    sink: Collected
    kept: str = ""
    skipped: str = ""
    font: int = 0
    stand_ins: int = 1
    is_hidden: bool = False
    is_fresh: bool = True
    is_starred: bool = False
    opened: str = ""
    link_from: int = -1
    struck_from: int = -1


class RtfReader:
    """Reads one file. `info` and `margins` are known, and `missing` is whole, when all pieces are read."""

    def __init__(self, data: str) -> None:
        self.data = data
        self.body = RtfBody()
        self.fonts = Fonts()
        self.info: dict[str, str | tuple[str, ...]] = {}
        self.margins: dict[str, dict[str, None]] = {}
        self.missing: list[str] = []
        self.group = Group(self.body.text)
        self.groups: list[Group] = []
        self.too_deep = 0
        self.to_skip = 0
        self.default_font = 0
        self.font_entry = 0
        self.instruction = ""
        self.reviewer = ""
        self.property = ""
        self.described = ""
        self.format = ""
        self.has_page = False
        self.pictures = 0
        self.date: dict[str, int] = {}
        self.notes: list[str] = []
        self.words = self._words()

    def pieces(self) -> Iterator[Piece]:
        """Yield the pieces of the document, in order, and its notes."""
        for token in rtf_tokens(self.data):
            if token.kind == "}" and not self.groups:
                break
            self._take(token)
            if self.body.ready:
                yield from self.body.take_ready()
        if self.groups:
            self.missing.append("what follows its last word: the file ends in the middle")
        self.body.finish()
        yield from self.body.take_ready()
        for number, text in enumerate(self.notes, 1):
            yield Piece(f"[^{number}]: {text}")

    def _take(self, token: Token) -> None:
        if token.kind == "{":
            self._open()
        elif token.kind == "}":
            self._close()
        elif token.kind == "word":
            self._word(token.text, token.number)
        elif token.kind == "sign":
            self._sign(token.text)
        else:
            self._bytes(token.text.encode("latin-1") if token.kind == "text" else bytes([(token.number or 0) & 0xFF]))

    def _open(self) -> None:
        self.to_skip = 0
        if len(self.groups) >= MAX_GROUPS:
            self.too_deep += 1
            return
        self.groups.append(self.group)
        self.group = replace(self.group, is_fresh=True, is_starred=False, opened="", link_from=-1, struck_from=-1)

    def _close(self) -> None:
        self.to_skip = 0
        if self.too_deep:
            self.too_deep -= 1
            return
        self._end_strike(0)
        closed, self.group = self.group, self.groups.pop()
        if closed.link_from >= 0:
            self._end_link(closed)
        if closed.opened == "pict" and not self.group.skipped:
            self._end_picture()
        elif closed.kept == "styles":
            self.body.end_style(closed.sink.take())
        elif closed.opened in KEPT:
            self._end_kept(closed.kept, closed.sink)

    def _word(self, word: str, number: int | None) -> None:
        group = self.group
        fresh, group.is_fresh = group.is_fresh, False
        if fresh and self._enter(word):
            return
        if group.skipped:
            self.format = FORMATS.get(word, self.format)
        elif word in LITERAL:
            self._say(LITERAL[word])
        elif act := self.words.get(word):
            act(number)

    def _enter(self, word: str) -> bool:
        """Begin a destination where `word` names one; say whether it does."""
        group = self.group
        allowed = not group.skipped or word in WITHIN.get(group.skipped, ())
        if allowed and word in KEPT:
            group.kept, group.opened, group.sink, group.skipped = KEPT[word], word, Collected(), ""
            if group.kept == "note":
                self.notes.append("")
                self.groups[-1].sink.add(f"[^{len(self.notes)}]")
        elif allowed and word in OPEN:
            group.skipped = ""
        elif word in SKIPPED or (group.is_starred and word != "fldrslt"):
            group.skipped, group.opened = group.skipped or word, word
        elif word == "fldrslt" and group.kept in MARGINS and PAGE_FIELD.match(self.instruction):
            group.skipped, group.opened, self.has_page, self.instruction = word, word, True, ""
        elif word == "fldrslt" and not group.skipped:
            group.link_from, group.opened = group.sink.position(), word
            self.body.link_paragraph = self.body.paragraphs
        else:
            return False
        return True

    def _sign(self, sign: str) -> None:
        if sign == "*":
            self.group.is_starred = True
        elif sign in "\r\n":
            self._paragraph(None)
        elif sign in SIGNS:
            self._say(SIGNS[sign])

    def _say(self, text: str) -> None:
        if self.to_skip:
            self.to_skip -= 1
        elif not self.group.skipped and not self.group.is_hidden:
            self.group.sink.add(text)

    def _bytes(self, data: bytes) -> None:
        self.group.is_fresh = self.group.is_fresh and not data
        if self.group.kept == "fonts":
            name = data.decode("latin-1")
            self.fonts.names[self.font_entry] = self.fonts.names.get(self.font_entry, "") + name
        cut = min(self.to_skip, len(data))
        self.to_skip -= cut
        if not self.group.skipped and not self.group.is_hidden and len(data) > cut:
            self.group.sink.add_bytes(data[cut:], self.fonts.codec(self.group.font))

    def _unicode(self, number: int | None) -> None:
        self.to_skip = 0
        self._say(with_symbols(chr((number or 0) & 0xFFFF), self.fonts.symbol_font(self.group.font)))
        self.to_skip = self.group.stand_ins

    def _paragraph(self, _: int | None) -> None:
        is_struck = self._end_strike(0)
        if self.group.sink is self.body.text:
            self.body.end_paragraph()
        else:
            self._say("\n" if self.group.kept == "box" else " ")
        if is_struck:
            self._strike(1)

    def _strike(self, number: int | None) -> None:
        if number == 0:
            self._end_strike(0)
        elif self.group.struck_from < 0:
            self.group.struck_from = self.group.sink.position()

    def _end_strike(self, _: int | None) -> bool:
        """Mark what was struck out since that began in this group; say whether anything could be."""
        start, self.group.struck_from = self.group.struck_from, -1
        if start < 0:
            return False
        if text := self.group.sink.cut(start):
            self.group.sink.add(joined_strikes(struck(text)))
        return True

    def _end_link(self, group: Group) -> None:
        target, self.instruction = field_target(self.instruction), ""
        if target and not group.skipped and self.body.link_paragraph == self.body.paragraphs:
            group.sink.add(link(group.sink.cut(group.link_from), target))

    def _end_picture(self) -> None:
        self.pictures += 1
        name = f"image{self.pictures}.{self.format}" if self.format else f"image{self.pictures}"
        self._say(image_markdown(self.described, name))
        self.described = self.format = ""

    def _end_kept(self, kept: str, sink: Collected) -> None:
        raw = sink.take()
        text = " ".join(raw.split())
        if kept == "note":
            self.notes[-1] = text
        elif kept == "label":
            self.body.label = text
        elif kept == "box":
            self.body.hanging.append(Piece(raw.strip()))
        elif kept == "comment":
            found = note("Comment", self.reviewer, text)
            self.body.hanging += [found] if found else []
            self.reviewer = ""
        elif kept == "instruction":
            self.instruction = text
        elif kept == "value":
            self._end_value(raw)
        else:
            self._end_fact(kept, text)

    def _end_fact(self, kept: str, text: str) -> None:
        if kept == "reviewer":
            self.reviewer = text
        elif kept == "property":
            self.property = text
        elif kept in MARGINS and text and not (self.has_page and is_page_number(text)):
            self.margins.setdefault(kept, {})[text] = None
        elif kept in ("created", "modified") and "yr" in self.date:
            year, month, day, hour, minute = (self.date.get(part, 0) for part in DATE_PARTS)
            self.info[kept] = f"{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:00"
        elif kept == "keywords" and text:
            self.info[kept] = tuple(word for part in text.replace(";", ",").split(",") if (word := part.strip()))
        elif kept in FACTS and text:
            self.info[kept] = text
        self.date = {}
        self.has_page = self.has_page and kept not in MARGINS

    def _end_value(self, raw: str) -> None:
        """What a shape's property says: the description of its picture, or the picture itself."""
        if self.property == "wzDescription":
            self.described = raw
        elif self.property == "pib":
            self._say(raw)

    def _words(self) -> dict[str, Callable[[int | None], None]]:
        found: dict[str, Callable[[int | None], None]] = {
            "u": self._unicode,
            "uc": lambda n: setattr(self.group, "stand_ins", min(max(n or 0, 0), 16)),
            "f": self._font,
            "fcharset": lambda n: self.fonts.charsets.update({self.font_entry: n or 0}),
            "ansicpg": lambda n: setattr(self.fonts, "page", n or 1252),
            "mac": lambda _: setattr(self.fonts, "page", 10000),
            "pc": lambda _: setattr(self.fonts, "page", 437),
            "pca": lambda _: setattr(self.fonts, "page", 850),
            "deff": self._default,
            "plain": self._plain,
            "v": lambda n: setattr(self.group, "is_hidden", n != 0),
            "deleted": lambda n: setattr(self.group, "is_hidden", n != 0),
            "strike": self._strike,
            "striked": self._strike,
            "chpgn": lambda _: setattr(self, "has_page", True),
            "par": self._paragraph,
            "sect": self._paragraph,
            "page": self._paragraph,
        }
        for part in DATE_PARTS:
            found[part] = lambda n, part=part: self.date.update({part: n or 0})
        for word, act in self.body.words.items():
            found[word] = lambda n, act=act: act(n) if self._shapes_body() else None
        return found

    def _shapes_body(self) -> bool:
        return self.group.sink is self.body.text or self.group.kept == "styles"

    def _font(self, number: int | None) -> None:
        if self.group.kept == "fonts":
            self.font_entry = number or 0
        else:
            self.group.font = number or 0

    def _default(self, number: int | None) -> None:
        self.default_font = self.group.font = number or 0

    def _plain(self, _: int | None) -> None:
        self._end_strike(0)
        self.group.font, self.group.is_hidden = self.default_font, False
