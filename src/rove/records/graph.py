"""The graph of knowledge: who does what to whom, each with the words that say so."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from rove.records.document import Span

ALIAS = "also called"
"""The predicate that two names of one thing are linked by, whatever the words that say so."""
TOGETHER = "named together with"
"""The predicate of two names of one sentence of which nothing more can be told."""


@dataclass(frozen=True, slots=True)
class Triplet:
    """What a span of a document's canonical text says: subject, predicate, object, as they stand there.

    A predicate that stands in two places has "…" between them; that of two names in one sentence may be `TOGETHER`.
    `subject_key` and `object_key`: what the spellings of a name share (see `language.names.name_key`).
    """

    subject: str
    predicate: str
    object: str
    span: Span
    subject_key: str
    object_key: str


@dataclass(frozen=True, slots=True)
class Relation:
    """A triplet in the graph, and where it comes from.

    `by` is what found it: "rules 2", a chat model, or "walk" for a fact that a walk has learned, of which `memory_id`
    is the id. `quote`: the words of the span.
    """

    triplet: Triplet
    document_id: str
    chunk_id: str
    by: str
    title: str = ""
    source: str = ""
    quote: str = ""
    memory_id: str = ""


@dataclass(frozen=True, slots=True)
class Entity:
    """A thing that relations speak of. `names`: how it is called, the most frequent first. `hops`: links to a seed.

    `joined`: why names of different spelling are one entity: the relations that say so.
    """

    key: str
    names: tuple[str, ...]
    hops: int = 0
    joined: tuple[Relation, ...] = ()

    @property
    def name(self) -> str:
        """What to show."""
        return self.names[0]


@dataclass(frozen=True, slots=True)
class Link:
    """What one entity does to another, by their keys; `relations` say so, the oldest first."""

    subject: str
    predicate: str
    object: str
    relations: tuple[Relation, ...]


@dataclass(frozen=True, slots=True)
class Subgraph:
    """What was explored, the nearest to the seeds first. `more`: a limit has left something out."""

    entities: tuple[Entity, ...] = ()
    links: tuple[Link, ...] = ()
    more: bool = False


@dataclass(frozen=True, slots=True)
class Part:
    """A node of a document's own graph: the document, a section, a chunk, or an entity that chunks speak of.

    `span`: where it stands in the canonical text; None of an entity.
    """

    key: str
    kind: Literal["document", "section", "chunk", "entity"]
    name: str
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class Bond:
    """An edge of a document's own graph, by the keys of its parts.

    "holds": a document or a section its sections and chunks; "next": a chunk the one after it; "names": a chunk an
    entity.
    """

    source: str
    kind: Literal["holds", "next", "names"]
    target: str


@dataclass(frozen=True, slots=True)
class DocumentGraph:
    """A document as a graph: document → section → chunk → entity, and from each chunk to the next."""

    parts: tuple[Part, ...]
    bonds: tuple[Bond, ...]
