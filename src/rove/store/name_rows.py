"""Rows by the names that they hold, and by the titles of the documents that they begin."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rove.language.names import JOINT, MAX_KEY_TERMS
from rove.store import IndexRow
from rove.store.blocks import ArrayInParts
from rove.store.inverted import Inverted
from rove.store.segments import Ints

Mask = NDArray[np.bool_]
TITLE, BEGUN = "\x01", "\x02"
"""What ends the key of a title, and the first two terms of a longer one, as against a name that a passage holds."""


class NameRows:
    """Which rows hold a name, and which stand for a document that answers to it. Keys: see `rove.language.names`."""

    def __init__(self) -> None:
        self._held = Inverted()

    def extend(self, rows: Sequence[IndexRow], first: int) -> None:
        """Add rows; `first`: the number of the first."""
        self._held.extend([[*row.names.split(), *_iter_title_terms(row.titles)] for row in rows], first)

    def packed(self, keep: Mask) -> dict[str, NDArray[Any] | ArrayInParts]:
        """Return the arrays that `restore` takes, of the rows to keep, (n,) bool."""
        return {f"name_{name}": array for name, array in self._held.packed(keep).items()}

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Take over what `packed` returned; nothing was added before."""
        self._held.restore({name.removeprefix("name_"): array for name, array in arrays.items()})

    def holding(self, names: Collection[str], seen: Mask) -> dict[str, Ints]:
        """The rows, of those that are seen, (n,) bool, that hold each of these names, ascending."""
        return {name: rows[seen[rows]] for name, rows in self._held.rows(names).items()}

    def titled(self, keys: Collection[str], alive: Mask, seen: Mask, owners: Ints) -> dict[str, Ints]:
        """A row of each document that answers to each of these keys and of which any row is seen, ascending.

        `alive`, `seen`: the rows that are there, and those of them that are seen, (n,) bool. `owners`: the number of
        each row's document, ascending.
        """
        marked = self.holding([key + TITLE for key in keys], alive)
        return {key: _first_of_each(marked[key + TITLE], None if seen is alive else seen, owners) for key in keys}

    def title_keys(self, texts: Iterable[Sequence[str]], others: Collection[str]) -> set[str]:
        """Those that some title has, of the runs of at least two terms in these texts, and of other keys."""
        pairs: dict[str, list[tuple[Sequence[str], int]]] = {}
        for terms in texts:
            for at in range(len(terms) - 1):
                pairs.setdefault(f"{terms[at]}{JOINT}{terms[at + 1]}", []).append((terms, at))
        found = {*others, *pairs}
        for marked in self._held.known([pair + BEGUN for pair in pairs]):
            for terms, at in pairs[marked.removesuffix(BEGUN)]:
                ends = range(at + 3, min(at + MAX_KEY_TERMS, len(terms)) + 1)
                found.update(JOINT.join(terms[at:end]) for end in ends)
        titles = self._held.known({key + TITLE for key in found})
        return {key for key in found if key + TITLE in titles}


def _iter_title_terms(titles: Collection[str]) -> Iterator[str]:
    for key in titles:
        yield key + TITLE
        if key.count(JOINT) > 1:
            yield JOINT.join(key.split(JOINT, 2)[:2]) + BEGUN


def _first_of_each(rows: Ints, seen: Mask | None, owners: Ints) -> Ints:
    """The first of these rows of each document, of which any row at all is seen; None: all are."""
    documents, first = np.unique(owners[rows], return_index=True)
    if seen is None or not len(rows):
        return rows[first]
    bounds = np.column_stack([owners.searchsorted(documents), owners.searchsorted(documents, "right")])
    counts = np.add.reduceat(np.append(seen, np.False_), bounds.ravel(), dtype=np.int64)
    return rows[first][counts[::2] > 0]
