"""Cleaning of posts: which are dropped, by which rule, and how those that stay reply to each other."""

# Arrow's annotations leave the types of columns open.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute
from numpy.typing import NDArray

pc: Any = pyarrow.compute  # its stubs do not know that numbers and text may stand for arrays
FREQUENT_BYTES = 35
FREQUENT_TIMES = 7
"""A text of more bytes than this that occurs more often than this is a robot's, or a chain letter."""
UNKNOWN = -1


class Fate(IntEnum):
    """What becomes of a post: it stays, with its text or with its title for one, or a rule drops it."""

    KEPT = 0
    TITLED = 1
    DELETED = 2
    REMOVED = 3
    FREQUENT = 4
    EMPTY = 5
    NAMELESS = 6
    REPEATED = 7


DROPPED = {
    Fate.DELETED: 'whose text is "[deleted]"',
    Fate.REMOVED: 'whose text is "[removed]"',
    Fate.FREQUENT: f"with a text of over {FREQUENT_BYTES} bytes that occurs more than {FREQUENT_TIMES} times",
    Fate.EMPTY: "without text",
    Fate.NAMELESS: "without an id or a subreddit",
    Fate.REPEATED: "with the id of an earlier one",
}


@dataclass(frozen=True, slots=True)
class Cleaned:
    """What the rules make of n posts, and their tree. Row numbers are those of the input; `UNKNOWN` is −1.

    `fates`: (n,) uint8, see `Fate`. `parents`: (n,) int64, the row that a post replies to, `UNKNOWN` for one that is
    not there. `roots`: (n,) int64, the row of its submission, likewise. `depths`: (n,) int64, 0 for a submission,
    `UNKNOWN` where a link of the chain is missing. `replies`: (n,) int64, how many posts that stay reply to it.
    """

    fates: NDArray[np.uint8]
    parents: NDArray[np.int64]
    roots: NDArray[np.int64]
    depths: NDArray[np.int64]
    replies: NDArray[np.int64]
    names: Any
    titles: Any
    orphans: int
    longest_subreddit: int

    @property
    def kept(self) -> NDArray[np.bool_]:
        """Which posts stay: (n,) bool."""
        return self.fates <= Fate.TITLED

    @property
    def counts(self) -> dict[Fate, int]:
        """How many posts had each fate."""
        counts = np.bincount(self.fates, minlength=len(Fate))
        return {fate: int(counts[fate]) for fate in Fate}

    def summary(self) -> str:
        """Say what was dropped by which rule, and what is not whole; "" where there is nothing to say."""
        counts = self.counts
        dropped = [f"{counts[fate]} {why}" for fate, why in DROPPED.items() if counts[fate]]
        said: list[str] = []
        if dropped:
            said.append(f"Of {len(self.fates)} posts {int(self.kept.sum())} stay; dropped: {', '.join(dropped)}.")
        if counts[Fate.TITLED]:
            said.append(f"{counts[Fate.TITLED]} empty submissions took their title as text.")
        if self.orphans:
            said.append(f"{self.orphans} reply to a post that is not in the file.")
        return " ".join(said)


def clean_posts(batches: Iterable[pa.RecordBatch]) -> Cleaned:
    """Apply the rules in their order, and find the reply tree among all posts, dropped ones too.

    The rules: a text "[deleted]" or "[removed]" goes; then one of over 35 bytes that occurs more than 7 times in the
    file; then an empty comment goes, and an empty submission takes its title. Beside the texts, which are read batch
    by batch, some 100 bytes are held for each post.
    """
    texts: list[NDArray[np.int64]] = []
    fates: list[NDArray[np.uint8]] = []
    slim: list[pa.RecordBatch] = []
    longest = 0
    for batch in batches:
        fates.append(_first_fates(batch))
        texts.append(_text_hashes(batch.column("text")))
        longest = max(longest, pc.max(pc.utf8_length(batch.column("subreddit"))).as_py() or 0)
        slim.append(batch.select(["name", "title", "parent", "root", "submission"]))
    if not slim:
        return _nothing()
    table = pa.Table.from_batches(slim)
    fate = np.concatenate(fates)
    names = table["name"]
    fate[_repeated(names) & (fate != Fate.NAMELESS)] = Fate.REPEATED
    fate[_frequent(np.concatenate(texts), fate == Fate.KEPT)] = Fate.FREQUENT
    return _with_tree(table, fate, longest)


def _nothing() -> Cleaned:
    none = np.zeros(0, np.int64)
    empty = pa.array([], pa.large_string())
    return Cleaned(np.zeros(0, np.uint8), none, none, none, none, empty, empty, 0, 0)


def _first_fates(batch: pa.RecordBatch) -> NDArray[np.uint8]:
    """The fates that a post's own row decides."""
    text: Any = batch.column("text")
    submission = _flags(batch.column("submission"))
    blank = _flags(_is_blank(text))
    titled = blank & submission & ~_flags(_is_blank(batch.column("title")))
    nameless = _flags(pc.or_(pc.is_null(batch.column("name")), pc.is_null(batch.column("subreddit"))))
    rules = {
        Fate.NAMELESS: nameless,
        Fate.DELETED: _flags(pc.equal(text, "[deleted]")),
        Fate.REMOVED: _flags(pc.equal(text, "[removed]")),
        Fate.TITLED: titled,
        Fate.EMPTY: blank,
    }
    return np.select(list(rules.values()), [np.uint8(fate) for fate in rules], np.uint8(Fate.KEPT))


def _is_blank(text: Any) -> Any:  # noqa: ANN401 - an Arrow array
    return pc.or_kleene(pc.is_null(text), pc.equal(pc.utf8_trim_whitespace(text), ""))


def _flags(mask: Any) -> NDArray[np.bool_]:  # noqa: ANN401
    return pc.fill_null(mask, False).to_numpy(zero_copy_only=False)


def _text_hashes(text: Any) -> NDArray[np.int64]:  # noqa: ANN401
    """A hash of each text that is long enough to be dropped for its frequency, 0 for the others."""
    long = _flags(pc.greater(pc.binary_length(text), FREQUENT_BYTES))
    hashes = np.zeros(len(long), np.int64)
    hashes[long] = np.fromiter(map(hash, text.filter(pa.array(long)).to_pylist()), np.int64, int(long.sum()))
    return hashes


def _frequent(hashes: NDArray[np.int64], counted: NDArray[np.bool_]) -> NDArray[np.bool_]:
    values, counts = np.unique(hashes[counted & (hashes != 0)], return_counts=True)
    return counted & np.isin(hashes, values[counts > FREQUENT_TIMES])


def _repeated(names: Any) -> NDArray[np.bool_]:  # noqa: ANN401
    """Which rows have the name of an earlier row."""
    codes = _rows_of(names, names)
    return codes != np.arange(len(codes))


def _rows_of(wanted: Any, names: Any) -> NDArray[np.int64]:  # noqa: ANN401
    """The first row of each wanted name, `UNKNOWN` for null and for one that is not there."""
    found = pc.index_in(wanted, value_set=names, skip_nulls=True)
    return pc.fill_null(found, UNKNOWN).to_numpy().astype(np.int64)


def _with_tree(table: pa.Table, fates: NDArray[np.uint8], longest: int) -> Cleaned:
    names = table["name"]
    submission = _flags(table["submission"])
    parents = _rows_of(table["parent"], names)
    parents[submission] = UNKNOWN
    tops, distances = _climb(parents)
    stated = _rows_of(table["root"], names)
    at_root = _flags(pc.equal(table["parent"], table["root"]))  # its parent is the submission, be it there or not
    bases = np.select([submission, at_root], [0, 1], UNKNOWN)
    whole = (parents[tops] == UNKNOWN) & (bases[tops] != UNKNOWN)
    kept = fates <= Fate.TITLED
    replying = kept & (parents != UNKNOWN)
    orphans = kept & ~submission & (parents == UNKNOWN)
    return Cleaned(
        fates=fates,
        parents=parents,
        roots=np.where(submission[tops], tops, stated),
        depths=np.where(whole, bases[tops] + distances, UNKNOWN),
        replies=np.bincount(parents[replying], minlength=len(fates)),
        names=names,
        titles=table["title"],
        orphans=int(orphans.sum()),
        longest_subreddit=longest,
    )


def _climb(parents: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The top of each post's chain of parents and the steps to it; jumps double, so that long chains cost log n.

    In a ring of posts that reply to each other, no top is reached: what is returned for it has a parent.
    """
    rows = np.arange(len(parents))
    tops = np.where(parents == UNKNOWN, rows, parents)
    steps = (parents != UNKNOWN).astype(np.int64)
    for _ in range(len(parents).bit_length()):
        further = tops[tops]
        if np.array_equal(further, tops):
            break
        steps += steps[tops]
        tops = further
    return tops, steps
