"""Late interaction: how well a passage's tokens cover a question's, from vectors small enough to keep with every chunk.

After MaxSim (Khattab & Zaharia, ColBERT, SIGIR 2020), where every token of the question looks for the nearest of the
passage. Tokens are the last layer's, centred, projected by a trained matrix and kept in 4 bits a dimension. How that
was made and what it is worth: train/README.md.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from simsimd import cdist

from rove.models import Vectors

Packed = NDArray[np.int8]
MODEL = Path(__file__).with_name("interaction.npz")
MARK_BYTES = 4
LEVELS = 16
STEP = 0.335
"""From level to level, in standard deviations: the best uniform step for 4 bits of a normal variable (Max, 1960)."""
LEAST_NORM = 1e-6
POWER = 3
BACK = 0.5
"""Both chosen on the sets of train/README.md: see `Interaction.maxsim`."""


class Interaction:
    """Packs the tokens of passages, and scores packed passages against the tokens of a question. Threads may share one.

    A projected token is a unit vector with all dimensions alike, so each has standard deviation 1 / √D and one step
    serves all. Two dimensions share a byte; only the passage's side is rounded.
    """

    def __init__(self, path: Path = MODEL) -> None:
        """Load `interaction.npz`: `projection` (D, 384), `passage_mean` and `query_mean` (384,), all float16."""
        self.mark = hashlib.sha256(path.read_bytes()).digest()[:MARK_BYTES]
        """What tells tokens that this projection packed from those of another."""
        with np.load(path) as file:
            projection: Vectors = np.asarray(file["projection"], np.float32)
            passage_mean: Vectors = np.asarray(file["passage_mean"], np.float32)
            query_mean: Vectors = np.asarray(file["query_mean"], np.float32)
        self.dimension = len(projection)
        self._projection: Vectors = projection
        self._passage_bias: Vectors = projection @ passage_mean
        self._query_bias: Vectors = projection @ query_mean
        levels: Vectors = np.arange(LEVELS, dtype=np.float32) - (LEVELS - 1) / 2
        bytes_ = np.arange(256)
        # Every byte → its two values, low half first, so that unpacking is one look-up.
        pairs = np.stack([levels[bytes_ & 15], levels[bytes_ >> 4]], axis=1)
        self._values: Vectors = (pairs * (STEP / np.sqrt(self.dimension))).astype(np.float32)

    def project(self, tokens: Vectors) -> Packed:
        """Pack a passage's tokens, (n, 384) float32, unit length, to (n, D / 2) int8: two dimensions a byte."""
        unit = _unit_token_rows(products(tokens, self._projection) - self._passage_bias)
        codes = np.floor(unit * np.float32(np.sqrt(self.dimension) / STEP)) + LEVELS // 2
        half_bytes = np.clip(codes, 0, LEVELS - 1).astype(np.uint8)
        return (half_bytes[:, 0::2] | half_bytes[:, 1::2] << 4).view(np.int8)

    def unpack(self, packed: Packed) -> Vectors:
        """Return a packed passage's tokens, (n, D) float32, of length 1 but for the rounding."""
        return self._values.take(packed.view(np.uint8), axis=0).reshape(len(packed), self.dimension)

    def project_query(self, tokens: Vectors) -> Vectors:
        """Return a question's tokens, (n, 384) float32, unit length, as they are compared: (n, D), unit length."""
        return _unit_token_rows(products(tokens, self._projection) - self._query_bias)

    def maxsim(self, query_tokens: Vectors, passages: Sequence[Packed]) -> Vectors:
        """Score passages: mean over q of max over p of s(q, p)³ + ½ · mean over p of max over q of s(q, p)³.

        q runs over the question's tokens, p over the passage's, s is their cosine, 0 where it is negative. The cube
        lets sure matches count for more than the many half ones; the way back, from passage to question, keeps
        questions of several parts from preferring long passages that touch on each.

        Args:
            query_tokens: (q, 384) float32, unit length.
            passages: of each what `project` returned.

        Returns:
            (n,) float32, 0 to about 1.5, higher is better. A passage without tokens scores as the worst of the others;
            where the question or every passage has none, all score 0.
        """
        scores: Vectors = np.zeros(len(passages), np.float32)
        full = [n for n, passage in enumerate(passages) if len(passage)]
        if not len(query_tokens) or not full:
            return scores
        values = self.unpack(np.concatenate([passages[n] for n in full]))
        begins = np.cumsum([0, *(len(passages[n]) for n in full[:-1])])
        cosines = np.maximum(products(values, self.project_query(query_tokens)), 0)
        forth = (np.maximum.reduceat(cosines, begins, axis=0) ** POWER).mean(axis=1)
        sizes = np.diff([*begins, len(values)])
        back = np.add.reduceat(cosines.max(axis=1) ** POWER, begins) / sizes
        found = forth + BACK * back
        scores[:] = found.min()
        scores[full] = found
        return scores


def products(rows: Vectors, others: Vectors) -> Vectors:
    """Return rows @ others.T. Not by BLAS, whose threads spin: beside a busy process they took 8 ms for 0.1."""
    if not len(rows):
        return np.zeros((0, len(others)), np.float32)
    return np.asarray(cdist(rows, others, metric="dot")).astype(np.float32)


def _unit_token_rows(vectors: Vectors) -> Vectors:
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), LEAST_NORM)
