"""Stage 4 of 7: keep and find. The catalog is the truth; an index is a projection that can be dropped and rebuilt.

A new index is one file with an `Index` and one line in `INDEXES`.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from rove.records import Filter
from rove.records.source import MetaValue
from rove.registry import Registry, defer

Scored = tuple[str, float]
Vector = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class IndexRow:
    """What an index keeps of a chunk: its terms (space-joined), its vector, and the fields that filters can name.

    `language`: the chunk's own (ISO 639-1), whatever a field of that name says. `shallow`: the vector is not yet the
    embedder's own: see `rove.store.shallow`; such rows are given to no index but the embedded one. `names`: the keys of
    the names that it holds (space-joined). `titles`: those that its document answers to, on one of its chunks at least.
    `damaged`: it cannot be read whole, or its vector cannot; such rows are given to the embedded index alone, which
    names them and does not find them.
    """

    chunk_id: str
    terms: str
    vector: Vector
    fields: Mapping[str, MetaValue]
    language: str = ""
    shallow: bool = False
    names: str = ""
    titles: Sequence[str] = ()
    damaged: bool = False


class VectorIndex(Protocol):
    """Finds chunk ids by their vectors. Any method may be called at any time; no two writers are ever at work.

    Scores: higher is better; ties are ordered by chunk id. Where a tie goes on beyond `top_k`, the embedded index keeps
    the lowest ids, while LanceDB keeps any. Filters apply before the search, never after.
    """

    async def add(self, rows: Sequence[IndexRow], *, fresh: bool = False) -> None:
        """Add chunks; one that is there already is replaced. `fresh`: the caller knows that none is there."""
        ...

    async def remove(self, chunk_ids: Collection[str]) -> None:
        """Forget chunks; unknown ids are ignored. Their bytes may stay on disk until `erase`."""
        ...

    async def semantic(self, vector: Vector, *, top_k: int, where: Filter | None = None) -> list[Scored]:
        """Return up to `top_k` chunks by cosine similarity (-1 to 1) to a unit vector, best first."""
        ...

    async def chunk_ids(self) -> list[str]:
        """Return the id of every chunk that is held; one that is held twice comes twice."""
        ...

    async def count(self) -> int:
        """Return the number of chunks that are held."""
        ...

    async def check(self) -> None:
        """Read everything through.

        Raises:
            ServiceError: something is damaged or lost, so that searches would fail or miss chunks.
        """
        ...

    async def optimize(self) -> None:
        """Bring search structures up to date after many additions. Cheap when there is nothing to do."""
        ...

    async def tidy(self) -> None:
        """Free the space that many writes have left behind. A search that is under way meanwhile is repeated."""
        ...

    async def erase(self) -> None:
        """Take what was removed off the disk: afterwards no file of the index holds its bytes."""
        ...

    async def rebuild(self, batches: AsyncIterator[Sequence[IndexRow]]) -> None:
        """Throw everything away, whatever state it is in, and start again from these rows."""
        ...

    async def close(self) -> None:
        """Release files and threads."""
        ...


@runtime_checkable
class Index(VectorIndex, Protocol):
    """A `VectorIndex` that compares words too."""

    async def keyword(self, terms: Sequence[str], *, top_k: int, where: Filter | None = None) -> list[Scored]:
        """Return up to `top_k` chunks by BM25 over the terms, best first; chunks with no term in common are absent."""
        ...


@dataclass(frozen=True, slots=True)
class Recalled:
    """What an index remembers of a document, should nothing else be left of it."""

    source: str
    title: str
    chunks: int


@runtime_checkable
class RecallingIndex(Protocol):
    """An index that can say which documents its rows are of. The packaged one on disk can; none has to."""

    async def recall(self) -> Mapping[str, Recalled]:
        """Return what is remembered of each document, by its id. Nothing is made on disk."""
        ...


# LanceDB only names classes of this client of a remote service; all of it takes longer to import than LanceDB itself.
defer("lance_namespace_urllib3_client")
INDEXES = Registry(
    "index",
    "rove.indexes",
    {
        "chroma": "rove.store.servers.chroma:ChromaIndex [chroma]",
        "elasticsearch": "rove.store.servers.elasticsearch:ElasticsearchIndex [elasticsearch]",
        "lancedb": "rove.store.lance:LanceIndex [lance]",
        "memory": "rove.store.memory_index:MemoryIndex",
        "milvus": "rove.store.servers.milvus:MilvusIndex [milvus]",
        "oceanbase": "rove.store.servers.oceanbase:OceanBaseIndex [oceanbase]",
        "opensearch": "rove.store.servers.opensearch:OpenSearchIndex [opensearch]",
        "pgvector": "rove.store.servers.pgvector:PgvectorIndex [postgres]",
    },
)
