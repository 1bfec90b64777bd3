"""The graph of knowledge over HTTP: what is asked of it, and the subgraph that is answered, placed for a picture."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from rove.graph_files import placed
from rove.records.document import Span
from rove.records.graph import Entity, Link, Relation, Subgraph
from rove.retrieve.explore import DEEPEST, MOST_LINKS, WIDEST, Reach
from rove.serve.questions.filters import Conditioned
from rove.serve.redaction import Said, public_source
from rove.serve.schema import Reply
from rove.store.knowledge_graph import Direction

NAMED = Annotated[str, Field(min_length=1, max_length=2_000)]
MOST_NAMES = 50


class GraphIn(Conditioned):
    """Where to begin, by names of things, documents or chunks, and how far to go. See `Reach`."""

    names: list[NAMED] = Field(default=[], max_length=MOST_NAMES)
    documents: list[NAMED] = Field(default=[], max_length=MOST_NAMES)
    chunks: list[NAMED] = Field(default=[], max_length=MOST_NAMES)
    direction: Direction = "both"
    depth: int = Field(default=1, ge=1, le=DEEPEST)
    fan: int = Field(default=20, ge=1, le=WIDEST)
    limit: int = Field(default=100, ge=1, le=MOST_LINKS)

    @property
    def reach(self) -> Reach:
        """How far to go."""
        return Reach(self.direction, self.depth, self.fan, self.limit)


class RelationOut(Reply):
    """Where a relation stands: the document's text at `span` is `quote`. `by`: "walk" for what a walk has learned."""

    document_id: str
    chunk_id: str
    title: str
    source: str
    span: Span
    quote: str
    by: str

    @classmethod
    def of(cls, relation: Relation) -> RelationOut:
        """Make it of a record."""
        return cls(
            document_id=relation.document_id,
            chunk_id=relation.chunk_id,
            title=relation.title,
            source=public_source(relation.source),
            span=relation.triplet.span,
            quote=relation.quote,
            by=relation.by,
        )


class EntityOut(Reply):
    """A thing. `names`: how it is called, the most frequent first; `joined` says why these are one.

    `hops`: links to what was asked for; `x`, `y`: where to draw it, from 0 to 1.
    """

    key: str
    names: list[str]
    hops: int
    x: float
    y: float
    joined: list[RelationOut]

    @classmethod
    def of(cls, entity: Entity, spot: tuple[float, float]) -> EntityOut:
        """Make it of a record, at its place in the picture."""
        joined = [RelationOut.of(relation) for relation in entity.joined]
        x, y = (round(place, 4) for place in spot)
        return cls(key=entity.key, names=list(entity.names), hops=entity.hops, x=x, y=y, joined=joined)


class LinkOut(Reply):
    """What one entity does to another, by their keys, and the words that say so."""

    subject: str
    predicate: str
    object: str
    relations: list[RelationOut]

    @classmethod
    def of(cls, link: Link) -> LinkOut:
        """Make it of a record."""
        relations = [RelationOut.of(relation) for relation in link.relations]
        return cls(subject=link.subject, predicate=link.predicate, object=link.object, relations=relations)


class GraphOut(Reply):
    """What was explored, the nearest first. `more`: a limit has left something out."""

    entities: list[EntityOut]
    links: list[LinkOut]
    more: bool
    notes: list[Said] = []

    @classmethod
    def of(cls, graph: Subgraph, notes: list[str]) -> GraphOut:
        """Make it of a record."""
        spots = placed(graph)
        entities = [EntityOut.of(entity, spots[entity.key]) for entity in graph.entities]
        links = [LinkOut.of(link) for link in graph.links]
        return cls(entities=entities, links=links, more=graph.more, notes=notes)
