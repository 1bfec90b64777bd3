"""What late interaction is trained and tested on: Rove's own candidates for every query, and their token vectors."""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from bench.quality import add
from bench.sets import Cap, RetrievalSet, by_hash, load, read_gold, read_queries

from bench import DATA
from rove import Rove

DEPTH, POOL = 50, 30
"""Candidates kept of every query, and how many of them (of training queries) have their tokens kept."""

TokenVectors = Callable[[str, bool], np.ndarray]


@dataclass(frozen=True, slots=True)
class Pools:
    """The candidates of a set's queries.

    `candidates` (queries, DEPTH) int32 are rows of `documents` and `offsets`, best first, -1 where there are no more;
    `scores` are the first stage's. Tokens are (n, 384) float16, unit length; those of chunk i are
    `tokens[offsets[i]:offsets[i + 1]]`, none if it is in no pool.
    """

    name: str
    queries: list[str]
    is_training: np.ndarray
    gold: dict[str, dict[str, int]]
    documents: list[str]
    candidates: np.ndarray
    scores: np.ndarray
    tokens: np.ndarray
    offsets: np.ndarray
    query_tokens: np.ndarray
    query_offsets: np.ndarray

    def save(self, path: Path) -> None:
        """Write an .npz file."""
        texts = json.dumps({"queries": self.queries, "gold": self.gold, "documents": self.documents})
        arrays = (
            "is_training",
            "candidates",
            "scores",
            "tokens",
            "offsets",
            "query_tokens",
            "query_offsets",
        )
        np.savez(path, texts=np.array(texts), **{name: getattr(self, name) for name in arrays})

    @classmethod
    def read(cls, path: Path) -> Pools:
        """Read what `save` wrote."""
        with np.load(path) as file:
            arrays = {name: file[name] for name in file.files if name != "texts"}
            return cls(name=path.stem.replace("_to_", ">"), **json.loads(str(file["texts"])), **arrays)


def for_training(query: str) -> bool:
    """Say whether a query of a halved set is for training: by the last bit of the SHA-1 of its id.

    >>> [for_training(q) for q in "abc"]
    [True, False, False]
    """
    return hashlib.sha1(query.encode(), usedforsecurity=False).digest()[-1] % 2 == 0


def more_queries(data: RetrievalSet, wanted: Callable[[str], bool], most: int) -> dict[str, str]:
    """Return further queries of a set all of whose gold documents were kept, in hash order."""
    kept = {doc.id for doc in data.docs}
    texts, gold = read_queries(DATA / data.name), read_gold(DATA / data.name)
    found = (q for q in by_hash(gold) if q in texts and q not in data.queries and wanted(q) and gold[q].keys() <= kept)
    return {q: texts[q] for q, _ in zip(found, range(most), strict=False)}


def collect(
    name: str, cap: Cap, *, training: Callable[[str], bool], most: int, embedder: str, vectors: TokenVectors
) -> Pools:
    """Put a cut set into a knowledge base and ask it every query.

    Args:
        name: the set; those of its queries that the cap chose are for testing, unless `training` takes them.
        cap: how far it is cut.
        training: says which queries, by id, are for training.
        most: how many more training queries to ask than the cap chose.
        embedder: Rove's name of it.
        vectors: text and whether it is a query → its token vectors.
    """
    data = load(name, cap)
    more = more_queries(data, training, most) if most else {}
    texts = dict(data.queries) | more
    gold = dict(data.gold)
    if more:
        everything = read_gold(DATA / name)
        gold |= {q: everything[q] for q in more}
    rows: dict[str, int] = {}
    documents: list[str] = []
    found: list[str] = []
    candidates = np.full((len(texts), DEPTH), -1, np.int32)
    scores = np.zeros((len(texts), DEPTH), np.float32)
    with tempfile.TemporaryDirectory(prefix="rove-train-") as folder:
        base = Rove.open(Path(folder) / "kb", embedder={"name": embedder, "threads": 1})
        add(base, data)
        for n, text in enumerate(texts.values()):
            for m, hit in enumerate(base.search(text, top_k=DEPTH, mode="hybrid", rerank=False)):
                chunk = hit.chunk
                if chunk.chunk_id not in rows:
                    rows[chunk.chunk_id] = len(rows)
                    documents.append(chunk.document_id)
                    found.append(chunk.indexed_text)
                candidates[n, m], scores[n, m] = rows[chunk.chunk_id], hit.score
        base.close()
    in_pools = set(candidates[:, :POOL].ravel().tolist())
    tokens, offsets = joined(vectors(text, False) if n in in_pools else None for n, text in enumerate(found))
    query_tokens, query_offsets = joined(vectors(text, True) for text in texts.values())
    return Pools(
        name=name,
        queries=list(texts),
        is_training=np.array([training(q) for q in texts], bool),
        gold=gold,
        documents=documents,
        candidates=candidates,
        scores=scores,
        tokens=tokens,
        offsets=offsets,
        query_tokens=query_tokens,
        query_offsets=query_offsets,
    )


def joined(arrays: Iterable[np.ndarray | None]) -> tuple[np.ndarray, np.ndarray]:
    """Put arrays of tokens one after another, float16, and say where each begins; the last offset is the end."""
    parts = [np.zeros((0, 384), np.float16) if a is None else a.astype(np.float16) for a in arrays]
    return np.concatenate(parts), np.cumsum([0, *map(len, parts)])


def slices(offsets: np.ndarray, chosen: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows of the chosen texts' tokens, one after another, and where each text begins.

    >>> slices(np.array([0, 2, 3, 5]), [2, 0])
    (array([3, 4, 0, 1]), array([0, 2]))
    """
    parts = [np.arange(offsets[i], offsets[i + 1]) for i in chosen]
    return np.concatenate(parts), np.cumsum([0, *map(len, parts[:-1])])
