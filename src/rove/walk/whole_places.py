"""A place that is pointed to is read whole; of a long one its head, and what bears on what is looked for."""

from __future__ import annotations

from collections.abc import Sequence

from rove.language.token_count import count_tokens
from rove.language.words import query_terms, terms
from rove.records import Hit

WHOLE_TOKENS = 3_000
"""Of a place that is read for one lead: some six pages."""


def fits_budget(hits: Sequence[Hit]) -> bool:
    """Say whether chunks can all be read for one lead."""
    return sum(count_tokens(hit.chunk.text) for hit in hits) <= WHOLE_TOKENS


def within_budget(hits: Sequence[Hit], near: Sequence[float], looked_for: str, language: str) -> list[Hit]:
    """Return what is read of a place that is too long to be read whole, in the order of its text.

    Its beginning, which holds its heading or a table's head, and then the chunks with the most of the terms that are
    looked for (rows are named by their words) together with their nearness, as many as `WHOLE_TOKENS` allow.

    near: cosines to the question, one for each hit.
    """
    wanted = set(query_terms(looked_for, language))

    def worth(at: int) -> float:
        held = wanted.intersection(terms(hits[at].chunk.text, language))
        return near[at] + len(held) / max(len(wanted), 1)

    left = WHOLE_TOKENS
    kept: list[int] = []
    for at in [0, *sorted(range(1, len(hits)), key=lambda at: -worth(at))]:
        cost = count_tokens(hits[at].chunk.text)
        if cost <= left or not kept:
            kept.append(at)
            left -= cost
    return [hits[at] for at in sorted(kept)]
