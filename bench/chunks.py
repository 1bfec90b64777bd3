"""Which way of cutting finds the most for the fewest tokens? Gold spans of five long documents, whole in what is read.

Each query ranks the pieces of all five documents. Pieces are read from the first on until a budget of tokens is full
(the last one in part); a gold span counts where all of it stands in what was read. Text that is read twice costs twice.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import bm25s
import numpy as np

from bench import DATA
from bench.baselines import fuse
from bench.remembered import RememberedE5
from bench.report import Table, say
from rove.chunk import ChunkModels, CutSettings
from rove.chunk.with_models import cut_with_models
from rove.evaluate.spans import holds, score_spans
from rove.language.token_count import count_tokens
from rove.language.words import query_terms, terms
from rove.models import Embedder, passages_with_tokens
from rove.models.fake import FakeEmbedder
from rove.records import Chunk, Document
from rove.records.document import Span
from rove.settings import EmbedderSettings

SET = "chunk_spans"
BUDGETS = (500, 1000, 2000, 4000)
FOCUS = 1000
DEPTH = 100


@dataclass(frozen=True, slots=True)
class Question:
    """A question, and the spans of its document that answer it."""

    text: str
    document_id: str
    gold: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Way:
    """One way of cutting."""

    strategy: str
    size_chars: int
    overlap_chars: int

    def __str__(self) -> str:
        return f"{self.strategy} {self.size_chars}/{self.overlap_chars}"

    @classmethod
    def read(cls, written: str) -> Way:
        """Read "strategy/size/overlap".

        >>> print(Way.read("sentence/512/50"))
        sentence 512/50
        """
        strategy, size, overlap = written.split("/")
        return cls(strategy, int(size), int(overlap))


@dataclass(frozen=True, slots=True)
class Score:
    """Means over the questions. `recall` and `precision`: at each of `BUDGETS`; `iou`: at `FOCUS` tokens."""

    recall: tuple[float, ...]
    precision: float
    iou: float

    @property
    def mean(self) -> float:
        """The mean recall over the budgets."""
        return sum(self.recall) / len(self.recall)


WAYS = (
    *(Way(strategy, 512, 50) for strategy in ("recursive", "size", "sentence", "outline", "parent")),
    *(Way(strategy, 512, 0) for strategy in ("recursive", "size", "sentence")),
    *(Way(strategy, 768, 75) for strategy in ("recursive", "size", "sentence")),
    *(Way(strategy, 1024, 100) for strategy in ("recursive", "size", "sentence")),
    Way("parent", 256, 25),
    Way("semantic", 512, 0),
)


def load() -> tuple[list[Document], list[Question]]:
    """Read the set; the title of each document, which all its pieces share, is left out."""
    folder = DATA / SET
    with (folder / "corpus.jsonl").open(encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    documents = [Document(row["id"], row["id"], "text", row["text"], language="en") for row in rows]
    with (folder / "queries.jsonl").open(encoding="utf-8") as lines:
        asked = [json.loads(line) for line in lines]
    return documents, [
        Question(row["text"], row["corpus_id"], tuple((r["start_index"], r["end_index"]) for r in row["references"]))
        for row in asked
    ]


async def pieces(documents: Iterable[Document], way: Way, embedder: Embedder) -> list[Chunk]:
    """Cut all documents."""
    models, settings = ChunkModels(embedder), CutSettings(way.size_chars, way.overlap_chars)
    return [
        chunk
        for document in documents
        for chunk in (await cut_with_models(document, models, strategy=way.strategy, settings=settings)).chunks
    ]


def by_keyword(chunks: Sequence[Chunk], questions: Sequence[Question]) -> list[list[int]]:
    """Rank by BM25 (lucene, k1 1.2, b 0.75) over Rove's terms."""
    index = bm25s.BM25(method="lucene", k1=1.2, b=0.75)
    index.index([list(terms(chunk.indexed_text, "en")) for chunk in chunks], show_progress=False)
    rankings: list[list[int]] = []
    for question in questions:
        asked = [term for term in query_terms(question.text, "en") if term in index.vocab_dict]
        scores = index.get_scores(asked) if asked else np.zeros(len(chunks), np.float32)
        rankings.append(np.argsort(-scores, kind="stable")[:DEPTH].tolist())
    return rankings


async def by_meaning(chunks: Sequence[Chunk], questions: Sequence[Question], embedder: Embedder) -> list[list[int]]:
    """Rank by cosine."""
    asked = await embedder.queries([question.text for question in questions])
    passages, _ = await passages_with_tokens(embedder, [chunk.indexed_text for chunk in chunks])
    return np.argsort(-(asked @ passages.T), axis=1, kind="stable")[:, :DEPTH].tolist()


def hybrid(first: Sequence[Sequence[int]], second: Sequence[Sequence[int]]) -> list[list[int]]:
    """Fuse by reciprocal rank."""
    named = ([[f"{i:06}" for i in ranking] for ranking in rankings] for rankings in (first, second))
    return [[int(name) for name in fuse(pair)][:DEPTH] for pair in zip(*named, strict=True)]


def score(chunks: Sequence[Chunk], rankings: Sequence[Sequence[int]], questions: Sequence[Question]) -> Score:
    """Read what was ranked, and see what gold it holds."""
    costs: dict[tuple[str, Span], int] = {}
    recalls = np.zeros(len(BUDGETS))
    precision = iou = 0.0
    for ranking, question in zip(rankings, questions, strict=True):
        gold = {question.document_id: question.gold}
        for place, budget in enumerate(BUDGETS):
            read: dict[str, list[Span]] = {}
            for document_id, span in reading((chunks[i] for i in ranking), budget, costs):
                read.setdefault(document_id, []).append(span)
            found = score_spans(read, gold)
            recalls[place] += found.whole or 0.0
            if budget == FOCUS:
                precision += found.precision or 0.0
                iou += found.iou or 0.0
    count = len(questions)
    return Score(tuple((recalls / count).tolist()), precision / count, iou / count)


def reading(found: Iterable[Chunk], budget: int, costs: dict[tuple[str, Span], int]) -> list[tuple[str, Span]]:
    """Return what is read within the budget: parents where there are any, each once; the last one in part."""
    read: dict[tuple[str, Span], None] = {}
    left = budget
    for chunk in found:
        place = (chunk.document_id, chunk.parent or chunk.span)
        if place in read:
            continue
        start, end = place[1]
        if place not in costs:
            costs[place] = count_tokens(chunk.text) * (end - start) // len(chunk.text)
        if costs[place] > left:
            read[chunk.document_id, (start, start + (end - start) * left // costs[place])] = None
            break
        read[place] = None
        left -= costs[place]
    return list(read)


def whole(chunks: Iterable[Chunk], questions: Iterable[Question]) -> float:
    """Share of the gold spans that one piece holds whole."""
    spans: dict[str, list[Span]] = {}
    for chunk in chunks:
        spans.setdefault(chunk.document_id, []).append(chunk.span)
    held = [holds(spans[question.document_id], gold) for question in questions for gold in question.gold]
    return sum(held) / len(held)


async def measure(
    way: Way, documents: Sequence[Document], questions: Sequence[Question], embedder: Embedder, *, keyword_only: bool
) -> list[str]:
    """Cut, rank and score one way; the row of the table."""
    chunks = await pieces(documents, way, embedder)
    keyword = by_keyword(chunks, questions)
    scores = [score(chunks, keyword, questions)]
    if not keyword_only:
        scores.append(score(chunks, hybrid(keyword, await by_meaning(chunks, questions, embedder)), questions))
    lengths = [len(chunk.text) for chunk in chunks]
    cells = [str(way), f"{len(chunks):,}", f"{sum(lengths) / len(lengths):.0f}", percent(whole(chunks, questions))]
    for found in scores:
        cells += [*map(percent, found.recall), percent(found.mean), percent(found.precision), percent(found.iou)]
    return cells


def percent(share: float) -> str:
    """Write a share.

    >>> percent(0.8346)
    '83.5'
    """
    return f"{100 * share:.1f}"


def run(*, threads: int, keyword_only: bool = False, ways: Sequence[Way] = WAYS) -> list[Table]:
    """Measure all ways."""
    documents, questions = load()
    embedder = FakeEmbedder() if keyword_only else RememberedE5(EmbedderSettings(threads=threads))
    rows: list[list[str]] = []
    for way in ways:
        rows.append(asyncio.run(measure(way, documents, questions, embedder, keyword_only=keyword_only)))
        say(f"chunks {' | '.join(rows[-1])}")
    kinds = ("BM25",) if keyword_only else ("BM25", "hybrid")
    per_kind = [*(f"@{budget}" for budget in BUDGETS), "mean", "precision", "IoU"]
    columns = ["way", "pieces", "chars", "whole", *(f"{kind} {name}" for kind in kinds for name in per_kind)]
    characters = sum(len(document.text) for document in documents)
    spans = sum(len(question.gold) for question in questions)
    note = (
        f"{SET}: {len(documents)} documents ({characters:,} characters), {len(questions)} questions with {spans} gold "
        "spans; all numbers in percent. `strategy size/overlap` in characters. whole: gold spans that lie whole in one "
        f"piece. @{BUDGETS[0]} …: gold spans that lie whole in the first so many tokens read, best pieces first "
        "(parents in place of pieces, where there are any); mean: over the four. precision: the share of what was read "
        f"at {FOCUS} tokens that is gold; IoU: gold read / (gold + read), there. hybrid: BM25 and the packaged "
        "embedder by reciprocal rank fusion, k = 60."
    )
    return [Table("Ways of cutting", columns, rows, note)]
