"""Make a document's Chunks: choose the strategy, cut, and say of each piece what it is and where it stands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rove.chunk import CHUNKERS, MODEL_CHUNKERS, SUPPORTED, Chunker, CutSettings, Pieces, StructuredChunker
from rove.chunk.block import find_blocks
from rove.chunk.place import HeadingPlace, PageFinder, parent_at, places_of
from rove.chunk.split_table import head_of
from rove.errors import ConfigError
from rove.records import Block, Chunk, Document
from rove.records.chunk import chunk_id
from rove.records.document import Span

WITH_HEADERS = ("header", "outline")
"""Strategies whose chunks have Header1 … Header6 in their metadata."""


def cut_document(
    document: Document,
    *,
    strategy: str = "",
    size_chars: int = 512,
    overlap_chars: int = 50,
    separator: str = "\n",
    merge: bool = False,
) -> list[Chunk]:
    r"""Cut a document into chunks, in order; [] where its text is blank. Linear in the text's length.

    `strategy` is a name of `CHUNKERS`, "" for the default of the document's kind. A chunk's headings are those that
    hold its start (or, where it starts with headings that have no text of their own, the text below them); its
    prefix is the title and these, and for a further piece of a split table its caption, header row and units. The
    metadata has Header1 … Header6 with the strategies `WITH_HEADERS`, and the `caption` of a block that has one.

    Raises:
        ConfigError: the strategy is unknown, not supported for this kind or in need of a model (see
            `cut_with_models`), or a length is out of range.

    >>> document = Document("d", "d.txt", "text", "One.\nTwo.", title="Numbers")
    >>> [(c.span, c.text, c.prefix) for c in cut_document(document, strategy="separator")]
    [((0, 4), 'One.', 'Numbers'), ((5, 9), 'Two.', 'Numbers')]
    """
    strategy = strategy_for(document.kind, strategy)
    if strategy in MODEL_CHUNKERS.table and strategy not in CHUNKERS.table:
        message = f"The strategy {strategy!r} needs a model."
        raise ConfigError(message, cure="Cut with `cut_with_models`, or choose another strategy.")
    return cut_by(strategy, document, CutSettings(size_chars, overlap_chars, separator, merge))


def cut_by(strategy: str, document: Document, settings: CutSettings) -> list[Chunk]:
    """Cut by one of `CHUNKERS`, whatever the document's kind."""
    chunker: Chunker = CHUNKERS.get(strategy)(settings)
    if isinstance(chunker, StructuredChunker):
        return chunks_of(document, chunker.pieces(document), headers=strategy in WITH_HEADERS)
    return _chunks_from_spans(document, chunker.spans(document), headers=strategy in WITH_HEADERS)


def strategy_for(kind: str, strategy: str = "") -> str:
    """Return the strategy to use for a document kind, the default of the kind where `strategy` is "".

    Raises:
        ConfigError: Rove has the strategy, but not for this kind. (A plug-in's strategy is for every kind.)

    >>> strategy_for("markdown"), strategy_for("pdf", "page"), strategy_for("unheard-of")
    ('header', 'page', 'sentence')
    """
    supported = SUPPORTED.get(kind, SUPPORTED["text"])
    if strategy in CHUNKERS.table and strategy not in supported:
        message = f"A document of kind {kind!r} cannot be cut by {strategy!r}."
        raise ConfigError(message, cure=f"Choose one of: {', '.join(supported)} (the first is the default).")
    return strategy or supported[0]


def chunks_of(document: Document, pieces: Pieces, *, headers: bool = False) -> list[Chunk]:
    """Make the chunks of a document that was cut into these pieces."""
    structured = document if pieces.sections is None else replace(document, sections=pieces.sections)
    parents = [parent_at(pieces.parents, span) for span in pieces.spans] if pieces.parents else ()
    return _chunks_from_spans(structured, pieces.spans, parents, headers=headers, version=document.version)


def _chunks_from_spans(
    document: Document,
    spans: Sequence[Span],
    parents: Sequence[Span | None] = (),
    *,
    headers: bool = False,
    version: str = "",
) -> list[Chunk]:
    places = places_of(document, spans, headers=headers)
    text, document_id, language = document.text, document.document_id, document.language
    version = version or document.version
    blocks, pages = find_blocks(document), PageFinder.of(document.pages)
    chunks: list[Chunk] = []
    for position, (span, place) in enumerate(zip(spans, places, strict=True)):
        start, end = span
        kind = "text"
        if blocks.starts and (block := blocks.of(start, end)):
            kind, place = block.kind, _with_block(place, text, span, block)
        chunks.append(
            Chunk(
                chunk_id(document_id, version, span, kind),
                document_id,
                text[start:end],
                span,
                position,
                kind,
                place.prefix,
                place.headings,
                pages.number_at(start),
                language,
                place.metadata,
                parents[position] if parents else None,
            )
        )
    return chunks


def _with_block(place: HeadingPlace, text: str, span: Span, block: Block) -> HeadingPlace:
    """Put the caption into the metadata, and before the text what it lacks: caption, header row, units."""
    metadata = {**place.metadata, "caption": block.caption} if block.caption else place.metadata
    start, end = span
    caption = "" if not block.caption or start < block.span[0] or block.caption in text[start:end] else block.caption
    prefix = "\n".join(part for part in (place.prefix, caption, head_of(text, block, start)) if part)
    return HeadingPlace(place.headings, prefix, metadata)
