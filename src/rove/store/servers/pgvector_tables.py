"""The tables of an index in Postgres: how they are made, filled in bulk, emptied and looked through."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from struct import Struct

import numpy as np

from rove.errors import ConfigError
from rove.records.metadata import is_storable
from rove.store import IndexRow
from rove.store.servers import pgvector_words
from rove.store.servers.postgres_calls import Connection
from rove.store.servers.postgres_filters import fields_json

TABLES = ("index_rows", "index_vectors", "index_postings", "index_totals")
VECTOR_INDEX = "index_vectors_hnsw"
LEAST_VERSION = (0, 8)
"""The version of pgvector from which on a search by an index goes on until enough rows pass a filter."""
IN_PLACE = 1_900
"""Numbers of a vector that fit a page of Postgres beside the rest of its row; longer ones it keeps elsewhere."""
LONGEST_TERM = 200
"""Bytes of a term that are kept as they are; a longer one is kept by its hash."""
MAKE = """
CREATE TABLE index_rows (
  id bigint PRIMARY KEY, chunk_id text COLLATE "C" NOT NULL UNIQUE, length integer NOT NULL, fields jsonb NOT NULL);
CREATE INDEX index_rows_fields ON index_rows USING gin (fields jsonb_path_ops);
CREATE TABLE index_vectors (id bigint PRIMARY KEY, vector vector({dimension}) NOT NULL);
ALTER TABLE index_vectors ALTER vector SET STORAGE {storage};
CREATE TABLE index_postings (
  term text COLLATE "C", id bigint, tf integer NOT NULL, length integer NOT NULL,
  PRIMARY KEY (term, id) INCLUDE (tf, length));
CREATE INDEX index_postings_ids ON index_postings (id);
CREATE TABLE index_totals (chunks bigint NOT NULL, words bigint NOT NULL);
INSERT INTO index_totals VALUES (0, 0);
CREATE SEQUENCE IF NOT EXISTS index_ids;
CREATE OR REPLACE FUNCTION index_counted() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    UPDATE index_totals SET chunks = chunks + (SELECT count(*) FROM changed),
      words = words + (SELECT coalesce(sum(changed.length), 0) FROM changed);
  ELSIF TG_OP = 'DELETE' THEN
    UPDATE index_totals SET chunks = chunks - (SELECT count(*) FROM changed),
      words = words - (SELECT coalesce(sum(changed.length), 0) FROM changed);
  ELSE
    UPDATE index_totals SET chunks = 0, words = 0;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER index_rows_in AFTER INSERT ON index_rows REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION index_counted();
CREATE TRIGGER index_rows_out AFTER DELETE ON index_rows REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION index_counted();
CREATE TRIGGER index_rows_all_out AFTER TRUNCATE ON index_rows FOR EACH STATEMENT EXECUTE FUNCTION index_counted();
"""
"""How many chunks and words there are is counted by the database itself, also where somebody else deletes."""
DROP = f"DROP TABLE IF EXISTS {', '.join((*TABLES, pgvector_words.TABLE))}"
CHECKS = {
    "vectors are missing, or left over": """
        SELECT count(*) FROM index_rows r FULL JOIN index_vectors v USING (id)
        WHERE r.id IS NULL OR v.id IS NULL OR v.vector IS NULL""",
    "chunks have other words than they had": """
        SELECT count(*) FROM (SELECT id, sum(tf) AS words FROM index_postings GROUP BY id) p
        FULL JOIN index_rows r USING (id) WHERE coalesce(p.words, 0) <> coalesce(r.length, 0)""",
    "is what the counts are wrong by": """
        SELECT abs(t.chunks - count(r.*)) + abs(t.words - coalesce(sum(r.length), 0))
        FROM index_totals t LEFT JOIN index_rows r ON r IS NOT NULL GROUP BY t.chunks, t.words""",
}
"""What each query counts, of which there must be none."""
_EXTENSION = """
    SELECT n.nspname, e.extversion FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace
    WHERE e.extname = %s"""
_HEADER = b"PGCOPY\n\xff\r\n\0" + bytes(8)
_END = b"\xff\xff"
_COUNT, _SIZE, _INT, _BIG, _DIMENSION = Struct(">h"), Struct(">i"), Struct(">i"), Struct(">q"), Struct(">HH")


def prepare(connection: Connection, schema: str, timeout_s: float) -> None:
    """Set up a new connection: where it looks for tables, and how long it works on a statement.

    Raises:
        ConfigError: the extension is too old.
    """
    found = connection.execute(_EXTENSION, ["vector"]).fetchone()
    if found is None:
        connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
        found = connection.execute(_EXTENSION, ["vector"]).fetchone() or ("public", "0")
    place, version = map(str, found)
    if tuple(map(int, version.split(".")[:2])) < LEAST_VERSION:
        message = f"The extension vector of this Postgres is {version}; {'.'.join(map(str, LEAST_VERSION))} is needed."
        raise ConfigError(message, cure="Install a newer pgvector, and run there: ALTER EXTENSION vector UPDATE")
    words = connection.execute(_EXTENSION, [pgvector_words.EXTENSION]).fetchone() or (place,)
    execute(connection, f"SET search_path TO {quote_name(schema)}, {quote_name(place)}, {quote_name(str(words[0]))}")
    execute(connection, f"SET statement_timeout TO {round(1_000 * timeout_s)}")


def create_tables(connection: Connection, schema: str, dimension: int, *, anew: bool = False) -> None:
    """Make the tables where there are none; `anew`: in place of those that are there."""
    if not anew and connection.execute("SELECT to_regclass('index_totals')").fetchone() != (None,):
        return
    with connection.transaction():
        connection.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 1))", [schema])
        if connection.execute("SELECT to_regnamespace(%s)", [quote_name(schema)]).fetchone() == (None,):
            execute(connection, f"CREATE SCHEMA {quote_name(schema)}")
        if anew:
            execute(connection, DROP)
        elif connection.execute("SELECT to_regclass('index_totals')").fetchone() != (None,):
            return
        storage = "PLAIN" if dimension <= IN_PLACE else "EXTERNAL"
        execute(connection, MAKE.format(dimension=dimension, storage=storage))
        pgvector_words.create_words_table(connection)


def existing_tables(connection: Connection) -> tuple[str, ...]:
    """The tables that there are."""
    return (*TABLES, pgvector_words.TABLE) if pgvector_words.is_kept(connection) else TABLES


def upsert_rows(connection: Connection, rows: Collection[IndexRow]) -> None:
    """Add chunks, in place of those with the same ids, all of them or none."""
    bags = [Counter(map(kept_term, row.terms.split())) for row in rows]
    with connection.transaction():
        delete_rows(connection, [row.chunk_id for row in rows])
        found = connection.execute("SELECT nextval('index_ids') FROM generate_series(1, %s)", [len(rows)])
        ids = [int(number) for (number,) in found]
        each = list(zip(ids, rows, bags, strict=True))
        _copy(connection, "index_rows", (_binary_index_row(*one) for one in each))
        _copy(connection, "index_vectors", ((_BIG.pack(number), _binary_vector(row)) for number, row, _ in each))
        _copy(connection, "index_postings", _postings(each))
        if pgvector_words.is_kept(connection):
            words = ((_BIG.pack(number), pgvector_words.indexed_words(bag).encode()) for number, _, bag in each)
            _copy(connection, pgvector_words.TABLE, words)


def delete_rows(connection: Connection, chunk_ids: Sequence[str]) -> None:
    """Delete chunks; the caller has begun a transaction."""
    ids = [number for (number,) in connection.execute(
        "DELETE FROM index_rows WHERE chunk_id = ANY (%s) RETURNING id", [list(chunk_ids)]
    )]  # fmt: skip
    if ids:
        for table in existing_tables(connection)[1:]:
            if table != "index_totals":
                connection.execute(f"DELETE FROM {table} WHERE id = ANY (%s)".encode(), [ids])  # noqa: S608


def kept_term(term: str) -> str:
    """A term as it is kept: by its hash where it is too long for an index of Postgres, or holds what no text can."""
    if len(term) * 4 <= LONGEST_TERM and term.isascii() and "\0" not in term:
        return term
    if is_storable(term) and "\0" not in term and len(term.encode()) <= LONGEST_TERM:
        return term
    return f"\x01{sha256(term.encode('utf-8', 'surrogatepass')).hexdigest()}"


def has_index(connection: Connection) -> bool:
    """Whether vectors have an index."""
    found = connection.execute("SELECT to_regclass(%s) IS NOT NULL", [VECTOR_INDEX]).fetchone()
    return found == (True,)


@contextmanager
def unhurried(connection: Connection) -> Generator[None]:
    """Let what the block does take as long as it takes; a connection on which something fails is closed anyway."""
    before = connection.execute("SHOW statement_timeout").fetchone()
    connection.execute("SET statement_timeout TO 0")
    yield
    connection.execute("SELECT set_config('statement_timeout', %s, false)", before)


def quote_name(name: str) -> str:
    """A name as SQL has it."""
    doubled = name.replace('"', '""')
    return f'"{doubled}"'


def execute(connection: Connection, statement: str) -> None:
    """Carry out what was put together from this package's own words and quoted names."""
    connection.execute(statement.encode())


def _binary_index_row(number: int, row: IndexRow, bag: Counter[str]) -> tuple[bytes, ...]:
    fields = b"\x01" + fields_json(row.fields).encode()
    return _BIG.pack(number), row.chunk_id.encode(), _INT.pack(bag.total()), fields


def _binary_vector(row: IndexRow) -> bytes:
    return _DIMENSION.pack(len(row.vector), 0) + np.asarray(row.vector, ">f4").tobytes()


def _postings(each: Iterable[tuple[int, IndexRow, Counter[str]]]) -> Iterator[tuple[bytes, ...]]:
    for number, _, bag in each:
        own, length = _BIG.pack(number), _INT.pack(bag.total())
        for term, often in bag.items():
            yield term.encode(), own, _INT.pack(often), length


def _copy(connection: Connection, table: str, rows: Iterable[tuple[bytes, ...]]) -> None:
    """Hand over rows in Postgres' binary form, whose columns are those of the table."""
    with connection.cursor() as cursor, cursor.copy(f"COPY {table} FROM STDIN (FORMAT BINARY)".encode()) as copy:
        copy.write(_HEADER)
        for row in rows:
            parts = [_COUNT.pack(len(row))]
            for value in row:
                parts += (_SIZE.pack(len(value)), value)
            copy.write(b"".join(parts))
        copy.write(_END)
