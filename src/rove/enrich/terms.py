"""A chunk's terms for the keyword index: words of its prefix and its text, analysed once, here."""

from __future__ import annotations

from rove.language.words import joined_terms
from rove.records import Chunk


def chunk_terms(chunk: Chunk) -> str:
    """Return the terms of a chunk, space-joined, in order."""
    return joined_terms(chunk.indexed_text, chunk.language)
