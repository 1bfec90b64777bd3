"""Cleaning of posts: which are dropped, by which rule, and how those that stay reply to each other."""

# Arrow's annotations leave the types of columns open.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute
from numpy.typing import NDArray

from rove.load.posts.columns import SCHEMA
from rove.load.posts.tree import UNKNOWN, Rows, Tree, reply_tree

pc: Any = pyarrow.compute  # its stubs do not know that numbers and text may stand for arrays
FREQUENT_BYTES = 35
FREQUENT_TIMES = 7
"""A text of more than `FREQUENT_BYTES` that occurs more than `FREQUENT_TIMES` times is a bot's, or a chain letter."""


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
    """What the rules make of n posts, and their tree. Row numbers are those of the input.

    `fates`: (n,) uint8, see `Fate`; `kept`: (n,) bool, which stay. `replies`: (n,), how many of those reply to each.
    `submissions`: names and titles of the submissions alone; `places`: (n,), where each is among them. `orphans`: how
    many that stay reply to a post that is not there.
    """

    fates: NDArray[np.uint8]
    kept: NDArray[np.bool_]
    tree: Tree
    replies: NDArray[np.int64]
    submissions: pa.Table
    places: Rows
    orphans: int
    longest_subreddit: int

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
    file; then an empty comment goes, and an empty submission takes its title. The batches, which follow
    `columns.SCHEMA`, are let go one by one; some 70 bytes are held for each post, and the submissions' titles.
    """
    parts = [_part_of(batch) for batch in batches] or [_part_of(pa.RecordBatch.from_pylist([], SCHEMA))]
    submission = np.concatenate([part.submission for part in parts])
    fates = np.concatenate([part.fates for part in parts])
    texts = np.concatenate([part.texts for part in parts])
    names, parents, roots = (np.concatenate([part.links[i] for part in parts]) for i in range(3))
    tree = reply_tree(names, parents, roots, submission)
    fates[tree.repeated & (fates != Fate.NAMELESS)] = Fate.REPEATED
    fates[_frequent(texts, fates == Fate.KEPT)] = Fate.FREQUENT
    kept = fates <= Fate.TITLED
    return Cleaned(
        fates=fates,
        kept=kept,
        tree=tree,
        replies=np.bincount(tree.parents[kept & (tree.parents != UNKNOWN)], minlength=len(fates)),
        submissions=pa.Table.from_batches([part.submissions for part in parts]),
        places=np.where(submission, np.cumsum(submission, dtype=np.int32) - 1, np.int32(UNKNOWN)),
        orphans=int((kept & ~submission & (tree.parents == UNKNOWN)).sum()),
        longest_subreddit=max(part.longest_subreddit for part in parts),
    )


@dataclass(frozen=True, slots=True)
class _PostBatch:
    """What is held of one batch; `links` are the hashes of the names, the parents' and the submissions' names."""

    fates: NDArray[np.uint8]
    texts: NDArray[np.int64]
    links: NDArray[np.int64]
    submission: NDArray[np.bool_]
    submissions: pa.RecordBatch
    longest_subreddit: int


def _part_of(batch: pa.RecordBatch) -> _PostBatch:
    return _PostBatch(
        fates=_first_fates(batch),
        texts=_text_hashes(batch.column("text")),
        links=np.stack([_hashes(batch.column(name)) for name in ("name", "parent", "root")]),
        submission=_flags(batch.column("submission")),
        submissions=batch.select(["name", "title"]).filter(cast("pa.BooleanArray", batch.column("submission"))),
        longest_subreddit=pc.max(pc.utf8_length(batch.column("subreddit"))).as_py() or 0,
    )


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
    return _hashes(pc.if_else(pa.array(long), text, None))


def _hashes(texts: Any) -> NDArray[np.int64]:  # noqa: ANN401
    """A hash of each text, good for this process; 0 for null."""
    return np.fromiter((0 if text is None else hash(text) for text in texts.to_pylist()), np.int64, len(texts))


def _frequent(hashes: NDArray[np.int64], counted: NDArray[np.bool_]) -> NDArray[np.bool_]:
    values, counts = np.unique(hashes[counted & (hashes != 0)], return_counts=True)
    return counted & np.isin(hashes, values[counts > FREQUENT_TIMES])
