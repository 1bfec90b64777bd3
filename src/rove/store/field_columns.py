"""Fields of chunks as columns, so that a filter is answered for all rows at once."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any
from zlib import compress, decompress

import numpy as np
from numpy.typing import NDArray

from rove.records import Filter
from rove.records import filter as tree
from rove.records.filter import All, Compare, Not, Scalar, value_matches
from rove.records.source import Metadata, MetaValue
from rove.store.blocks import ArrayInParts

Mask = NDArray[np.bool_]
MAX_CACHED = 64
QUICKLY = 1
"""The level of compression: a fifth of the size, 100 MB a second."""


@dataclass(slots=True)
class Column:
    """One field, dictionary-encoded: a code for each row, and the value of each code. 0: the row lacks the field."""

    codes: NDArray[np.int32]
    values: list[MetaValue | None]


class Columns:
    """The fields of rows 0…n-1. Columns and masks are made when first asked for, and dropped when rows are added.

    `packed`: the columns of the first rows, as a snapshot has them.
    """

    def __init__(self, packed: PackedColumns | None = None) -> None:
        self._packed = packed or PackedColumns(0, {}, {})
        self._rows: list[Metadata] = []
        self._columns: dict[str, Column] = {}
        self._masks: dict[Filter, Mask] = {}

    def __len__(self) -> int:
        return self._packed.rows + len(self._rows)

    def extend(self, rows: Sequence[Metadata]) -> None:
        """Add rows at the end."""
        self._rows.extend(rows)
        self._columns.clear()
        self._masks.clear()

    def names(self) -> list[str]:
        """The fields that any row has, ordered."""
        return sorted({*self._packed.places, *(name for row in self._rows for name in row)})

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
                column = self.column(name)
                return _verdicts(column.values, op, value)[column.codes]
            case Not(part):
                return ~self._evaluate(part)
            case All(parts):
                return np.logical_and.reduce([np.ones(len(self), bool), *(self._evaluate(p) for p in parts)])
            case tree.Any(parts):
                return np.logical_or.reduce([np.zeros(len(self), bool), *(self._evaluate(p) for p in parts)])
            case _:
                message = f"Unknown filter node {where!r}."
                raise TypeError(message)

    def column(self, name: str) -> Column:
        """One field of all rows."""
        column = self._columns.get(name)
        if column is None:
            column = self._columns[name] = self.made(name)
        return column

    def made(self, name: str) -> Column:
        """As `column`, for who needs it once: the values of a field that differs from row to row take much memory."""
        before = self._packed.column(name)
        # The type is part of the key: True, 1 and 1.0 are one key to a dict, but not to a filter.
        found = [row.get(name) for row in self._rows]
        keys = list(zip(map(type, found), found, strict=True))
        wanted = dict.fromkeys(keys)
        codes = {key: code for code, value in enumerate(before.values) if (key := (type(value), value)) in wanted}
        later = [key for key in wanted if key not in codes]
        codes |= zip(later, count(len(before.values)))
        after = np.fromiter(map(codes.__getitem__, keys), np.int32, len(keys))
        return Column(np.concatenate([before.codes, after]), [*before.values, *(value for _, value in later)])


@dataclass(frozen=True, slots=True)
class PackedColumns:
    """Columns of `rows` rows in a few arrays: see `pack_columns`. `places` says where in them each column stands."""

    rows: int
    places: Mapping[str, Sequence[int]]
    arrays: Mapping[str, NDArray[Any]]

    def column(self, name: str) -> Column:
        """One field of all rows; all codes are 0 where no row has it."""
        codes = np.zeros(self.rows, np.int32)
        if name not in self.places:
            return Column(codes, [None])
        first, end, text, text_end = self.places[name]
        codes[self.arrays["column_rows"][first:end]] = self.arrays["column_codes"][first:end]
        values: list[Any] = json.loads(self.arrays["column_values"][text:text_end].tobytes())
        return Column(codes, [None, *(tuple(value) if isinstance(value, list) else value for value in values)])  # pyright: ignore[reportUnknownArgumentType]


@dataclass(frozen=True, slots=True)
class ColumnParts:
    """What `PackedColumns` reads, to be written: `places`, and its arrays, column by column."""

    places: Mapping[str, Sequence[int]]
    arrays: Mapping[str, ArrayInParts]


def pack_columns(columns: Columns, keep: Mask) -> ColumnParts:
    """Pack the columns of the rows to keep, (n,) bool, one after the other: which rows have a value, and its code.

    A value that only other rows have is left out. One column at a time is held; what is to be written waits compressed.
    """
    number = np.cumsum(keep, dtype=np.int32) - 1
    rows: list[NDArray[np.int32]] = []
    codes: list[NDArray[np.int32]] = []
    texts: list[bytes] = []
    places: dict[str, Sequence[int]] = {}
    first = text = 0
    for name in columns.names():
        column = columns.made(name)
        there = np.flatnonzero(keep & (column.codes > 0))
        if not len(there):
            continue
        used, again = np.unique(column.codes[there], return_inverse=True)
        written = json.dumps([column.values[code] for code in used.tolist()], ensure_ascii=False).encode()
        rows.append(number[there])
        codes.append(again.astype(np.int32) + 1)
        texts.append(compress(written, QUICKLY))
        places[name] = (first, first + len(there), text, text + len(written))
        first, text = first + len(there), text + len(written)
    arrays = {
        "column_rows": ArrayInParts((first,), np.dtype(np.int32), lambda: iter(rows)),
        "column_codes": ArrayInParts((first,), np.dtype(np.int32), lambda: iter(codes)),
        "column_values": ArrayInParts(
            (text,), np.dtype(np.uint8), lambda: (np.frombuffer(decompress(part), np.uint8) for part in texts)
        ),
    }
    return ColumnParts(places, arrays)


def _verdicts(values: Sequence[MetaValue | None], op: str, wanted: Scalar | tuple[Scalar, ...]) -> Mask:
    """Apply `value_matches` to each value; "in" a list of texts is one look-up, not many comparisons."""
    if op == "in" and isinstance(wanted, tuple) and all(isinstance(item, str) for item in wanted):
        texts = frozenset(wanted)
        found = (value_matches(v, op, wanted) if isinstance(v, tuple) else v in texts for v in values)
    else:
        found = (value_matches(v, op, wanted) for v in values)
    return np.fromiter(found, bool, len(values))
