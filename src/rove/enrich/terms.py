"""A chunk's terms for the keyword index: words of its prefix and its text, analysed once, here."""

from __future__ import annotations

from dataclasses import replace

from rove.language.identifiers import spelled_out
from rove.language.words import joined_terms
from rove.records import Chunk


def chunk_terms(chunk: Chunk) -> str:
    """Return the terms of a chunk, space-joined, in order."""
    return joined_terms(chunk.indexed_text, chunk.language)


def with_names_spelled_out(chunk: Chunk) -> Chunk:
    """Return a chunk of a table's description, in its prefix the words that its short names stand for."""
    said = spelled_out(chunk.indexed_text)
    return replace(chunk, prefix=f"{chunk.prefix}\n{said}" if chunk.prefix else said) if said else chunk
