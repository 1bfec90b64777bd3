"""Carries what walks have learned, people have kept and enrichers have found from a damaged catalog to its replacement.

Only what the sources still say is taken over.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from sqlalchemy import Connection, select

from rove.store import enriched_tables, tables
from rove.store.catalog_rows import is_whole
from rove.store.database import Database, insert_rows
from rove.store.dialect import within
from rove.store.reviewed_triplets import settle_triplets
from rove.store.salvage import Salvage, sound
from rove.store.summaries import read_sentences
from rove.store.tables import Table

VECTORS = ("vector", "asked")


def carry_memories(salvage: Salvage, database: Database, rows: Mapping[str, int], dimension: int) -> None:
    """Take over what can be read of facts, leads, kept questions, summaries and triplets whose source is as it was.

    Blocks. Facts lose their stamp: it says that they are all that a walk found, which is no longer sure.

    Args:
        salvage: the damaged catalog.
        database: the new one.
        rows: document id → the document's row number in the damaged one.
        dimension: of the embedder.
    """
    with database.write() as connection:
        live = _live_document_seqs(connection)
        now: dict[int | None, int | None] = {row: live[name] for name, row in rows.items() if name in live}
        facts = [row | {"stamp": ""} for row in _iter_intact_rows(salvage, tables.memory_facts, now, dimension)]
        facts = list(_iter_rows_matching_text(connection, facts))
        insert_rows(connection, tables.memory_facts, [tuple(row.values()) for row in facts])
        leads = _iter_intact_rows(salvage, tables.memory_leads, {None: None} | now, dimension)
        insert_rows(connection, tables.memory_leads, [tuple(row.values()) for row in leads])
        kept = list(_iter_intact_rows(salvage, tables.kept_questions, now, dimension))
        standing = [tuple(row.values()) for row in _iter_rows_matching_text(connection, kept)]
        insert_rows(connection, tables.kept_questions, standing)
        _carry_summaries(salvage, connection, now, dimension)
        _carry_triplets(salvage, connection, now, {str(fact["memory_id"]) for fact in facts}, dimension)


def _carry_triplets(
    salvage: Salvage,
    connection: Connection,
    now: Mapping[int | None, int | None],
    memory_ids: Collection[str],
    dimension: int,
) -> None:
    """Take over triplets that still stand, as reviewed, and who has looked in the documents of which all were read."""
    withheld = list(_iter_intact_rows(salvage, enriched_tables.withheld_triplets, now, dimension))
    stand_ins = {row["stand_in"] for row in withheld}
    rows = [
        row
        for row in _iter_intact_rows(salvage, enriched_tables.triplets, now, dimension)
        if row["seq"] not in stand_ins and (row["memory_id"] is None or row["memory_id"] in memory_ids)
    ]
    said = list(_iter_rows_matching_text(connection, rows, word="object"))
    insert_rows(connection, enriched_tables.triplets, [tuple(row.values()) for row in said])
    found = list(_iter_rows_matching_text(connection, withheld, word="object"))
    insert_rows(connection, enriched_tables.triplets, [(None, *tuple(row.values())[1:-1], None) for row in found])
    looked = {row["document"] for row in (*said, *found)}
    settle_triplets(connection, looked)
    read = [
        row for row in _iter_intact_rows(salvage, enriched_tables.graphed, now, dimension) if row["document"] in looked
    ]
    insert_rows(connection, enriched_tables.graphed, [tuple(row.values()) for row in read])


def _carry_summaries(
    salvage: Salvage, connection: Connection, now: Mapping[int | None, int | None], dimension: int
) -> None:
    """Take over the summaries of documents of which that of all was read; the others are summed up anew."""
    rows = list(_iter_intact_rows(salvage, enriched_tables.summaries, now, dimension))
    whole = {row["document"] for row in rows if row["headings"] == "[]" and row["start"] == 0}
    kept = [tuple(row.values()) for row in rows if row["document"] in whole and _has_readable_summary(row)]
    insert_rows(connection, enriched_tables.summaries, kept)


def _has_readable_summary(row: Mapping[str, Any]) -> bool:
    """Say whether the headings and sentences of a summary can be read."""
    try:
        return bool(read_sentences(json.loads(row["sentences"])) or json.loads(row["headings"]) == [])
    except (TypeError, ValueError):
        return False


def _live_document_seqs(connection: Connection) -> dict[str, int]:
    d = tables.documents.c
    found = connection.execute(select(d.document_id, d.seq).where(d.revision > 0))
    return {str(row.document_id): int(row.seq) for row in found}


def _iter_intact_rows(
    salvage: Salvage, table: Table, now: Mapping[int | None, int | None], dimension: int
) -> Iterator[dict[str, Any]]:
    """Yield the rows of a table that are whole, column by column, each with its document's new row number."""
    for row in sound(table, salvage.rows(table)):
        if row.get("document") in now and all(is_whole(row[name], dimension) for name in VECTORS if name in row):
            yield {column.name: row.get(column.name) for column in table.columns} | {"document": now[row["document"]]}


def _iter_rows_matching_text(
    connection: Connection, facts: list[dict[str, Any]], *, word: str = "quote"
) -> Iterator[dict[str, Any]]:
    """Yield the rows whose words stand where they stood; of facts and triplets, those whose chunk is there too.

    `word`: the column with the words: a "quote" is the span, an "object" stands in it.
    """
    t, c = tables.texts.c, tables.chunks.c
    documents = list({row["document"] for row in facts})
    held = connection.execute(select(t.document, t.text).where(within(t.document, documents)))
    texts = {int(row.document): str(row.text) for row in held}
    chunks = set(connection.execute(select(c.chunk_id).where(within(c.document, documents))).scalars())
    for row in facts:
        start, end, text = row["start"], row["end"], texts.get(row["document"], "")
        here = "chunk_id" not in row or row["chunk_id"] in chunks
        placed = here and isinstance(start, int) and isinstance(end, int)
        words = text[start:end] if placed else ""
        if placed and (words == row[word] if word == "quote" else row[word] in " ".join(words.split())):
            yield row
