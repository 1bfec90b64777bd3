"""Hits that say the same become one: the best of them, which has the others (mission B.7: with deduplication)."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import replace

from rove.records import Hit

RUN = 5
NEAR = 0.9
"""Share of runs of five characters (Jaccard) from which on two texts are nearly the same."""


def merge_copies(hits: Sequence[Hit], how: str) -> list[Hit]:
    """Return the hits in their order, those whose text an earlier one has as that one's `same`.

    `how`: the setting `search.deduplicate`.
    """
    if how == "off":
        return list(hits)
    kept: dict[str, list[Hit]] = {}
    runs: dict[str, frozenset[str]] = {}
    for hit in hits:
        text = fold_text(hit.chunk.text)
        if how == "near" and text not in kept:
            runs[text] = runs_of(text)
            text = next((other for other in kept if alike(runs[text], runs[other])), text)
        kept.setdefault(text, []).append(hit)
    return [replace(best, same=tuple(same)) if same else best for best, *same in kept.values()]


def apart(hits: Sequence[Hit]) -> list[Hit]:
    """Return the hits, each with those of the same text after it."""
    return [one for hit in hits for one in (hit, *hit.same)]


def fold_text(text: str) -> str:
    r"""Return a text without what does not make it another one: white space, case, ways to write a letter.

    >>> fold_text("The  Text.\n") == fold_text("the text.")
    True
    """
    return "".join(unicodedata.normalize("NFC", text).split()).casefold()


def runs_of(text: str) -> frozenset[str]:
    """Return the runs of five characters of a text, itself where it is shorter."""
    return frozenset(text[at : at + RUN] for at in range(max(1, len(text) - RUN + 1)))


def alike(one: frozenset[str], other: frozenset[str]) -> bool:
    """Say whether two sets of runs have at least `NEAR` of all their runs in common."""
    if min(len(one), len(other)) < NEAR * max(len(one), len(other)):
        return False
    return len(one & other) >= NEAR * len(one | other)
