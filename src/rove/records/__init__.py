"""The nouns that every stage speaks: frozen, slotted dataclasses, stdlib only."""

from rove.records.answer import Answer, Citation, Conflict, PathStep, Sentence, Side, Verdict
from rove.records.chunk import Chunk
from rove.records.document import Block, Box, Document, DocumentInfo, Page, Section
from rove.records.filter import Filter, field
from rove.records.hit import Hit, Place
from rove.records.identity import content_hash
from rove.records.ledger import Duplicate, LedgerEntry, Report
from rove.records.prepared import PageRead, Prepared, SourceEnd, vector_key
from rove.records.source import Source, Text
from rove.records.understood import (
    Clarification,
    Correction,
    Expansion,
    Gathered,
    GatherRound,
    Graded,
    History,
    Intent,
    Response,
    Searched,
    Slot,
    Step,
    Sufficiency,
    Topic,
    Turn,
    Understood,
)

__all__ = [
    "Response",
    "Understood",
    "Turn",
    "Topic",
    "Sufficiency",
    "Step",
    "Slot",
    "Searched",
    "Intent",
    "History",
    "Graded",
    "GatherRound",
    "Gathered",
    "Expansion",
    "Correction",
    "Clarification",
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
    "PageRead",
    "PathStep",
    "Place",
    "Prepared",
    "Report",
    "Section",
    "Sentence",
    "Side",
    "Source",
    "SourceEnd",
    "Text",
    "Verdict",
    "content_hash",
    "field",
    "vector_key",
]
