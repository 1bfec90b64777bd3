"""Passages in other languages than the question's: the best of each stands beside the best in the question's own.

A passage in the question's language has its words, one in another hardly any; of a base in several languages the
first list would show the former alone. Late interaction, which compares meanings token by token, decides between them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from rove.language.detect import UNKNOWN, other_language
from rove.records import Hit
from rove.store import Scored

MOST = 3
"""Passages of each other language that are compared, beside those in the pool."""
MOST_IN_ALL = 6
"""Of all other languages."""
SAMPLE = 300
"""Characters of a passage that tell whether it surely is in another language."""
AS_NEAR = 2.0
"""Standard deviations of the reranker's opinions by which the best passage of another language may lie behind."""


def others_near(
    ranked: Sequence[Scored], near: Sequence[Scored], languages: Mapping[str, str], spoken: str, pool: int
) -> list[str]:
    """Return up to `MOST` passages of each other language that are nearest in meaning and not in the pool.

    They take the places of the last of the pool, so that no more is compared than otherwise.

    Args:
        ranked: the ranking, best first.
        near: the semantic list, best first.
        languages: chunk id → language, of the semantic list.
        spoken: the question's language; where that is not known, there are none.
        pool: how many are compared.
    """
    kept = {name for name, _ in ranked[: pool - MOST_IN_ALL]}
    counts: Counter[str] = Counter()
    chosen: list[str] = []
    for name, _ in near if spoken != UNKNOWN else ():
        language = languages.get(name, UNKNOWN)
        if language not in {spoken, UNKNOWN} and counts[language] < MOST and counts.total() < MOST_IN_ALL:
            counts[language] += 1
            chosen += [name] if name not in kept else []
    return chosen


def raised(
    scores: Mapping[str, float], opinions: Mapping[str, float], hits: Sequence[Hit], spoken: str
) -> dict[str, float]:
    """Return the scores with those of each other language raised until its best is as good as the best in `spoken`.

    Where no hit is in that, as good as the best of all. A language of which no passage comes so near by the reranker
    (`AS_NEAR`) stays as it is: the question is answered in its own. `scores` and `opinions`: those of the first stage
    and of the reranker, standardised, by the ids of the chunks.
    """
    languages = {hit.chunk.chunk_id: _hit_language(hit, spoken) for hit in hits}
    tops, nearest = (_best_value_by_language(languages, values) for values in (scores, opinions))
    top, near = (best.get(spoken, max(best.values(), default=0.0)) for best in (tops, nearest))
    lifts = {one: max(top - tops[one], 0.0) if nearest[one] >= near - AS_NEAR else 0.0 for one in tops}
    return {name: scores[name] + lifts[language] for name, language in languages.items()}


def _best_value_by_language(languages: Mapping[str, str], values: Mapping[str, float]) -> dict[str, float]:
    """Return the highest value of each language."""
    best: dict[str, float] = {}
    for name, language in languages.items():
        best[language] = max(best.get(language, values[name]), values[name])
    return best


def _hit_language(hit: Hit, spoken: str) -> str:
    """Return the language of a hit: the spoken one unless its own words surely are of another."""
    language = hit.chunk.language
    return language if language != spoken and other_language(hit.chunk.text[:SAMPLE], spoken) else spoken
