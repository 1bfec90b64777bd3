"""What a caller may know of the documents as a whole: documents that its labels hide change nothing in it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from threading import Lock

from rove.records import Filter, content_hash
from rove.store.documents import Documents
from rove.store.search_lists import by_frequency

CACHED_FILTERS = 16


@dataclass(frozen=True, slots=True)
class VisibleSummary:
    """Documents that an access filter lets through: their languages, most frequent first, and a hash of them."""

    revision: int
    languages: list[str]
    state: str


class VisibleDocuments:
    """Summaries by access filter, each made from the catalog when first asked for and after a change. Calls block."""

    def __init__(self, documents: Documents) -> None:
        self.documents = documents
        self._lock = Lock()
        self._held: dict[Filter, VisibleSummary] = {}

    def of(self, access_filter: Filter) -> VisibleSummary:
        """Return the summary of what an access filter lets through."""
        with self._lock:
            revision = self.documents.revision()
            held = self._held.get(access_filter)
            if held is None or held.revision < revision:
                if len(self._held) >= CACHED_FILTERS:
                    self._held.clear()
                held = self._held[access_filter] = self._made(access_filter, revision)
            return held

    def _made(self, access_filter: Filter, revision: int) -> VisibleSummary:
        counts: Counter[str] = Counter()
        held: list[str] = []
        for info, version in self.documents.versions():
            if access_filter.matches(info.fields):
                counts[info.language] += info.chunks
                held.append(repr((info.document_id, version, sorted(info.metadata.items()))))
        return VisibleSummary(revision, by_frequency(counts), content_hash(*sorted(held)))
