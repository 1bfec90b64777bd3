"""Stage 6 of 7: a question in, Hits out.

A new way to search is one file with a `Retriever` and one line in `RETRIEVERS`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Protocol

from rove.errors import InputError
from rove.models import ChatModel, Embedder, Reranker
from rove.models.judge import Judge
from rove.records import Filter, Hit
from rove.records.chunk import CONTENTS
from rove.records.tool import describes_tool
from rove.registry import Registry
from rove.retrieve.condition import widened
from rove.retrieve.outdated import outdated_filter
from rove.retrieve.same import merge_copies
from rove.retrieve.stand_in import StandIn
from rove.settings import QuestionSettings, SearchSettings
from rove.store.catalog_view import Along, reading
from rove.store.stale_reads import TRIES, noticing
from rove.store.store import Store
from rove.tracing import stage


@dataclass(frozen=True, slots=True)
class Query:
    """What is asked of a retriever. `rerank`: let the reranker look at the best again.

    `keywords` and `synonyms`: what "sparse" looks for in place of the question's own words. `counted`: hits with the
    same text are looked for among all candidates, to say how many there are; else only until `top_k` differ.
    `falls_back`: a mode that has nothing of its own to find by gives the order of "hybrid"; else it finds nothing.
    """

    text: str
    top_k: int
    where: Filter | None = None
    rerank: bool = False
    keywords: tuple[str, ...] = ()
    synonyms: tuple[str, ...] = ()
    counted: bool = True
    falls_back: bool = True


@dataclass(frozen=True, slots=True)
class SearchContext:
    """What a retriever works with. `chat` and `judge` make these models, if there are any.

    `stand_in` is asked where documents are shallow: see `rove.retrieve.judging`.
    """

    store: Store
    embedder: Embedder
    reranker: Reranker
    settings: SearchSettings
    questions: QuestionSettings = field(default_factory=QuestionSettings)
    chat: Callable[[], ChatModel | None] = lambda: None
    judge: Callable[[], Judge | None] = lambda: None
    stand_in: StandIn | None = None

    @property
    def along(self) -> Along:
        """What the reranker reads of chunks, so that it is fetched with them: its attribute `reads`, if it has one."""
        return getattr(self.reranker, "reads", "")


class Retriever(Protocol):
    """Finds chunks. Built as `Retriever(search_context)`."""

    async def retrieve(self, query: Query) -> list[Hit]:
        """Return up to `query.top_k` hits, best first; each says which lists it came from and its place there."""
        ...


GATHER = "gather"
DEEPER, DEEPEST = 4, 10
"""Where hits with the same text are one: so many times as many are looked for each time, until `top_k` differ, up to
so many times `search.candidates`."""
RETRIEVERS = Registry(
    "retriever",
    "rove.retrievers",
    {
        "keyword": "rove.retrieve.single:KeywordRetriever",
        "semantic": "rove.retrieve.single:SemanticRetriever",
        "hybrid": "rove.retrieve.hybrid:HybridRetriever",
        GATHER: "rove.retrieve.gather_search:GatherRetriever",
        "walk": "rove.retrieve.walk_search:WalkRetriever",
        "graph": "rove.retrieve.graph_search:GraphRetriever",
        "sparse": "rove.retrieve.sparse:SparseRetriever",
        "tree": "rove.retrieve.tree_search:TreeRetriever",
        "questions": "rove.retrieve.question_search:QuestionRetriever",
        "summaries": "rove.retrieve.summary_search:SummariesRetriever",
        "themes": "rove.retrieve.theme_search:ThemesRetriever",
        "schema": "rove.retrieve.schema_search:SchemaRetriever",
        "rewrite": "rove.question.rewrite_search:RewriteRetriever",
        "chain": "rove.retrieve.chain:ChainRetriever",
        "together": "rove.retrieve.chain:TogetherRetriever",
        "tools": "rove.tools.tool_search:ToolsRetriever",
    },
)
RERANKED = frozenset({"hybrid", "tree", "questions", "schema", "rewrite", "chain", "together", "tools"})
"""Modes that rerank where the embedder keeps what late interaction compares, or the settings name a reranker."""


def reranks(mode: str) -> bool:
    """Say whether a mode reranks where nobody says whether it should."""
    return mode in RERANKED


def usual_top_k(mode: str, settings: SearchSettings, asked: int | None = None) -> int:
    """Return how many hits a search gives: as many as were asked for.

    Where nobody says, it is `search.top_k`; in mode "gather" it is as many as the five numbers allow (mission A.1), so
    that nothing of what was gathered is cut off.

    >>> usual_top_k("gather", SearchSettings()), usual_top_k("hybrid", SearchSettings())
    (9, 10)

    Raises:
        InputError: fewer than one is asked for.
    """
    if asked is not None and asked < 1:
        message = f"top_k is {asked}; it must be at least 1."
        raise InputError(message, cure="Ask for at least one hit.")
    if asked is not None:
        return asked
    if mode != GATHER:
        return settings.top_k
    return max(settings.k_keyword + settings.k_semantic + settings.k_rerank, 1)


async def retrieve_passages(mode: str, search_context: SearchContext, query: Query) -> list[Hit]:
    """Search for what an answer can rest on: neither descriptions of tools nor tables of contents answer anything."""
    hits = await retrieve(mode, search_context, query)
    return [hit for hit in hits if hit.chunk.kind != CONTENTS and not describes_tool(hit.chunk.metadata)]


async def retrieve(mode: str, search_context: SearchContext, query: Query) -> list[Hit]:
    """Search in a mode of `RETRIEVERS`, hits with the same text as one where that is set. See `Retriever.retrieve`.

    A document that is replaced meanwhile is found as it was or as it is: where a chunk is gone between the look that
    found it and the one that fetches it, the search is made anew.

    Raises:
        ConfigError: there is no such mode.
        ServiceError: a model failed.
    """
    retriever: Retriever = RETRIEVERS.get(mode)(search_context)
    with stage("retrieve", mode=mode, top_k=query.top_k, filtered=query.where is not None) as retrieving:
        hits: list[Hit] = []
        for _ in range(TRIES):
            with reading(), noticing() as gone:
                async with search_context.store.of_one_embedder():
                    hits = await _attempt_retrieval(retriever, search_context, query)
            if not gone:
                break
        retrieving.tell(hits=len(hits))
    return hits


async def _attempt_retrieval(retriever: Retriever, search_context: SearchContext, query: Query) -> list[Hit]:
    asked = await asyncio.to_thread(_apply_user_dictionary, search_context, query)
    return await _retrieve_distinct_hits(retriever, asked, search_context.settings)


def _apply_user_dictionary(search_context: SearchContext, query: Query) -> Query:
    """A query in the words of the user's dictionary, for what is to be found."""
    store, settings = search_context.store, search_context.settings
    words = store.words.current()
    where = widened(query.where, words) if words else query.where
    return replace(query, text=words.written_out(query.text), where=outdated_filter(where, settings, store))


async def _retrieve_distinct_hits(retriever: Retriever, query: Query, settings: SearchSettings) -> list[Hit]:
    """Search; where hits with the same text become one, as far down as it takes to find all, and to fill their places.

    Where no two of the first hits have the same text, that is all; else the first `candidates` are looked through.
    """
    if settings.deduplicate == "off":
        return sorted(await retriever.retrieve(query), key=_is_contents)
    depth = max(query.top_k, settings.rerank_pool)
    while True:
        found = await retriever.retrieve(replace(query, top_k=depth))
        hits = merge_copies(found, settings.deduplicate)
        looked_through = len(hits) == len(found) or depth >= settings.candidates or not query.counted
        filled = len(hits) >= query.top_k and looked_through
        if filled or len(found) < depth or depth >= DEEPEST * settings.candidates:
            return sorted(hits, key=_is_contents)[: query.top_k]
        depth = max(DEEPER * depth, settings.candidates)


def _is_contents(hit: Hit) -> bool:
    return hit.chunk.kind == CONTENTS
