"""The reply tree of posts, from the hashes of their names: parents, submissions, depths."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

UNKNOWN = -1

Rows = NDArray[np.int32]
"""(n,) row numbers, `UNKNOWN` for a post that is not there."""
Names = NDArray[np.int64]
"""(n,) hashes of names, 0 for none."""


@dataclass(frozen=True, slots=True)
class Tree:
    """`parents`: the row that each post replies to; `roots`: that of its submission, its own where it is one.

    `depths`: (n,), 0 for a submission, `UNKNOWN` where a link of the chain is missing. `repeated`: (n,) bool, which
    have the name of an earlier post.
    """

    parents: Rows
    roots: Rows
    depths: Rows
    repeated: NDArray[np.bool_]


def reply_tree(names: Names, parents: Names, roots: Names, submission: NDArray[np.bool_]) -> Tree:
    """Find who replies to whom. `parents` and `roots` are the names that the posts give for them."""
    order = np.argsort(names, kind="stable").astype(np.int32)
    above = np.where(submission, np.int32(UNKNOWN), _first_rows_of_names(parents, names, order))
    tops, steps = _climb(above)
    bases = np.select([submission, (parents == roots) & (parents != 0)], [np.int32(0), np.int32(1)], np.int32(UNKNOWN))
    whole = (above[tops] == UNKNOWN) & (bases[tops] != UNKNOWN)
    return Tree(
        parents=above,
        roots=np.where(submission[tops], tops, _first_rows_of_names(roots, names, order)),
        depths=np.where(whole, bases[tops] + steps, np.int32(UNKNOWN)),
        repeated=_first_rows_of_names(names, names, order) != np.arange(len(names)),
    )


def _first_rows_of_names(wanted: Names, names: Names, order: Rows) -> Rows:
    """The first row of each wanted name. `order` sorts `names`."""
    if not len(names):
        return order
    places = np.searchsorted(names, wanted, sorter=order)
    rows = order[np.minimum(places, len(names) - 1)]
    return np.where((names[rows] == wanted) & (wanted != 0), rows, np.int32(UNKNOWN))


def _climb(parents: Rows) -> tuple[Rows, Rows]:
    """The top of each post's chain of parents and the steps to it; jumps double, so that long chains cost log n.

    In a ring of posts that reply to each other, no top is reached: what is returned for it has a parent.
    """
    tops = np.where(parents == UNKNOWN, np.arange(len(parents), dtype=np.int32), parents)
    steps = (parents != UNKNOWN).astype(np.int32)
    for _ in range(len(parents).bit_length()):
        further = tops[tops]
        if np.array_equal(further, tops):
            break
        steps += steps[tops]
        tops = further
    return tops, steps
