"""Mode "tree": a question that names a heading finds all that stands below it, whatever words that uses.

A node is a heading with the headings above it, in one document: the same heading under two parents is two nodes. Below
a node are its own chunks and those of the headings under it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

from rove.language.words import query_terms
from rove.records import Chunk, Hit, Place
from rove.retrieve import Query, SearchContext
from rove.retrieve.hybrid import HybridRetriever
from rove.retrieve.ranked_lists import asked_terms
from rove.store.live_chunks import Found

NAMED = 0.6
"""Share of a heading's telling words that a question must hold to name it."""
TOPIC = 0.5
"""Share of a question's telling words that must stand in the headings it names: else it asks for something else."""
LOOKED_AT = 50
"""Hits of hybrid search whose headings are looked at: a chunk is indexed with its headings."""
MOST_NODES = 3
"""As many headings are opened at most, of those that hold equally much of the question."""


@dataclass(frozen=True, slots=True)
class Node:
    """A heading in a document: `path` is it and those above it, outermost first."""

    document_id: str
    path: tuple[str, ...]


class TreeRetriever:
    """See `Retriever`. Where the question names no heading, it is the order of "hybrid".

    Else all below the heading stands where the first of it stood, by its place in hybrid search, then by its cosine. So
    documents keep their order.
    """

    def __init__(self, search_context: SearchContext) -> None:
        self.search_context = search_context

    async def retrieve(self, query: Query) -> list[Hit]:
        """See `Retriever.retrieve`."""
        hybrid = HybridRetriever(self.search_context)
        found = await hybrid.retrieve(replace(query, top_k=max(query.top_k, LOOKED_AT)))
        asked = asked_terms(query.text, await self.search_context.store.languages(query.where))
        given: dict[str, Hit] = {}
        sections = [await self._below(node, query, found) for node in named_nodes(asked, found)]
        section_of = {hit.chunk.chunk_id: section for section in sections for hit in section}
        for hit in found:
            for below in section_of.get(hit.chunk.chunk_id, [hit]):
                given.setdefault(below.chunk.chunk_id, below if below is hit else replace(below, score=hit.score))
        return list(given.values())[: query.top_k]

    async def _below(self, node: Node, query: Query, found: Sequence[Hit]) -> list[Hit]:
        """Return what stands below a node and passes the filter, the most relevant first."""
        store = self.search_context.store
        chunks = await asyncio.to_thread(store.documents.find_chunks, node.document_id, query.where)
        known = {hit.chunk.chunk_id: place for place, hit in enumerate(found)}
        run = _run(chunks, node, {hit.chunk.chunk_id for hit in found})
        ids = [one.chunk.chunk_id for one in run]
        (vector,) = await self.search_context.embedder.queries([query.text])
        cosines = dict(zip(ids, (await store.chunk_vectors(ids) @ vector).tolist(), strict=True)) if ids else {}
        order = sorted(run, key=lambda one: (known.get(one.chunk.chunk_id, len(known)), -cosines[one.chunk.chunk_id]))
        hits = {hit.chunk.chunk_id: hit for hit in found}
        below = [hits.get(one.chunk.chunk_id) or Hit(one.chunk, 0.0, {}, one.uri, one.title) for one in order]
        return [
            replace(hit, sources={**hit.sources, "tree": Place(place, 1.0)}) for place, hit in enumerate(below, start=1)
        ]


def named_nodes(asked: Sequence[str], found: Sequence[Hit]) -> list[Node]:
    """Return the headings that a question of these terms names, among those of the hits, in their order.

    They are those that hold, with the named ones above them, most of the question. Of two within one another it is the
    outer: all below it is wanted.
    """
    wanted = set(asked)
    held: dict[Node, int] = {}
    for hit in found:
        path, told = hit.chunk.headings, set[str]()
        for depth, heading in enumerate(path, start=1):
            own = _telling(heading, hit.chunk.language, wanted)
            if own and len(own & wanted) >= NAMED * len(own):
                told |= own & wanted
                held.setdefault(Node(hit.chunk.document_id, path[:depth]), len(told))
    most = max(held.values(), default=0)
    if not wanted or most < TOPIC * len(wanted):
        return []
    best = [node for node, count in held.items() if count == most]
    outermost = [node for node in best if not any(_is_under(node, other) for other in best)]
    return outermost[:MOST_NODES]


def _telling(heading: str, language: str, wanted: set[str]) -> set[str]:
    """Return the terms of a heading without its number ("22.4. Dropping Roles"), unless it is asked for, or is all."""
    own = set(query_terms(heading, language))
    numbers = {term for term in own if not any(map(str.isalpha, term))}
    return own - (numbers - wanted) or own


def _is_under(node: Node, other: Node) -> bool:
    above = other.path
    return node.document_id == other.document_id and len(above) < len(node.path) and node.path[: len(above)] == above


def _run(chunks: Sequence[Found], node: Node, found: set[str]) -> list[Found]:
    """Return the chunks below a node: where its heading comes several times, the run in which most was found."""
    runs: list[list[Found]] = [[]]
    for one in chunks:
        if _is_below(one.chunk, node):
            runs[-1].append(one)
        elif runs[-1]:
            runs.append([])
    return max(runs, key=lambda run: sum(one.chunk.chunk_id in found for one in run))


def _is_below(chunk: Chunk, node: Node) -> bool:
    return chunk.headings[: len(node.path)] == node.path
