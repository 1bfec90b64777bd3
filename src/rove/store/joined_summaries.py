"""The search among the summaries of several bases that are read as one."""

from __future__ import annotations

from rove.records import Filter
from rove.records.summary import Summary
from rove.store import Vector
from rove.store.summaries import SummaryIndex


class JoinedSummaries(SummaryIndex):
    """See `SummaryIndex`. Ties by the order of the bases, then by row number."""

    def nearest(self, vector: Vector, where: Filter | None, top_k: int) -> list[tuple[Summary, float]]:
        """See `SummaryIndex.nearest`."""
        documents = self.documents
        found = [
            one
            for part, hidden in zip(documents.parts, documents.shadowed(), strict=True)
            for one in part.summaries.nearest(vector, where, top_k + len(hidden))
            if one[0].document_id not in hidden
        ]
        return sorted(found, key=lambda one: -one[1])[:top_k]
