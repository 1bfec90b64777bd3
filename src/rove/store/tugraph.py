"""The graph of knowledge in TuGraph, which speaks Bolt and a part of openCypher.

By TuGraph's documents, and by what others have found with TuGraph-DB 4 over Bolt; no server of it was at hand: it wants
its labels declared, has no transactions of several queries, and binds the rows of a list wrongly in what it writes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, LiteralString, cast

from neo4j import Session
from neo4j.exceptions import Neo4jError

from rove.store.bolt_graph import ALL, LONELY, BoltGraph, Rows
from rove.store.graph_store import Edge

LABELS: tuple[LiteralString, ...] = (
    "CALL db.createVertexLabel('RoveEntity', 'id', 'id', 'STRING', false, 'base', 'STRING', true, "
    "'name', 'STRING', true)",
    "CALL db.createEdgeLabel('ROVE_SAYS', '[[\"RoveEntity\",\"RoveEntity\"]]', 'seq', 'INT64', true, "
    "'predicate', 'STRING', true, 'chunk_id', 'STRING', true, 'document_id', 'STRING', true, 'space', 'STRING', true)",
)
ENTITY = "MERGE (e:RoveEntity {id: $id}) SET e.base = $base, e.name = $name"
SAYS = """\
MATCH (s:RoveEntity {id: $subject_id}), (o:RoveEntity {id: $object_id})
MERGE (s)-[r:ROVE_SAYS {seq: $seq}]->(o)
SET r.predicate = $predicate, r.chunk_id = $chunk_id, r.document_id = $document_id, r.space = $space"""
REMOVE = "MATCH (e:RoveEntity {id: $id})-[r:ROVE_SAYS]->() WHERE r.seq = $seq DELETE r"


class TuGraph(BoltGraph):
    """See `GraphStore`. One query for each entity and each triplet that is written; each is kept at once."""

    def add(self, edges: Sequence[Edge]) -> None:
        """See `GraphStore.add`."""
        for edge in edges:
            row = self.row_of(edge)
            self.ask(ENTITY, id=row["subject_id"], name=edge.subject, base=self.base)
            self.ask(ENTITY, id=row["object_id"], name=edge.object, base=self.base)
            self.ask(SAYS, **row)

    def remove(self, edges: Mapping[int, str]) -> None:
        """See `GraphStore.remove`."""
        for seq, key in edges.items():
            self.ask(REMOVE, seq=seq, id=self.id_of(key))
        if edges:
            self.ask(LONELY, base=self.base)

    def wanted(self, most: int | None) -> str:
        """See `BoltGraph.wanted`: all; the first of each are taken from them."""
        del most
        return ALL

    def prepare(self, session: Session) -> None:
        """Declare the labels; those that are there already are refused."""
        for query in LABELS:
            with suppress(Neo4jError):
                session.run(query).consume()

    def ask(self, *queries: str, **parameters: Any) -> Rows:  # noqa: ANN401 - what Bolt carries
        """Carry out queries, each of which is kept at once."""
        with self.session() as session:
            return [session.run(cast("LiteralString", query), parameters).data() for query in queries][-1]
