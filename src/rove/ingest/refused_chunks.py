"""Chunks that the embedder refuses: their document is kept without them, and the ledger is told."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from rove.errors import RoveError
from rove.records import Prepared
from rove.records.ledger import LostChunk

T = TypeVar("T")


def without_refused(prepared: Prepared, refused: Mapping[str, RoveError], lost: dict[str, list[LostChunk]]) -> Prepared:
    """Return a document without the chunks that the embedder refused, which are added to what its source has `lost`.

    What is left of it is not known by its fingerprint, so that it is read anew when it is added again.
    """
    bad = {number for number, key in enumerate(prepared.vector_keys) if key in refused}
    if not bad:
        return prepared
    source = prepared.ledger_source
    for number in sorted(bad):
        chunk, error = prepared.chunks[number], refused[prepared.vector_keys[number]]
        reason, whole = f"The embedder refused it: {error.reason}", len(bad) == len(prepared.chunks)
        one = LostChunk(source, chunk.document_id, chunk.span, reason, error.cure, whole=whole)
        lost.setdefault(source, []).append(one)
    return replace(
        prepared,
        fingerprint="",
        chunks=_but(prepared.chunks, bad),
        terms=_but(prepared.terms, bad),
        vector_keys=_but(prepared.vector_keys, bad),
        names=_but(prepared.names, bad),
    )


def _but(items: Sequence[T], left_out: Collection[int]) -> list[T]:
    return [item for number, item in enumerate(items) if number not in left_out]
