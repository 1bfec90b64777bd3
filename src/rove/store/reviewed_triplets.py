"""Triplets as reviewers have left them: what they rejected is withheld, and what they edited stands in other words.

The table `triplets` holds what searches use; what was found in other words, or is rejected, is in `withheld_triplets`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import ColumnElement, Connection, Table, case, delete, func, insert, select

from rove.language.names import name_key
from rove.records.graph import ALIAS, TOGETHER
from rove.records.reviewed import ReviewDecision, ReviewItem, latest_decisions, review_id
from rove.store import tables
from rove.store.catalog_rows import AnyRow, slices
from rove.store.database import Database
from rove.store.dialect import within
from rove.store.enriched_tables import graphed, triplets, withheld_triplets
from rove.store.review_log import add_decisions, read_decisions

AT_ONCE = 500
GAP = "…"
TOGETHER_SURE, GAP_SURE, ALIAS_SURE, PROSE_SURE, TABLE_SURE = 0.1, 0.3, 0.5, 0.6, 0.9
"""How sure a triplet is, by how it was found: two names of one sentence say least, a row of a table most."""


@dataclass(frozen=True, slots=True)
class FoundTriplet:
    """A triplet as it was found. `chunk_id`: where.

    `row`: its row in the table that has it; `stand_in`: what stands in its place. `shown`: the words that searches use,
    None where it is rejected.
    """

    item: ReviewItem
    chunk_id: str
    row: AnyRow
    withheld: bool
    stand_in: int | None
    shown: tuple[str, ...] | None


class ReviewedTriplets:
    """Reads and decides about triplets that were found in documents; what walks have learned is not reviewed.

    Calls block; each write is one transaction.
    """

    def __init__(self, database: Database) -> None:
        self.database = database

    def of_documents(self, document_ids: Collection[str]) -> list[FoundTriplet]:
        """Return what was found in live documents, as it was found."""
        d = tables.documents.c
        with self.database.read() as connection:
            query = select(d.seq).where(within(d.document_id, document_ids), d.revision > 0)
            return found_triplets(connection, list(connection.execute(query).scalars()))

    def least_sure(self) -> Iterator[list[FoundTriplet]]:
        """Yield what stands as it was found, some at a time, the least sure first."""
        t, d, w = triplets.c, tables.documents.c, withheld_triplets.c
        stand_ins = select(w.stand_in).where(w.stand_in.is_not(None))
        query = select(t.seq).join(tables.documents, d.seq == t.document).where(d.revision > 0)
        query = query.where(t.memory_id.is_(None), t.seq.not_in(stand_ins))
        query = query.outerjoin(tables.chunks, _its_chunk(triplets)).order_by(_sure(triplets), t.seq)
        with self.database.read() as connection:
            seqs = list(dict.fromkeys(connection.execute(query).scalars()))
        for part in slices(seqs, AT_ONCE):
            with self.database.read() as connection:
                some = {one.row.seq: one for one in _select_triplets(connection, triplets, within(t.seq, part))}
            yield [some[seq] for seq in part if seq in some]

    def decide(self, decision: ReviewDecision) -> None:
        """Keep a decision, and let the triplet be as it says."""
        d = tables.documents.c
        with self.database.write() as connection:
            add_decisions(connection, [decision])
            rows = connection.execute(select(d.seq).where(d.document_id == decision.document_id, d.revision > 0))
            settle_triplets(connection, list(rows.scalars()))


def found_triplets(connection: Connection, rows: Collection[int]) -> list[FoundTriplet]:
    """Return what was found in documents, by their row numbers, as it was found: first what stands, in that order."""
    t, w = triplets.c, withheld_triplets.c
    standing = _select_triplets(connection, triplets, within(t.document, rows) & t.memory_id.is_(None))
    withheld = _select_triplets(connection, withheld_triplets, within(w.document, rows))
    shown = {one.row.seq: one.item.words for one in standing}
    stand_ins = {one.stand_in for one in withheld}
    found = [one for one in standing if one.row.seq not in stand_ins]
    found += [replace(one, shown=shown.get(one.stand_in or 0)) for one in withheld]
    return sorted(found, key=lambda one: (one.row.document, one.withheld, one.row.seq))


def settle_triplets(connection: Connection, rows: Collection[int]) -> None:
    """Let the triplets of documents be as the decisions say that are in force. `rows`: their row numbers."""
    d = tables.documents.c
    names = list(connection.execute(select(d.document_id).where(within(d.seq, rows))).scalars())
    decisions = latest_decisions(read_decisions(connection, names))
    for one in found_triplets(connection, rows) if decisions else ():
        decision = decisions.get(one.item.item_id)
        wanted = _words_after_review(one.item.words, decision)
        if wanted != one.shown:
            _replace_triplet_row(connection, one, wanted)


def _words_after_review(words: tuple[str, ...], decision: ReviewDecision | None) -> tuple[str, ...] | None:
    if decision is None or decision.verdict == "accept":
        return words
    return decision.edit if decision.verdict == "edit" and len(decision.edit) == len(words) else None


def _replace_triplet_row(connection: Connection, one: FoundTriplet, wanted: tuple[str, ...] | None) -> None:
    """Let other words stand in the place of those that do, or none; what was found is kept."""
    own = {column.name: getattr(one.row, column.name) for column in triplets.columns if column.name not in NOT_COPIED}
    gone = one.stand_in if one.withheld else one.row.seq
    if gone is not None:
        connection.execute(delete(triplets).where(triplets.c.seq == gone))
    if one.withheld:
        connection.execute(delete(withheld_triplets).where(withheld_triplets.c.seq == one.row.seq))
    stand_in = None
    if wanted is not None:
        keys = {} if wanted == one.item.words else _triplet_name_keys(wanted, one.item.language)
        words = dict(zip(("subject", "predicate", "object"), wanted, strict=True))
        made = connection.execute(insert(triplets).values(**{**own, **words, **keys})).inserted_primary_key
        stand_in = int(made[0]) if made else None
    if wanted != one.item.words:
        connection.execute(insert(withheld_triplets).values(**own, stand_in=stand_in))


NOT_COPIED = {"seq", "memory_id"}


def _triplet_name_keys(words: Sequence[str], language: str) -> dict[str, str]:
    subject, object_ = (name_key(word, language) or word.casefold() for word in (words[0], words[2]))
    return {"subject_key": subject, "object_key": object_}


def _its_chunk(table: Table) -> ColumnElement[bool]:
    return (tables.chunks.c.chunk_id == table.c.chunk_id) & (tables.chunks.c.document == table.c.document)


def _sure(table: Table) -> ColumnElement[float]:
    t = table.c
    by_predicate = ((t.predicate == TOGETHER, TOGETHER_SURE), (t.predicate == ALIAS, ALIAS_SURE))
    by_place = ((t.predicate.contains(GAP), GAP_SURE), (tables.chunks.c.kind == "table", TABLE_SURE))
    return case(*by_predicate, *by_place, else_=PROSE_SURE)


def _select_triplets(connection: Connection, table: Table, wanted: ColumnElement[bool]) -> list[FoundTriplet]:
    """Read rows of one of the two tables, each with the words that say so."""
    t, d, c = table.c, tables.documents.c, tables.chunks.c
    quote = func.substr(tables.texts.c.text, t.start + 1, t.end - t.start).label("quote")
    more = d.document_id, d.title, d.source, c.language, graphed.c.by, quote, _sure(table).label("sure")
    query = select(table, *more).join(tables.documents, d.seq == t.document)
    query = query.join(tables.texts, tables.texts.c.document == t.document)
    query = query.outerjoin(tables.chunks, _its_chunk(table)).outerjoin(graphed, graphed.c.document == t.document)
    rows: Mapping[int, AnyRow] = {row.seq: row for row in connection.execute(query.where(wanted).order_by(t.seq))}
    return list(_triplets_from_rows(rows.values(), withheld=table is withheld_triplets))


def _triplets_from_rows(rows: Iterable[Any], *, withheld: bool) -> Iterator[FoundTriplet]:
    for row in rows:
        words = row.subject, row.predicate, row.object
        item_id = review_id("triplet", row.document_id, words, row.quote)
        item = ReviewItem(
            item_id, "triplet", row.document_id, row.title, row.source, words, row.quote, (row.start, row.end),
            row.language or "", row.by or "", row.sure,
        )  # fmt: skip
        stand_in = row.stand_in if withheld else None
        yield FoundTriplet(item, row.chunk_id, row, withheld, stand_in, None if withheld else words)
