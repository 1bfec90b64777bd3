"""Fields of chunks as columns, so that a filter is answered for all rows at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rove.records import Filter
from rove.records.filter import All, Any, Compare, Not, Scalar, value_matches
from rove.records.source import Metadata, MetaValue

Mask = NDArray[np.bool_]
MAX_CACHED = 64


@dataclass(slots=True)
class Column:
    """One field: a code per row, and the value behind each code; code 0 is "not there"."""

    codes: NDArray[np.int32]
    values: list[MetaValue | None]


class Columns:
    """The fields of rows 0…n-1. Columns and masks are made when first asked for, and dropped when rows are added."""

    def __init__(self) -> None:
        self.rows: list[Metadata] = []
        self._columns: dict[str, Column] = {}
        self._masks: dict[Filter, Mask] = {}

    def extend(self, rows: Sequence[Metadata]) -> None:
        """Add rows at the end."""
        self.rows.extend(rows)
        self._columns.clear()
        self._masks.clear()

    def mask(self, where: Filter) -> Mask:
        """Which rows pass: (n,) bool, the same as `where.matches` row by row."""
        found = self._masks.get(where)
        if found is None:
            found = self._evaluate(where)
            if len(self._masks) >= MAX_CACHED:
                self._masks.clear()
            self._masks[where] = found
        return found

    def _evaluate(self, where: Filter) -> Mask:
        match where:
            case Compare(name, op, value):
                column = self._column(name)
                return _verdicts(column.values, op, value)[column.codes]
            case Not(part):
                return ~self._evaluate(part)
            case All(parts):
                return np.logical_and.reduce([np.ones(len(self.rows), bool), *(self._evaluate(p) for p in parts)])
            case Any(parts):
                return np.logical_or.reduce([np.zeros(len(self.rows), bool), *(self._evaluate(p) for p in parts)])
            case _:
                message = f"Unknown filter node {where!r}."
                raise TypeError(message)

    def _column(self, name: str) -> Column:
        column = self._columns.get(name)
        if column is None:
            # The type is part of the key: True, 1 and 1.0 are one key to a dict, but not to a filter.
            codes: dict[tuple[type, MetaValue | None], int] = {(type(None), None): 0}
            found = (row.get(name) for row in self.rows)
            numbers = (codes.setdefault((type(v), v), len(codes)) for v in found)
            numbered = np.fromiter(numbers, np.int32, len(self.rows))
            column = Column(numbered, [value for _, value in codes])
            self._columns[name] = column
        return column


def _verdicts(values: Sequence[MetaValue | None], op: str, wanted: Scalar | tuple[Scalar, ...]) -> Mask:
    """Say of each value what `value_matches` does; one of many texts is looked up, not compared with each."""
    if op == "in" and isinstance(wanted, tuple) and all(isinstance(item, str) for item in wanted):
        texts = frozenset(wanted)
        found = (value_matches(v, op, wanted) if isinstance(v, tuple) else v in texts for v in values)
    else:
        found = (value_matches(v, op, wanted) for v in values)
    return np.fromiter(found, bool, len(values))
