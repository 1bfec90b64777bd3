"""Retrieval similarity: how near the texts that were found lie to those that were expected, by an embedder."""

from __future__ import annotations

from rove.models import Vectors


def retrieval_similarity(expected: Vectors, found: Vectors) -> float | None:
    """Return the mean cosine of each expected text with each one found, as DB-GPT's retriever evaluation has it.

    Range −1 … 1, though most embedders stay above 0: compare runs of one embedder only. None: either is empty.

    Args:
        expected: (m, dim) float32, unit length.
        found: (n, dim) float32, unit length.

    >>> import numpy as np
    >>> retrieval_similarity(np.array([[1, 0]], np.float32), np.array([[1, 0], [0, 1]], np.float32))
    0.5
    """
    if not len(expected) or not len(found):
        return None
    return float((expected.astype("float64") @ found.astype("float64").T).mean())


def best_similarity(expected: Vectors, found: Vectors) -> float | None:
    """Return the mean, over the expected texts, of the cosine with the nearest text that was found.

    The form that does not fall because more was found. Range, shapes and None: see `retrieval_similarity`.

    >>> import numpy as np
    >>> best_similarity(np.array([[1, 0]], np.float32), np.array([[1, 0], [0, 1]], np.float32))
    1.0
    """
    if not len(expected) or not len(found):
        return None
    return float((expected.astype("float64") @ found.astype("float64").T).max(axis=1).mean())
