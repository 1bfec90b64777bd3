"""Mode "graph": a walk that also follows what the graph of knowledge says: other names, and who does what to whom.

Beside the links of mode "walk", a question leads to what its names are also called, and a passage to the documents that
say something of the things that it speaks of. Without a graph (`rove enrich graph`) it is mode "walk".
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from rove.enrich.entities import name_keys
from rove.records import Filter, Hit
from rove.records.graph import Relation
from rove.retrieve import Query, SearchContext
from rove.retrieve.explore import MOST_ALIASES
from rove.retrieve.trail import Ways
from rove.retrieve.walk_search import MOST_SHARERS, WalkQuery, WalkRetriever, WalkTuning
from rove.store.knowledge_graph import Seen
from rove.store.name_graph import NamingText

OTHER_NAME = 0.9
"""How surely a document is meant that the question names by another name than its title."""


class GraphRetriever(WalkRetriever):
    """See `Retriever`. The reranker always has its say."""

    def __init__(self, search_context: SearchContext, tuning: WalkTuning | None = None) -> None:
        super().__init__(search_context, tuning)
        self.graph = search_context.store.graph

    async def retrieve(self, query: Query) -> list[Hit]:
        """See `Retriever.retrieve`."""
        await self.graph.ready()
        return await super().retrieve(query)

    async def named(self, asked: WalkQuery) -> dict[str, float]:
        """See `WalkRetriever.named`: by other names too."""
        found = await super().named(asked)
        others = await asyncio.to_thread(self._other_names, name_keys(asked.text, asked.language), asked)
        texts = [NamingText(name, asked.language, name_keys(name, asked.language)) for name in others]
        for titled in await asyncio.to_thread(self.search_context.store.names.titled, texts, asked.access_filter):
            for document_id, sure in titled.items():
                found[document_id] = max(found.get(document_id, 0.0), OTHER_NAME * sure)
        return found

    async def ways(self, front: Sequence[Hit], access_filter: Filter | None) -> dict[str, Ways]:
        """See `WalkRetriever.ways`: and to what is said elsewhere of the things that a passage speaks of."""
        found, said = await asyncio.gather(
            super().ways(front, access_filter), asyncio.to_thread(self._said, front, access_filter)
        )
        for chunk_id, documents in said.items():
            ways = found[chunk_id]
            shared = {name: max(ways.shared.get(name, 0.0), share) for name, share in documents.items()}
            found[chunk_id] = replace(ways, shared={**ways.shared, **shared})
        return found

    def _other_names(self, keys: Collection[str], asked: WalkQuery) -> list[str]:
        """What the things that a question names are also called."""
        found = self.graph.touching(keys, most=MOST_ALIASES, only_aliases=True, seen=self._seen_by(asked.access_filter))
        names = (one.triplet.object if one.triplet.subject_key in keys else one.triplet.subject for one in found)
        return list(dict.fromkeys(names))

    def _said(self, front: Sequence[Hit], access_filter: Filter | None) -> dict[str, dict[str, float]]:
        """The documents that say something of the things that each passage speaks of: 1 / how many do."""
        if not front:
            return {}
        own = self.graph.of_chunks([hit.chunk.chunk_id for hit in front])  # of passages that were found
        keys: dict[str, set[str]] = defaultdict(set)
        for relation in own:
            keys[relation.chunk_id] |= {relation.triplet.subject_key, relation.triplet.object_key}
        every = set[str]().union(*keys.values())
        said = self.graph.touching(every, most=MOST_SHARERS + 1, seen=self._seen_by(access_filter)) if every else []
        elsewhere = self._documents(said, every)
        found: dict[str, dict[str, float]] = {}
        for hit in front:
            ways = found.setdefault(hit.chunk.chunk_id, {})
            for key in keys.get(hit.chunk.chunk_id, ()):
                documents = elsewhere[key] - {hit.chunk.document_id}
                for document_id in documents if len(elsewhere[key]) <= MOST_SHARERS else ():
                    ways[document_id] = max(ways.get(document_id, 0.0), 1 / len(documents))
        return found

    @staticmethod
    def _documents(relations: Iterable[Relation], keys: Collection[str]) -> Mapping[str, set[str]]:
        """The documents that say something of each key."""
        found: dict[str, set[str]] = defaultdict(set)
        for relation in relations:
            for key in (relation.triplet.subject_key, relation.triplet.object_key):
                if key in keys:
                    found[key].add(relation.document_id)
        return found

    def _seen_by(self, access_filter: Filter | None) -> Seen | None:
        """What an access filter lets through."""
        store = self.search_context.store
        return None if access_filter is None else lambda owners: store.seen(owners, access_filter)
