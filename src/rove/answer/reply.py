"""A chat model's reply: taken apart into sentences and references while it is written, and put together again."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

from rove.language.sentences import sentence_spans

_NUMBER = r"\^?\d{1,3}≠?\??"
_NUMBERS = rf"{_NUMBER}(?:\s{{0,2}}[-–,;，、]\s{{0,2}}{_NUMBER}){{0,20}}"
_NAMED = r"(?:[^\W\d_]{2,12}[:#.]?\s?)?"  # "Source 1", "ID:1"
# What may repeat is bounded, and blanks are taken from their first: else the time grows with the square of the length.
_MARK = re.compile(
    rf"`[^`\n]*`|(?:(?<!\s)\s+)?(?:\\?\[{_NAMED}({_NUMBERS}|\?)\\?\](?!\()|【({_NUMBERS})(?:†[^】【]{{0,80}})?】"
    rf"|[［⟦]({_NUMBERS})[］⟧]|<sup>\[?({_NUMBERS})\]?</sup>|##({_NUMBERS})\$\$)"
)
_RANGE = re.compile(r"(\d+)(?:\D{0,3}[-–]\D{0,3}(\d+))?")
MOST_IN_RANGE = 20
_ATOM = re.compile(  # images, links, code and formulas, which no sentence ends in
    r"!?\[[^\[\]]*\]\([^)]{0,1000}\)|`[^`]*`|\$(?=\S)[^$\n]{1,300}(?<=\S)\$(?!\d)|\\\((?:[^\\\n]{1,300}+|\\[^()\n]){1,60}+\\\)"
)
_LEAD = re.compile(r"\s*(?:#{1,6}\s+|[-*+•]\s+|\d{1,3}[.)、]\s*+(?!\[\d)(?=\D)|>\s*)*")
_FENCE = re.compile(r"\s*(?:(`{3,}|~{3,})|(\$\$|\\\[)(?![^\n]*(?:\$\$|\\\])))")
_FORMULA_ENDS = {"$$": "$$", "\\[": "\\]"}
_INDENTED = re.compile(r"(?: {4}|\t)\s*\S")
_LISTED = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)、])\s")
_IN_A_LIST = re.compile(r"\s*(?=[|`~$\\])")
_HARD_BREAK = re.compile(r"(?:(?<! ) {2,}+|\\)\Z")
_ENDING = re.compile(r"[.!?。！？…]['\"”’」』)*_]*$")
_ENDING_CHARS = 40
_STOP = re.compile(r"[.!?]|[^\x00-\x7f\w\s]")  # may end a sentence
_BREAK = re.compile(r"\r\n|\r(?!\Z)|[\n\v\f\x1c-\x1e\x85\u2028\u2029]")
_UNREAD = re.compile(  # may become a mark, or a link
    r"(?:\\?\[[\w\s^,;，、:#.≠?–-]{0,24}\\?\]?|\\|[【［⟦][^【［⟦】］⟧]{0,90}+[】］⟧]?|<[^<>]{0,4}(?:>[\d\s,;[\]–-]{0,30}(?:<[^<>]{0,5})?)?"
    r"|##?(?:\d[\d\s,;–-]{0,30})?\$?|\])\Z"
)
_CLOSERS = "`](x\"'’”“»›」』》〉）】)]}>"  # what closes code, links, quotations and brackets that may be open
_BEGUN = re.compile(r"\S+\s|\S{12}|[⺀-鿿가-힣]")  # shows whether the sentence before has ended, and is not "am 3." Mai
GROWTH = 32  # the part of a line that comes between two looks at it, as a divisor of its length


@dataclass(frozen=True, slots=True)
class ReplyPart:
    """One sentence, or one whole table or code block (`block`), without its marks.

    `numbers` are the references it names. `opening` is how its line begins (list mark, heading mark), `gap` what stands
    between it and the sentence before on its line, `ending` how its line breaks where it does so for good. `line` and
    `paragraph` count from 0.
    """

    text: str
    numbers: tuple[int, ...]
    line: int
    paragraph: int = 0
    opening: str = ""
    gap: str = ""
    block: bool = False
    ending: str = ""

    @property
    def introduces(self) -> bool:
        """True for a heading and for a lead-in ("The steps are:"), which say nothing by themselves."""
        return not self.block and ("#" in self.opening or self.text.endswith((":", "：")))

    @property
    def finished(self) -> bool:
        """True where a reply that breaks off behind it may have said all of it: "It costs 3." may go on, "[1]" not."""
        ends = not self.block and _ENDING.search(self.text) is not None
        return ends and (bool(self.numbers) or not self.text.endswith((".", "…")))


class ReplyParser:
    r"""Takes a reply apart while it is written: each part comes as soon as nothing that may follow can change it.

    However a reply is cut into pieces, its parts are the same, save around a quotation mark without its counterpart. A
    mark belongs to the sentence before it, whether it stands before or after the full stop. The
    time grows with the length, also of a line that never ends.

    >>> parser = ReplyParser("en")
    >>> [[(part.text, part.numbers) for part in parser.feed(piece)] for piece in ("One [1]. T", "wo.[2, 3] ", "Three.")]
    [[], [('One.', (1,))], []]
    >>> [(part.text, part.numbers) for part in parser.close()]
    [('Two.', (2, 3)), ('Three.', ())]
    """

    def __init__(self, language: str) -> None:
        self._language = language
        self._pieces: list[str] = []  # of the line that is being written, behind what was given of it
        self._size = self._due = 0
        self._line = self._paragraph = 0
        self._opening: str | None = None  # of the line, once a part of it was given
        self._gap = ""
        self._block: list[str] = []
        self._fence = ""  # that ends the block
        self._in_list, self._after_blank = False, True

    def feed(self, piece: str) -> list[ReplyPart]:
        """Return what has become whole by the next piece."""
        self._pieces.append(piece)
        self._size += len(piece)
        if self._size < self._due and not _BREAK.search(piece):
            return []
        *lines, rest = _BREAK.split("".join(self._pieces))
        parts = [part for line in lines for part in self._taken(line)]
        given, rest = self._begun(rest)
        self._pieces, self._size = [rest], len(rest)
        self._due = self._size + self._size // GROWTH
        return parts + given

    def close(self) -> list[ReplyPart]:
        """Return what is left: the reply has come to its end."""
        return self._taken("".join(self._pieces)) + self._whole_block()

    def cut(self) -> list[ReplyPart]:
        """Return what is left of a reply that was cut off, without an unfinished last sentence, table or code block."""
        parts = self.close()
        return parts if parts and parts[-1].finished else parts[:-1]

    def _taken(self, line: str) -> list[ReplyPart]:
        """Take in a line to its end, or what is left of it."""
        ends = False
        if self._opening is not None:
            parts = self._parts(self._opening, _parse_line_sentences(line, self._language), _ending(line))
        else:
            parts = [] if self._goes_on(line) else self._whole_block()
            if self._fence:
                ends = _is_block_end(line, self._fence)
                self._block.append(line)
            elif self._begins_block(line):
                self._fence = _block_terminator(line)
                self._block.append(line)
            elif line.strip():
                opening, said = _split_line_lead(line)
                parts += self._parts(opening, _parse_line_sentences(said, self._language), _ending(line))
            else:
                self._paragraph += 1
        self._after_blank = not line.strip()
        if line[:1].strip():
            self._in_list = bool(_LISTED.match(line))
        self._line += 1
        self._opening, self._gap = None, ""
        if ends:
            self._fence = ""
        return parts + self._whole_block() if ends else parts

    def _goes_on(self, line: str) -> bool:
        """Say whether the block that is open goes on with a line."""
        if self._fence or not self._block:
            return bool(self._fence)
        first = self._block[0]
        return _is_pipe_row(line) if _is_pipe_row(first) else bool(_INDENTED.match(line))

    def _begins_block(self, line: str) -> bool:
        """Say whether a line is the first of a table or of code, or goes on with one."""
        indented = (bool(self._block) or (self._after_blank and not self._in_list)) and _INDENTED.match(line)
        return _is_pipe_row(line) or bool(_FENCE.match(line)) or bool(indented)

    def _whole_block(self) -> list[ReplyPart]:
        """Return the table or code block that ends before this line."""
        block, self._block = self._block, []
        if not block:
            return []
        text, marks_found = "\n".join(block), list[tuple[int, int]]()
        if _is_pipe_row(block[0]):
            text, marks_found, _ = _strip_marks(text)
        named = tuple(dict.fromkeys(number for _, number in marks_found))
        return [ReplyPart(text, named, self._line - len(block), self._paragraph, block=True)]

    def _begun(self, line: str) -> tuple[list[ReplyPart], str]:
        """Return the parts of an unfinished line that are whole, and what is left of the line."""
        if self._block or not _STOP.search(line) or (self._opening is None and self._begins_block(line)):
            return [], line
        opening, said = _split_line_lead(line) if self._opening is None else (self._opening, line)
        whole, following = _split_stable_sentences(said, self._language)
        if following is None:
            return [], line
        parts = self._parts(opening, whole)
        self._opening, self._gap = opening, following.gap
        return parts, said[following.start :]

    def _parts(self, opening: str, sentences: Iterable[_Sentence], ending: str = "") -> list[ReplyPart]:
        parts = [
            ReplyPart(one.text, one.numbers, self._line, self._paragraph, opening, one.gap if place else self._gap)
            for place, one in enumerate(sentences)
        ]
        if ending and parts:
            parts[-1] = replace(parts[-1], text=parts[-1].text.removesuffix("\\"), ending=ending)
        return parts


class ReplyText:
    r"""The text of parts that were kept, with their checked numbers, in the layout of the reply.

    >>> from rove.answer.cite import marks
    >>> parser, text = ReplyParser("en"), ReplyText()
    >>> parts = parser.feed("- One. [1]\n- Two. Three. [2]") + parser.close()
    >>> [text.add(part, f"[{part.numbers[0]}]" if part.numbers else "") for part in parts]
    ['- One. [1]', '\n- Two.', ' Three. [2]']
    """

    def __init__(self) -> None:
        self._before: ReplyPart | None = None

    def add(self, part: ReplyPart, mark: str = "", *, text: str = "") -> str:
        """Return what the next part adds to the text: its own with the `mark` behind it, or the `text` in its place."""
        before, self._before = self._before, part
        depth = _IN_A_LIST.match(part.text) if part.block else None
        behind = f"\n\n{depth[0] if depth else ''}" if part.block and mark else " "
        cited = text or f"{part.text}{behind}{mark}"
        if before is None:
            return f"{part.opening}{cited}".rstrip().lstrip("" if part.block else None)
        breaks = f"{before.ending}\n" if part.paragraph == before.paragraph else "\n\n"
        return (part.gap if part.line == before.line else breaks + part.opening) + cited.rstrip()


@dataclass(frozen=True, slots=True)
class _Sentence:
    """A sentence of a line, what stands between it and the one before, and where it begins in the line as written."""

    text: str
    numbers: tuple[int, ...]
    gap: str
    start: int


def _block_terminator(line: str) -> str:
    """Return what ends the block that a line opens; "" where it opens none."""
    found = _FENCE.match(line)
    return (found[1] or _FORMULA_ENDS[found[2]]) if found else ""


def _is_block_end(line: str, fence: str) -> bool:
    """Say whether a line ends the block of a fence."""
    said = line.strip()
    if fence[0] in "`~":
        return said.startswith(fence) and not said.strip(fence[0])
    return fence in said


def _ending(line: str) -> str:
    """Return how a line breaks, where markdown keeps that break."""
    found = _HARD_BREAK.search(line)
    return found[0] if found else ""


def _is_pipe_row(line: str) -> bool:
    return line.lstrip().startswith("|")


def _split_line_lead(line: str) -> tuple[str, str]:
    """Return how a line begins (list mark, heading mark), and the rest."""
    lead = _LEAD.match(line)
    size = lead.end() if lead else 0
    return line[:size], line[size:]


def _split_stable_sentences(text: str, language: str) -> tuple[list[_Sentence], _Sentence | None]:
    """Return the sentences of an unfinished line that stay as they are whatever follows, and the one after them.

    They do where they also end there if all that may be open were closed, and the one after them has well begun.
    """
    text = _UNREAD.sub("", text)
    found = _parse_line_sentences(text, language)
    closed = _parse_line_sentences(text + _CLOSERS, language) if len(found) > 1 else []
    whole = 0
    for (one, after), other in zip(pairwise(found), closed, strict=False):
        if one != other or not _BEGUN.match(text, after.start):
            break
        whole += 1
    return found[:whole], found[whole] if whole else None


def _parse_line_sentences(text: str, language: str) -> list[_Sentence]:
    """Return the sentences of a line behind its opening, without marks."""
    bare, found, places = _strip_marks(text)
    at = [place for place, _ in found]
    spans = sentence_spans(_ATOM.sub(lambda atom: "x" * len(atom.group()), bare), language)
    sentences: list[_Sentence] = []
    for place, (first, last) in enumerate(spans):
        until = spans[place + 1][0] if place + 1 < len(spans) else len(bare) + 1
        near = found[bisect_left(at, first + 1 if place else 0) : bisect_right(at, until)]
        own = tuple(dict.fromkeys(number for where, number in near if where < until or where == last))
        gap = bare[spans[place - 1][1] : first] if place else ""
        behind, written = places[bisect_right(places, (first, len(text))) - 1]
        sentences.append(_Sentence(bare[first:last], own, gap, written + first - behind))
    return sentences


def _strip_marks(text: str) -> tuple[str, list[tuple[int, int]], list[tuple[int, int]]]:
    """Return the text without marks, (place in it, reference number) of each, and (place in it, place in the text).

    The last are those from which on both run alike. Inline code stays as it is.
    """
    parts: list[str] = []
    found: list[tuple[int, int]] = []
    places = [(0, 0)]
    at = size = 0
    tail = ""
    for mark in _MARK.finditer(text):
        numbers = mark[mark.lastindex] if mark.lastindex else ""
        if not numbers:
            continue
        part = text[at : mark.start()]
        at = mark.end()
        tail = (tail + part)[-_ENDING_CHARS:]
        found += [(size + len(part), number) for number in _expand_mark_numbers(numbers)]
        if _ENDING.search(tail) and at < len(text) and not text[at].isspace() and tail[-1] in ".!?…":
            part, tail = f"{part} ", f"{tail} "  # "One.[1]Two." would run together
        parts.append(part)
        size += len(part)
        places.append((size, at))
    return "".join((*parts, text[at:])), found, places


def _expand_mark_numbers(numbers: str) -> Iterator[int]:
    """Yield the numbers of a mark, those of a range one by one."""
    for first, last in _RANGE.findall(numbers):
        yield from range(int(first), min(int(last or first), int(first) + MOST_IN_RANGE) + 1)
