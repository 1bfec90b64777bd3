"""A reader of walks: the first line of every chunk is a fact."""

from __future__ import annotations

from collections.abc import AsyncGenerator

from rove.records import Citation
from rove.records.walk_events import Fact, FactFound
from rove.walk import Finding, Material, WalkContext
from rove.walk.leads import fact_id


class FirstLines:
    """See `rove.walk.Reader`."""

    def __init__(self, context: WalkContext) -> None:
        del context

    async def read(self, material: Material) -> AsyncGenerator[Finding]:
        """See `Reader.read`."""
        for number, hit in enumerate(material.hits, 1):
            chunk = hit.chunk
            line = chunk.text.partition("\n")[0]
            span = (chunk.span[0], chunk.span[0] + len(line))
            words = Citation(number, chunk.chunk_id, chunk.document_id, hit.uri, hit.title, line, span, chunk.page)
            identity = fact_id(line, chunk.document_id, span)
            yield FactFound(Fact(identity, line, 0.5, material.state.round, "text", words))
