"""Summaries of documents and sections in the catalog, and the search among them by vector."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import delete, func, select

from rove.records import Filter
from rove.records.summary import Summary, SummarySentence
from rove.store import Vector, tables
from rove.store.catalog_rows import AnyRow, blob_of, read_vectors, usual_length
from rove.store.database import Database, insert_rows
from rove.store.dialect import within
from rove.store.enriched_tables import summaries

if TYPE_CHECKING:
    from rove.store.documents import Documents

S, D = summaries.c, tables.documents.c


@dataclass(frozen=True, slots=True)
class SummedDocument:
    """The summaries of one version of a document, that of all of it first, each with its vector; `row`: its number."""

    row: int
    summaries: Sequence[tuple[Summary, Vector]]


@dataclass(frozen=True, slots=True)
class _Held:
    """The vectors of all live summaries: `seqs` (n,), `documents` (n,) ids, `vectors` (n, dimension) float32."""

    state: tuple[int, int]
    seqs: NDArray[np.int64]
    documents: Sequence[str]
    vectors: NDArray[np.float32]


class Summaries:
    """Reads and writes the table `summaries`. Calls block; each write is one durable transaction."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def unread(self, by: str) -> list[tuple[int, str]]:
        """Return the live documents that `by` has not summed up yet: row number and id, in the order they came."""
        read = select(S.document).where(S.by == by)
        query = select(D.seq, D.document_id).where(D.revision > 0, D.seq.not_in(read)).order_by(D.seq)
        with self.database.read() as connection:
            return [(row.seq, row.document_id) for row in connection.execute(query)]

    def keep(self, documents: Sequence[SummedDocument], by: str) -> int:
        """Keep summaries of documents in place of what they had; returns how many are still live."""
        with self.database.write() as connection:
            rows = [document.row for document in documents]
            live = set(connection.execute(select(D.seq).where(within(D.seq, rows), D.revision > 0)).scalars())
            connection.execute(delete(summaries).where(within(S.document, sorted(live))))
            last = connection.execute(select(func.max(S.seq))).scalar() or 0
            kept = [
                (document.row, summary, vector)
                for document in documents
                if document.row in live
                for summary, vector in document.summaries
            ]
            insert_rows(
                connection,
                summaries,
                [
                    (seq, row, *summary.span, *_summary_json_columns(summary), by, blob_of(vector))
                    for seq, (row, summary, vector) in enumerate(kept, start=last + 1)
                ],
            )
        return len(live)

    def of_document(self, document_id: str) -> list[Summary]:
        """Return the summaries of a live document: of all of it, then of its sections in the order of the text."""
        return self.of_documents([document_id]).get(document_id, [])

    def of_documents(self, document_ids: Collection[str]) -> dict[str, list[Summary]]:
        """Likewise of many, by their ids; one that has none is absent."""
        query = select(summaries, D.document_id).join(tables.documents, D.seq == S.document)
        query = query.where(within(D.document_id, document_ids), D.revision > 0).order_by(S.seq)
        found: dict[str, list[Summary]] = {}
        with self.database.read() as connection:
            for row in connection.execute(query):
                if summary := readable_summary(row):
                    found.setdefault(row.document_id, []).append(summary)
        return found

    def these(self, seqs: Collection[int]) -> dict[int, Summary]:
        """Fetch summaries by their row numbers."""
        query = select(summaries, D.document_id).join(tables.documents, D.seq == S.document)
        with self.database.read() as connection:
            found = connection.execute(query.where(within(S.seq, seqs), D.revision > 0))
            return {row.seq: summary for row in found if (summary := readable_summary(row))}


class SummaryIndex:
    """The vectors of all summaries, in memory, up to date with the catalog. Calls block."""

    def __init__(self, documents: Documents) -> None:
        self.documents = documents
        self.database = documents.database
        self._held: _Held | None = None
        self._lock = Lock()

    def nearest(self, vector: Vector, where: Filter | None, top_k: int) -> list[tuple[Summary, float]]:
        """Return the summaries nearest to a vector of documents that a filter lets through, each with its cosine.

        The filter holds before the search: what it does not let through takes no place. Ties by row number.
        """
        held = self._current()
        if not held.documents:
            return []
        cosines = held.vectors @ vector
        order = np.lexsort((held.seqs, -cosines)).tolist()
        if where is not None:
            seen = set(self.documents.passing(sorted(set(held.documents)), where).values())
            order = [place for place in order if held.documents[place] in seen]
        best = order[:top_k]
        found = Summaries(self.database).these([int(held.seqs[place]) for place in best])
        seqs = [(int(held.seqs[place]), float(cosines[place])) for place in best]
        return [(found[seq], cosine) for seq, cosine in seqs if seq in found]

    def _current(self) -> _Held:
        with self._lock:
            with self.database.snapshot() as connection:
                state = (
                    self.documents.revision(),
                    int(connection.execute(select(func.coalesce(func.max(S.seq), 0))).scalar_one()),
                )
                if self._held is None or self._held.state != state:
                    self.database.check_model(connection)
                    query = select(S.seq, D.document_id, S.vector).join(tables.documents, D.seq == S.document)
                    rows = connection.execute(query.where(D.revision > 0).order_by(S.seq)).all()
                    self._held = _hold_summary_rows(state, rows, self.documents.dimension)
            return self._held


def _hold_summary_rows(state: tuple[int, int], rows: Sequence[AnyRow], dimension: int) -> _Held:
    """Hold these summaries, but for those whose vectors are damaged."""
    blobs = [row.vector for row in rows]
    read = zip(rows, read_vectors(blobs, dimension or usual_length(blobs), zeros=True), strict=True)
    whole = [(row, vector) for row, vector in read if vector is not None]
    return _Held(
        state,
        np.array([row.seq for row, _ in whole], np.int64),
        [row.document_id for row, _ in whole],
        np.array([vector for _, vector in whole], np.float32),
    )


def _summary_json_columns(summary: Summary) -> tuple[str, str]:
    sentences = written_sentences(summary)
    return json.dumps(summary.headings, ensure_ascii=False), json.dumps(sentences, ensure_ascii=False)


def written_sentences(summary: Summary) -> list[list[object]]:
    """Write sentences as they stand in the catalog and in exports: [text, [start, end], …] each."""
    return [[one.text, *(list(span) for span in one.spans)] for one in summary.sentences]


def read_sentences(tree: Sequence[Sequence[object]]) -> tuple[SummarySentence, ...]:
    """Read sentences as they are written in the catalog and in exports: [text, [start, end], …] each.

    Raises:
        TypeError, ValueError: they are damaged.
    """
    return tuple(
        SummarySentence(str(text), tuple((int(start), int(end)) for start, end in spans))  # pyright: ignore
        for text, *spans in tree
    )


def written_out(title: str, summary: Summary) -> str:
    """Return what a summary's vector is of: the title of its document, its headings and its sentences."""
    return f"{' / '.join((title, *summary.headings))}\n{summary.text}"


def readable_summary(row: AnyRow) -> Summary | None:
    """Read a summary: a row of `summaries` with its `document_id`; None where it is damaged."""
    try:
        headings = tuple(map(str, json.loads(row.headings)))
        sentences = read_sentences(json.loads(row.sentences))
    except (TypeError, ValueError, RecursionError):
        return None
    return Summary(row.document_id, (row.start, row.end), headings, sentences, row.by)
