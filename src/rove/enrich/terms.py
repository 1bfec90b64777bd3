"""Chunks' terms for the keyword index: words of prefix and text, analysed once, here, and a hint of what stands around.

A chunk is also found by the words of its neighbours, each counted once: cutting a document must not part the words of
one question. Measured: docs/decisions/003-language.md.
"""

from __future__ import annotations

from collections.abc import Sequence

from rove.language.words import terms
from rove.records import Chunk


def terms_of(chunks: Sequence[Chunk]) -> list[str]:
    """Return the terms of a document's chunks, in order, each chunk's space-joined."""
    own = [terms(chunk.indexed_text, chunk.language) for chunk in chunks]
    if len(own) < 2:
        return [" ".join(found) for found in own]
    sets = [set(found) for found in own]
    around = [set[str](), *sets[:-1]], [*sets[1:], set[str]()]
    return [
        " ".join([*found, *sorted((before | after) - held)])
        for found, held, before, after in zip(own, sets, *around, strict=True)
    ]
