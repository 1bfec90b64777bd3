"""The short answer: the words of a quote that answer, completed to a whole name, date or amount."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from rove.answer.claim import NO_NAMES_BY_CASE
from rove.answer.extract import Candidate, heading_of
from rove.answer.spans import AnswerSpans
from rove.answer.values import read_values
from rove.language.pipe_rows import CELL, table_rows
from rove.language.quantities.reader import read_quantities
from rove.language.rendering import render
from rove.language.words import query_terms
from rove.records import Citation
from rove.records.document import Span

LONGEST_CHARS = 160
BRACKETS = {"(": ")", "[": "]", "{": "}", "（": "）", "「": "」", "『": "』", "“": "”", "„": "“", "«": "»", "《": "》"}

_SPACED_LETTER = re.compile(r"(?![\u2e80-\U0010ffff])[^\W_]")
"""A letter or digit of a script that puts spaces between words."""
_EDGE = re.compile(r"[\s,;:.、，；：。!?！？*_|\"'’\-–—]")
_NUMBER = re.compile(r"\d+(?:[.,:'’\u00a0\u202f ]\d{3}(?!\d))*(?:[.,:]\d+)?")
_WORD = re.compile(r"[^\W\d_][^\W_'’\-]*(?:['’\-][^\W_]+)*")
_BEFORE = re.compile(r"(?:[€$£¥₩₽%]|\b[A-Z]{3})\s?\Z")
_AFTER = re.compile(r"\s?(?:[€$£¥₩₽%‰°]\w?|[^\W\d_]+[²³]?)")


def short_answer(quotes: Sequence[Candidate], spans: AnswerSpans) -> Citation | None:
    """Return the words of the quotes that answer best; None where none is sure enough (`AnswerSpans.level`)."""
    places = ((spans.best(one.citation.document_id, one.citation.span), one) for one in quotes)
    found = [(span, one) for span, one in places if span and span.score >= spans.level]
    if not found:
        return None
    best, quote = max(found, key=lambda pair: pair[0].score)
    said, begin = quote.citation.quote, quote.citation.span[0]
    start, end = completed(said, (best.span[0] - begin, best.span[1] - begin), quote.hit.chunk.language)
    if start >= end:
        return None
    subject = subject_of(quote, start)
    return replace(quote.citation, span=(begin + start, begin + end), quote=said[start:end], subject=subject)


def subject_of(quote: Candidate, at: int) -> str:
    """Return what the words of a quote that begin `at` are of: the row's key and the column, else the heading or title.

    The key is the first of the row's other cells.
    """
    if quote.is_row:
        head = f"| {' | '.join(quote.names)} |" if quote.names else ""
        for row in table_rows(quote.citation.quote, head):
            own = max(len(CELL.findall(quote.citation.quote[:at])) - 1, 0)
            key = next((cell for number, cell in enumerate(row.cells) if cell and number != own), "")
            return " · ".join(render(one).line for one in (key, *row.names[own : own + 1]) if one)
    return render(heading_of(quote) or quote.hit.title).line


def completed(text: str, span: Span, language: str) -> Span:
    """Complete a span to whole words, numbers with their units, dates and names; marks at its edges are left out.

    >>> text = "From 1 April 2026 Ilona Kovács pays EUR 2,460.50 (net) a month."
    >>> [text[slice(*completed(text, span, "en"))] for span in ((7, 12), (18, 23), (40, 42))]
    ['1 April 2026', 'Ilona Kovács', 'EUR 2,460.50']
    """
    whole = _strip_edge_marks(text, _whole_word_span(text, span))
    for step in (_whole_number, _whole_date, _whole_name):
        wider = step(text, whole, language)
        if wider[1] - wider[0] <= LONGEST_CHARS:
            whole = wider
    return whole


def _whole_word_span(text: str, span: Span) -> Span:
    start, end = span
    while 0 < start < len(text) and _SPACED_LETTER.match(text, start - 1) and _SPACED_LETTER.match(text, start):
        start -= 1
    while 0 < end < len(text) and _SPACED_LETTER.match(text, end) and _SPACED_LETTER.match(text, end - 1):
        end += 1
    return start, end


def _strip_edge_marks(text: str, span: Span) -> Span:
    """Leave out marks at the edges, and brackets and quotation marks that hold all of it or have no other half."""
    start, end = span
    before = (-1, -1)
    while (start, end) != before and start < end:
        before = (start, end)
        while start < end and _EDGE.match(text[start]):
            start += 1
        while start < end and _EDGE.match(text[end - 1]):
            end -= 1
        for pair in BRACKETS.items():
            inside = text[start:end]
            lone = inside.count(pair[0]) != inside.count(pair[1])
            around = (inside[:1], inside[-1:]) == pair
            start += inside.startswith(pair) if lone else around
            end -= inside.endswith(pair) if lone and len(inside) > 1 else around
    return start, end


def _whole_number(text: str, span: Span, language: str) -> Span:
    """Widen it to the numbers that it cuts, and to what counts them: "2,460" in "EUR 2,460", "19" in "19 days"."""
    start, end = span
    for number in _NUMBER.finditer(text):
        if number.start() < end and start < number.end():
            cut = start > number.start() or end < number.end()
            at_start, at_end = start >= number.start(), end <= number.end()
            start, end = min(start, number.start()), max(end, number.end())
            behind = _AFTER.match(text, end) if at_end else None
            if behind and _is_unit_or_magnitude(behind.group().strip(), language):
                end = behind.end()
            before = _BEFORE.search(text, 0, start) if at_start and (cut or start == number.start()) else None
            if before and not before.group().strip().isdigit():
                start = before.start()
    return start, end


def _is_unit_or_magnitude(word: str, language: str) -> bool:
    """Say whether a word is a unit, a currency or a magnitude."""
    if not word[0].isalpha():
        return True
    values = read_values(f"7 {word}", language)
    return bool(values) and any(
        family not in {"", "clock"} or (not family and amount != 7) for family, amount in values[0].readings
    )


def _whole_date(text: str, span: Span, language: str) -> Span:
    """Widen it from a part of a date to the whole."""
    start, end = span
    for one in read_quantities(text, language):
        if one.day and one.span[0] < end and start < one.span[1]:
            start, end = min(start, one.span[0]), max(end, one.span[1])
    return start, end


def _whole_name(text: str, span: Span, language: str) -> Span:
    """Widen words with capitals to those beside them; not in German, where every noun has one."""
    start, end = span
    words = list(_WORD.finditer(text))
    own = [word for word in words if start <= word.start() and word.end() <= end]
    capitals = [word for word in own if word.group()[0].isupper()]
    if language in NO_NAMES_BY_CASE or not own or len(capitals) < len(own) or any(map(str.isdigit, text[start:end])):
        return span
    for word in words:
        if word.start() == end + 1 and text[end] == " " and word.group()[0].isupper():
            end = word.end()
    for word in reversed(words):
        if word.end() == start - 1 and text[word.end()] == " " and word.group()[0].isupper():
            if not word.start() and not query_terms(word.group(), language):
                break
            start = word.start()
    return start, end
