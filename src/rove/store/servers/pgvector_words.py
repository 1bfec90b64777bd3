"""Words in Postgres by the extension pg_textsearch, where it is there: it names candidates, the postings score them.

pg_textsearch keeps the length of a text in one byte, so that its own scores are near BM25 (overlap .97 to .99): the
order is that of the postings, whichever of the two has found the candidates
(https://github.com/timescale/pg_textsearch).
"""

from __future__ import annotations

from collections import Counter

import psycopg

from rove.store.servers.postgres_calls import Connection

EXTENSION = "pg_textsearch"
TABLE = "index_words"
INDEX = "index_words_bm25"
INDEX_FROM = 50_000
"""Chunks from which on words have an index; below, the postings of all chunks are scored."""
CANDIDATES = 200
"""Candidates that are asked for besides five times as many as are wanted."""
_PLACE = """
    SELECT quote_ident(n.nspname) FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace
    JOIN pg_available_extensions a ON a.name = %s WHERE e.extname = 'vector'"""
"""Where it goes: beside pgvector, and not into the schema of one index."""
_MAKE = f"CREATE TABLE {TABLE} (id bigint PRIMARY KEY, words text NOT NULL)"


def create_words_table(connection: Connection) -> None:
    """Make the table, in the caller's transaction, where the server has the extension and the user may use it."""
    place = connection.execute(_PLACE, [EXTENSION]).fetchone()
    if place is None:
        return
    try:
        with connection.transaction():
            connection.execute(f"CREATE EXTENSION IF NOT EXISTS {EXTENSION} SCHEMA {place[0]}".encode())
            connection.execute(_MAKE.encode())
    except (psycopg.errors.InsufficientPrivilege, psycopg.errors.ObjectNotInPrerequisiteState):
        return  # a superuser has to make it, or the server has to load it at its start


def is_kept(connection: Connection) -> bool:
    """Whether words have a table here."""
    return connection.execute("SELECT to_regclass(%s) IS NOT NULL", [TABLE]).fetchone() == (True,)


def has_index(connection: Connection) -> bool:
    """Whether words have an index here."""
    return connection.execute("SELECT to_regclass(%s) IS NOT NULL", [INDEX]).fetchone() == (True,)


def make_index(connection: Connection, chunks: int, k1: float, b: float) -> None:
    """Make the index, for a BM25 of these numbers, where there are words and chunks enough and it is not there yet."""
    if chunks < INDEX_FROM or not is_kept(connection) or has_index(connection):
        return
    options = f"text_config = 'simple', k1 = {k1}, b = {b}"
    connection.execute(f"CREATE INDEX {INDEX} ON {TABLE} USING bm25 (words) WITH ({options})".encode())


def indexed_words(bag: Counter[str]) -> str:
    """Terms as the extension reads them, each one word of ASCII, whatever signs it has.

    >>> indexed_words(Counter({"Öl": 2}))
    'xc3966c xc3966c'
    """
    return " ".join(_textsearch_word(term) for term in bag.elements())


def candidates(connection: Connection, terms: Counter[str], top_k: int) -> list[int]:
    """The ids of the chunks that may be the best `top_k` for these terms."""
    asked = " ".join(_textsearch_word(term) for term in terms.elements())
    with connection.transaction():
        connection.execute("SET LOCAL enable_seqscan TO off")
        found = connection.execute(
            f"SELECT id FROM {TABLE} ORDER BY words <@> to_bm25query(%s, '{INDEX}') LIMIT %s".encode(),  # noqa: S608
            [asked, 5 * top_k + CANDIDATES],
        )
        return [number for (number,) in found]


def _textsearch_word(term: str) -> str:
    return f"x{term.encode('utf-8', 'surrogatepass').hex()}"
