"""Rows that indexes are filled with, what BM25 and cosines find in them, and filters of every shape."""

from __future__ import annotations

import math
import random
import typing
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray

from rove.records import Filter
from rove.records.filter import All, Any, Compare, Not
from rove.records.metadata import stored_fields
from rove.store import IndexRow, Scored, Vector

DIMENSION = 32
WORDS = (
    "kutya",
    "hund",
    "katze",
    "haus",
    "远程",
    "程办",
    "办公",
    "犬",
    "猫",
    "家",
    "dog",
    "cat",
    "house",
    "policy",
    "ház",
)
EDGES = [b + d for b in (0, 2**53, -(2**53), 2**62, 2**63, -(2**63), 10**18) for d in (-2, -1, 0, 1, 2)]
NUMBERS: list[object] = [
    *EDGES, *map(float, EDGES), 0.5, -0.5, -0.0, 1e300, -1e300, 5e-324, 2.0**53 + 0.5, float("nan"), float("inf"),
    float("-inf"), 10**30, 10**400, -(10**400),
]  # fmt: skip
STRINGS: list[object] = [
    "", "1", "1.0", "2", "true", "nan", "a", "b", "'; DROP", "日本", "é", "e\u0301", "\ue000", "\U0001f600", "x\0", "x",
    "x\x01", "\ud800", "9007199254740993", "2024-05-01", "%", "\\",
]  # fmt: skip
VALUES: list[typing.Any] = [*NUMBERS, *STRINGS, True, False]
"""Values on every edge that a compiled filter can be wrong at."""
LISTS: list[object] = [("a", "b"), ("b",), (), (1, 2), [True, None], ["日本", "x\0"], {"1"}]
OTHERS: list[object] = [None, {"deep": 1}, b"a", datetime(2024, 5, 1, tzinfo=UTC), np.int64(2**53 + 1), np.float32(0.5)]
OPERATORS = ("==", ">", ">=", "<", "<=")
FIELDS = ("v", "v", "v", "V", "v.deep", "", "nowhere", "x" + "0" * 32, "Wei{rd} näme`'")


def units(count: int, seed: int) -> NDArray[np.float32]:
    """Return (count, `DIMENSION`) vectors of unit length around forty centres, as texts of some topics have them."""
    chance = np.random.default_rng(seed)
    centres = np.random.default_rng(7).standard_normal((40, DIMENSION))
    vectors = centres[chance.integers(0, len(centres), count)] + 0.5 * chance.standard_normal((count, DIMENSION))
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


def make_rows(count: int, *, seed: int = 0) -> list[IndexRow]:
    """Return rows "c00000" and on: words in five languages, each row's own among them, and fields of every type."""
    chance, vectors = random.Random(seed), units(count, seed)
    return [
        IndexRow(
            f"c{n:05}",
            " ".join([*chance.choices(WORDS, weights=range(1, len(WORDS) + 1), k=chance.randint(1, 30)), f"n{n}"]),
            vector,
            {
                "n": n,
                "document_id": f"d{n // 3}",
                "slot": n % 100,
                "topic": ("hr", "it", "日本語", "árvíz'tűrő")[n % 4],
            },
            ("en", "de", "hu", "zh", "ja")[n % 5],
        )
        for n, vector in enumerate(vectors)
    ]


def odd_rows() -> list[IndexRow]:
    """Return a row for each odd value in the field "v": it has every type there is, and one row lacks it."""
    found = [*VALUES, *LISTS, *OTHERS]
    return [
        IndexRow(f"c{n:03}", "t", vector, stored_fields({"v": value, "V": n, "": n % 2 == 0}))
        for n, (value, vector) in enumerate(zip(found, units(len(found), 3), strict=True))
    ]


def odd_filters() -> Iterable[Filter]:
    """Yield each comparison with each odd value, and a hundred random trees of them."""
    yield from (Compare("v", op, value) for op in OPERATORS for value in VALUES)
    chance = random.Random(11)
    for _ in range(100):
        yield _random_filter_tree(chance, 3)


def _random_filter_tree(chance: random.Random, depth: int) -> Filter:
    kind = chance.choice(["leaf", "leaf", "not", "all", "any"]) if depth else "leaf"
    if kind == "leaf":
        return _leaf(chance)
    if kind == "not":
        return Not(_random_filter_tree(chance, depth - 1))
    parts = tuple(_random_filter_tree(chance, depth - 1) for _ in range(chance.randint(0, 3)))
    return All(parts) if kind == "all" else Any(parts)


def _leaf(chance: random.Random) -> Compare:
    name, op = chance.choice(FIELDS), chance.choice((*OPERATORS, "in", "exists"))
    one = True if op == "exists" else chance.choice(VALUES)
    return Compare(name, op, tuple(chance.choices(VALUES, k=chance.randint(0, 3))) if op == "in" else one)


@dataclass(frozen=True, slots=True)
class Exact:
    """A few lines that say what an index must find in these rows. `k1` = 1.2 and `b` = 0.75, as the settings have."""

    rows: Sequence[IndexRow]

    def keyword(self, terms: Sequence[str], where: Filter | None = None) -> dict[str, float]:
        """Return BM25 of every row that has one of the terms and passes the filter; all rows are counted."""
        bags = {row.chunk_id: Counter(row.terms.split()) for row in self.rows}
        average = sum(bag.total() for bag in bags.values()) / len(bags)
        scores: dict[str, float] = {}
        for term in terms:
            df = sum(term in bag for bag in bags.values())
            idf = math.log(1 + (len(bags) - df + 0.5) / (df + 0.5))
            for name, bag in bags.items():
                if bag[term]:
                    norm = 1.2 * (0.25 + 0.75 * bag.total() / average)
                    scores[name] = scores.get(name, 0.0) + idf * bag[term] * 2.2 / (bag[term] + norm)
        return self._passing(scores, where)

    def semantic(self, vector: Vector, where: Filter | None = None) -> dict[str, float]:
        """Return the cosine of every row that passes the filter."""
        return self._passing({row.chunk_id: float(row.vector @ vector) for row in self.rows}, where)

    def _passing(self, scores: Mapping[str, float], where: Filter | None) -> dict[str, float]:
        fields = {row.chunk_id: row.fields for row in self.rows}
        return {name: score for name, score in scores.items() if where is None or where.matches(fields[name])}


def overlap(found: Sequence[Scored], scores: Mapping[str, float], top_k: int = 10, *, close: float = 1e-3) -> float:
    """Return the share of the best `top_k` that was found; of rows with the same score each is as good as another."""
    best = sorted(scores.values(), reverse=True)[:top_k]
    if not best:
        return float(not found)
    ids = {name for name, _ in found[:top_k]}
    return sum(scores.get(name, -math.inf) >= best[-1] - close * abs(best[-1]) for name in ids) / len(best)
