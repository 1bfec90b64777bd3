"""The scan of 8 bits finds what the full comparison finds, also among vectors that hardly differ."""

import numpy as np
import pytest

from rove.store.codes import PARALLEL_FROM
from rove.store.nearest import FEW, Nearest

DIMENSION = 48
TOP_K = 10


def unit(rows):
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def spread(rng, count):
    return unit(rng.standard_normal((count, DIMENSION)))


def crowded(rng, count):
    """Vectors as an embedder with a strong common direction makes them: all cosines above .99."""
    return unit(np.ones(DIMENSION) + 0.05 * rng.standard_normal((count, DIMENSION)))


def spiky(rng, count):
    """One number far above the others, so that rounding to its scale loses most of the rest."""
    rows = 0.02 * rng.standard_normal((count, DIMENSION))
    rows[:, 3] = 1
    return unit(rows)


@pytest.mark.parametrize("make", [spread, crowded, spiky])
@pytest.mark.parametrize("count", [TOP_K, FEW, 3 * FEW, PARALLEL_FROM + 1])
@pytest.mark.parametrize("share", [1.0, 0.5, 0.01, 0.0])
def test_same_as_brute_force(make, count, share):
    rng = np.random.default_rng(count)
    vectors = make(rng, count)
    nearest = Nearest(DIMENSION)
    for part in np.array_split(vectors, 3):
        nearest.extend(part)
    keep = rng.random(count) < share if share < 1 else None
    allowed = np.flatnonzero(keep) if keep is not None else np.arange(count)
    for asked in make(rng, 5):
        rows, scores = nearest.best(asked, TOP_K, keep)
        best = rows[np.argsort(-scores, kind="stable")][:TOP_K]
        true = nearest.vectors[allowed] @ asked  # as they are held: in 16 bits
        np.testing.assert_allclose(true, vectors[allowed] @ asked, atol=2e-4)
        assert set(rows) <= set(allowed)
        assert len(best) == min(TOP_K, len(allowed))
        np.testing.assert_allclose(scores[np.argsort(-scores)][:TOP_K], -np.sort(-true)[:TOP_K], atol=1e-6)


def test_the_scan_leaves_few_in_doubt():
    rng = np.random.default_rng(1)
    nearest = Nearest(384)
    nearest.extend(unit(rng.standard_normal((5 * FEW, 384))))
    rows, _ = nearest.best(unit(rng.standard_normal((1, 384)))[0], TOP_K)
    assert len(rows) < FEW / 4


def test_zero_vectors_are_far_from_all():
    nearest = Nearest(4)
    nearest.extend(np.zeros((2, 4), np.float32))
    rows, scores = nearest.best(np.array([1, 0, 0, 0], np.float32), 2)
    assert rows.tolist() == [0, 1]
    assert scores.tolist() == [0, 0]
