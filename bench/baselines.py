"""The bare baselines: BM25 over whole documents, the embedder by brute force, and their reciprocal rank fusion."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import bm25s
import numpy as np

from bench.sets import RetrievalSet
from bench.vectors import BareE5
from rove.language.words import query_terms, terms

DEPTH = 100
Lists = dict[str, list[str]]


def bm25(data: RetrievalSet) -> Lists:
    """bm25s, method lucene, k1 1.2, b 0.75, over title and text, with Rove's own tokens."""
    index = bm25s.BM25(method="lucene", k1=1.2, b=0.75)
    index.index([list(terms(d.whole, data.language)) for d in data.docs], show_progress=False)
    lists: Lists = {}
    for query, text in data.queries.items():
        asked = [t for t in query_terms(text, data.query_language) if t in index.vocab_dict]
        scores = index.get_scores(asked) if asked else np.zeros(len(data.docs), np.float32)
        lists[query] = [data.docs[i].id for i in best(scores, DEPTH) if scores[i] > 0]
    return lists


def dense(data: RetrievalSet, model: BareE5) -> Lists:
    """Cosine of the query with each whole document."""
    passages = model.passages([d.whole for d in data.docs])
    queries = model.queries(list(data.queries.values()))
    scores = queries @ passages.T
    return {query: [data.docs[i].id for i in best(row, DEPTH)] for query, row in zip(data.queries, scores, strict=True)}


def best(scores: np.ndarray, top: int) -> list[int]:
    """Positions of the highest scores, ties by position.

    >>> best(np.array([1.0, 3.0, 3.0]), 2)
    [1, 2]
    """
    return np.argsort(-scores, kind="stable")[:top].tolist()


def fuse(rankings: Iterable[Sequence[str]], *, k: int = 60) -> list[str]:
    """Reciprocal rank fusion (Cormack et al., SIGIR 2009): Σ 1 / (k + rank), rank from 1; ties by id.

    >>> fuse([["a", "b"], ["b"]])
    ['b', 'a']
    """
    scores: dict[str, float] = {}
    for ranking in rankings:
        for rank, item in enumerate(ranking, 1):
            scores[item] = scores.get(item, 0.0) + 1 / (k + rank)
    return sorted(scores, key=lambda item: (-scores[item], item))


def rrf(first: Lists, second: Lists) -> Lists:
    """Fuse two runs, query by query."""
    return {query: fuse([first[query], second[query]]) for query in first}
