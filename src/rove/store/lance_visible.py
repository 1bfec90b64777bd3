"""BM25 in LanceDB for a caller who may see a part of the base: the engine's own statistics count hidden chunks too.

The engine finds candidates, and they are scored anew by what the access filter lets through. The candidates themselves
are still chosen by the engine's scores: hidden chunks can change the choice where more than `CANDIDATES` chunks hold a
word of the question.
"""

# LanceDB's own annotations name pandas and polars, which are not installed.
# pyright: reportUnknownMemberType=false

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from math import log1p
from typing import cast

from lancedb.table import AsyncTable

from rove.records import Filter
from rove.store import Scored
from rove.store.lance_fields import compile_filter

K1, B = 1.2, 0.75
"""The parameters of BM25, which LanceDB does not let one set."""
CANDIDATES = 1_000
CACHED_COUNTS = 10_000


class VisibleWords:
    """Counts of chunks by access filter and word, kept as long as the table stays as it is."""

    def __init__(self) -> None:
        self._version = -1
        self._counts: dict[tuple[int, str, str], int] = {}

    async def keyword(
        self, table: AsyncTable, terms: Sequence[str], *, top_k: int, where: Filter, access_filter: Filter
    ) -> list[Scored]:
        """See `Index.keyword`; `access_filter` is the part of `where` that says what is counted."""
        names = (await table.schema()).names
        within = compile_filter(access_filter, names)
        version = await table.version()
        if version != self._version or len(self._counts) > CACHED_COUNTS:
            self._counts.clear()
            self._version = version
        asked = Counter(terms)
        found, total = await asyncio.gather(
            self._candidates(table, terms, compile_filter(where, names), max(CANDIDATES, 4 * top_k)),
            table.count_rows(within),
        )
        counts = dict(zip(asked, await self._holding(table, list(asked), within, total, version), strict=True))
        average = sum(map(len, found.values())) / max(len(found), 1)
        scores: dict[str, float] = {}
        for chunk_id, words in found.items():
            norm = K1 * (1 - B + B * len(words) / average)
            times = {term: words.count(term) for term in asked}
            scores[chunk_id] = sum(
                asked[term] * log1p((total - counts[term] + 0.5) / (counts[term] + 0.5)) * (K1 + 1) * n / (n + norm)
                for term, n in times.items()
                if n
            )
        return sorted(scores.items(), key=lambda scored: (-scored[1], scored[0]))[:top_k]

    async def _candidates(self, table: AsyncTable, terms: Sequence[str], where: str, most: int) -> dict[str, list[str]]:
        """The terms of the chunks that the engine finds best, by chunk id."""
        query = table.query().nearest_to_text(" ".join(terms), columns="terms").select(["chunk_id", "terms", "_score"])
        found = await query.where(where).limit(most).to_arrow()
        ids, held = (cast("list[str]", found[name].to_pylist()) for name in ("chunk_id", "terms"))
        return {chunk_id: words.split() for chunk_id, words in zip(ids, held, strict=True)}

    async def _holding(
        self, table: AsyncTable, terms: Sequence[str], within: str, total: int, version: int
    ) -> list[int]:
        """How many chunks of an access filter hold each word."""

        async def count(term: str) -> int:
            key = version, within, term
            if key not in self._counts:
                query = table.query().nearest_to_text(term, columns="terms").select(["chunk_id", "_score"])
                found = await query.where(within).limit(max(total, 1)).to_arrow()
                self._counts[key] = found.num_rows
            return self._counts[key]

        return await asyncio.gather(*map(count, terms))
