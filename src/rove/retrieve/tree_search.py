"""Mode "tree": a question that names a heading, or means one, finds all that stands below it.

A node is a heading with the headings above it, in one document: the same heading under two parents is two nodes. Below
a node are its own chunks and those of the headings under it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Container, Sequence
from dataclasses import dataclass, replace

from rove.language.words import query_terms
from rove.models.judge import Judge
from rove.records import Chunk, Hit, Place
from rove.retrieve import Query, SearchContext
from rove.retrieve.hybrid import HybridRetriever
from rove.retrieve.ranked_lists import search_terms
from rove.store.live_chunks import Found

NAMED = 0.6
"""Share of a heading's telling words that a question must hold to name it."""
TOPIC = 0.5
"""Share of a question's telling words that must stand in the headings it names: else it asks for something else."""
MEANT = 0.08
"""How surely a judge must say that a question and a heading are of one thing."""
LEAD = 0.015
"""By so much the cosine of a heading that is meant lies over that of every other."""
MEANT_AT = 20
"""Hits whose headings may be meant: each heading costs a millisecond."""
LONGEST_CHARS = 300
"""A longer question asks for more than a heading could mean."""
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
    """See `Retriever`. Where the question names no heading and means none, it is the order of "hybrid".

    A heading is named by its words; where there is a judge it is so only by all words of the question, and is meant
    where, with those above it, it is the nearest to the question and the judge takes the one for the other. Else all
    below the heading stands where the first of it stood, by its place in hybrid search, then by its cosine. So
    documents keep their order.
    """

    def __init__(self, search_context: SearchContext) -> None:
        self.search_context = search_context

    async def retrieve(self, query: Query) -> list[Hit]:
        """See `Retriever.retrieve`."""
        hybrid = HybridRetriever(self.search_context)
        found = await hybrid.retrieve(replace(query, top_k=max(query.top_k, LOOKED_AT)))
        asked = search_terms(query.text, await self.search_context.store.languages(query.where))
        given: dict[str, Hit] = {}
        judge = self.search_context.judge()
        nodes = named_nodes(asked, found, 1.0 if judge else TOPIC)
        if judge and asked and not nodes and len(query.text) <= LONGEST_CHARS:
            nodes = await self._meant(query.text, found[:MEANT_AT], judge)
        if not nodes and not query.falls_back:
            return []
        sections = [await self._below(node, query, found) for node in nodes]
        section_of = {hit.chunk.chunk_id: section for section in sections for hit in section}
        for hit in found:
            for below in section_of.get(hit.chunk.chunk_id, [hit]):
                given.setdefault(below.chunk.chunk_id, below if below is hit else replace(below, score=hit.score))
        return list(given.values())[: query.top_k]

    async def _meant(self, question: str, found: Sequence[Hit], judge: Judge) -> list[Node]:
        """Return the headings, among those of the hits, that a question means; none where the judge sees none."""
        heads = {(hit.chunk.document_id, heading) for hit in found for heading in hit.chunk.headings}
        called = {
            Node(hit.chunk.document_id, hit.chunk.headings[:depth]): " › ".join(
                filter(None, (_title_beside(hit, heads), *hit.chunk.headings[:depth]))
            )
            for hit in found
            for depth in range(1, len(hit.chunk.headings) + 1)
        }
        names = list(dict.fromkeys(called.values()))
        if not names:
            return []
        embedder = self.search_context.embedder
        (vector,) = await embedder.queries([question])
        cosines = dict(zip(names, (await embedder.passages(names) @ vector).tolist(), strict=True))
        best = max(names, key=lambda name: cosines[name])
        others = [cosine for name, cosine in cosines.items() if not (name.startswith(best) or best.startswith(name))]
        if cosines[best] - max(others, default=-1.0) < LEAD:
            return []
        ways = ((question, best), (best, question))
        sure = max([(await judge.supported(claim, premise)).supported for claim, premise in ways])
        return _outermost([node for node, name in called.items() if name == best])[:MOST_NODES] if sure >= MEANT else []

    async def _below(self, node: Node, query: Query, found: Sequence[Hit]) -> list[Hit]:
        """Return what stands below a node and passes the filter, the most relevant first."""
        store = self.search_context.store
        chunks = await asyncio.to_thread(store.documents.find_chunks, node.document_id, query.where)
        known = {hit.chunk.chunk_id: place for place, hit in enumerate(found)}
        run = _chunk_run_below_node(chunks, node, {hit.chunk.chunk_id for hit in found})
        ids = [one.chunk.chunk_id for one in run]
        (vector,) = await self.search_context.embedder.queries([query.text])
        cosines = dict(zip(ids, (await store.chunk_vectors(ids) @ vector).tolist(), strict=True)) if ids else {}
        order = sorted(run, key=lambda one: (known.get(one.chunk.chunk_id, len(known)), -cosines[one.chunk.chunk_id]))
        hits = {hit.chunk.chunk_id: hit for hit in found}
        below = [hits.get(one.chunk.chunk_id) or Hit(one.chunk, 0.0, {}, one.uri, one.title) for one in order]
        return [
            replace(hit, sources={**hit.sources, "tree": Place(place, 1.0)}) for place, hit in enumerate(below, start=1)
        ]


def named_nodes(asked: Sequence[str], found: Sequence[Hit], topic: float = TOPIC) -> list[Node]:
    """Return the headings that a question of these terms names, among those of the hits, in their order.

    `topic`: the share of its terms that they must hold together.

    They are those that hold, with the named ones above them, most of the question. Of two within one another it is the
    outer: all below it is wanted.
    """
    wanted = set(asked)
    held: dict[Node, int] = {}
    for hit in found:
        path, told = hit.chunk.headings, set[str]()
        for depth, heading in enumerate(path, start=1):
            own = _significant_heading_terms(heading, hit.chunk.language, wanted)
            if own and len(own & wanted) >= NAMED * len(own):
                told |= own & wanted
                held.setdefault(Node(hit.chunk.document_id, path[:depth]), len(told))
    most = max(held.values(), default=0)
    if not wanted or most < topic * len(wanted):
        return []
    return _outermost([node for node, count in held.items() if count == most])[:MOST_NODES]


def _outermost(nodes: Sequence[Node]) -> list[Node]:
    """Return the nodes that stand below no other of them."""
    return [node for node in nodes if not any(_is_under(node, other) for other in nodes)]


def _title_beside(hit: Hit, heads: Container[tuple[str, str]]) -> str:
    """Return a document's title where no heading of it says the same; else ""."""
    return "" if (hit.chunk.document_id, hit.title) in heads else hit.title


def _significant_heading_terms(heading: str, language: str, wanted: set[str]) -> set[str]:
    """Return the terms of a heading without its number ("22.4. Dropping Roles"), unless it is asked for, or is all."""
    own = set(query_terms(heading, language))
    numbers = {term for term in own if not any(map(str.isalpha, term))}
    return own - (numbers - wanted) or own


def _is_under(node: Node, other: Node) -> bool:
    above = other.path
    return node.document_id == other.document_id and len(above) < len(node.path) and node.path[: len(above)] == above


def _chunk_run_below_node(chunks: Sequence[Found], node: Node, found: set[str]) -> list[Found]:
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
