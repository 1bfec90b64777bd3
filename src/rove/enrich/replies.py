"""What was replied to a post, as fields of the post: how many, of what sentiment, how near to agreement.

Source: the Pawsitive Retrieval study, which reranked posts by these (`rove.retrieve.rules.replies` does). A document
is a post where it has a `record_id`; it replies to the one that its `parent` names, whichever source that came from.
"""

from __future__ import annotations

import asyncio
from array import array
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from rove.enrich import EnrichContext, Estimate, Fields
from rove.enrich.sentiment import SentimentModel, sentiment_of
from rove.records.source import MetaValue
from rove.store import IndexRow, Vector

RECORD, PARENT = "record_id", "parent"
COUNT, SENTIMENT = "replies", "reply_sentiment"
AGREE, DISAGREE = "reply_agree_distance", "reply_disagree_distance"
TOP_AGREE, TOP_DISAGREE = "top_reply_agree_distance", "top_reply_disagree_distance"
OURS = (COUNT, SENTIMENT, AGREE, DISAGREE, TOP_AGREE, TOP_DISAGREE)
BATCH = 4_096
DIGITS = 6
"""Distances are rounded: another machine's arithmetic would otherwise change fields that have not changed."""


@dataclass(slots=True)
class Posts:
    """The posts of a base, one row each, in columns. `names` and `parents` are hashes of ids and labels, 0 for none.

    `agree`, `disagree` and `mood` are sums over a post's chunks; `chunks` and `moods` count what was added up.
    """

    document_ids: list[str] = field(default_factory=list[str])
    names: array[int] = field(default_factory=lambda: array("q"))
    parents: array[int] = field(default_factory=lambda: array("q"))
    agree: array[float] = field(default_factory=lambda: array("d"))
    disagree: array[float] = field(default_factory=lambda: array("d"))
    mood: array[float] = field(default_factory=lambda: array("d"))
    chunks: array[int] = field(default_factory=lambda: array("l"))
    moods: array[int] = field(default_factory=lambda: array("l"))
    enriched: set[int] = field(default_factory=set[int])
    """Rows that have fields of an earlier run."""

    def row_of(self, chunk: IndexRow, labels: MetaValue | None) -> int:
        """The row of a chunk's post, which has these access labels; chunks come document by document."""
        document_id = str(chunk.fields["document_id"])
        if not self.document_ids or self.document_ids[-1] != document_id:
            self.document_ids.append(document_id)
            seen_by = tuple(sorted(labels)) if isinstance(labels, tuple) else labels
            self.names.append(hash((chunk.fields[RECORD], seen_by)))
            self.parents.append(hash((chunk.fields[PARENT], seen_by)) if PARENT in chunk.fields else 0)
            for column in (self.agree, self.disagree, self.mood):
                column.append(0.0)
            for column in (self.chunks, self.moods):
                column.append(0)
            if AGREE in chunk.fields:
                self.enriched.add(len(self.document_ids) - 1)
        return len(self.document_ids) - 1


@dataclass(frozen=True, slots=True)
class Replied:
    """What was replied to each of n posts, numbers (n,): `count`, `mood` (sum of +1, 0, −1), `opinions`, distances.

    `agree` and `disagree` are means over the replies, `top_agree` and `top_disagree` those of the first reply.
    """

    count: NDArray[np.int64]
    mood: NDArray[np.int64]
    opinions: NDArray[np.int64]
    agree: NDArray[np.float64]
    disagree: NDArray[np.float64]
    top_agree: NDArray[np.float64]
    top_disagree: NDArray[np.float64]


class Replies:
    """See `Enricher`. One pass over the base in pages; then all posts at once, in numpy.

    `reply_agree_distance` = mean over a post's replies, of the mean over their chunks, of the mean over the statements
    of 1 − cosine: by linearity 1 − v · m, with m the mean of the statements' vectors. `top_reply_agree_distance` is
    that of the first reply that was taken in, which is the study's "top" one. `reply_sentiment` = number of positive
    replies less that of negative ones, among those of which the sentiment model has an opinion. Only direct replies
    count, each once even where two dumps hold it, and only those of the post's own access labels: else the numbers
    would tell of replies that a reader may not see. A post without replies gets no fields.
    """

    def __init__(self, context: EnrichContext) -> None:
        self.store = context.store
        self.embedder = context.embedder
        self.settings = context.settings
        self.access_field = context.access_field
        self.notes: list[str] = []

    async def estimate(self) -> Estimate:
        """See `Enricher.estimate`. No chat model is asked."""
        return Estimate(len(await asyncio.to_thread(self.store.catalog.documents)))

    async def found(self) -> AsyncIterator[Fields]:
        """See `Enricher.found`."""
        statements = [*self.settings.agree, *self.settings.disagree]
        vectors = await self.embedder.passages(statements)
        agree, disagree = np.split(np.asarray(vectors, np.float32), [len(self.settings.agree)])
        sentiment = sentiment_of(self.settings, self.embedder)
        posts = Posts()
        pages = self.store.catalog.index_rows()
        while (rows := await asyncio.to_thread(next, pages, None)) is not None:
            held = [row for row in rows if RECORD in row.fields]
            if held:
                await self._take(held, posts, (agree.mean(axis=0), disagree.mean(axis=0)), sentiment)
        replied = await asyncio.to_thread(replied_to, posts)
        silent = int(sum(1 for parent, n in zip(posts.parents, posts.moods, strict=True) if parent and not n))
        if silent:
            self.notes.append(f"{silent} replies have no sentiment: {sentiment.limits}")
        for start in range(0, len(posts.document_ids), BATCH):
            yield batch_of(posts, replied, range(start, min(start + BATCH, len(posts.document_ids))))

    async def _take(
        self, rows: Sequence[IndexRow], posts: Posts, statements: tuple[Vector, Vector], sentiment: SentimentModel
    ) -> None:
        """Add up what each chunk says."""
        vectors = np.stack([row.vector for row in rows])
        distances = [1.0 - vectors @ statement for statement in statements]
        texts: list[str] = []
        if sentiment.reads_texts:
            found = await self.store.find([row.chunk_id for row in rows])
            texts = [found[row.chunk_id].chunk.text if row.chunk_id in found else "" for row in rows]
        languages = [str(row.fields.get("language", "und")) for row in rows]
        moods = await asyncio.to_thread(sentiment.scores, texts, vectors, languages)
        for number, row in enumerate(rows):
            at = posts.row_of(row, row.fields.get(self.access_field))
            posts.agree[at] += float(distances[0][number])
            posts.disagree[at] += float(distances[1][number])
            posts.chunks[at] += 1
            if not np.isnan(moods[number]):
                posts.mood[at] += float(moods[number])
                posts.moods[at] += 1


def replied_to(posts: Posts) -> Replied:
    """Add up over each post's direct replies."""
    names, parents = np.array(posts.names, np.int64), np.array(posts.parents, np.int64)
    known, first, place = np.unique(names, return_index=True, return_inverse=True)
    once = np.zeros(len(names), bool)
    once[first] = True
    slot = np.minimum(np.searchsorted(known, parents), max(len(known) - 1, 0))
    replies = np.flatnonzero(once & (parents != 0) & (known[slot] == parents)) if len(names) else np.zeros(0, np.int64)
    to = slot[replies]
    chunks, moods = np.array(posts.chunks, np.int64)[replies], np.array(posts.moods, np.int64)[replies]
    mood = np.array(posts.mood)[replies] / np.maximum(moods, 1)
    signs = np.where(moods > 0, np.sign(np.where(np.abs(mood) < 0.5, 0.0, mood)), 0.0)

    agree, disagree = np.array(posts.agree)[replies] / chunks, np.array(posts.disagree)[replies] / chunks
    answered, top = np.unique(to, return_index=True)

    def of_top(values: NDArray[np.float64]) -> NDArray[np.float64]:
        found = np.zeros(len(known))
        found[answered] = values[top]
        return found[place]

    def summed(values: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.bincount(to, values, minlength=len(known)).astype(np.float64)[place]

    count = summed(np.ones(len(replies)))
    least = np.maximum(count, 1)
    return Replied(
        count=count.astype(np.int64),
        mood=summed(signs).astype(np.int64),
        opinions=summed((moods > 0).astype(np.float64)).astype(np.int64),
        agree=summed(agree) / least,
        disagree=summed(disagree) / least,
        top_agree=of_top(agree),
        top_disagree=of_top(disagree),
    )


def batch_of(posts: Posts, replied: Replied, rows: Sequence[int]) -> Fields:
    """The fields of some posts; None for those that had replies once and have none now."""
    fields: dict[str, dict[str, MetaValue | None]] = {}
    for row in rows:
        if replied.count[row]:
            fields[posts.document_ids[row]] = {
                COUNT: int(replied.count[row]),
                SENTIMENT: int(replied.mood[row]) if replied.opinions[row] else None,
                AGREE: round(float(replied.agree[row]), DIGITS),
                DISAGREE: round(float(replied.disagree[row]), DIGITS),
                TOP_AGREE: round(float(replied.top_agree[row]), DIGITS),
                TOP_DISAGREE: round(float(replied.top_disagree[row]), DIGITS),
            }
        elif row in posts.enriched:
            fields[posts.document_ids[row]] = dict.fromkeys(OURS)
    return fields
