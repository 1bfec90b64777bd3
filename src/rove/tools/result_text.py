"""A tool's result as a text that can be read, quoted and cited: rows become a table, fields become lines."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from rove.records import Chunk, Document, Hit, content_hash
from rove.records.chunk import chunk_id

CHUNK_CHARS = 1_500
"""A longer result is read in pieces of whole lines."""
SCHEME = "tool:"
MOST_COLUMNS = 12


def as_text(result: object) -> str:
    r"""Return a result as text.

    >>> as_text({"city": "Oslo", "now": {"temperature": -3}})
    'city: Oslo\nnow.temperature: -3'
    >>> as_text([{"host": "a", "up": True}, {"host": "b", "up": False}])
    '| host | up |\n|---|---|\n| a | true |\n| b | false |'
    """
    return "\n".join(_result_lines(result, ""))


def as_document(tool: str, arguments: Mapping[str, object], text: str, language: str) -> Document:
    """Return a result as a document: named by its tool and arguments, so that a citation says what was asked."""
    asked = ", ".join(f"{name}={_scalar_text(value)}" for name, value in sorted(arguments.items()))
    title = f"{tool}({asked})"[:300]
    identity = f"{SCHEME}{tool}#{content_hash(title, text)[:12]}"
    return Document(identity, identity, "text", text, title, language)


def as_hits(document: Document) -> list[Hit]:
    """Return a result's pieces as hits, in their order; the spans are offsets into the document's text."""
    hits: list[Hit] = []
    for position, (start, end) in enumerate(_result_chunk_spans(document.text)):
        name = chunk_id(document.document_id, document.version, (start, end), "text")
        text = document.text[start:end]
        made = Chunk(
            name, document.document_id, text, (start, end), position, prefix=document.title, language=document.language
        )
        hits.append(Hit(made, 1.0, {}, document.source, document.title))
    return hits


def _result_chunk_spans(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    while start < len(text):
        end = min(start + CHUNK_CHARS, len(text))
        if end < len(text):
            end = text.rfind("\n", start + 1, end) + 1 or end
        if text[start:end].strip():
            yield start, end
        start = end


def _result_lines(value: object, name: str) -> Iterator[str]:
    if isinstance(value, Mapping):
        for key, inner in cast("Mapping[object, object]", value).items():
            yield from _result_lines(inner, f"{name}.{key}" if name else str(key))
    elif isinstance(value, list | tuple):
        rows = cast("Sequence[object]", value)
        columns = _result_columns(rows)
        if columns:
            yield from _result_table_lines(cast("Sequence[Mapping[str, object]]", rows), columns)
        elif all(not isinstance(one, Mapping | list | tuple) for one in rows):
            yield f"{name}: {', '.join(map(_scalar_text, rows))}" if name else "\n".join(map(_scalar_text, rows))
        else:
            for number, one in enumerate(rows, 1):
                yield from _result_lines(one, f"{name}[{number}]" if name else str(number))
    else:
        yield f"{name}: {_scalar_text(value)}" if name else _scalar_text(value)


def _result_columns(rows: Sequence[object]) -> tuple[str, ...]:
    """Return what rows have in common, if they are rows: several maps, of plain values, under the same names."""
    if len(rows) < 2 or not all(isinstance(one, Mapping) for one in rows):
        return ()
    maps = cast("Sequence[Mapping[str, object]]", rows)
    names = tuple(map(str, maps[0]))
    plain = all(not isinstance(value, Mapping | list | tuple) for row in maps for value in row.values())
    return names if plain and len(names) <= MOST_COLUMNS and all(tuple(map(str, row)) == names for row in maps) else ()


def _result_table_lines(rows: Sequence[Mapping[str, object]], columns: Sequence[str]) -> Iterator[str]:
    yield f"| {' | '.join(map(_result_table_cell, columns))} |"
    yield "|" + "---|" * len(columns)
    for row in rows:
        yield f"| {' | '.join(_result_table_cell(row[name]) for name in row)} |"


def _result_table_cell(value: object) -> str:
    return " ".join(_scalar_text(value).split()).replace("|", "\\|")


def _scalar_text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
