"""Stage 5 of 6: a question in, Hits out.

A new way to search is one file with a `Retriever` and one line in `RETRIEVERS`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from rove.models import Embedder, Reranker
from rove.records import Filter, Hit
from rove.registry import Registry
from rove.settings import SearchSettings
from rove.spans import stage
from rove.store.moved import TRIES, noticing
from rove.store.store import Store


@dataclass(frozen=True, slots=True)
class Query:
    """What is asked of a retriever. `rerank`: let the reranker look at the best again.

    `keywords` and `synonyms`: what "sparse" looks for in place of the question's own words.
    """

    text: str
    top_k: int
    where: Filter | None = None
    rerank: bool = False
    keywords: tuple[str, ...] = ()
    synonyms: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Means:
    """What a retriever works with."""

    store: Store
    embedder: Embedder
    reranker: Reranker
    settings: SearchSettings


class Retriever(Protocol):
    """Finds chunks. Built as `Retriever(means)`."""

    async def retrieve(self, query: Query) -> list[Hit]:
        """Return up to `query.top_k` hits, best first; each says which lists it came from and its place there."""
        ...


RETRIEVERS = Registry(
    "retriever",
    {
        "keyword": "rove.retrieve.single:KeywordRetriever",
        "semantic": "rove.retrieve.single:SemanticRetriever",
        "hybrid": "rove.retrieve.hybrid:HybridRetriever",
        "gather": "rove.retrieve.gather:GatherRetriever",
        "walk": "rove.retrieve.walk:WalkRetriever",
        "sparse": "rove.retrieve.sparse:SparseRetriever",
    },
)


async def retrieve(mode: str, means: Means, query: Query) -> list[Hit]:
    """Search in a mode of `RETRIEVERS`. See `Retriever.retrieve`.

    A document that is replaced meanwhile is found as it was or as it is: where a chunk is gone between the look that
    found it and the one that fetches it, the search is made anew.

    Raises:
        ConfigError: there is no such mode.
        ServiceError: a model failed.
    """
    retriever: Retriever = RETRIEVERS.get(mode)(means)
    with stage("retrieve", mode=mode, top_k=query.top_k, filtered=query.where is not None) as retrieving:
        hits: list[Hit] = []
        for _ in range(TRIES):
            with noticing() as gone:
                hits = await retriever.retrieve(query)
            if not gone:
                break
        retrieving.tell(hits=len(hits))
    return hits
