"""Fields of chunks as columns, so that a filter is answered for all rows at once."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
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
Arrays = Mapping[str, NDArray[Any]]
MAX_CACHED = 64
ENCODED_FROM = 16_384
"""Rows that were added, from which on they are a part: as dicts they take many times the memory."""
PART_ROWS = 131_072
"""The most rows that are put together in one part."""
QUICKLY = 1
"""The level of compression: a fifth of the size, 100 MB a second."""


@dataclass(slots=True)
class Column:
    """One field, dictionary-encoded: a code for each row, and the value of each code. 0: the row lacks the field."""

    codes: NDArray[np.int32]
    values: list[MetaValue | None]


class Columns:
    """The fields of rows 0…n-1, in parts of consecutive rows. What is made of them is dropped when rows are added.

    `packed`: the parts of the first rows, as a snapshot has them.
    """

    def __init__(self, packed: Sequence[ColumnPart] = ()) -> None:
        self._parts = list(packed)
        self._count = sum(part.rows for part in packed)
        self._later: list[Metadata] = []
        self._columns: dict[str, list[Column]] = {}
        self._masks: dict[Filter, Mask] = {}

    def __len__(self) -> int:
        return self._count + len(self._later)

    def extend(self, rows: Sequence[Metadata]) -> None:
        """Add rows at the end."""
        self._later.extend(rows)
        if len(self._later) >= ENCODED_FROM:
            self._parts.append(_column_part_from_rows(self._later))
            self._count += len(self._later)
            self._later = []
        self._columns.clear()
        self._masks.clear()

    def parts(self) -> list[ColumnPart]:
        """All rows as parts."""
        return [*self._parts, _column_part_from_rows(self._later)] if self._later else self._parts

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
                passing = [_verdicts(column.values, op, value)[column.codes] for column in self._of(name)]
                return np.concatenate([np.zeros(0, bool), *passing])
            case Not(part):
                return ~self._evaluate(part)
            case All(parts):
                return np.logical_and.reduce([np.ones(len(self), bool), *(self._evaluate(p) for p in parts)])
            case tree.Any(parts):
                return np.logical_or.reduce([np.zeros(len(self), bool), *(self._evaluate(p) for p in parts)])
            case _:
                message = f"Unknown filter node {where!r}."
                raise TypeError(message)

    def _of(self, name: str) -> list[Column]:
        columns = self._columns.get(name)
        if columns is None:
            columns = self._columns[name] = [
                *(part.column(name) for part in self._parts),
                _column_from_rows(self._later, name),
            ]
        return columns

    def values(self, name: str, rows: NDArray[np.int32]) -> list[MetaValue | None]:
        """One field of these rows, None where a row lacks it."""
        columns = self._of(name)
        ends = np.cumsum([len(column.codes) for column in columns])
        parts: list[int] = ends.searchsorted(rows, "right").tolist()
        found: list[MetaValue | None] = []
        for part, row in zip(parts, rows.tolist(), strict=True):
            column = columns[part]
            found.append(column.values[int(column.codes[row - int(ends[part])])])  # counted from the end of its part
        return found

    def column(self, name: str) -> Column:
        """One field of all rows, for who needs it once: one that differs from row to row takes much memory."""
        return _concatenate_columns(
            [*(part.column(name) for part in self._parts), _column_from_rows(self._later, name)]
        )


@dataclass(frozen=True, slots=True)
class ColumnPart:
    """The fields of `rows` consecutive rows: of each field, which of them have a value, its code, and the values.

    `places` says where in the arrays a field stands: the first and the end in `having` and `codes`, and in `texts`.
    """

    rows: int
    places: Mapping[str, Sequence[int]]
    having: NDArray[np.int32]
    codes: NDArray[np.int32]
    texts: NDArray[np.uint8]

    def column(self, name: str) -> Column:
        """One field; all codes are 0 where no row has it."""
        codes = np.zeros(self.rows, np.int32)
        if name not in self.places:
            return Column(codes, [None])
        first, end, text, text_end = self.places[name]
        codes[self.having[first:end]] = self.codes[first:end]
        values: list[Any] = json.loads(self.texts[text:text_end].tobytes())
        return Column(codes, [None, *(tuple(value) if isinstance(value, list) else value for value in values)])  # pyright: ignore[reportUnknownArgumentType]


def packed_parts(described: Sequence[tuple[int, Mapping[str, Sequence[int]]]], arrays: Arrays) -> list[ColumnPart]:
    """Return the parts that `pack_columns` wrote, without reading them."""
    parts: list[ColumnPart] = []
    first = text = 0
    for rows, places in described:
        end, text_end = (max((place[at] for place in places.values()), default=0) for at in (1, 3))
        having, codes = (arrays[name][first : first + end] for name in ("column_rows", "column_codes"))
        parts.append(ColumnPart(rows, places, having, codes, arrays["column_values"][text : text + text_end]))
        first, text = first + end, text + text_end
    return parts


@dataclass(frozen=True, slots=True)
class PackedColumns:
    """What `packed_parts` reads, to be written: a description of the parts, and arrays, part by part."""

    described: Sequence[tuple[int, Mapping[str, Sequence[int]]]]
    arrays: Mapping[str, ArrayInParts]


def pack_columns(columns: Columns, keep: Mask) -> PackedColumns:
    """Pack the fields of the rows to keep, (n,) bool.

    A part all of whose rows are kept is written as it is, so that this takes no longer the more rows there are. From
    the others goes what only other rows have. Small parts that are neighbours become one; what is made waits
    compressed.
    """
    parts: list[ColumnPart | _Squeezed] = []
    first = 0
    for group in _group_parts_to_merge(columns.parts()):
        pieces: list[tuple[ColumnPart, Mask]] = []
        for part in group:
            pieces.append((part, keep[first : first + part.rows]))
            first += part.rows
        as_it_is = len(group) == 1 and bool(pieces[0][1].all())
        parts.append(group[0] if as_it_is else _compress_column_part(_merge_column_parts(pieces)))
    parts = [part for part in parts if part.rows]
    arrays = {
        "column_rows": _chain_column_arrays(np.dtype(np.int32), [part.having for part in parts]),
        "column_codes": _chain_column_arrays(np.dtype(np.int32), [part.codes for part in parts]),
        "column_values": _chain_column_arrays(np.dtype(np.uint8), [part.texts for part in parts]),
    }
    return PackedColumns([(part.rows, part.places) for part in parts], arrays)


@dataclass(frozen=True, slots=True)
class _Squeezed:
    """A `ColumnPart` that waits to be written, its arrays compressed."""

    rows: int
    places: Mapping[str, Sequence[int]]
    having: tuple[int, bytes]
    codes: tuple[int, bytes]
    texts: tuple[int, bytes]


def _compress_column_part(part: ColumnPart) -> _Squeezed:
    arrays = ((len(array), compress(array.tobytes(), QUICKLY)) for array in (part.having, part.codes, part.texts))
    return _Squeezed(part.rows, part.places, *arrays)


def _chain_column_arrays(dtype: np.dtype[Any], arrays: Sequence[NDArray[Any] | tuple[int, bytes]]) -> ArrayInParts:
    """Arrays one after the other, to be written; of a compressed one its length and its bytes are given."""

    def parts() -> Iterator[NDArray[Any]]:
        for array in arrays:
            yield np.frombuffer(decompress(array[1]), dtype) if isinstance(array, tuple) else array

    count = sum(array[0] if isinstance(array, tuple) else len(array) for array in arrays)
    return ArrayInParts((count,), dtype, parts)


def _group_parts_to_merge(parts: Sequence[ColumnPart]) -> list[list[ColumnPart]]:
    """Neighbours that are to be one part: a row is moved a few times at most while a base grows to any size."""
    groups: list[list[ColumnPart]] = []
    sizes: list[int] = []
    for part in parts:
        groups.append([part])
        sizes.append(part.rows)
        while len(sizes) > 1 and sum(sizes[-2:]) <= PART_ROWS and sizes[-2] <= 2 * sizes[-1]:
            sizes[-2:] = [sum(sizes[-2:])]
            groups[-2:] = [groups[-2] + groups[-1]]
    return groups


def _merge_column_parts(pieces: Sequence[tuple[ColumnPart, Mask]]) -> ColumnPart:
    """Make one part of the rows to keep of several."""
    names = sorted({name for part, _ in pieces for name in part.places})
    rows = sum(int(np.count_nonzero(keep)) for _, keep in pieces)
    return _pack_column_part(
        rows,
        (
            (name, _concatenate_columns([_mask_column_rows(part.column(name), keep) for part, keep in pieces]))
            for name in names
        ),
    )


def _mask_column_rows(column: Column, keep: Mask) -> Column:
    return Column(column.codes[keep], column.values)


def _column_part_from_rows(rows: Sequence[Metadata]) -> ColumnPart:
    names = sorted({name for row in rows for name in row})
    return _pack_column_part(len(rows), ((name, _column_from_rows(rows, name)) for name in names))


def _column_from_rows(rows: Sequence[Metadata], name: str) -> Column:
    return _concatenate_columns([Column(np.arange(len(rows), dtype=np.int32), [row.get(name) for row in rows])])


def _concatenate_columns(columns: Sequence[Column]) -> Column:
    """Make one column of several, whose rows follow one another; equal values have one code."""
    # The type is part of the key: True, 1 and 1.0 are one key to a dict, but not to a filter.
    code: dict[tuple[type, MetaValue | None], int] = {(type(None), None): 0}
    codes: list[NDArray[np.int32]] = []
    for column in columns:
        again = (code.setdefault((type(value), value), len(code)) for value in column.values)
        codes.append(np.fromiter(again, np.int32, len(column.values)).take(column.codes))
    return Column(np.concatenate(codes), [value for _, value in code])


def _pack_column_part(rows: int, columns: Iterable[tuple[str, Column]]) -> ColumnPart:
    """Write columns down one after the other, without values that no row has."""
    having: list[NDArray[np.int32]] = []
    codes: list[NDArray[np.int32]] = []
    texts: list[bytes] = []
    places: dict[str, Sequence[int]] = {}
    first = text = 0
    for name, column in columns:
        there = np.flatnonzero(column.codes).astype(np.int32)
        if not len(there):
            continue
        used, again = np.unique(column.codes[there], return_inverse=True)
        written = json.dumps([column.values[code] for code in used.tolist()], ensure_ascii=False).encode()
        having.append(there)
        codes.append(again.astype(np.int32) + np.int32(1))
        texts.append(written)
        places[name] = (first, first + len(there), text, text + len(written))
        first, text = first + len(there), text + len(written)
    whole = np.frombuffer(b"".join(texts), np.uint8)
    nothing = np.zeros(0, np.int32)
    return ColumnPart(rows, places, np.concatenate([nothing, *having]), np.concatenate([nothing, *codes]), whole)


def _verdicts(values: Sequence[MetaValue | None], op: str, wanted: Scalar | tuple[Scalar, ...]) -> Mask:
    """Apply `value_matches` to each value; "in" a list of texts is one look-up, not many comparisons."""
    if op == "in" and isinstance(wanted, tuple) and all(isinstance(item, str) for item in wanted):
        texts = frozenset(wanted)
        found = (value_matches(v, op, wanted) if isinstance(v, tuple) else v in texts for v in values)
    else:
        found = (value_matches(v, op, wanted) for v in values)
    return np.fromiter(found, bool, len(values))
