"""The graph of knowledge in a graph database that speaks Bolt and openCypher: Neo4j, Memgraph, ArcadeDB."""

from __future__ import annotations

import logging
import ssl
from collections.abc import Callable, Collection, Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from threading import Lock
from typing import Any, LiteralString, cast

from neo4j import Driver, GraphDatabase, ManagedTransaction, Session
from neo4j.exceptions import AuthError, ClientError, ConfigurationError, DriverError, Neo4jError

from rove.errors import ConfigError, ServiceError
from rove.records.graph import ALIAS
from rove.settings import GraphSettings
from rove.store.catalog_rows import slices
from rove.store.database import Database
from rove.store.graph_store import Edge, End, Touch, firsts

BATCH = 500
INDEXES: tuple[tuple[LiteralString, LiteralString], ...] = (
    ("CREATE INDEX rove_entity IF NOT EXISTS FOR (e:RoveEntity) ON (e.id)", "CREATE INDEX ON :RoveEntity(id)"),
    (
        "CREATE INDEX rove_says IF NOT EXISTS FOR ()-[r:ROVE_SAYS]-() ON (r.seq)",
        "CREATE EDGE INDEX ON :ROVE_SAYS(seq)",
    ),
)
"""Of the entities' ids and the triplets' numbers, as Neo4j has it, and Memgraph.

Without the first every write looks through all entities, without the second through all that is said of one.
"""
ADD = """\
UNWIND $edges AS edge
MERGE (s:RoveEntity {id: edge.subject_id}) SET s.base = $base, s.name = edge.subject
MERGE (o:RoveEntity {id: edge.object_id}) SET o.base = $base, o.name = edge.object
CREATE (s)-[r:ROVE_SAYS {seq: edge.seq}]->(o)
SET r.predicate = edge.predicate, r.chunk_id = edge.chunk_id, r.document_id = edge.document_id, r.space = edge.space"""
ARROWS: Mapping[End, LiteralString] = {
    "subject": "(e:RoveEntity)-[r:ROVE_SAYS]->()",
    "object": "(e:RoveEntity)<-[r:ROVE_SAYS]-()",
}
ALL = "RETURN e.id AS id, r.seq AS seq, r.chunk_id AS chunk_id, r.document_id AS document_id"
FIRST = """\
WITH e.id AS id, r ORDER BY r.seq
WITH id, collect({seq: r.seq, chunk_id: r.chunk_id, document_id: r.document_id})[0..$most] AS first
UNWIND first AS one
RETURN id, one.seq AS seq, one.chunk_id AS chunk_id, one.document_id AS document_id"""
HELD = "MATCH (e:RoveEntity)-[r:ROVE_SAYS]->() WHERE e.base = $base RETURN r.seq AS seq, e.id AS id"
REMOVE = """\
UNWIND $edges AS edge
MATCH (e:RoveEntity {id: edge.subject_id})-[r:ROVE_SAYS]->() WHERE r.seq = edge.seq DELETE r"""
LONELY = "MATCH (e:RoveEntity) WHERE e.base = $base AND NOT (e)--() DELETE e"
Rows = list[dict[str, Any]]

logging.getLogger("neo4j").addHandler(logging.NullHandler())  # what fails is raised, and said once


class BoltGraph:
    """See `GraphStore`. Entities are nodes `RoveEntity {id, base, name}`, triplets are relationships between them.

    These are `ROVE_SAYS {seq, predicate, chunk_id, document_id, space}`; the text itself stays in the catalog. Nothing
    else in the graph database is looked at or touched.
    """

    def __init__(self, *, database: Database, settings: GraphSettings, base: str) -> None:
        del database
        self.settings = settings
        self.base = base
        self._lock = Lock()
        self._driver: Driver | None = None

    def touching(
        self, keys: Collection[str], end: End, *, spaces: Collection[str], only_aliases: bool, most: int | None
    ) -> list[Touch]:
        """See `GraphStore.touching`."""
        among = " AND r.predicate = $alias" if only_aliases else ""
        query = f"MATCH {ARROWS[end]} WHERE e.id IN $ids AND r.space IN $spaces{among}\n{self.wanted(most)}"
        found = self.ask(query, ids=[self.id_of(key) for key in keys], spaces=list(spaces), alias=ALIAS, most=most or 0)
        touches = [
            Touch(self.key_of(row["id"]), row["seq"], row["chunk_id"], row["document_id"]) for row in found
        ]  # fmt: skip
        touches.sort(key=lambda touch: touch.seq)
        return touches if most is None else firsts(touches, most)

    def add(self, edges: Sequence[Edge]) -> None:
        """See `GraphStore.add`. What is there already is replaced: to look for it between two ends takes long."""
        for part in slices(list({edge.seq: edge for edge in edges}.values()), BATCH):
            self.ask(REMOVE, ADD, edges=[self.row_of(edge) for edge in part], base=self.base)

    def held(self) -> Mapping[int, str]:
        """See `GraphStore.held`."""
        return {row["seq"]: self.key_of(row["id"]) for row in self.ask(HELD, base=self.base)}

    def remove(self, edges: Mapping[int, str]) -> None:
        """See `GraphStore.remove`."""
        for part in slices(list(edges.items()), BATCH):
            self.ask(REMOVE, edges=[{"seq": seq, "subject_id": self.id_of(key)} for seq, key in part])
        if edges:
            self.ask(LONELY, base=self.base)

    def close(self) -> None:
        """See `GraphStore.close`."""
        if self._driver:
            self._driver.close()
            self._driver = None

    # -- how it is said ------------------------------------------------------------------------------------------------

    def id_of(self, key: str) -> str:
        """The id of an entity's node, which no other base has."""
        return f"{self.base} {key}"

    def key_of(self, node_id: str) -> str:
        """The key of a node's entity."""
        return node_id.removeprefix(f"{self.base} ")

    def row_of(self, edge: Edge) -> dict[str, Any]:
        """An edge as parameters of a query."""
        return {
            "seq": edge.seq, "subject": edge.subject, "predicate": edge.predicate, "object": edge.object,
            "subject_id": self.id_of(edge.subject_key), "object_id": self.id_of(edge.object_key),
            "chunk_id": edge.chunk_id, "document_id": edge.document_id, "space": edge.space,
        }  # fmt: skip

    def wanted(self, most: int | None) -> str:
        """What a query returns of the edges `r` at entities `e`: all, or the first of each."""
        return ALL if most is None else FIRST

    def prepare(self, session: Session) -> None:
        """Make what is not there yet, before the first query."""
        for ways in INDEXES:
            for query in ways:
                with suppress(ClientError):
                    session.run(query).consume()
                    break

    def ask(self, *queries: str, **parameters: Any) -> Rows:  # noqa: ANN401 - what Bolt carries
        """Carry out queries in one transaction, which is tried again where the server says so; returns the last's."""

        def work(transaction: ManagedTransaction) -> Rows:
            return [transaction.run(cast("LiteralString", query), parameters).data() for query in queries][-1]

        with self.session() as session:
            return session.execute_write(work)

    @contextmanager
    def session(self) -> Generator[Session]:
        """A session; what the driver raises is told as Rove tells it."""
        try:
            with self._opened(self._connected()) as session:
                yield session
        except (DriverError, Neo4jError) as error:
            raise self._told(error) from error

    def _connected(self) -> Driver:
        with self._lock:
            if not self._driver:
                driver = self._made()
                try:
                    with self._opened(driver) as session:
                        self.prepare(session)
                except BaseException:
                    driver.close()
                    raise
                self._driver = driver
            return self._driver

    def _opened(self, driver: Driver) -> Session:
        make = cast("Callable[..., Session]", driver.session)  # pyright: ignore[reportUnknownMemberType] - its options
        return make(database=self.settings.database)

    def _made(self) -> Driver:
        password = self.settings.password.get_secret_value()
        limit = self.settings.timeout_s
        make = cast("Callable[..., Driver]", GraphDatabase.driver)  # pyright: ignore[reportUnknownMemberType] - likewise
        try:
            return make(
                self.settings.url,
                auth=(self.settings.user, password) if self.settings.user else None,
                connection_timeout=limit,
                connection_acquisition_timeout=limit,
                max_transaction_retry_time=limit,
                telemetry_disabled=True,
            )
        except (ConfigurationError, ValueError, ImportError) as error:
            message = f"store.graph.url is {self.settings.url!r}: {error}."
            cure = 'Write it like "bolt://localhost:7687" or "neo4j+s://host:7687".'
            raise ConfigError(message, cure=cure) from error

    def _told(self, error: Exception) -> ServiceError:
        said = error.message if isinstance(error, Neo4jError) else str(error).partition("\n")[0]
        message = f"The graph database at {self.settings.url} says: {(said or '').rstrip(':. ')}."
        if isinstance(error, AuthError):
            cure = "See to store.graph.user and ROVE_STORE__GRAPH__PASSWORD."
            return ServiceError(message, cure=cure, retryable=False)
        if untrusted := _certificate_error(error):
            message = f"The graph database at {self.settings.url} cannot be trusted: {untrusted}."
            cure = 'Name its authority in SSL_CERT_FILE, or write "bolt+ssc://" to check no certificate.'
            return ServiceError(message, cure=cure, retryable=False)
        if isinstance(error, ClientError):
            return ServiceError(message, cure="See to store.graph.database.", retryable=False)
        cure = 'See that it runs and can be reached, or set store.graph.store to "catalog".'
        return ServiceError(message, cure=cure, retryable=True)


def _certificate_error(error: BaseException | None) -> str:
    """What is wrong with the server's certificate, if that is why a connection failed; else ""."""
    while error and not isinstance(error, ssl.SSLCertVerificationError):
        error = error.__cause__ or error.__context__
    return error.verify_message if error else ""
