"""The nouns that every stage speaks: frozen, slotted dataclasses, stdlib only."""

from rove.records.answer import Answer, Citation, Conflict, Sentence, Side, Step
from rove.records.chunk import Chunk
from rove.records.document import Block, Box, Document, DocumentInfo, Page, Section
from rove.records.filter import Filter, field
from rove.records.hit import Hit, Place
from rove.records.identity import content_hash
from rove.records.ledger import Duplicate, LedgerEntry, Report
from rove.records.prepared import Prepared, SourceEnd, vector_key
from rove.records.source import Source, Text

__all__ = [
    "Answer",
    "Block",
    "Box",
    "Chunk",
    "Citation",
    "Conflict",
    "Document",
    "DocumentInfo",
    "Duplicate",
    "Filter",
    "Hit",
    "LedgerEntry",
    "Page",
    "Place",
    "Prepared",
    "Report",
    "Section",
    "Sentence",
    "Side",
    "Source",
    "SourceEnd",
    "Step",
    "Text",
    "content_hash",
    "field",
    "vector_key",
]
