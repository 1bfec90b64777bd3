"""The graph of knowledge in an export: the triplets of each document, checked against its text when they come in."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rove.enrich.triplets import keyed
from rove.enrich.triplets.said import Said
from rove.records import Chunk
from rove.records.graph import Triplet
from rove.store.store import Store
from rove.store.triplets import ReadDocument, Triplets


@dataclass(frozen=True, slots=True)
class CarriedTriplets:
    """What an export says of a document: subject, predicate, object, start and end of each, and what has found them."""

    document_id: str
    by: str
    rows: Sequence[tuple[str, str, str, int, int]]


def written(store: Store, document_id: str) -> dict[str, object]:
    """Write down what was found in a document; nothing where nobody has looked."""
    by, triplets = Triplets(store.catalog.database).written(document_id)
    return {"by": by, "triplets": [[t.subject, t.predicate, t.object, *t.span] for _, t in triplets]} if by else {}


def read(document_id: str, tree: Mapping[str, Any]) -> CarriedTriplets | None:
    """Read what `written` wrote.

    Raises:
        KeyError, TypeError, ValueError: it is damaged.
    """
    if not tree:
        return None
    rows = [(str(s), str(p), str(o), int(start), int(end)) for s, p, o, start, end in tree["triplets"]]
    return CarriedTriplets(document_id, str(tree["by"]), rows)


def keep(store: Store, carried: Sequence[CarriedTriplets]) -> None:
    """Keep what came with documents that are in the base now. Blocks."""
    triplets = Triplets(store.catalog.database)
    rows = triplets.rows_of([one.document_id for one in carried])
    for one in carried:
        found = store.catalog.document(one.document_id)
        if found and one.document_id in rows:
            document, chunks = found
            held = ReadDocument(rows[one.document_id], _tied(one, document.text, chunks))
            triplets.keep([held], one.by)


def _tied(carried: CarriedTriplets, text: str, chunks: Sequence[Chunk]) -> list[tuple[str, Triplet]]:
    """Tie triplets to the chunks in which they stand; one whose object its span does not hold is left out."""
    starts = [chunk.span[0] for chunk in chunks]
    tied: list[tuple[str, Triplet]] = []
    for subject, predicate, object_, start, end in carried.rows:
        place = bisect_right(starts, start) - 1
        words = " ".join(text[start:end].split())
        if place < 0 or not 0 <= start < end <= len(text) or " ".join(object_.split()) not in words:
            continue
        triplet = keyed(Said(subject, predicate, object_), (start, end), chunks[place].language)
        tied += [(chunks[place].chunk_id, triplet)] if triplet else []
    return tied
