"""Rove as a part of other libraries: one file for each, an extra of the same name; every hit keeps its exact span."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace

from rove.engine import AsyncRove
from rove.errors import ConfigError, InputError
from rove.installing import install_cure
from rove.records import Filter, Hit
from rove.sync import Rove


@dataclass(frozen=True, slots=True)
class Searching:
    """A base and how it is searched, see `Rove.search`; what None stands for is left to the base."""

    kb: Rove | AsyncRove
    top_k: int | None = None
    where: Filter | None = None
    mode: str = "hybrid"
    rerank: bool | None = None
    min_score: float | None = None

    def within(self, where: Filter | None) -> Searching:
        """Return the same with one more filter: what it lets through is never more than before."""
        both = self.where & where if self.where is not None and where is not None else where
        return self if where is None else replace(self, where=both)

    def search(self, question: str, top_k: int | None = None) -> list[Hit]:
        """Search, from code that is not async.

        Raises:
            InputError: the base is an `AsyncRove`, the question is blank, or an argument is nothing that can be meant.
        """
        if isinstance(self.kb, AsyncRove):
            message = "An AsyncRove cannot be asked by a call that is not async."
            raise InputError(message, cure="Call the async one, or hand in a Rove.", outcome="unsupported")
        return self.kb.search(
            question,
            top_k=self.top_k if top_k is None else top_k,
            where=self.where,
            mode=self.mode,
            rerank=self.rerank,
            min_score=self.min_score,
        )

    async def search_async(self, question: str, top_k: int | None = None) -> list[Hit]:
        """Search without holding up the caller's event loop; a `Rove` is asked in a thread. See `search`."""
        if isinstance(self.kb, Rove):
            return await asyncio.to_thread(self.search, question, top_k)
        return await self.kb.search(
            question,
            top_k=self.top_k if top_k is None else top_k,
            where=self.where,
            mode=self.mode,
            rerank=self.rerank,
            min_score=self.min_score,
        )


def fields_of(hit: Hit) -> dict[str, object]:
    """What is known of a hit beside its text: the document's metadata, and what cites the words exactly.

    `rove inspect DOCUMENT_ID --span START:END` opens it.
    """
    chunk = hit.chunk
    fields: dict[str, object] = {
        name: list(value) if isinstance(value, tuple) else value for name, value in chunk.metadata.items()
    }
    start, end = chunk.span
    own = {"document_id": chunk.document_id, "chunk_id": chunk.chunk_id, "start": start, "end": end}
    shown = {"source": hit.uri, "title": hit.title, "language": chunk.language, "kind": chunk.kind, "score": hit.score}
    time = [hit.time.start_s, hit.time.end_s] if hit.time else None
    placed = {"page": chunk.page, "time": time, "headings": list(chunk.headings)}
    return {**fields, **own, **shown, **{name: value for name, value in placed.items() if value}}


def lacking(extra: str, error: ModuleNotFoundError) -> ConfigError:
    """Return the error that says which extra is missing, and how it is installed."""
    message = f"The adapter needs {error.name!r}, which is not installed."
    return ConfigError(message, cure=install_cure(extra, error.name or ""))
