"""Hits that say the same: only the best of them is kept (mission B.7: by score, with deduplication)."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from rove.records import Hit

RUN = 5
NEAR = 0.9
"""Share of runs of five characters (Jaccard) from which on two texts are nearly the same."""


def distinct(hits: Sequence[Hit], how: str) -> list[Hit]:
    """Return the hits in their order, without those whose text an earlier one has.

    `how`: the setting `search.deduplicate`.
    """
    if how == "off":
        return list(hits)
    kept: list[Hit] = []
    texts: dict[str, frozenset[str]] = {}
    for hit in hits:
        text = plain(hit.chunk.text)
        runs = runs_of(text) if how == "near" else frozenset[str]()
        if text in texts or (how == "near" and any(alike(runs, other) for other in texts.values())):
            continue
        texts[text] = runs
        kept.append(hit)
    return kept


def plain(text: str) -> str:
    r"""Return a text without what does not make it another one: white space, case, ways to write a letter.

    >>> plain("The  Text.\n") == plain("the text.")
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
