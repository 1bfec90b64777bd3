"""A chat model's reply, taken apart into sentences with the references they name, and put together again."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from rove.answer.cite import marks
from rove.language.sentences import sentence_spans

_NUMBERS = r"\^?\d{1,3}(?:\s*[,;，、]\s*\^?\d{1,3})*"
# What may repeat is bounded, and blanks are taken from their first: else the time grows with the square of the length.
_MARK = re.compile(rf"`[^`\n]*`|(?:(?<!\s)\s+)?(?:\[({_NUMBERS})\](?!\()|【({_NUMBERS})(?:†[^】【]{{0,80}})?】)")
_ATOM = re.compile(r"!?\[[^\[\]]*\]\([^)]{0,1000}\)|`[^`]*`")  # images, links and code, which no sentence ends in
_LEAD = re.compile(r"\s*(?:#{1,6}\s+|[-*+•]\s+|\d{1,3}[.)、]\s*(?=\D)|>\s*)*")
_FENCE = re.compile(r"\s*(```|~~~)")
_ENDING = re.compile(r"[.!?。！？…]['\"”’」』)*_]*$")
_ENDING_CHARS = 40


@dataclass(frozen=True, slots=True)
class ReplyPart:
    """One sentence, or one whole table or code block (`block`), without its marks.

    `numbers` are the references it names. `opening` is how its line begins (list mark, heading mark), `gap` what stands
    between it and the sentence before on its line. `line` and `paragraph` count from 0.
    """

    text: str
    numbers: tuple[int, ...]
    line: int
    paragraph: int = 0
    opening: str = ""
    gap: str = ""
    block: bool = False

    @property
    def introduces(self) -> bool:
        """True for a heading and for a lead-in ("The steps are:"), which say nothing by themselves."""
        return not self.block and ("#" in self.opening or self.text.endswith((":", "：")))


def take_apart(reply: str, language: str) -> list[ReplyPart]:
    """Split a reply. A mark belongs to the sentence before it, whether it stands before or after the full stop.

    >>> [(p.text, p.numbers) for p in take_apart("One [1]. Two.[2, 3] Three.", "en")]
    [('One.', (1,)), ('Two.', (2, 3)), ('Three.', ())]
    """
    pieces: list[ReplyPart] = []
    paragraph = 0
    for line, text in _lines(reply):
        if "\n" in text or text.lstrip().startswith("|") or _FENCE.match(text):
            bare, found = _strip_marks(text) if text.lstrip().startswith("|") else (text, [])
            pieces.append(
                ReplyPart(bare, tuple(dict.fromkeys(number for _, number in found)), line, paragraph, block=True)
            )
        elif text.strip():
            pieces += _sentences(text, line, paragraph, language)
        else:
            paragraph += 1
    return pieces


def put_together(pieces: Sequence[tuple[ReplyPart, Sequence[int]]]) -> str:
    r"""Write the kept pieces with their checked numbers, in the layout of the reply.

    >>> put_together([(p, p.numbers) for p in take_apart("- One. [1]\n- Two. Three. [2]", "en")])
    '- One. [1]\n- Two. Three. [2]'
    """
    text: list[str] = []
    before: ReplyPart | None = None
    for piece, numbers in pieces:
        same_line = before is not None and piece.line == before.line
        breaks = "\n" if before and piece.paragraph == before.paragraph else "\n\n"
        cited = f"{piece.text}\n\n{marks(numbers)}" if piece.block and numbers else f"{piece.text} {marks(numbers)}"
        text.append((piece.gap if same_line else breaks + piece.opening) + cited.rstrip())
        before = piece
    return "".join(text).strip()


def _lines(reply: str) -> list[tuple[int, str]]:
    """Return (number, text) of lines; the lines of one table or fenced block come as one."""
    found: list[tuple[int, list[str]]] = []
    fence = ""
    for number, line in enumerate(reply.splitlines()):
        opening = _FENCE.match(line)
        table = line.lstrip().startswith("|") and found and found[-1][1][0].lstrip().startswith("|")
        if fence or (table and found[-1][0] + len(found[-1][1]) == number):
            found[-1][1].append(line)
        else:
            found.append((number, [line]))
        if opening:
            fence = "" if fence == opening.group(1) else fence or opening.group(1)
    return [(number, "\n".join(lines)) for number, lines in found]


def _sentences(line: str, number: int, paragraph: int, language: str) -> list[ReplyPart]:
    lead = _LEAD.match(line)
    start = lead.end() if lead else 0
    bare, found = _strip_marks(line[start:])
    places = [at for at, _ in found]
    spans = sentence_spans(_ATOM.sub(lambda atom: "x" * len(atom.group()), bare), language)
    pieces: list[ReplyPart] = []
    for place, (first, last) in enumerate(spans):
        until = spans[place + 1][0] if place + 1 < len(spans) else len(bare) + 1
        near = found[bisect_left(places, first + 1 if place else 0) : bisect_right(places, until)]
        own = tuple(dict.fromkeys(n for at, n in near if at < until or at == last))
        gap = bare[spans[place - 1][1] : first] if place else ""
        pieces.append(ReplyPart(bare[first:last], own, number, paragraph, line[:start], gap))
    return pieces


def _strip_marks(text: str) -> tuple[str, list[tuple[int, int]]]:
    """Return the text without marks, and (place in it, reference number) of each. Inline code stays as it is."""
    parts: list[str] = []
    found: list[tuple[int, int]] = []
    at = size = 0
    tail = ""
    for mark in _MARK.finditer(text):
        numbers = mark.group(1) or mark.group(2)
        if not numbers:
            continue
        part = text[at : mark.start()]
        at = mark.end()
        tail = (tail + part)[-_ENDING_CHARS:]
        found += [(size + len(part), int(number)) for number in re.findall(r"\d+", numbers)]
        if _ENDING.search(tail) and at < len(text) and not text[at].isspace() and tail[-1] in ".!?…":
            part, tail = f"{part} ", f"{tail} "  # "One.[1]Two." would run together
        parts.append(part)
        size += len(part)
    return "".join((*parts, text[at:])), found
