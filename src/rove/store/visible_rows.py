"""The rows of an index in memory that an access filter lets through, worked out once until something changes."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from rove.records import Filter
from rove.store.document_vectors import Floats
from rove.store.field_columns import Columns
from rove.store.vector_set import VectorSet

CACHED_FILTERS = 16
"""Access filters for which the visible rows are cached."""


@dataclass(slots=True)
class VisibleRows:
    """What an access filter lets through. `alive`: the live rows; `rows`: those of them that are visible; (n,) bool.

    `means`: of the visible vectors of each set that was asked for. `languages`: of the visible rows, most frequent
    first; None: not yet worked out.
    """

    alive: NDArray[np.bool_]
    rows: NDArray[np.bool_]
    means: dict[VectorSet, Floats] = field(default_factory=dict[VectorSet, Floats])
    languages: list[str] | None = None


class Sight:
    """The visible rows of the latest access filters."""

    def __init__(self) -> None:
        self._visible: dict[Filter | None, VisibleRows] = {}

    def of(self, access_filter: Filter | None, alive: NDArray[np.bool_], columns: Columns) -> VisibleRows:
        """What a filter lets through of the live rows: nobody changes that array, another stands for a change."""
        seen = self._visible.get(access_filter)
        if seen is None or seen.alive is not alive:
            if len(self._visible) == CACHED_FILTERS:
                self._visible.clear()
            rows = alive if access_filter is None else alive & columns.mask(access_filter)
            seen = self._visible[access_filter] = VisibleRows(alive, rows)
        return seen
