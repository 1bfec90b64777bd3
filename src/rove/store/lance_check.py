"""Does LanceDB's full-text index find every term that its table holds? A damaged one can miss chunks, or panic."""

# pyright: reportUnknownMemberType=false

from __future__ import annotations

from typing import cast
from zlib import crc32

from lancedb.table import AsyncTable

INCOMPLETE = "its full-text index does not find what it should"
PARTS = 16
"""Queries that the check consists of: each asks for a part of all terms, and counts the chunks that it finds."""
LONGEST_TERM = 40
"""Bytes from which on the full-text index leaves a term out."""


async def check_full_text(table: AsyncTable) -> None:
    """Read the whole table, and ask for each of its terms.

    Raises:
        RuntimeError: a chunk is not found by its terms; LanceDB raises whatever it raises for the rest.
    """
    words: list[set[str]] = [set() for _ in range(PARTS)]
    chunks = [0] * PARTS
    async for batch in await table.query().to_batches():
        for terms in cast("list[str]", batch["terms"].to_pylist()):
            parts = {term: crc32(term.encode()) % PARTS for term in terms.split() if len(term.encode()) < LONGEST_TERM}
            for term, part in parts.items():
                words[part].add(term)
            for part in set(parts.values()):
                chunks[part] += 1
    for held, count in zip(words, chunks, strict=True):
        if count:
            query = table.query().nearest_to_text(" ".join(held), columns="terms").select(["chunk_id", "_score"])
            if (await query.limit(count + 1).to_arrow()).num_rows != count:
                raise RuntimeError(INCOMPLETE)
