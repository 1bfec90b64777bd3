"""What enrichers have found, in an export: triplets and summaries, checked against the text when they come in."""

from __future__ import annotations

import asyncio
from bisect import bisect_right
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from rove.answer.summaries import READER, embedded
from rove.enrich.triplets import keyed
from rove.enrich.triplets.said import Said
from rove.language.rendering import render
from rove.models import Embedder
from rove.records import Chunk, Document
from rove.records.correction import Correction
from rove.records.filter import renamed_fields
from rove.records.graph import Triplet
from rove.records.metadata import clean, stored_fields
from rove.records.reviewed import VERDICTS, ReviewDecision, Verdict, document_of_review, group_decisions
from rove.records.source import Metadata
from rove.records.summary import Summary, SummarySentence
from rove.store.corrections import Corrections
from rove.store.review_log import ReviewLog
from rove.store.set_fields import SetFields
from rove.store.store import Store
from rove.store.summaries import Summaries, SummedDocument, read_sentences, written_sentences
from rove.store.triplets import ReadDocument, Triplets

Rows = Sequence[tuple[str, str, str, int, int]]
"""Subject, predicate, object, start and end of each triplet."""


@dataclass(frozen=True, slots=True)
class Carried:
    """What an export says of a document beside its text. `graph_by`: what has found the triplets, "" for nobody.

    `fields`: what people have set, beside their corrections.
    """

    document_id: str
    graph_by: str
    triplets: Rows
    summaries: Sequence[Summary]
    fields: Metadata
    corrections: Sequence[Correction]
    reviews: Sequence[ReviewDecision]


def enrichment_of(store: Store, document_ids: Collection[str]) -> dict[str, dict[str, object]]:
    """Write down what was found in documents, and set, by id: "graph", "summaries", "set", "corrections", "reviews".

    Each is empty where nothing was.
    """
    database = store.catalog.database
    graphs, summaries = Triplets(database).written(document_ids), Summaries(database).of_documents(document_ids)
    fields, corrections = SetFields(database).of(document_ids), Corrections(database).of(document_ids)
    reviews = group_decisions(ReviewLog(database).of(document_ids))
    return {
        one: {
            "graph": _graph(*graphs[one]) if one in graphs else {},
            "summaries": [
                [*said.span, said.by, list(said.headings), written_sentences(said)] for said in summaries.get(one, ())
            ],
            "set": fields.get(one, {}),
            "corrections": [[c.start, c.before, c.after, c.by, c.made_at] for c in corrections.get(one, ())],
            "reviews": [[r.item_id, r.verdict, r.by, r.decided_at, r.words, r.edit] for r in reviews.get(one, ())],
        }
        for one in document_ids
    }


def _graph(by: str, triplets: Sequence[Triplet]) -> dict[str, object]:
    """Write down what was found by something; nothing where that has no name."""
    return {"by": by, "triplets": [[t.subject, t.predicate, t.object, *t.span] for t in triplets]} if by else {}


def read_enrichment(document_id: str, tree: Mapping[str, Any]) -> Carried | None:
    """Read what `enrichment_of` wrote; None where nobody has looked.

    Raises:
        KeyError, TypeError, ValueError: it is damaged.
    """
    graph: Mapping[str, Any] = tree.get("graph") or {}
    said: Sequence[Any] = tree.get("summaries") or []
    fields = renamed_fields(stored_fields(dict(tree.get("set") or {})))
    corrected: Sequence[Any] = tree.get("corrections") or []
    made = [
        Correction(document_id, int(start), str(before), str(after), str(by), str(at))
        for start, before, after, by, at in corrected
    ]
    decided: Sequence[Any] = tree.get("reviews") or []
    reviews = [_review_of(document_id, *row) for row in decided]
    if not graph and not said and not fields and not made and not reviews:
        return None
    triplets: Sequence[Any] = graph["triplets"] if graph else []
    rows = [(str(s), str(p), str(o), int(start), int(end)) for s, p, o, start, end in triplets]
    summaries = [
        Summary(document_id, (int(start), int(end)), tuple(map(str, headings)), read_sentences(sentences), str(by))
        for start, end, by, headings, sentences in said
    ]
    return Carried(document_id, str(graph["by"]) if graph else "", rows, summaries, fields, made, reviews)


async def restore_enrichment(store: Store, carried: Sequence[Carried], embedder: Embedder) -> None:
    """Keep what came with documents that are in the base now; the summaries are embedded."""
    triplets, summaries = Triplets(store.catalog.database), Summaries(store.catalog.database)
    rows = await asyncio.to_thread(triplets.rows_of, [one.document_id for one in carried])
    if fields := {one.document_id: one.fields for one in carried if one.fields and one.document_id in rows}:
        await store.enrich(partial(SetFields(store.catalog.database).put, fields))
    corrections = Corrections(store.catalog.database)
    reviews = [review for one in carried if one.document_id in rows for review in one.reviews]
    await asyncio.to_thread(ReviewLog(store.catalog.database).add, reviews)
    for one in carried:
        if one.corrections and one.document_id in rows:
            await asyncio.to_thread(corrections.replace, one.document_id, one.corrections)
        found = await asyncio.to_thread(store.catalog.document, one.document_id)
        if not found or one.document_id not in rows:
            continue
        document, chunks = found
        row = rows[one.document_id]
        if one.graph_by:
            held = ReadDocument(row, _triplets_with_chunk_ids(one.triplets, document.text, chunks))
            await asyncio.to_thread(triplets.keep, [held], one.graph_by)
        if standing := _valid_summaries(one.summaries, document):
            summed = SummedDocument(row, await embedded(standing, document, embedder))
            await asyncio.to_thread(summaries.keep, [summed], standing[0].by)


def _review_of(
    document_id: str, item_id: object, verdict: object, by: object, at: object, words: list[object], edit: list[object]
) -> ReviewDecision:
    told: Verdict | None = next((one for one in VERDICTS if one == verdict), None)
    if told is None or document_of_review(str(item_id)) != document_id:
        message = f"{item_id!r:.80} was not reviewed in this document, or not as {verdict!r:.40}"
        raise ValueError(message)
    first, then = (tuple(clean(str(word)) for word in some) for some in (words, edit))
    return ReviewDecision(str(item_id), told, clean(str(by)), clean(str(at)), first, then)


def _valid_summaries(summaries: Sequence[Summary], document: Document) -> list[Summary]:
    """Return the summaries without the sentences whose words are not there; none where that of all is missing."""
    size = len(document.text)
    if not summaries or summaries[0].headings or summaries[0].span != (0, size):
        return []
    inside = [one for one in summaries if 0 <= one.span[0] <= one.span[1] <= size]
    return [
        Summary(one.document_id, one.span, one.headings, tuple(_valid_summary_sentences(one, document.text)), one.by)
        for one in inside
    ]


def _valid_summary_sentences(summary: Summary, text: str) -> list[SummarySentence]:
    """The sentences whose spans hold words; without a chat model, those words."""
    return [
        one
        for one in summary.sentences
        if one.spans
        and all(0 <= start < end <= len(text) for start, end in one.spans)
        and (summary.by != READER or one.text == render(text[slice(*one.spans[0])]).line)
    ]


def _triplets_with_chunk_ids(rows: Rows, text: str, chunks: Sequence[Chunk]) -> list[tuple[str, Triplet]]:
    """Tie triplets to the chunks in which they stand; one whose object its span does not hold is left out."""
    starts = [chunk.span[0] for chunk in chunks]
    tied: list[tuple[str, Triplet]] = []
    for subject, predicate, object_, start, end in rows:
        place = bisect_right(starts, start) - 1
        words = " ".join(text[start:end].split())
        if place < 0 or not 0 <= start < end <= len(text) or " ".join(object_.split()) not in words:
            continue
        triplet = keyed(Said(subject, predicate, object_), (start, end), chunks[place].language)
        tied += [(chunks[place].chunk_id, triplet)] if triplet else []
    return tied
