"""Puts passages into a base in a folder straight by its store, and copies a base's rows into Postgres.

What `Rove.add` does beside that (processes of its own that read, the ledger) is measured apart, by fewer passages.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import Any

import psycopg
from sqlalchemy import create_engine, select

from bench.team.passages import golden_documents
from rove import Text
from rove.engine import AsyncRove
from rove.ingest.recipe import recipe_of
from rove.load.discover import locate
from rove.prepare import Preparer
from rove.records import Prepared
from rove.settings import Address
from rove.store import tables

BATCH = 10_000
FETCHED = 5_000
THIS_MACHINES = "resident of "
"""Facts of which no other machine can make use begin so, and those of a folder's own snapshot."""


async def fill(kb: AsyncRove, posts: Iterator[Text], count: int) -> int:
    """Put the golden documents and `count` of the posts in, read and cut as always; returns how many chunks."""
    preparer = Preparer(recipe_of(kb.settings, str(kb.embedder.fingerprint), with_chat=False))
    chunks = 0
    texts = chain(golden_documents(), islice(posts, count))
    while batch := list(islice(texts, BATCH)):
        prepared = list(_prepared(preparer, batch))
        keyed = {
            key: chunk.indexed_text for one in prepared for key, chunk in zip(one.vector_keys, one.chunks, strict=True)
        }
        vectors = await kb.embedder.passages(list(keyed.values()))
        await kb.store.keep(prepared, dict(zip(keyed, vectors, strict=True)), {})
        chunks += sum(len(one.chunks) for one in prepared)
    await kb.store.optimize()
    return chunks


def _prepared(preparer: Preparer, texts: Iterable[Text]) -> Iterator[Prepared]:
    for location in locate(list(texts)):
        yield from (made for made in preparer.read(location) if isinstance(made, Prepared))


def copy(base: Path, address: Address) -> dict[str, int]:
    """Copy all rows of a base in a folder into an empty one in Postgres that has its tables; returns rows by table."""
    copied: dict[str, int] = {}
    engine = create_engine(f"sqlite:///{base / 'catalog.sqlite'}")
    with engine.connect() as source, psycopg.connect(address.url) as target:
        target.execute(f'SET search_path TO "{address.schema}"'.encode())
        target.execute("SET session_replication_role = replica")  # keys were checked where the rows come from
        for table in tables.metadata.sorted_tables:
            names = [column.name for column in table.columns]
            rows = source.execution_options(yield_per=FETCHED).execute(select(table))
            if table is tables.facts:
                _set_facts(target, [tuple(row) for row in rows])
                continue
            quoted = ", ".join(f'"{name}"' for name in names)
            if table.name == "row_counts":  # the new base has counts of its own, of nothing
                target.execute("DELETE FROM row_counts")
            with target.cursor().copy(f'COPY "{table.name}" ({quoted}) FROM STDIN'.encode()) as pipe:
                copied[table.name] = 0
                for row in rows:
                    pipe.write_row(tuple(row))
                    copied[table.name] += 1
            if "seq" in names and copied[table.name]:
                _count_on(target, table.name)
        target.commit()
        target.autocommit = True
        target.execute("ANALYZE")
    return copied


def _set_facts(target: psycopg.Connection[Any], rows: Sequence[tuple[Any, ...]]) -> None:
    ours = [row for row in rows if not row[0].startswith(THIS_MACHINES) and row[0] != "resident"]
    statement = 'INSERT INTO "facts" VALUES (%s, %s) ON CONFLICT (name) DO UPDATE SET value = excluded.value'
    with target.cursor() as cursor:
        cursor.executemany(statement, ours)


def _count_on(target: psycopg.Connection[Any], table: str) -> None:
    """Let new rows be numbered from the highest on, where the table counts them."""
    found = target.execute("SELECT pg_get_serial_sequence(%s, 'seq')", [table]).fetchone()
    if found and found[0]:
        target.execute(f'SELECT setval(%s, (SELECT max(seq) FROM "{table}"))'.encode(), [found[0]])
