"""A document as a graph: its sections, the chunks in them, and the things that these speak of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rove.records import Chunk, Document, Section
from rove.records.document import Span
from rove.records.graph import Bond, DocumentGraph, Part, Relation

CALLED_CHARS = 60
"""The beginning of a chunk by which it is called."""


def document_graph(document: Document, chunks: Sequence[Chunk], relations: Sequence[Relation]) -> DocumentGraph:
    """Return the graph of a document; `relations`: what its chunks say. A section that holds nothing is there too."""
    root = Part(document.document_id, "document", document.title or document.source, (0, len(document.text)))
    sections = [
        (section, Part(f"{document.document_id}#{n}", "section", section.title, section.span))
        for n, section in enumerate(document.sections)
    ]
    pieces = [Part(chunk.chunk_id, "chunk", _chunk_part_label(chunk.text), chunk.span) for chunk in chunks]
    bonds = [Bond(_parent_section_key(root, sections, section), "holds", part.key) for section, part in sections]
    bonds += [Bond(_section_of(root, sections, chunk), "holds", chunk.chunk_id) for chunk in chunks]
    bonds += [Bond(one.key, "next", after.key) for one, after in zip(pieces, pieces[1:], strict=False)]
    named = dict(_entity_names_by_chunk(relations))
    entities = {key: Part(f"entity:{key}", "entity", name) for (_, key), name in reversed(named.items())}
    bonds += [Bond(chunk_id, "names", f"entity:{key}") for chunk_id, key in named]
    return DocumentGraph((root, *(part for _, part in sections), *pieces, *entities.values()), tuple(bonds))


def _entity_names_by_chunk(relations: Sequence[Relation]) -> Iterator[tuple[tuple[str, str], str]]:
    """Yield the things that each chunk speaks of: ((chunk id, key), name)."""
    for relation in relations:
        triplet = relation.triplet
        yield (relation.chunk_id, triplet.subject_key), triplet.subject
        yield (relation.chunk_id, triplet.object_key), triplet.object


def _parent_section_key(root: Part, sections: Sequence[tuple[Section, Part]], inner: Section) -> str:
    """The key of what holds a section: the innermost one of a higher level around it."""
    around = [
        (section, part)
        for section, part in sections
        if section.level < inner.level and section.span[0] <= inner.span[0] < section.span[1]
    ]
    return _innermost_section_key(root, around, inner.span)


def _section_of(root: Part, sections: Sequence[tuple[Section, Part]], chunk: Chunk) -> str:
    """The key of what holds a chunk: the first section in it with its own heading; it may begin with those above."""
    start, end = chunk.span
    named = (
        part.key
        for section, part in sections
        if chunk.headings and section.title == chunk.headings[-1] and section.span[0] < end and start < section.span[1]
    )
    return next(named, "") or _innermost_section_key(root, sections, chunk.span)


def _innermost_section_key(root: Part, sections: Sequence[tuple[Section, Part]], span: Span) -> str:
    around = [(section.level, part.key) for section, part in sections if section.span[0] <= span[0] < section.span[1]]
    return max(around, default=(0, root.key))[1]


def _chunk_part_label(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= CALLED_CHARS else f"{line[: CALLED_CHARS - 1]}…"
