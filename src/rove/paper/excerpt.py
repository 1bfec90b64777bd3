"""The words that a claim rests on, shown where they stand: in their lines, or in their row of a table."""

from __future__ import annotations

import re
from dataclasses import dataclass

from rove.markup import Markup, join_markup, tag
from rove.records import Citation, Document

AROUND = 150
"""Characters shown before and after the words, at most; whole lines where these are short enough."""
_BAR = re.compile(r"(?<!\\)\|")


@dataclass(frozen=True, slots=True)
class Excerpt:
    """What is shown of a source. `proved`: the words do stand there."""

    markup: Markup
    proved: bool


def excerpt(citation: Citation, document: Document | None) -> Excerpt:
    """Return the cited words with what stands around them; without their document, the words alone."""
    start, end = citation.span
    if document is None or document.text[start:end] != citation.quote:
        return Excerpt(tag("p", citation.quote), proved=False)
    text = document.text
    first = text.rfind("\n", 0, start) + 1
    last = text.find("\n", end)
    last = len(text) if last < 0 else last
    if text.startswith("|", first) and "\n" not in citation.quote:
        return Excerpt(_render_cited_row(text, (first, last), citation), proved=True)
    left, right = max(first, start - AROUND), min(last, end + AROUND)
    before, after = text[left:start], text[end:right]
    return Excerpt(
        tag("p", "…" if left > first else "", before, tag("mark", citation.quote), after, "…" if right < last else ""),
        proved=True,
    )


def _render_cited_row(text: str, line: tuple[int, int], citation: Citation) -> Markup:
    """The row of a table below the table's header; the cited cell is marked, or all where the row is cited."""
    top = line[0]
    while top and text.startswith("|", text.rfind("\n", 0, top - 1) + 1):
        top = text.rfind("\n", 0, top - 1) + 1
    head = text[top : text.find("\n", top)] if top < line[0] else ""
    cells: list[str] = []
    whole = citation.quote.startswith("|")
    bars = [line[0] + found.start() for found in _BAR.finditer(text[line[0] : line[1]])]
    for left, right in zip(bars, bars[1:], strict=False):
        words = text[left + 1 : right].strip()
        inside = whole or (left < citation.span[0] and citation.span[1] <= right)
        cells.append(tag("td", tag("mark", words) if inside and words else words))
    names = [one.strip() for one in _BAR.split(head)[1:-1]]
    heading = tag("thead", tag("tr", *(tag("th", one, scope="col") for one in names))) if names else Markup("")
    return tag("div", tag("table", heading, tag("tbody", tag("tr", join_markup(cells)))), class_="frame")
