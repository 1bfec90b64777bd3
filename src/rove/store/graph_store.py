"""Where the graph of knowledge is looked through: the catalog itself, or a graph database that follows it.

A new one is one file with a `GraphStore` and one line in `GRAPH_STORES`. The catalog is the truth: it keeps every
triplet; a graph database is a projection of it that can be dropped and made anew.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol

from rove.registry import Registry

End = Literal["subject", "object"]


@dataclass(frozen=True, slots=True)
class Edge:
    """A triplet as a graph database keeps it, by its row number in the catalog, which no other ever has.

    `space`: whose walk has learned it; "" for what a document says.
    """

    seq: int
    subject: str
    predicate: str
    object: str
    subject_key: str
    object_key: str
    chunk_id: str
    document_id: str
    space: str = ""


class Touch(NamedTuple):
    """An edge that has the entity `key` at one end, and the chunk that says so.

    `part`: of which base it is, where several are read as one; a graph store knows of none.
    """

    key: str
    seq: int
    chunk_id: str
    document_id: str
    part: int = 0


def firsts(touches: Iterable[Touch], most: int) -> list[Touch]:
    """Return the first so many of each key.

    >>> [touch.seq for touch in firsts([Touch("a", 1, "", ""), Touch("a", 2, "", ""), Touch("b", 3, "", "")], 1)]
    [1, 3]
    """
    counts, kept = Counter[str](), list[Touch]()
    for touch in touches:
        if counts[touch.key] < most:
            counts[touch.key] += 1
            kept.append(touch)
    return kept


class GraphStore(Protocol):
    """Built as `GraphStore(database=…, settings=…, base=…)`; `base` tells bases in one graph database apart.

    Calls block, and come from several threads. The caller sees to it that no two writers are at work.
    """

    def touching(
        self, keys: Collection[str], end: End, *, spaces: Collection[str], only_aliases: bool, most: int | None
    ) -> list[Touch]:
        """Return the edges that have one of these entities at an end, by their row numbers.

        Args:
            keys: of the entities.
            end: at which.
            spaces: only edges of these.
            only_aliases: only those whose predicate is `ALIAS`.
            most: the first so many of each key; None: all.

        Raises:
            ServiceError: the graph database cannot be reached, or refuses.
        """
        ...

    def add(self, edges: Sequence[Edge]) -> None:
        """Keep edges; one that is there already stays as it is."""
        ...

    def held(self) -> Mapping[int, str]:
        """Return the row number of every edge that is held, with its subject's key."""
        ...

    def remove(self, edges: Mapping[int, str]) -> None:
        """Forget edges, given as `held` gives them, and entities that have none left."""
        ...

    def close(self) -> None:
        """Release connections."""
        ...


CATALOG = "catalog"
GRAPH_STORES = Registry(
    "graph store",
    "rove.graph_stores",
    {
        CATALOG: "rove.store.catalog_graph:CatalogGraph",
        "bolt": "rove.store.bolt_graph:BoltGraph [bolt]",
        "tugraph": "rove.store.tugraph:TuGraph [bolt]",
    },
)
