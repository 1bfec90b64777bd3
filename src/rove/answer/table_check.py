"""Tables that a chat model has written, held cell by cell against the rows and sentences of a source."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from rove.answer.claim import fold_spelling
from rove.answer.values import Value, holds_value, read_values, units_in
from rove.language.find_words import has_word
from rove.language.pipe_rows import PipeRow, table_rows
from rove.language.rendering import render
from rove.language.sentences import sentence_spans
from rove.records.document import Span


def support_table(block: str, reference: str, head: str = "", language: str = "") -> Span | None:
    r"""Find where a reference holds a table: the span from the first to the last row or sentence, or None.

    All cells of a row must stand together: in one row of the reference, a cell under a column that both name in that
    very column; or in one of its sentences. `head`: the header of a table that began before the reference.

    >>> source = "| City | Head | Staff |\n| --- | --- | --- |\n| Oslo | Dahl | 12 |\n| Rome | Rossi | 9 |"
    >>> support_table("| Office | Staff |\n|---|---|\n| Rome | 9 |", source) is not None
    True
    >>> support_table("| Office | Staff |\n|---|---|\n| Rome | 12 |", source)
    """
    rows = list(table_rows(reference, head))
    sentences = [(a, b) for a, b in sentence_spans(reference, language) if not reference[a:b].lstrip().startswith("|")]
    spans: list[Span] = []
    for claimed in table_rows(block):
        places = (row.span for row in rows if _in_row(claimed, row))
        told = (span for span in sentences if _in_sentence(claimed, reference[span[0] : span[1]], language))
        place = next(places, None) or next(told, None)
        if place is None:
            return None
        spans.append(place)
    return (min(start for start, _ in spans), max(end for _, end in spans)) if spans else None


def misplaces(
    sentence: str,
    values: Sequence[Value],
    rows: Sequence[PipeRow],
    language: str,
    measures: Collection[tuple[str, float]],
) -> Span | None:
    r"""Return the row that a sentence names where one of its values stands only in rows that it names less.

    `values`: those of the sentence that no prose has. A row is named by the cells that the sentence says, the one that
    has the value left out; less, where another row has all of these and more. None where no value is in a wrong row.

    >>> rows = list(table_rows("| Class | Rate |\n|---|---|\n| Pearl | 310 |\n| Amber | 1,950 |"))
    >>> told = [f"Class Amber is {rate} GBP." for rate in ("310", "1,950")]
    >>> [misplaces(one, read_values(one, "en"), rows, "en", ()) is None for one in told]
    [False, True]
    """
    said, stated = f" {_fold_table_text(sentence)} ", read_values(sentence, language)
    own = [read_values(" | ".join(row.cells), language) for row in rows]
    named = [
        frozenset(cell for cell in map(_fold_table_text, row.cells) if cell and _says(said, cell, stated))
        for row in rows
    ]
    for value in values:
        holding = [at for at, held in enumerate(own) if holds_value(value, held, measures)]
        keys = [
            frozenset(cell for cell in named[at] if not holds_value(value, read_values(cell, ""))) for at in holding
        ]
        better = [at for at in range(len(rows)) if at not in holding and keys and all(key < named[at] for key in keys)]
        if better:
            return rows[max(better, key=lambda at: len(named[at]))].span
    return None


def _says(said: str, cell: str, stated: Sequence[Value]) -> bool:
    """Say whether a sentence says a cell: as a word, or its value."""
    if has_word(said, cell) if cell.isascii() else cell in said:
        return True
    found = read_values(cell, "")
    return len(found) == 1 and cell[:1].isdigit() and holds_value(found[0], stated)


def _in_row(claimed: PipeRow, row: PipeRow) -> bool:
    columns = {_fold_table_text(name): number for number, name in enumerate(row.names) if name}
    for number, cell in enumerate(claimed.cells):
        name = _fold_table_text(claimed.names[number]) if number < len(claimed.names) else ""
        own = row.cells[columns[name] : columns[name] + 1] if name in columns else row.cells
        if cell and not any(_is_same_cell(cell, other, " ".join(row.names)) for other in own):
            return False
    return any(claimed.cells)


def _in_sentence(claimed: PipeRow, sentence: str, language: str) -> bool:
    text, values = _fold_table_text(sentence), read_values(sentence, language)

    def holds(cell: str) -> bool:
        found = read_values(cell, language)
        return _fold_table_text(cell) in text or (bool(found) and all(holds_value(value, values) for value in found))

    return any(claimed.cells) and all(holds(cell) for cell in claimed.cells if cell)


def _is_same_cell(cell: str, other: str, names: str) -> bool:
    if _fold_table_text(cell) == _fold_table_text(other):
        return True
    (value, *more), told = read_values(cell, "") or [None], read_values(other, "")
    return value is not None and not more and len(told) == 1 and holds_value(value, told, units_in(names))


def _fold_table_text(text: str) -> str:
    return fold_spelling(render(text).line).strip(" .,;:")
