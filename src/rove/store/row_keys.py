"""Which keys each row has, and which rows have a key: mapped from disk, later rows in memory."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import accumulate, chain, compress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rove.language.names import JOINT
from rove.store.blocks import ArrayInParts
from rove.store.growing import Growing, blocks_of
from rove.store.packed_texts import decoded
from rove.store.segments import Ints, Kept, Segment, merged, segment
from rove.store.term_numbers import TermNumbers

Mask = NDArray[np.bool_]
Packed = dict[str, NDArray[Any] | ArrayInParts]


class RowKeys:
    """The keys of rows 0…n-1, each row's in their order. A key is any text; it has a number, see `TermNumbers`.

    The keys of row r are those numbered numbers[bounds[r]:bounds[r + 1]]; segments say the same the other way round.
    """

    def __init__(self) -> None:
        self._terms = TermNumbers()
        self._later: list[str] = []
        self._begun: set[str] = set()
        self._parted = 0
        self._numbers = Growing(np.int32)
        self._bounds = Growing(np.int64)
        self._bounds.extend(np.zeros(1, np.int64))
        self._restored: list[Segment] = []
        self._segments: list[Segment] = []

    def __len__(self) -> int:
        return len(self._bounds) - 1

    def extend(self, rows: Sequence[Sequence[str]]) -> None:
        """Add rows at the end, each given as its keys, none of them twice."""
        first, known, taken = len(self), len(self._terms), len(self._numbers)
        numbers = self._terms.take(dict.fromkeys(chain.from_iterable(rows)))
        self._later.extend(key for key, number in numbers.items() if number >= known)
        flat = np.fromiter((numbers[key] for row in rows for key in row), np.int64)
        self._numbers.extend(flat.astype(np.int32))
        self._bounds.extend(np.fromiter(accumulate(map(len, rows), initial=taken), np.int64)[1:])
        at = np.repeat(np.arange(len(rows), dtype=np.int64), [len(row) for row in rows])
        self._segments.append(segment(flat, at, first, len(rows)))
        while len(self._segments) > 1 and 2 * len(self._segments[-1].rows) > len(self._segments[-2].rows):
            self._segments[-2:] = [merged(self._segments[-2:])]

    def of(self, row: int) -> list[str]:
        """The keys of a row."""
        first, end = self._bounds[row : row + 2].tolist()
        mapped = self._terms.restored
        return [
            decoded(mapped.texts.at(number)) if number < len(mapped) else self._later[number - len(mapped)]
            for number in self._numbers[first:end].tolist()
        ]

    def rows(self, keys: Sequence[str]) -> dict[str, Ints]:
        """The rows that have each of these keys, ascending; a key that no row has is absent."""
        known = {key: number for key, number in zip(keys, self._terms.find(keys), strict=True) if number >= 0}
        numbers = np.fromiter(known.values(), np.int32)
        runs = [part.runs(numbers) for part in chain(self._restored, self._segments)]
        return {key: np.concatenate([part[at][0] for part in runs]) for at, key in enumerate(known)}

    def one_of_each(self, rows: Ints) -> Ints:
        """Of rows with one key each, the first that has each of their keys."""
        _, firsts = np.unique(self._numbers[self._bounds[rows]], return_index=True)
        return rows[np.sort(firsts)]

    def begun(self, keys: Collection[str]) -> set[str]:
        """Those of these keys with which longer ones begin, as "a" does "a_b"; of rows that were dropped too."""
        for key in self._later[self._parted :]:
            terms = key.split(JOINT)[:-1]
            self._begun.update(accumulate(terms, lambda begun, term: f"{begun}{JOINT}{term}"))
        self._parted = len(self._later)
        asked = [key for key in keys if key not in self._begun]
        mapped = self._terms.restored.begun_by([f"{key}{JOINT}" for key in asked])
        return {*self._begun.intersection(keys), *compress(asked, mapped)}

    def packed(self, keep: Mask) -> Packed:
        """Return what `restore` needs of the rows to keep, (n,) bool, and of the keys that any of them has."""
        kept = Kept([*self._restored, *self._segments], keep)
        held = kept.sizes(len(self._terms))
        words, order = self._terms.packed(held > 0)
        sizes = held[order]
        again = np.empty(len(held), np.int32)
        again[order] = np.arange(len(order), dtype=np.int32)
        bounds = self._bounds[:]
        lengths = np.diff(bounds)

        def numbers() -> Iterator[NDArray[Any]]:
            for some in blocks_of(len(self)):
                of_kept = np.repeat(keep[some], lengths[some])
                yield again[self._numbers[int(bounds[some.start]) : int(bounds[some.stop])][of_kept]]

        def rows() -> Iterator[NDArray[Any]]:
            return (run for run, _ in kept.read(order.astype(np.int32), sizes))

        return {
            **words,
            "starts": np.concatenate([np.zeros(1, np.int64), sizes.cumsum()]),
            "rows": ArrayInParts((int(sizes.sum()),), np.dtype(np.int32), rows),
            "bounds": np.concatenate([np.zeros(1, np.int64), lengths[keep].cumsum()]),
            "numbers": ArrayInParts((int(lengths[keep].sum()),), np.dtype(np.int32), numbers),
        }

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Hold what `packed` returned; nothing was added before. The arrays are neither read through nor copied."""
        self._terms.restore(arrays)
        self._numbers.begin(arrays["numbers"])
        self._bounds.begin(arrays["bounds"])
        terms = np.arange(len(self._terms), dtype=np.int32)
        once = np.broadcast_to(np.uint8(1), len(arrays["rows"]))
        self._restored = [Segment(terms, arrays["starts"], arrays["rows"], once)]
