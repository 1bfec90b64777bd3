"""Footnotes: a raised number in the text, and the line at the foot of the page that begins with the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rove.load.layout.printed import Item, OrderedPage, PrintedLine, Word, text_of

RAISED = 0.85  # a raised number is smaller than this share of the line's letters
FOOT = 0.5  # notes stand in the lower half of the page


def with_notes(sheets: Sequence[OrderedPage]) -> list[OrderedPage]:
    """Write raised numbers as `[^1]` where the page has a note of that number, and mark the note's first line.

    A number that an earlier page used for another note gets the page's number before it.
    """
    used: set[str] = set()
    return [_mark_page_footnotes(sheet, used) for sheet in sheets]


def _mark_page_footnotes(sheet: OrderedPage, used: set[str]) -> OrderedPage:
    notes = {
        line.words[0].text: line for line in sheet.items if isinstance(line, PrintedLine) and _begins_note(line, sheet)
    }
    if not notes:
        return sheet
    first_note = min(line.top for line in notes.values())
    called = {
        w.text
        for i in sheet.items
        if isinstance(i, PrintedLine) and i.top < first_note
        for w in i.words
        if _is_call(w, i)
    }
    labels = {number: f"{sheet.number}-{number}" if number in used else number for number in notes if number in called}
    used.update(labels)
    items: list[Item] = []
    for item in sheet.items:
        if isinstance(item, PrintedLine) and labels:
            number = item.words[0].text
            if notes.get(number) is item and number in labels:
                item = replace(item, words=item.words[1:], text=text_of(item.words[1:]), label=labels[number])
            elif item.top < first_note:
                words = tuple(_call(word, item, labels) for word in item.words)
                item = replace(item, words=words, text=text_of(words))
        items.append(item)
    return replace(sheet, items=tuple(items))


def _begins_note(line: PrintedLine, sheet: OrderedPage) -> bool:
    return line.top > FOOT * sheet.height and len(line.words) > 1 and _is_call(line.words[0], line)


def _is_call(word: Word, line: PrintedLine) -> bool:
    """A raised number, set smaller than the line or marked by the reader as such."""
    raised = word.note or (word.size < RAISED * line.size and word.bottom < line.bottom - 0.1 * line.size)
    return raised and word.text.isdecimal() and len(word.text) <= 3


def _call(word: Word, line: PrintedLine, labels: dict[str, str]) -> Word:
    if word.text in labels and _is_call(word, line):
        return replace(word, text=f"[^{labels[word.text]}]", note=True)
    return word
