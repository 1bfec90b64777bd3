"""What is read of what was found: the parents of small pieces, each once, and the head of a table that was split."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from rove.language.rendering import Rendered, render
from rove.records import Chunk, Hit
from rove.records.document import Span
from rove.records.source import Metadata

TextOf = Callable[[str], Awaitable[str]]
"""Gives a document's canonical text by its id, "" where there is none."""
DATES, DATE_CHARS = ("date", "published", "modified", "updated", "created", "version", "year"), 10
_FENCE = re.compile(r"^[ \t]*(```|~~~)", re.MULTILINE)


@dataclass(slots=True)
class _Reading:
    """A hit and the span that is read for it: it grows by later hits whose spans overlap it."""

    hit: Hit
    span: Span


def read_once(text_of: TextOf, known: Mapping[str, str] | None = None) -> TextOf:
    """Read each text once: what an answer is checked against stays the same, whatever is replaced meanwhile.

    `known`: texts that were read already, by their documents' ids.
    """
    texts = dict(known or {})

    async def text(document_id: str) -> str:
        if document_id not in texts:
            texts[document_id] = await text_of(document_id)
        return texts[document_id]

    return text


async def stand(hits: Sequence[Hit], text_of: TextOf) -> bool:
    """Say whether every chunk stands in the text of its document; it does not where that was replaced since."""
    return all([_is_chunk_in_text(hit.chunk, await text_of(hit.chunk.document_id)) for hit in hits])


async def read_parents(hits: Sequence[Hit], text_of: TextOf) -> tuple[Hit, ...]:
    """Put the parent in place of each chunk that has one; parents of one document that overlap become one.

    A reading keeps the hit, and the place, of the best of its chunks; text and span are the parent's, and `parent` is
    now the span that was found (see `page_of`). A chunk within a parent that is read is not read again.
    """
    readings: list[_Reading] = []
    for hit in hits:
        chunk = hit.chunk
        span = chunk.parent or chunk.span
        same = [r for r in readings if r.hit.chunk.document_id == chunk.document_id and _together(r, span, chunk)]
        if not same:
            readings.append(_Reading(hit, span))
            continue
        spans = [span, *(reading.span for reading in same)]
        same[0].span = min(start for start, _ in spans), max(end for _, end in spans)
        readings = [reading for reading in readings if reading is same[0] or reading not in same]
    return tuple([await _read_parent_text(reading, text_of) for reading in readings])


def table_head(chunk: Chunk) -> str:
    """Return what a further piece of a split table repeats of it, as lines: caption, header row, units; else ""."""
    if chunk.kind != "table":
        return ""
    rows = [line for line in chunk.prefix.splitlines() if line.startswith("|")]
    caption = str(chunk.metadata.get("caption", "")) if rows else ""
    return "\n".join(part for part in (caption, *rows) if part)


def date_of(metadata: Metadata) -> str:
    """Return the date that a document says of itself, as far as its day; "" where it says none."""
    return next((str(metadata[name])[:DATE_CHARS] for name in DATES if metadata.get(name)), "")


def rendered(chunk: Chunk) -> Rendered:
    """Render a chunk as it is shown: a piece of a split table under the table's header, a piece of code as code."""
    text, fences = chunk.text, _FENCE.findall(chunk.text)
    if chunk.kind == "code" and (not fences or text.lstrip("\n").rpartition("\n")[2].strip() == "".join(fences)):
        text = f"{''.join(fences) or '```'}\n{text}"
    return render(text, head=table_head(chunk))


def page_of(chunk: Chunk, offset: int) -> int | None:
    """Return the page that a citation at `offset` is given: the chunk's within what was found, else none is known."""
    found = chunk.parent or chunk.span
    return chunk.page if found[0] <= offset < found[1] else None


def _together(reading: _Reading, span: Span, chunk: Chunk) -> bool:
    """Say whether two spans are read as one: they overlap, and one of them at least is a parent."""
    overlap = span[0] < reading.span[1] and reading.span[0] < span[1]
    return overlap and (chunk.parent is not None or reading.hit.chunk.parent is not None)


async def _read_parent_text(reading: _Reading, text_of: TextOf) -> Hit:
    hit, (start, end) = reading.hit, reading.span
    if reading.span == hit.chunk.span:
        return hit
    whole = await text_of(hit.chunk.document_id)
    if not _is_chunk_in_text(hit.chunk, whole):  # the parent of what was found is gone
        return hit
    return replace(hit, chunk=replace(hit.chunk, text=whole[start:end], span=reading.span, parent=hit.chunk.span))


def _is_chunk_in_text(chunk: Chunk, text: str) -> bool:
    start, end = chunk.span
    return text[start:end] == chunk.text
