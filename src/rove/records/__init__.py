"""The nouns that every stage speaks: frozen, slotted dataclasses, stdlib only."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rove.records.answer import Answer, Citation, Conflict, PathStep, RelatedQuestion, Sentence, Side, Verdict
    from rove.records.chunk import Chunk
    from rove.records.document import Block, Box, Document, DocumentInfo, Page, Section
    from rove.records.filter import Filter, field
    from rove.records.hit import Hit, Place
    from rove.records.identity import content_hash
    from rove.records.ledger import Duplicate, LedgerEntry, Report
    from rove.records.note import Note
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
    "Note",
    "Page",
    "PageRead",
    "PathStep",
    "Place",
    "Prepared",
    "RelatedQuestion",
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

_HOMES = {  # in `rove.records.…`
    "answer": ("Answer", "Citation", "Conflict", "PathStep", "RelatedQuestion", "Sentence", "Side", "Verdict"),
    "chunk": ("Chunk",),
    "document": ("Block", "Box", "Document", "DocumentInfo", "Page", "Section"),
    "filter": ("Filter", "field"),
    "hit": ("Hit", "Place"),
    "identity": ("content_hash",),
    "ledger": ("Duplicate", "LedgerEntry", "Report"),
    "note": ("Note",),
    "prepared": ("PageRead", "Prepared", "SourceEnd", "vector_key"),
    "source": ("Source", "Text"),
}


def __getattr__(name: str) -> object:
    """Import a noun when it is first asked for: a search needs the half of them, and a class takes a millisecond."""
    home = next((module for module, names in _HOMES.items() if name in names), "understood")
    if name not in __all__:
        message = f"module 'rove.records' has no attribute {name!r}"
        raise AttributeError(message)
    found = getattr(import_module(f"rove.records.{home}"), name)
    globals()[name] = found
    return found
