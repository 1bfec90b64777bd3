"""The vectors of an index as two sets: the embedder's, and the stand-in's of what that alone has reached."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rove.errors import ConfigError
from rove.store import IndexRow
from rove.store.ascending import distinct
from rove.store.blocks import ArrayInParts
from rove.store.vector_set import Mask, Places, VectorSet

SHALLOW = "shallow_"
"""How the arrays of a snapshot begin that are of the stand-in's vectors."""


class BothSets:
    """`deep` has the rows with the embedder's vectors, `shallow` those with the stand-in's: see `rove.store.shallow`.

    `shallow_ids`: the chunks of the living rows of the latter.
    """

    def __init__(self, dimension: int) -> None:
        self.deep = VectorSet(dimension)
        self.shallow = VectorSet(0)
        self.shallow_ids: set[str] = set()

    def extend(self, rows: Sequence[IndexRow], first: int) -> None:
        """Add rows of the index, the first of which has this number.

        Raises:
            ConfigError: a vector is not as long as those of the embedder.
        """
        shallow = np.array([row.shallow for row in rows])
        for quick in distinct(shallow).tolist():
            some = np.flatnonzero(shallow == quick)
            vectors = np.stack([rows[at].vector for at in some.tolist()]).astype(np.float32, copy=False)
            if quick and vectors.shape[1] != self.shallow.dimension:  # of another stand-in: the latest counts
                self.shallow = VectorSet(vectors.shape[1])
            held = self.shallow if quick else self.deep
            if vectors.shape[1] != held.dimension:
                message = f"Vectors have {vectors.shape[1]} dimensions; this index holds {held.dimension}."
                raise ConfigError(message, cure="Open the base with the embedder that made it.")
            held.extend(vectors, first + some)
        self.shallow_ids.update(row.chunk_id for row in rows if row.shallow)

    def discard(self, rows: Places, chunk_ids: Collection[str]) -> None:
        """Let go of the rows of these chunks."""
        self.deep.discard(rows)
        if self.shallow_ids:
            self.shallow.discard(rows)
            self.shallow_ids.difference_update(chunk_ids)

    def packed(self, keep: Mask) -> tuple[dict[str, NDArray[Any] | ArrayInParts], dict[str, Any]]:
        """Return arrays and facts for a snapshot of the rows to keep, (n,) bool; see `restore`.

        Where no row is shallow, nothing in it says that there could be any.
        """
        arrays, facts = self.deep.packed(keep), dict[str, Any](total=self.deep.total)
        if self.shallow_ids:
            arrays |= {f"{SHALLOW}{name}": array for name, array in self.shallow.packed(keep).items()}
            facts["shallow"] = [self.shallow.dimension, self.shallow.total]
        return arrays, facts

    def restore(self, arrays: Mapping[str, NDArray[Any]], facts: Mapping[str, Any]) -> Places:
        """Hold what `packed` returned, without a copy; returns the rows that are shallow."""
        self.deep.restore(arrays, facts["total"])
        if "shallow" not in facts:
            return np.zeros(0, np.intp)
        dimension, total = facts["shallow"]
        self.shallow = VectorSet(dimension)
        own = {name.removeprefix(SHALLOW): array for name, array in arrays.items() if name.startswith(SHALLOW)}
        self.shallow.restore(own, total)
        return self.shallow.rows
