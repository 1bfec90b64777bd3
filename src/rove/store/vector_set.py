"""The vectors that one embedder has made of rows of an index: of all of them, or of some."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rove.store import Vector
from rove.store.blocks import ArrayInParts
from rove.store.contiguous import Contiguous
from rove.store.document_vectors import DocumentVectors, Floats, exact_mean
from rove.store.nearest import Nearest

Places = NDArray[np.intp]
Mask = NDArray[np.bool_]
ROWS = "rows_of_vectors"


class VectorSet:
    """`Nearest` and `DocumentVectors` over rows of an index. Where it has every row, a row's place here is the row."""

    def __init__(self, dimension: int) -> None:
        self.dimension = dimension
        self._vectors = Nearest(dimension)
        self._wholes = DocumentVectors(dimension)
        self._rows: Contiguous[np.intp] | None = None

    @property
    def count(self) -> int:
        """Number of rows that it has, dead ones too."""
        return self._vectors.count

    @property
    def total(self) -> list[float]:
        """The sum of the vectors that are alive."""
        return self._wholes.total

    def extend(self, vectors: Floats, rows: Places) -> None:
        """Add vectors, (n, dimension) float32, of these rows, ascending, each beyond those that are there."""
        before = self.count
        if self._rows is None and len(rows) and int(rows[-1]) != before + len(rows) - 1:
            self._rows = Contiguous(np.arange(before))
        if self._rows is not None:
            self._rows.extend(rows)
        self._vectors.extend(vectors)
        self._wholes.add(vectors)

    def discard(self, rows: Places) -> None:
        """Let go of rows; those that it does not have are ignored."""
        places = self._places(rows)
        if len(places):
            self._wholes.take_away(self._vectors.vectors[places])

    def _places(self, rows: Places) -> Places:
        """Where those of these rows stand that it has."""
        if self._rows is None:
            return rows[rows < self.count]
        own = self._rows.array
        places = own.searchsorted(rows)
        inside = places < len(own)
        return places[inside][own[places[inside]] == rows[inside]]

    def _of(self, rows: NDArray[Any]) -> NDArray[Any]:
        """What an array says of each row of the index, by its place here."""
        if self._rows is not None:
            return rows[self._rows.array]
        return rows if len(rows) == self.count else rows[: self.count]

    def best(self, vector: Vector, top_k: int, keep: Mask | None, *, exact: bool) -> tuple[Places, Floats]:
        """See `Nearest.best`. `keep`: (n,) bool, of all rows of the index; the rows returned are the index's, too."""
        kept = None if keep is None else self._of(keep)
        places, scores = self._vectors.best(vector, top_k, None if kept is None or kept.all() else kept, exact=exact)
        return places if self._rows is None else self._rows.array[places], scores

    def nearness(
        self,
        vector: Vector,
        rows: Places,
        *,
        owners: NDArray[np.int32],
        alive: Mask,
        seen: Mask,
        mean: Floats,
    ) -> Floats:
        """See `DocumentVectors.nearness`. It has all of `rows`; the arrays are of all rows of the index."""
        living = self._of(alive)
        return self._wholes.nearness(
            vector,
            self._places(rows),
            owners=self._of(owners),
            vectors=self._vectors.vectors,
            alive=living,
            seen=living if seen is alive else self._of(seen),
            mean=mean,
        )

    @property
    def rows(self) -> Places:
        """The rows that it has, dead ones too: (count,)."""
        return np.arange(self.count) if self._rows is None else self._rows.array

    def mean(self) -> Floats:
        """The mean of what is alive."""
        return self._wholes.mean()

    def exact_mean(self, seen: Mask) -> Floats:
        """See `rove.store.document_vectors.exact_mean`; the mask is of all rows of the index."""
        return exact_mean(self._vectors.vectors, self._of(seen))

    def packed(self, keep: Mask) -> dict[str, NDArray[Any] | ArrayInParts]:
        """Return the arrays that `restore` takes, of the rows to keep: a mask of all rows of the index.

        Where it has all of those, nothing says which rows they are.
        """
        kept = self._of(keep)
        arrays = self._vectors.packed(kept)
        if self._rows is None or np.count_nonzero(kept) == np.count_nonzero(keep):
            return arrays
        after = np.cumsum(keep) - 1
        return {**arrays, ROWS: after[self._rows.array[kept]].astype(np.int64)}

    def restore(self, arrays: Mapping[str, NDArray[Any]], total: list[float]) -> None:
        """Hold what `packed` returned, without a copy."""
        self._vectors.restore(arrays)
        self._rows = Contiguous(arrays[ROWS]) if ROWS in arrays else None
        self._wholes.restore(total, self._vectors.count)
